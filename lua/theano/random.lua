--- `theano.random`: the generators of random numbers for graphs, by their short names.
-- @module theano.random
if not package.loaded["theano"] then require("theano") return require("theano.random") end -- it loads us
local rng_mrg = require("theano.rng_mrg")
local streams = require("theano.shared_randomstreams")

local M = {
  MRG_RandomStreams = rng_mrg.MRG_RandomStreams, RandomStreams = streams.RandomStreams, Key = require("theano.key"),
}

return M
