--- A command's parser (lua-argparse) that ends with 2 where the words are wrong.
-- @module theano.runner.words
return function(name)
  local p = require("argparse")(name)
  function p.error(parser, message)
    io.stderr:write(parser:get_usage(), "\n\nError: ", message, "\n")
    os.exit(2, true)
  end
  return p
end
