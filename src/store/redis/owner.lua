-- What the owners say of a lane: since when it has had work, and whose it is, if anybody's.
local function is_held(owner, token) return owner and string.sub(owner, 9) == token end
