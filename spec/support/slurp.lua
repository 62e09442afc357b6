--- What a file holds, byte for byte.
-- @module spec.support.slurp

--- @tparam string path the file's
-- @treturn string its bytes; an error with the system's reason where it cannot be read
return function(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read("a")
end
