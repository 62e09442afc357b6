--- Delaunay's triangles of points in the plane: points are taken from left to right, each is joined to what it sees of
-- the hull, and edges are turned until no circle has a point inside (Lawson). Whether a point lies left of an edge or
-- in a circle is decided beyond the rounding of the determinant (Shewchuk, "Adaptive Precision Floating-Point
-- Arithmetic and Fast Robust Geometric Predicates", 1997); what cannot be told is "on" it: the triangles then are some
-- of those that may be, and a point that lies on an edge of the hull, as far as can be told, may be in none.
-- @module theano.triangles
local M = {}

-- Twice the area of the triangle, positive where it turns to the left, 0 where rounding decides.
local function turn(ax, ay, bx, by, cx, cy)
  local l, r = (bx - ax) * (cy - ay), (by - ay) * (cx - ax)
  local d = l - r
  local bound = 4e-16 * (math.abs(l) + math.abs(r))
  return (d > bound or d < -bound) and d or 0.0
end

-- Half-edges follow each other by threes around a triangle.
local function after(e) return e % 3 == 0 and e - 2 or e + 1 end
local function before(e) return e % 3 == 1 and e + 2 or e - 1 end

-- A net, while it grows: what M.of gives, and of the hull's points, to the left around, the next, the one before and
-- the half-edge to the next: t.ahead, t.behind, t.edge.
local function link(t, e, f)
  t.twin[e] = f
  if f ~= 0 then t.twin[f] = e end
end
local function join(t, a, b) t.ahead[a], t.behind[b] = b, a end
local function add(t, a, b, c, e1, e2, e3)
  local from = t.from
  local e = #from + 1
  from[e], from[e + 1], from[e + 2] = a, b, c
  link(t, e, e1)
  link(t, e + 1, e2)
  link(t, e + 2, e3)
  return e
end
local function turn_of(t, a, b, c) return turn(t.x[a], t.y[a], t.x[b], t.y[b], t.x[c], t.y[c]) end
-- Whether d lies in the circle through a, b, c.
local function encircled(t, a, b, c, d)
  local x, y = t.x, t.y
  local ax, ay, bx, by, cx, cy = x[a] - x[d], y[a] - y[d], x[b] - x[d], y[b] - y[d], x[c] - x[d], y[c] - y[d]
  local bc, cb, ca, ac, ab, ba = bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay
  local al, bl, cl = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
  local bound = (math.abs(bc) + math.abs(cb)) * al + (math.abs(ca) + math.abs(ac)) * bl
    + (math.abs(ab) + math.abs(ba)) * cl
  return al * (bc - cb) + bl * (ca - ac) + cl * (ab - ba) > 1.2e-15 * bound
end

-- Turns the edges opposite to the point that was added last, from those given on.
local function settle(t, stack)
  local from, twin = t.from, t.twin
  while #stack > 0 do
    local e = table.remove(stack)
    local f = twin[e]
    if f ~= 0 then
      local e1, f1 = after(e), after(f)
      local a, b, c, d = from[e], from[f], from[before(e)], from[before(f)]
      if encircled(t, a, b, c, d) then
        local outer, other = twin[f1], twin[e1]
        from[e1], from[f1] = d, c
        link(t, e, outer)
        link(t, f, other)
        link(t, e1, f1)
        if outer == 0 then t.edge[a] = e end
        if other == 0 then t.edge[b] = f end
        stack[#stack + 1], stack[#stack + 2] = e, before(f)
      end
    end
  end
end

-- The first triangles: a point beside others on a line.
local function start(t, line, p)
  local left, edge = turn_of(t, line[1], line[#line], p) > 0, t.edge
  local stack, last = {}, 0
  for i = 1, #line - 1 do
    local a, b = line[left and i or #line + 1 - i], line[left and i + 1 or #line - i]
    local e = add(t, a, b, p, 0, 0, last)
    join(t, a, b)
    edge[a], last, stack[i] = e, e + 1, e
    if i == 1 then
      join(t, p, a)
      edge[p] = e + 2
    end
    if i == #line - 1 then
      join(t, b, p)
      edge[b] = e + 1
    end
  end
  settle(t, stack)
end

-- Joins p to what it sees of the hull, beginning at q, the point that is furthest to the right so far; false where it
-- sees nothing.
local function append(t, p, q)
  local ahead, behind, edge = t.ahead, t.behind, t.edge
  local stack, left, right, first, last = {}, q, q, 0, 0
  while turn_of(t, right, ahead[right], p) < 0 do
    local e = add(t, ahead[right], right, p, edge[right], last, 0)
    if first == 0 then first = e + 1 end
    right, last, stack[#stack + 1] = ahead[right], e + 2, e
  end
  while turn_of(t, behind[left], left, p) < 0 do
    local e = add(t, left, behind[left], p, edge[behind[left]], 0, first)
    if last == 0 then last = e + 2 end
    left, first, stack[#stack + 1] = behind[left], e + 1, e
  end
  if left == right then return false end
  join(t, left, p)
  join(t, p, right)
  edge[left], edge[p] = first, last
  settle(t, stack)
  return true
end

--- Triangles of points x[i], y[i] (lists of finite numbers). t.from[e] is the point from which half-edge e goes to that
-- of the next of its triangle (half-edges 3k + 1 to 3k + 3, to the left around it), t.twin[e] the half-edge back, 0 on
-- the hull. No half-edges where all points lie on a line.
function M.of(x, y)
  local order = {}
  for i = 1, #x do order[i] = i end
  table.sort(order, function(a, b)
    if x[a] ~= x[b] then return x[a] < x[b] end
    if y[a] ~= y[b] then return y[a] < y[b] end
    return a < b
  end)
  local t = { from = {}, twin = {}, x = x, y = y, ahead = {}, behind = {}, edge = {} }
  local line, q = {}, nil -- points so far, while they lie on one line; the last one that was added
  for _, p in ipairs(order) do
    local o = line and line[#line] or q
    if not o or x[o] ~= x[p] or y[o] ~= y[p] then
      if not line then
        if append(t, p, q) then q = p end
      elseif #line < 2 or turn_of(t, line[1], line[#line], p) == 0 then line[#line + 1] = p
      else
        start(t, line, p)
        line, q = nil, p
      end
    end
  end
  return t
end

--- The triangle (its first half-edge) in which a place lies, and twice the areas of those that it makes with the edges
-- of the three; nil outside. `at`: the triangle to begin with.
function M.find(t, px, py, at)
  local from, twin, x, y = t.from, t.twin, t.x, t.y
  if px ~= px or py ~= py then return nil end
  for _ = 1, #from do
    local a, b, c = from[at], from[at + 1], from[at + 2]
    local ab = (x[b] - x[a]) * (py - y[a]) - (y[b] - y[a]) * (px - x[a])
    local bc = (x[c] - x[b]) * (py - y[b]) - (y[c] - y[b]) * (px - x[b])
    local ca = (x[a] - x[c]) * (py - y[c]) - (y[a] - y[c]) * (px - x[c])
    local least = -2.3e-14 * (ab + bc + ca)
    local e
    if ab < least and ab <= bc and ab <= ca then e = at
    elseif bc < least and bc <= ca then e = at + 1
    elseif ca < least then e = at + 2
    else return at, ab, bc, ca end
    e = twin[e]
    if e == 0 then return nil end
    at = e - (e - 1) % 3
  end
  return nil
end

return M
