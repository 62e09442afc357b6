--- A smooth surface over triangles: in each three cubic pieces that meet at its centre (Clough and Tocher), whose
-- slopes at the points bend the edges least (Nielson, "A method for interpolating scattered data based upon a minimum
-- norm network", 1983) and whose slopes across the edges are linear along the lines between the triangles' centres
-- (Alfeld, "A trivariate Clough-Tocher scheme", 1984).
-- @module theano.ndclough
return function(nd)
  local M = {}

  -- Each point's neighbours, with x, y and the cube of the length of the edge there.
  local function network(t)
    local edges = {}
    local function add(a, b)
      local x, y = t.x[b] - t.x[a], t.y[b] - t.y[a]
      edges[a] = edges[a] or {}
      table.insert(edges[a], { to = b, x = x, y = y, cube = (x * x + y * y) ^ 1.5 })
    end
    for e = 1, #t.from do
      local a, b = t.from[e], t.from[e % 3 == 0 and e - 2 or e + 1]
      add(a, b)
      if t.twin[e] == 0 then add(b, a) end
    end
    return edges
  end
  -- What the slope at a point is multiplied by: the sums over its edges.
  local function matrix(edges)
    local xx, xy, yy = 0.0, 0.0, 0.0
    for _, e in ipairs(edges) do
      xx, xy, yy = xx + 4 * e.x * e.x / e.cube, xy + 4 * e.x * e.y / e.cube, yy + 4 * e.y * e.y / e.cube
    end
    return xx, xy, yy, xx * yy - xy * xy
  end
  -- Slopes at the points with values v, which bend the edges least: point after point until none changes by more than
  -- tol.
  local function slopes(net, v, tol, rounds)
    local gx, gy, sums = {}, {}, {}
    for i = 1, #v do gx[i], gy[i] = 0.0, 0.0 end
    for i, edges in pairs(net) do sums[i] = { matrix(edges) } end
    for _ = 1, rounds do
      local worst = 0.0
      for i = 1, #v do
        local edges, m = net[i], sums[i]
        if edges then
          local sx, sy = 0.0, 0.0
          for _, e in ipairs(edges) do
            local j = e.to
            local s = (6 * (v[j] - v[i]) - 2 * (e.x * gx[j] + e.y * gy[j])) / e.cube
            sx, sy = sx + s * e.x, sy + s * e.y
          end
          local x, y = (m[3] * sx - m[2] * sy) / m[4], (m[1] * sy - m[2] * sx) / m[4]
          local change = math.max(math.abs(x - gx[i]), math.abs(y - gy[i]))
          worst = math.max(worst, change / math.max(1.0, math.abs(x), math.abs(y)))
          gx[i], gy[i] = x, y
        end
      end
      if worst < tol then break end
    end
    return gx, gy
  end

  -- How the slope across each edge goes on in the triangle beyond, by where that one's centre lies; on the hull across.
  local function crossing(t)
    local g = { {}, {}, {} }
    for at = 1, #t.from, 3 do
      local p = { t.from[at], t.from[at + 1], t.from[at + 2] }
      for k = 1, 3 do -- the edge opposite to corner k
        local twin, a, b = t.twin[at + k % 3], p[k % 3 + 1], p[(k + 1) % 3 + 1]
        local w = -0.5
        if twin ~= 0 then
          local from = twin - (twin - 1) % 3
          local cx, cy = 0.0, 0.0
          for i = from, from + 2 do cx, cy = cx + t.x[t.from[i]] / 3, cy + t.y[t.from[i]] / 3 end
          local function area(u, v, x, y)
            return (t.x[v] - t.x[u]) * (y - t.y[u]) - (t.y[v] - t.y[u]) * (x - t.x[u])
          end
          local all = area(p[1], p[2], t.x[p[3]], t.y[p[3]])
          local ca, cb = area(b, p[k], cx, cy) / all, area(p[k], a, cx, cy) / all -- its parts of the corners a and b
          w = (2 * cb + ca - 1) / (2 - 3 * cb - 3 * ca)
        end
        table.insert(g[k], w)
      end
    end
    return g
  end

  -- The other coefficients of each triangle's pieces, by those of its corners and edges; g: crossing.
  local function complete(c, g)
    c.c2001 = (c.c2100 + c.c2010 + c.c3000) / 3
    c.c0201 = (c.c1200 + c.c0300 + c.c0210) / 3
    c.c0021 = (c.c1020 + c.c0120 + c.c0030) / 3
    local function across(w, a, ab, ba, b, inner, other)
      return (w * (-a + 3 * ab - 3 * ba + b) + (-a + 2 * ab - ba + inner + other)) / 2
    end
    c.c0111 = across(g[1], c.c0300, c.c0210, c.c0120, c.c0030, c.c0021, c.c0201)
    c.c1011 = across(g[2], c.c0030, c.c1020, c.c2010, c.c3000, c.c2001, c.c0021)
    c.c1101 = across(g[3], c.c3000, c.c2100, c.c1200, c.c0300, c.c2001, c.c0201)
    c.c1002 = (c.c1101 + c.c1011 + c.c2001) / 3
    c.c0102 = (c.c1101 + c.c0111 + c.c0201) / 3
    c.c0012 = (c.c1011 + c.c0111 + c.c0021) / 3
    c.c0003 = (c.c1002 + c.c0102 + c.c0012) / 3
    return c
  end

  local function real_pieces(t, y, tol, rounds)
    local n, net = #t.x, network(t)
    local flat = y:reshape({ n, -1 })
    local gx, gy = {}, {}
    for k = 0, flat.shape[2] - 1 do
      gx[k + 1], gy[k + 1] = slopes(net, nd.ascontiguousarray(flat[{ ":", k }]):astype("float64"):tolist(), tol, rounds)
    end
    gx, gy = nd.array(gx):reshape({ -1, n }).T, nd.array(gy):reshape({ -1, n }).T
    local corner = (nd.array(t.from) - 1):reshape({ -1, 3 }).T
    local px, py = nd.array(t.x):reshape({ n, 1 }), nd.array(t.y):reshape({ n, 1 })
    -- The coefficient beside corner a on its edge to b.
    local function beside(a, b)
      local i, j = corner[a], corner[b]
      return flat[i] + ((px[j] - px[i]) * gx[i] + (py[j] - py[i]) * gy[i]) / 3
    end
    local g = {}
    for k, list in ipairs(crossing(t)) do g[k] = nd.array(list):reshape({ -1, 1 }) end
    return complete({ c3000 = flat[corner[0]], c0300 = flat[corner[1]], c0030 = flat[corner[2]],
      c2100 = beside(0, 1), c2010 = beside(0, 2), c1200 = beside(1, 0), c0210 = beside(1, 2), c1020 = beside(2, 0),
      c0120 = beside(2, 1) }, g)
  end
  --- Coefficients of the pieces for values y (rows) at the points of triangles t, each (triangles, columns).
  function M.pieces(t, y, tol, rounds)
    if not y.dtype:find("^c") then return real_pieces(t, y, tol, rounds) end
    local re, im = real_pieces(t, nd.real(y), tol, rounds), real_pieces(t, nd.imag(y), tol, rounds)
    for name, c in pairs(re) do re[name] = c + im[name] * nd.complex(0, 1) end
    return re
  end

  -- Powers of the four parts: of the corners, above the least of the three, and of the centre; how often each occurs.
  local TERMS = { c3000 = 1, c2100 = 3, c2010 = 3, c2001 = 3, c1200 = 3, c1101 = 6, c1020 = 3, c1011 = 6, c1002 = 3,
    c0300 = 1, c0210 = 3, c0201 = 3, c0120 = 3, c0111 = 6, c0102 = 3, c0030 = 1, c0021 = 3, c0012 = 3, c0003 = 1 }
  local NAMES = {}
  for name in pairs(TERMS) do NAMES[#NAMES + 1] = name end
  table.sort(NAMES)
  --- Values, a row for each place: first half-edges of triangles (0: none, whatever comes) and parts of the corners.
  function M.values(pieces, first, parts)
    local at, b = {}, {}
    for i, e in ipairs(first) do at[i] = e > 0 and e // 3 or 0 end
    at = nd.array(at)
    for k = 1, 3 do b[k] = nd.array(parts[k]) end
    local least = nd.minimum(nd.minimum(b[1], b[2]), b[3])
    for k = 1, 3 do b[k] = (b[k] - least):reshape({ -1, 1 }) end
    b[4] = (least * 3):reshape({ -1, 1 })
    local sum = 0.0
    for _, name in ipairs(NAMES) do
      local term = TERMS[name] + 0.0
      for k = 1, 4 do
        for _ = 1, tonumber(name:sub(k + 1, k + 1)) do term = term * b[k] end
      end
      sum = sum + pieces[name][at] * term
    end
    return sum
  end
  return M
end
