--- Asserts that a call of a function raises: as spec.support.raises, of a function and its arguments.
-- @module spec.support.refuses
local raises = require("spec.support.raises")

--- @tparam string kind such as "TypeError"
-- @tparam ?string|{string,...} text plain texts that the message holds
-- @tparam function f what is called, with what follows
return function(kind, text, f, ...)
  local args = table.pack(...)
  return raises(kind, text or {}, function()
    local _ = f(table.unpack(args, 1, args.n))
  end)
end
