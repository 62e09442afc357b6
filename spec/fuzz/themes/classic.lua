--- The families of the programs of single graphs: every kind of operation, and the left sides of the rewrites.
local ops = require("spec.support.fuzz_ops")

return function(registry)
  registry.entry("classic", 90, function(s, rng)
    local family = ops.choose(rng, s.smooth_only)
    local ok, made = pcall(family.make, s, rng)
    if not ok then
      s.problem = ("%s: %s"):format(family.name, tostring(made))
      return nil
    end
    return made, family.name
  end)
end
