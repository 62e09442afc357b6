-- The rules of examples/game: what may be changed while it runs. The host reads this file again whenever it changes; a
-- file with a mistake leaves the rules as they were. Places go from -1 to 1.
local rules = { hunters = 48, push = 4.0, drag = 0.8, rock = 0.12, color = 0x4cc9f0 }

rules.rocks = { { -0.5, 0.35 }, { 0.45, -0.3 }, { 0.1, 0.55 }, { -0.2, -0.55 } }

--- Where the prey is after t seconds.
function rules.prey(t) return 0.75 * math.sin(0.9 * t), 0.55 * math.sin(1.7 * t + 0.5) end

return rules
