--- `theano.run`: the run that a script is part of. Under `theano run` it has a folder; otherwise nothing is kept.
--     theano.run:log { epoch = 3, loss = 0.2 }        -- a line of metrics.jsonl
--     theano.run:save { weights = p, adam = state }   -- checkpoint.npz
--     local at = theano.run:resume { weights = p, adam = state }   -- nil, or what was saved, after --resume
--     theano.run:path("filters.png")                  -- a place in the folder
-- @module theano.run
local util = require("theano.util")

local Run = {}
Run.__index = Run

local function check(self, name)
  if getmetatable(self) ~= Run then
    util.raise("TypeError", "theano.run.%s is called with a colon: theano.run:%s(...)", name, name)
  end
end

--- Keeps a table of numbers by name, with the time.
function Run:log(values)
  check(self, "log")
  if self.on_log then self.on_log(values) end
end

--- A place for a file of the run: in its folder, or the name itself.
function Run:path(name)
  check(self, "path")
  return self.dir and self.dir .. "/" .. name or name
end

--- Writes a checkpoint (theano.checkpoint) into the folder; nothing without one. Of several ranks the first one does.
function Run:save(tree)
  check(self, "save")
  if self.dir and not self.follows then require("theano.checkpoint").save(self:path("checkpoint.npz"), tree) end
end

--- Sets the states in `tree` from the checkpoint of a run that goes on, and gives its plain values; nil when this run
-- is new.
function Run:resume(tree)
  check(self, "resume")
  if not (self.dir and self.resuming) then return nil end
  local f = io.open(self:path("checkpoint.npz"), "rb")
  if not f then return nil end
  f:close()
  return require("theano.checkpoint").restore(self:path("checkpoint.npz"), tree)
end

--- What the script was asked is no run (--help, a wrong argument): its folder goes when it ends.
function Run:nothing() self.void = true end

return setmetatable({}, Run)
