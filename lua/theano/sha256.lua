--- SHA-256 of a text of bytes, as hexadecimal digits (FIPS 180-4).
-- @module theano.sha256
local WORD = 0xffffffff

-- The first 32 bits of the fractional part of a prime's root.
local function fraction(root) return math.floor((root - math.floor(root)) * 2.0 ^ 32) end

local START, ROUND = {}, {}
do
  local n = 2
  while #ROUND < 64 do
    local prime = true
    for d = 2, math.floor(n ^ 0.5) do prime = prime and n % d ~= 0 end
    if prime then
      if #START < 8 then START[#START + 1] = fraction(n ^ 0.5) end
      local root = n ^ (1 / 3) -- one step of Newton: the last bits count
      root = root - (root * root * root - n) / (3 * root * root)
      ROUND[#ROUND + 1] = fraction(root)
    end
    n = n + 1
  end
end

local function turn(x, n) return (x >> n | x << (32 - n)) & WORD end

local function block(h, s, at)
  local w = { (">I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4I4"):unpack(s, at) }
  for i = 17, 64 do
    local a, b = w[i - 15], w[i - 2]
    w[i] = (w[i - 16] + (turn(a, 7) ~ turn(a, 18) ~ a >> 3) + w[i - 7] + (turn(b, 17) ~ turn(b, 19) ~ b >> 10)) & WORD
  end
  local a, b, c, d, e, f, g, k = table.unpack(h)
  for i = 1, 64 do
    local t1 = k + (turn(e, 6) ~ turn(e, 11) ~ turn(e, 25)) + (e & f ~ ~e & g) + ROUND[i] + w[i]
    local t2 = (turn(a, 2) ~ turn(a, 13) ~ turn(a, 22)) + (a & b ~ a & c ~ b & c)
    a, b, c, d, e, f, g, k = (t1 + t2) & WORD, a, b, c, (d + t1) & WORD, e, f, g
  end
  for i, v in ipairs({ a, b, c, d, e, f, g, k }) do h[i] = (h[i] + v) & WORD end
end

return function(s)
  local h = { table.unpack(START) }
  local full = s .. "\128" .. ("\0"):rep((55 - #s) % 64) .. (">I8"):pack(#s * 8)
  for at = 1, #full, 64 do block(h, full, at) end
  return (("%08x"):rep(8)):format(table.unpack(h))
end
