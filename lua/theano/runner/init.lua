--- The runner's commands: `theano run`, `theano sweep`, .. each a module of this folder with `main(words..)`, which
-- gives the code to end with.
-- @module theano.runner
local M = {}

function M.main(name, ...)
  require("theano")
  local needed = { "luv", "dkjson", "argparse" }
  for _, module in ipairs(needed) do -- looked for, not loaded: `theano run` without arguments needs no argparse
    if not (package.searchpath(module, package.path) or package.searchpath(module, package.cpath)) then
      io.stderr:write(("theano %s needs the Lua module '%s' (Debian: lua-%s)\n"):format(name, module, module))
      return 1
    end
  end
  return require("theano.runner." .. name).main(...)
end

return M
