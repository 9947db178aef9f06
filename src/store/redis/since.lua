-- Since when a lane has had work, as its owner is told; one that had none has it from now on.
local function since(owner) return owner and string.sub(owner, 1, 8) or struct.pack('>I8', now) end
