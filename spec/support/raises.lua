--- Asserts that a function raises as the project promises: "file:line: Kind: message", the line one of the
-- function's own.
-- @module spec.support.raises
local theano = require("theano")

--- Calls fn, which must raise.
-- @tparam string kind such as "TypeError"
-- @tparam string|{string,...} wanted plain texts that the message holds
-- @tparam function fn the call; it must not be a tail call, which leaves no line of its own on the stack
-- @treturn string the message
return function(kind, wanted, fn)
  local fine, message = pcall(fn)
  if fine then error("nothing raised, wanted " .. kind, 2) end
  message = tostring(message)
  if theano.error_kind(message) ~= kind then error(("wanted %s, raised: %s"):format(kind, message), 2) end
  local info = debug.getinfo(fn, "S")
  local file, line = message:match("^([^\n]-):(%d+): ")
  if file ~= info.source:sub(2) or tonumber(line) < info.linedefined or tonumber(line) > info.lastlinedefined then
    local form = "wanted a position in %s:%d-%d, raised: %s"
    error(form:format(info.source:sub(2), info.linedefined, info.lastlinedefined, message), 2)
  end
  for _, text in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if not message:find(text, 1, true) then error(("wanted '%s' in: %s"):format(text, message), 2) end
  end
  return message
end
