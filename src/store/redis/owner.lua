-- What the owners say of a lane: since when it has had work, and whose it is, if anybody's.
local function is_held(owner, token) return owner and string.sub(owner, 9) == token end
local function since(owner) return owner and string.sub(owner, 1, 8) or struct.pack('>I8', now) end
