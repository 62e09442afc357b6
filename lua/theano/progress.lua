--- `theano.progress`: a bar on a terminal, plain lines elsewhere.
--     local bar = theano.progress(epochs, "epoch")
--     bar:step(0.5, { loss = 0.3 })              -- half of the first epoch
--     bar:done({ loss = 0.29, accuracy = 95.1 }) -- the line stays, the next epoch begins
-- @module theano.progress
local util = require("theano.util")

local M = {}
local Bar = {}
Bar.__index = Bar

local function clock()
  local core = require("theano.core")
  return core.monotonic and core.monotonic() or os.clock()
end

local function is_terminal()
  local core = require("theano.core")
  return core.isatty ~= nil and core.isatty("stdout")
end

--- A number for people: 4 digits.
function M.number(v)
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if type(v) ~= "number" then return tostring(v) end
  if v ~= v or v == math.huge or v == -math.huge then return util.text(v) end
  local size = math.abs(v)
  if size ~= 0 and (size < 1e-3 or size >= 1e6) then return util.format("%.3e", v) end
  return util.format(size >= 100 and "%.1f" or size >= 10 and "%.2f" or "%.4f", v)
end

-- "loss 0.3000  accuracy 95.10", by name.
local function fields(values)
  local names, list = {}, {}
  for name in pairs(values or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = name .. " " .. M.number(values[name]) end
  return table.concat(list, "  ")
end
M.fields = fields

local function duration(seconds)
  if seconds ~= seconds or seconds >= 360000 then return "" end
  local s = math.floor(seconds + 0.5)
  return s >= 3600 and ("%d:%02d:%02d"):format(s // 3600, s // 60 % 60, s % 60) or ("%d:%02d"):format(s // 60, s % 60)
end

--- A display for `total` rounds called `label` ("epoch"). out: a function that takes texts (by default they go to the
-- standard output). A terminal gets a bar that is drawn ten times a second.
function M.new(total, label, out)
  if total ~= nil and (math.type(total) ~= "integer" or total < 1) then
    util.raise("ValueError", "progress: %s rounds", tostring(total))
  end
  return setmetatable({ total = total, label = label or "epoch", round = 1, shown = -1, began = clock(),
    bar = not out and is_terminal(), out = out or function(text)
      io.stdout:write(text)
      io.stdout:flush()
    end }, Bar)
end

function Bar:head() return self.total and ("%s %d/%d"):format(self.label, self.round, self.total)
  or ("%s %d"):format(self.label, self.round) end

--- A share of the round, from 0 to 1, is done; values are shown by name.
function Bar:step(share, values)
  if not self.bar then return end
  local now = clock()
  if now - self.shown < 0.1 and share < 1 then return end
  self.shown = now
  local width = 24
  local full = math.floor(math.max(0, math.min(share, 1)) * width + 0.5)
  local all = self.total and (self.round - 1 + share) / self.total or share
  local left = all > 0 and duration((now - self.began) * (1 - all) / all) or ""
  self.out(("\r%s [%s%s] %3d %%  %s  %s\27[K"):format(self:head(), ("="):rep(full), (" "):rep(width - full),
    math.floor(100 * share + 0.5), fields(values), left ~= "" and left .. " left" or ""))
end

--- The round is done.
function Bar:done(values)
  self.out((self.bar and "\r\27[K" or "") .. self:head() .. "  " .. fields(values) .. "\n")
  self.round = self.round + 1
end

return setmetatable(M, { __call = function(_, ...) return M.new(...) end })
