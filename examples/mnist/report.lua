--- Progress of a training run: a bar on a terminal, plain lines elsewhere; the learning curve as an SVG picture.
local M = {}

local Bar = {}
Bar.__index = Bar

--- A progress display for a number of epochs.
function M.progress(epochs)
  local core = require("theano.core")
  local tty = core.isatty ~= nil and core.isatty("stdout")
  return setmetatable({ epochs = epochs, tty = tty, shown = 0 }, Bar)
end

--- One minibatch is done: fraction of the epoch, mean loss so far, examples a second.
function Bar:step(epoch, fraction, loss, rate)
  if not self.tty then return end
  local now = os.clock()
  if now - self.shown < 0.05 and fraction < 1 then return end
  self.shown = now
  local width = 30
  local full = math.floor(fraction * width + 0.5)
  io.write(("\repoch %2d/%d [%s%s] %3d %%  loss %.4f  %6.0f examples/s "):format(epoch, self.epochs, ("="):rep(full),
    (" "):rep(width - full), math.floor(100 * fraction + 0.5), loss, rate))
  io.flush()
end

--- An epoch is done.
function Bar:done(epoch, loss, accuracy)
  local text = ("epoch %2d/%d  loss %.4f  test accuracy %.1f %%"):format(epoch, self.epochs, loss, accuracy)
  io.write(self.tty and ("\r\27[K" .. text .. "\n") or (text .. "\n"))
  io.flush()
end

local function polyline(points, x, y, color)
  local list = {}
  for i, v in ipairs(points) do list[i] = ("%.1f,%.1f"):format(x(i), y(v)) end
  return ('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>\n'):format(color, table.concat(list, " "))
end

--- Writes the curve, a sequence of {loss =, accuracy =}, as a self-contained SVG file.
function M.curve(path, curve)
  local w, h, left, top, right, bottom = 640, 360, 56, 28, 56, 40
  local losses, accuracies, most, least = {}, {}, 0.0, 100.0
  for i, c in ipairs(curve) do
    losses[i], accuracies[i] = c.loss, c.accuracy
    most, least = math.max(most, c.loss), math.min(least, c.accuracy)
  end
  most, least = most > 0 and most * 1.05 or 1, math.floor(least) - 1
  local function x(i) return left + (w - left - right) * (#curve > 1 and (i - 1) / (#curve - 1) or 0.5) end
  local function y(v) return top + (h - top - bottom) * (1 - v / most) end
  local function ya(v) return top + (h - top - bottom) * (1 - (v - least) / (100 - least)) end
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '):format(w, h),
    'font-family="sans-serif" font-size="12">\n',
    '<rect width="100%" height="100%" fill="white"/>\n',
  }
  for k = 0, 4 do
    local v, a = most * k / 4, least + (100 - least) * k / 4
    out[#out + 1] = ('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>\n'):format(left, w - right, y(v), y(v))
    out[#out + 1] = ('<text x="%d" y="%.1f" text-anchor="end" fill="#c33">%.2f</text>\n'):format(left - 6, y(v) + 4, v)
    out[#out + 1] = ('<text x="%d" y="%.1f" fill="#36c">%.0f %%</text>\n'):format(w - right + 6, ya(a) + 4, a)
  end
  for i = 1, #curve, math.max(1, #curve // 10) do
    out[#out + 1] = ('<text x="%.1f" y="%d" text-anchor="middle">%d</text>\n'):format(x(i), h - bottom + 18, i)
  end
  out[#out + 1] = polyline(losses, x, y, "#c33") .. polyline(accuracies, x, ya, "#36c")
  out[#out + 1] = ('<text x="%d" y="18" fill="#c33">training loss</text>'):format(left)
  out[#out + 1] = ('<text x="%d" y="18" text-anchor="end" fill="#36c">test accuracy</text>'):format(w - right)
  out[#out + 1] = ('<text x="%d" y="%d" text-anchor="middle">epoch</text>\n</svg>\n'):format(w // 2, h - 8)
  local f = assert(io.open(path, "w"))
  f:write(table.concat(out))
  f:close()
end

return M
