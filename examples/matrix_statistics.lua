-- Statistics of the columns of a matrix, several outputs under names, and broadcasting with rows and columns.
-- Run it with: build/theano examples/matrix_statistics.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local x = T.dmatrix("x")
local mean = x:mean({ axis = 0 })
local centred = x - mean
local stats = theano.compile({
  inputs = { x },
  outputs = {
    mean = mean,
    std = x:std({ axis = 0 }),
    largest = x:max({ axis = 0 }),
    where = x:argmax({ axis = 0 }), -- positions count from 0
    covariance = T.dot(centred.T, centred) / (x.shape[0] - 1),
    total = x:sum(),
  },
})
local s = stats(nd.array({ { 1, 5, 2 }, { 3, 4, 2.5 }, { 8, 0, 3 } }))
print("mean", s.mean)
print("std", s.std)
print("largest", s.largest, "in rows", s.where)
print("covariance")
print(s.covariance)
print("total", s.total) -- a 0-d result is a Lua number

-- A column promises that its second length is 1, a row that its first is: only such promises license broadcasting.
local c, r = T.dcol("c"), T.drow("r")
local times = theano.compile({ inputs = { c, r }, outputs = c * r })
print("table of products")
print(times({ { 1 }, { 2 }, { 3 } }, { { 1, 10, 100 } }))

-- The same with vectors, which dimshuffle turns into a column and a row.
local u, v = T.dvector("u"), T.dvector("v")
local outer = theano.compile({ inputs = { u, v }, outputs = u:dimshuffle(0, "x") + v:dimshuffle("x", 0) })
print("table of sums")
print(outer({ 1, 2, 3 }, { 10, 20 }))
