--- PageRank: where a surfer who follows links at random is most often, on a sparse graph of pages, by a loop that ends
-- when nothing changes any more.
-- build/theano examples/sparse/pagerank.lua [pages]
-- Makes pages that link to those which many link to already; prints the rounds and the first pages.
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

local n = tonumber(arg[1]) or 20000
local rng = nd.random.RandomState(5)

-- ---- links: half of them to a page at random, half to where an older link leads; one page in ten has none -----------
local from, to = {}, {}
local kind, any = rng:rand(8 * n), rng:rand(8 * n)
for page = 1, n - 1 do
  if page % 10 ~= 3 then
    for k = 0, 7 do
      local i, links = 8 * page + k, #to
      local goal = kind[i] < 0.5 and links > 0 and to[1 + (any[i] * links) // 1 | 0] or (any[i] * page) // 1 | 0
      from[#from + 1], to[#to + 1] = page, goal
    end
  end
end
local rows, columns = nd.array(to, "int32"), nd.array(from, "int32")
local leaving = nd.bincount(columns, { minlength = n }):astype("float64")
local weight = 1 / leaving[columns]
local links = nd.sparse.csr_matrix({ weight, { rows, columns } }, { shape = { n, n } }) -- links[to, from]
print(("%d pages, %d links"):format(n, links.nnz))

-- ---- rounds ---------------------------------------------------------------------------------------------------------
local M, stuck = sparse.csr_matrix("links"), T.dvector("stuck") -- 1 where no link leaves
local damping, start = 0.85, T.fill(stuck, 1.0 / n)
local function round(rank, matrix, without)
  local lost = T.sum(rank * without) -- surfers without a link go anywhere
  local next_rank = damping * (sparse.dot(matrix, rank) + lost / n) + (1 - damping) / n
  return next_rank, {}, theano.until_(T.lt(T.sum(T.abs(next_rank - rank)), 1e-10))
end
local ranks = theano.scan { fn = round, outputs_info = start, non_sequences = { M, stuck }, n_steps = 200 }
local surf = theano.compile { inputs = { M, stuck }, outputs = { ranks[-1], ranks.shape[0] } }
local rank, rounds = surf(links, nd.eq(leaving, 0):astype("float64"))

print(("after %d rounds, all ranks together: %.6f"):format(rounds, rank:sum()))
local order, linked = nd.argsort(rank)["::-1"], nd.bincount(rows, { minlength = n })
for place = 0, 4 do
  local page = order[place]
  print(("%d. page %d: rank %.5f, %d links lead there"):format(place + 1, page, rank[page], linked[page]))
end
