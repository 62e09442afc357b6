--- `theano.run`: the run that a script is part of. Under `theano run` it has a folder; otherwise nothing is kept.
--     theano.run:log { epoch = 3, loss = 0.2 }        -- a line of metrics.jsonl
--     theano.run:save { weights = p, adam = state }   -- checkpoint.npz
--     local at = theano.run:resume { weights = p, adam = state }   -- nil, or what was saved, after --resume
--     theano.run:path("filters.png")                  -- a place in the folder
-- @module theano.run
local Run = {}
Run.__index = Run

--- Keeps a table of numbers by name, with the time.
function Run:log(values)
  if self.on_log then self.on_log(values) end
end

--- A place for a file of the run: in its folder, or the name itself.
function Run:path(name) return self.dir and self.dir .. "/" .. name or name end

--- Writes a checkpoint (theano.checkpoint) into the folder; nothing without one. Of several ranks the first one does.
function Run:save(tree)
  if self.dir and not self.follows then require("theano.checkpoint").save(self:path("checkpoint.npz"), tree) end
end

--- Sets the states in `tree` from the checkpoint of a run that goes on, and gives its plain values; nil when this run
-- is new.
function Run:resume(tree)
  if not (self.dir and self.resuming) then return nil end
  local f = io.open(self:path("checkpoint.npz"), "rb")
  if not f then return nil end
  f:close()
  return require("theano.checkpoint").restore(self:path("checkpoint.npz"), tree)
end

return setmetatable({}, Run)
