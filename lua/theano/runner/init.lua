--- The runner's commands: `theano run`, `theano sweep`, .. each a module of this folder with `main(words..)`, which
-- gives the code to end with.
-- @module theano.runner
local M = {}

--- Lua modules that the commands use, but for `doctor`, which says that they are missing.
M.needed = { "luv", "dkjson", "argparse" }

--- Whether a module is there: looked for, not loaded, since `theano run` without arguments needs no argparse.
function M.has(module)
  return (package.searchpath(module, package.path) or package.searchpath(module, package.cpath)) ~= nil
end

function M.main(name, ...)
  require("theano")
  for _, module in ipairs(name ~= "doctor" and M.needed or {}) do
    if not M.has(module) then
      io.stderr:write(("theano %s needs the Lua module '%s' (Debian: lua-%s)\n"):format(name, module, module))
      return 1
    end
  end
  return require("theano.runner." .. name).main(...)
end

return M
