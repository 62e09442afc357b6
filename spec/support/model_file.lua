--- Bytes of saved models, for specs that change them.
local M = {}

--- The file with its length and its hash put right again.
function M.sealed(text)
  local h, from = 0xcbf29ce484222325, 65
  while from + 7 <= #text do
    h = (h ~ string.unpack("<I8", text, from)) * 0x100000001b3
    from = from + 8
  end
  for i = from, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  return text:sub(1, 16) .. string.pack("<I8i8", #text, h) .. text:sub(33)
end

return M
