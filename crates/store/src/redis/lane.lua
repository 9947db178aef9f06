-- What the lanes of a partition say of one that has work: since when, whose it is or NOBODY, whether its list holds more, and its
-- head. Nearly every lane has one item only: that lies here, and is a key of its own no more than the lane.
local function is_held(lane, token) return lane and string.find(lane, token, 9, true) == 9 end
local function has_more(lane) return string.byte(lane, 17) == MORE end
local function head_of(lane) return string.sub(lane, 18) end
local function with_holder(lane, token) return string.sub(lane, 1, 8) .. token .. string.sub(lane, 17) end
local function with_head(lane, mark, head) return string.sub(lane, 1, 16) .. mark .. head end
