--- NumPy's functions between arrays and texts or raw bytes: digits of numbers, texts and files of numbers. Installed by
-- theano.ndnumpy.
-- @module theano.ndtext
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray

  -- ---- arrays as text -----------------------------------------------------------------------------------------------
  local PRINT = { "max_line_width", "precision", "suppress_small", "separator", "prefix", "formatter", "threshold",
    "edgeitems", "suffix", "sign", "floatmode",
    max_line_width = "integer", precision = "integer", suppress_small = "boolean",
    separator = "string", formatter = "table", threshold = "number", edgeitems = "integer", prefix = "string",
    suffix = "string", sign = "string", floatmode = "string" }
  local KINDS = { b = { "bool" }, i = { "int", "int_kind" }, u = { "int", "int_kind" },
    f = { "float", "float_kind" }, c = { "complexfloat", "complex_kind" } }
  -- The function of a formatter for a dtype, if it has one.
  local function formatting(formatter, dtype)
    if not formatter then return nil end
    local kinds = KINDS[dtype:gsub("^bf", "f"):sub(1, 1)]
    for _, name in ipairs({ kinds[1], kinds[2] or "all", "all" }) do
      if formatter[name] ~= nil then
        util.check_type("array2string", "formatter." .. name, formatter[name], "function")
        return formatter[name]
      end
    end
  end
  -- The elements as texts: as the function has them, or as they are printed, one below the other.
  local function words(a, fn)
    local flat, list = a:reshape({ -1 }), {}
    if fn then
      for i, v in ipairs(flat:tolist()) do list[i] = tostring(fn(v)) end
      return list
    end
    local _ <close> = nd.printoptions({ linewidth = 1 << 30, threshold = 1 << 30 })
    for word in tostring(flat:reshape({ -1, 1 })):gmatch("%[([^%[%]\n]*)%]") do list[#list + 1] = word end
    return list
  end
  -- Rows of words as NumPy lays them out: lines of `width`, what stands between elements and between rows; cut: in
  -- which dimensions something is left out in the middle.
  local function laid_out(shape, cut, list, o)
    local rstripped, at = o.separator:gsub("%s+$", ""), 0
    local function rows(d, indent, width)
      if d > #shape then
        at = at + 1
        return list[at]
      end
      local parts, text = {}, ""
      for i = 1, shape[d] do
        if cut[d] and i == shape[d] // 2 + 1 then parts[#parts + 1] = "..." end
        parts[#parts + 1] = rows(d + 1, indent .. " ", width - 1)
      end
      if d < #shape then
        text = indent .. table.concat(parts, rstripped .. ("\n"):rep(#shape - d) .. indent)
      else
        local line = indent
        for i, word in ipairs(parts) do
          if #line + #word > width - math.max(#rstripped, 1) and #line > #indent then
            text, line = text .. line:gsub("%s+$", "") .. "\n", indent
          end
          line = line .. word .. (i == #parts and "" or o.separator)
        end
        text = text .. line
      end
      return "[" .. text:sub(#indent + 1) .. "]"
    end
    return rows(1, " " .. (" "):rep(#o.prefix), o.width)
  end
  -- What is printed of a long array: the first and the last of each axis; and in which axes others are between.
  local function ends_of(a, threshold, edge)
    local cut = {}
    if a.size <= threshold then return a, cut end
    for d, n in ipairs(a.shape) do
      if n > 2 * edge then
        cut[d] = true
        a = nd.take(a, nd.concatenate({ nd.arange(edge), nd.arange(n - edge, n) }), { axis = d - 1 })
      end
    end
    return a, cut
  end
  --- `array2string(a, {max_line_width, precision, suppress_small, separator, prefix, formatter, threshold, edgeitems,
  -- suffix, sign, floatmode})`: what `tostring` gives, under options of its own; lines are as long as if the prefix and
  -- the suffix stood beside them. separator: between elements (" "); formatter: functions of elements, `{float_kind =
  -- fn}`, `int`, `all`; sign and floatmode as in `set_printoptions`.
  function nd.array2string(a, ...)
    local o = util.bind("array2string", PRINT, ...)
    a = arr(a)
    local prefix, suffix = o.prefix or "", o.suffix or ""
    local width = (o.max_line_width or core.get_printoptions().linewidth) - math.max(#prefix, #suffix)
    local _ <close> = nd.printoptions({ linewidth = math.max(width, 1), precision = o.precision,
      suppress = o.suppress_small, threshold = o.threshold, edgeitems = o.edgeitems, sign = o.sign,
      floatmode = o.floatmode })
    local fn = formatting(o.formatter, a.dtype)
    if a.ndim == 0 then -- a number of an array: "30."
      local word = words(a, fn)[1]
      return a.dtype == "bool" and word:gsub("^ +", "") or word
    end
    if a.size == 0 or o.separator == nil and not fn then
      return (tostring(a):gsub("\n", "\n" .. (" "):rep(#prefix)))
    end
    local now = core.get_printoptions()
    local shown, cut = ends_of(a, now.threshold, now.edgeitems)
    return laid_out(shown.shape, cut, words(shown, fn), { separator = o.separator or " ", prefix = prefix,
      width = now.linewidth + #prefix })
  end
  --- `array_str(a, max_line_width, precision, suppress_small)`: the same.
  function nd.array_str(a, max_line_width, precision, suppress_small)
    return nd.array2string(a, max_line_width, precision, suppress_small)
  end
  --- `array_repr(a, max_line_width, precision, suppress_small)`: the array as NumPy's `repr`: `array([1., 2.],
  -- dtype=float32)`.
  function nd.array_repr(a, ...)
    local o = util.bind("array_repr", { "max_line_width", "precision", "suppress_small", max_line_width = "integer",
      precision = "integer", suppress_small = "boolean" }, ...)
    local _ <close> = nd.printoptions({ linewidth = o.max_line_width, precision = o.precision,
      suppress = o.suppress_small })
    return core.array_repr(arr(a))
  end

  -- ---- numbers as text ----------------------------------------------------------------------------------------------
  -- Text of a number with a point, whatever the locale.
  local function text_of(format, x) return (format:format(x):gsub(",", ".")) end
  -- The shortest digits that read back (or so many as wanted behind the point), and the power of ten of the first.
  -- What has fewer than 15 has zeros behind them there, but below the least normal number.
  local function digits_of(x)
    for n = x < 2.0 ^ -1022 and 1 or 15, 17 do
      local text = text_of("%." .. n - 1 .. "e", x)
      if tonumber(text) == x then
        local first, rest, power = text:match("^%-?(%d)%.?(%d*)e([-+]%d+)$")
        return (first .. rest):gsub("0+$", "", 1), math.tointeger(tonumber(power))
      end
    end
  end

  local TRIM = util.set({ "k", ".", "0", "-" })
  local FORMAT = { "precision", "unique", "trim", "sign", "pad_left", "pad_right", "exp_digits", "min_digits",
    precision = "integer", unique = "boolean", trim = "string", sign = "boolean", pad_left = "integer",
    pad_right = "integer", exp_digits = "integer", min_digits = "integer" }
  local function read(what, x, ...)
    if type(x) ~= "number" then util.raise("TypeError", "%s: a number is expected, not %s", what, util.kind_of(x)) end
    local o = util.bind(what, FORMAT, ...)
    if not TRIM[o.trim or "k"] then
      util.raise("ValueError", "%s: trim is 'k', '.', '0' or '-', not '%s'", what, o.trim)
    end
    for _, name in ipairs({ "precision", "pad_left", "pad_right", "exp_digits", "min_digits" }) do
      if o[name] and (o[name] < 0 or o[name] > 1000) then
        util.raise("ValueError", "%s: %s is a number of 0 to 1000, not %d", what, name, o[name])
      end
    end
    return o
  end
  -- The part behind the point, as trim wants it: "k" keeps zeros, "." and "0" and "-" take them away.
  local function trimmed(whole, rest, trim)
    if trim ~= "k" then rest = rest:gsub("0+$", "") end
    if rest == "" then return whole .. (trim == "0" and ".0" or trim == "-" and "" or ".") end
    return whole .. "." .. rest
  end
  local function special(x)
    if x ~= x then return "nan" end
    if x == math.huge or x == -math.huge then return "inf" end
  end
  local function padded(text, o)
    local left, right = #(text:match("^[^.]*")), #(text:match("%..*$") or " ") - 1
    return (" "):rep((o.pad_left or 0) - left) .. text .. (" "):rep((o.pad_right or 0) - right)
  end
  local function signed(x, text, o)
    local negative = x < 0 or x == 0 and 1 / x < 0
    return (negative and "-" or o.sign and "+" or "") .. text
  end

  --- `format_float_positional(x, {precision, unique = true, trim = "k", sign, pad_left, pad_right, min_digits})`: the
  -- shortest digits that read back without an exponent; at most `precision` behind the point. trim: "k" keeps zeros
  -- behind the point, "." takes them, "0" leaves one, "-" takes the point too.
  function nd.format_float_positional(x, ...)
    local o = read("format_float_positional", x, ...)
    local odd = special(x + 0.0)
    if odd then return x ~= x and odd or signed(x, odd, o) end -- as NumPy's: not padded
    local size, trim = math.abs(x + 0.0), o.trim or "k"
    local digits, power = digits_of(size)
    local whole, rest = "0", ""
    if size > 0 then
      if power >= 0 then
        digits = digits .. ("0"):rep(power + 1 - #digits)
        whole, rest = digits:sub(1, power + 1), digits:sub(power + 2)
      else rest = ("0"):rep(-power - 1) .. digits end
    end
    if o.precision and (o.unique == false or #rest > o.precision) then
      whole, rest = text_of("%." .. o.precision .. "f", size):match("^(%d+)%.?(%d*)$")
      local none = not (whole .. rest):find("[1-9]")
      if o.unique ~= false and not none then rest = rest:gsub("0+$", "") end
    end
    rest = rest .. ("0"):rep((o.min_digits or 0) - #rest)
    return padded(signed(x, trimmed(whole, rest, trim), o), o)
  end

  --- `format_float_scientific(x, {precision, unique = true, trim = "k", sign, pad_left, exp_digits = 2, min_digits})`:
  -- the same with an exponent, "3.14e+00".
  function nd.format_float_scientific(x, ...)
    local o = read("format_float_scientific", x, ...)
    local odd = special(x + 0.0)
    if odd then return x ~= x and odd or signed(x, odd, o) end
    local size = math.abs(x + 0.0)
    local digits, power = digits_of(size)
    local first, rest = digits:sub(1, 1), digits:sub(2)
    if size == 0 then first, rest, power = "0", "", 0 end
    if o.precision and (o.unique == false or #rest > o.precision) then
      local text = text_of("%." .. o.precision .. "e", size)
      local exponent
      first, rest, exponent = text:match("^(%d)%.?(%d*)e([-+]%d+)$")
      power = math.tointeger(tonumber(exponent))
      if o.unique ~= false then rest = rest:gsub("0+$", "") end
    end
    rest = rest .. ("0"):rep((o.min_digits or 0) - #rest)
    local shown = ("%0" .. math.max(o.exp_digits or 2, 1) .. "d"):format(math.abs(power))
    local front = signed(x, first, o)
    local text = signed(x, trimmed(first, rest, o.trim or "k"), o)
    return (" "):rep((o.pad_left or 0) - #front) .. text .. "e" .. (power < 0 and "-" or "+") .. shown
  end

  local function whole_number(what, n)
    if math.type(n) ~= "integer" then
      util.raise("TypeError", "%s: an integer is expected, not %s", what, util.text(n))
    end
  end
  local LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  --- `base_repr(number, base, padding)`: an integer in base 2 (2 .. 36), with so many zeros in front.
  function nd.base_repr(number, base, padding)
    whole_number("base_repr", number)
    base = base or 2
    if math.type(base) ~= "integer" or base < 2 or base > 36 then
      util.raise("ValueError", "base_repr: a base is 2 to 36, not %s", util.text(base))
    end
    if math.type(padding or 0) ~= "integer" or (padding or 0) > 1000 then
      util.raise("ValueError", "base_repr: padding is a number of at most 1000 zeros")
    end
    local out, rest = {}, number
    while rest ~= 0 do
      local digit = math.abs(math.fmod(rest, base))
      rest = (rest - (rest < 0 and -digit or digit)) // base
      table.insert(out, 1, LETTERS:sub(digit + 1, digit + 1))
    end
    local zeros = ("0"):rep((padding or 0) + (number == 0 and (padding or 0) == 0 and 1 or 0))
    return (number < 0 and "-" or "") .. zeros .. table.concat(out)
  end
  --- `binary_repr(num, width)`: an integer in base 2, filled with zeros; below 0 with a width its two's complement.
  function nd.binary_repr(num, width)
    whole_number("binary_repr", num)
    local text = nd.base_repr(num)
    if not width then return text end
    if math.type(width) ~= "integer" or width > 1000 then
      util.raise("ValueError", "binary_repr: width is a number of at most 1000 digits")
    end
    if num < 0 then
      local bits = #nd.base_repr(-(num + 1)) + (num == -1 and 0 or 1)
      if num == -1 then bits = 1 end
      local n = math.max(bits, width)
      local low = {}
      for i = n - 1, 0, -1 do low[#low + 1] = i > 63 and "1" or tostring(num >> i & 1) end
      text = table.concat(low)
    end
    if #text > width then
      util.raise("ValueError", "binary_repr: %d does not fit into %d digits, it takes %d", num, width, #text)
    end
    return ("0"):rep(width - #text) .. text
  end

  -- ---- texts and raw bytes ------------------------------------------------------------------------------------------
  local function numbers(what, text, sep, dtype)
    local out = {}
    local pattern = sep:match("^%s*(.-)%s*$")
    if pattern ~= "" then text = text:gsub(pattern:gsub("%p", "%%%0"), " ") end
    for word in text:gmatch("%S+") do
      local v = tonumber(word)
      if not v and word:lower():match("^[-+]?nan$") then v = nd.nan end
      if not v and word:lower():match("^[-+]?inf") then v = word:sub(1, 1) == "-" and -math.huge or math.huge end
      if not v then util.raise("ValueError", "%s: '%s' is no number", what, word) end
      out[#out + 1] = v
    end
    return #out == 0 and core.zeros({ 0 }, dtype or "float64") or core.array(out, dtype or "float64")
  end
  local function opened(what, path)
    local file, why = io.open(path, "rb") -- which a sandbox refuses
    if not file then util.raise("IOError", "%s: %s", what, why) end
    local _, reason, bad = file:read(0) -- of a folder: nil and a number
    if bad then util.raise("IOError", "%s: %s: %s", what, path, reason) end
    return file
  end
  local function bytes_of(what, path, file)
    local size = file:seek("end") -- of files alone: what has no end is read up to it
    local text = size and file:seek("set") and size > 0 and file:read(size) or file:read("a")
    if not text then util.raise("IOError", "%s: %s is not read", what, path) end
    return text
  end
  local function counted(what, a, count)
    if count == nil or count == -1 then return a end
    if math.type(count) ~= "integer" or count < 0 or count > a.size then
      util.raise("ValueError", "%s: %s elements of %d", what, util.text(count), a.size)
    end
    return a[(":%d"):format(count)]
  end

  --- `fromstring(string, {dtype = "float64", count = -1, sep = " "})`: the numbers of a text.
  function nd.fromstring(...)
    local o = util.bind("fromstring", { "string", "dtype", "count", "sep", string = "string", dtype = "string",
      count = "integer", sep = "string" }, ...)
    if o.string == nil then util.raise("TypeError", "fromstring: argument 'string' is missing") end
    return counted("fromstring", numbers("fromstring", o.string, o.sep or " ", o.dtype), o.count)
  end
  --- `fromfile(file, {dtype = "float64", count = -1, sep = "", offset = 0})`: elements as they stand in a file, or the
  -- numbers of a text between separators.
  function nd.fromfile(...)
    local o = util.bind("fromfile", { "file", "dtype", "count", "sep", "offset", file = "string", dtype = "string",
      count = "integer", sep = "string", offset = "integer" }, ...)
    if o.file == nil then util.raise("TypeError", "fromfile: argument 'file' is missing") end
    local file <close> = opened("fromfile", o.file)
    local all = (o.sep or "") == "" and not o.offset and core.read_elements(file, o.dtype)
    if all then return counted("fromfile", all, o.count) end
    local text = bytes_of("fromfile", o.file, file)
    if (o.sep or "") ~= "" then
      return counted("fromfile", numbers("fromfile", text, o.sep, o.dtype), o.count)
    end
    local offset, dtype = o.offset or 0, o.dtype or "float64"
    if offset < 0 or offset > #text then util.raise("ValueError", "fromfile: offset %d of %d bytes", offset, #text) end
    local size = core.zeros({ 1 }, dtype).itemsize
    local rest = text:sub(offset + 1, offset + (#text - offset) // size * size)
    return counted("fromfile", #rest == 0 and core.zeros({ 0 }, dtype) or core.frombuffer(rest, dtype), o.count)
  end
  --- `tofile(a, file, {sep = "", format =})`: the elements in row-major order as bytes, or as a text between
  -- separators.
  function nd.tofile(a, file, ...)
    local o = util.bind("tofile", { "sep", "format", sep = "string", format = "string" }, ...)
    a = arr(a)
    util.expect("tofile", "file", file, "string")
    local text
    if (o.sep or "") == "" then text = a:bytes()
    else
      local list = a:reshape({ -1 }):tolist()
      for i, v in ipairs(list) do
        list[i] = o.format and o.format:format(v) or math.type(v) == "float" and digits_of(math.abs(v))
          and nd.format_float_positional(v, { trim = "0" }) or tostring(v)
      end
      text = table.concat(list, o.sep)
    end
    util.write_file(file, text)
  end
  core.array_methods.tofile = nd.tofile

  --- `fromiter(iter, dtype, count)`: what an iterator (or a sequence) gives one after the other, as a vector.
  function nd.fromiter(iter, dtype, count)
    local out = {}
    if type(iter) == "table" then
      local list, at = util.list("fromiter", iter), 0
      iter = function()
        at = at + 1
        return list[at]
      end
    end
    util.expect("fromiter", "iter", iter, "function")
    util.expect("fromiter", "dtype", dtype, "string")
    util.check_type("fromiter", "count", count, "integer")
    while not count or count < 0 or #out < count do
      local v = iter()
      if v == nil then break end
      out[#out + 1] = v
    end
    if count and count >= 0 and #out < count then
      util.raise("ValueError", "fromiter: the iterator gave %d of %d elements", #out, count)
    end
    return #out == 0 and core.zeros({ 0 }, dtype) or core.array(out, dtype)
  end

  local GEN = { "fname", "delimiter", "comments", "skip_header", "skip_footer", "usecols", "filling_values",
    "missing_values", "names", "dtype", "max_rows", "unpack", "converters", "ndmin", fname = "string|table",
    delimiter = "string|integer|table", comments = "string|boolean", skip_header = "integer", skip_footer = "integer",
    usecols = "integer|string|table", filling_values = "number", missing_values = "string|table",
    names = "boolean|table", dtype = "string", max_rows = "integer", unpack = "boolean", converters = "table",
    ndmin = "integer" }
  local function stripped(text) return (text:match("^%s*(.-)%s*$")) end
  -- The cells of a line: between delimiters or blanks, or as wide as delimiter, a number or a sequence, says.
  local function cells(line, delimiter)
    local row, from = {}, 1
    if not delimiter then
      for word in line:gmatch("%S+") do row[#row + 1] = word end
      return row
    end
    if type(delimiter) ~= "string" then
      local list = type(delimiter) == "table" and util.list("genfromtxt: delimiter", delimiter)
      for i = 1, list and #list or math.ceil(#line / math.max(delimiter, 1)) do
        local n = list and list[i] or delimiter
        if math.type(n) ~= "integer" or n < 1 then
          util.raise("ValueError", "genfromtxt: widths of columns are integers of at least 1, not %s", util.text(n))
        end
        row[i] = stripped(line:sub(from, from + n - 1))
        from = from + n
      end
      return row
    end
    while true do
      local a, b = line:find(delimiter, from, true)
      row[#row + 1] = stripped(line:sub(from, a and a - 1 or -1))
      if not a then return row end
      from = b + 1
    end
  end
  -- The number that a cell is, or nil: decimals, NaN and infinities as Python writes them.
  local function number_of(word)
    if word:find("^[-+]?%.?%d") and not word:find("[xX]") then return tonumber(word) end
    local sign, rest = word:lower():match("^([-+]?)(%a+)$")
    if rest == "nan" then return nd.nan end
    return (rest == "inf" or rest == "infinity") and (sign == "-" and -math.huge or math.huge) or nil
  end
  -- The lines of a file, or those that are given.
  local function lines_of(fname)
    local lines = {}
    if type(fname) == "table" then
      for i, line in ipairs(util.list("genfromtxt: fname", fname)) do
        util.expect("genfromtxt", "a line of fname", line, "string")
        lines[i] = line:gsub("[\r\n]+$", "")
      end
      return lines
    end
    local file <close> = opened("genfromtxt", fname)
    local text = bytes_of("genfromtxt", fname, file):gsub("\r", "")
    for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
    if lines[#lines] == "" then lines[#lines] = nil end
    return lines
  end
  -- The rows of cells of a file, and the names of its columns.
  local function rows_of(o)
    local lines = lines_of(o.fname)
    local comment, rows = o.comments == nil and "#" or o.comments, {}
    local names = type(o.names) == "table" and o.names or nil
    for i = (o.skip_header or 0) + 1, #lines - (o.skip_footer or 0) do
      local line = lines[i]
      local mark = comment and line:find(comment, 1, true)
      if mark and not (o.names and not names) then line = line:sub(1, mark - 1) end
      if line:find("%S") then
        if o.names and not names then
          local head = comment and line:gsub("^%s*" .. comment:gsub("%p", "%%%0") .. "%s*", "") or line
          names = cells(head, o.delimiter)
        elseif not o.max_rows or #rows < o.max_rows then rows[#rows + 1] = cells(line, o.delimiter) end
      end
    end
    return rows, names
  end
  -- Places of columns, which count from 0 or from the end or have names.
  local function places_of(wanted, names, width)
    if wanted == nil then
      wanted = {}
      for k = 1, width do wanted[k] = k - 1 end
    end
    local places, by_name = {}, {}
    for k, name in ipairs(names or {}) do by_name[name] = k end
    for k, column in ipairs(type(wanted) == "table" and wanted or { wanted }) do
      local at = by_name[column] or math.type(column) == "integer" and (column < 0 and column + width or column) + 1
      if not at or at < 1 or at > width then
        util.raise("ValueError", "genfromtxt: there is no column %s of %d", util.text(column), width)
      end
      places[k] = at
    end
    return places
  end
  -- A file of nothing but numbers, as loadtxt reads it, or nil: there is more in it, or more is wanted.
  local function of_numbers(o)
    if type(o.fname) == "table" or o.usecols ~= nil or o.missing_values or o.names or o.converters
      or (o.max_rows or 1) < 1 or (o.skip_header or 0) < 0 or (o.skip_footer or 0) ~= 0
      or (o.delimiter and type(o.delimiter) ~= "string")
      or (o.comments ~= nil and type(o.comments) ~= "string") then return nil end
    local fine, a = pcall(core.load_text, o.fname, { delimiter = o.delimiter, comments = o.comments,
      skiprows = o.skip_header, max_rows = o.max_rows })
    return fine and a.size > 0 and a or nil
  end
  -- Rows with no axis of one element but for ndmin of them; unpack: columns.
  local function of_rank(a, ndmin, unpack)
    if a.ndim > ndmin and a.size > 0 then a = a:squeeze() end
    if ndmin == 2 and a.ndim < 2 then a = nd.atleast_2d(a).T elseif a.ndim < ndmin then a = nd.atleast_1d(a) end
    return help.result(unpack and a.ndim == 2 and a.T or a)
  end
  --- `genfromtxt(fname, {delimiter, comments = "#", skip_header, skip_footer, usecols, missing_values,
  -- filling_values, names, dtype, max_rows, unpack, converters, ndmin})`: the numbers of a text file, or of a sequence
  -- of lines, where cells may be empty or no numbers: those are NaN, or the filling value. delimiter may be the width
  -- of columns, or a sequence of widths; converters are functions of a cell's text by its column. With `names =
  -- true` the first line's names (of the columns used) come back second, and columns may be said by name.
  function nd.genfromtxt(...)
    local o = util.bind("genfromtxt", GEN, ...)
    if o.fname == nil then util.raise("TypeError", "genfromtxt: argument 'fname' is missing") end
    local ndmin, whole = o.ndmin or 0, o.dtype and o.dtype:find("int") ~= nil
    if ndmin < 0 or ndmin > 2 then util.raise("ValueError", "genfromtxt: ndmin is 0, 1 or 2, not %d", ndmin) end
    local plain = of_numbers(o)
    local exact = not (plain and whole)
      or nd.all(nd.lt(nd.abs(plain), 2 ^ 53)) and nd.all(nd.eq(plain, nd.floor(plain)))
    if plain and exact then
      if o.dtype then plain = plain:astype(o.dtype) end
      return of_rank(plain, ndmin, o.unpack)
    end
    local rows, names = rows_of(o)
    local width = rows[1] and #rows[1] or 0
    local places = #rows > 0 and places_of(o.usecols, names, width) or {}
    local missing = util.set(type(o.missing_values) == "table" and o.missing_values or { o.missing_values })
    local out = {} -- what is no whole number is -1 among integers, as NumPy's
    local filling = o.filling_values or whole and -1 or nd.nan
    local convert = {}
    for column, f in pairs(o.converters or {}) do
      util.expect("genfromtxt", "converters", f, "function")
      if #rows > 0 then convert[places_of(column, names, width)[1]] = f end
    end
    for i, row in ipairs(rows) do
      if #row ~= width then
        util.raise("ValueError", "genfromtxt: line %d has %d columns, the first has %d", i, #row, width)
      end
      local values = {}
      for k, at in ipairs(places) do
        local word, f = row[at], convert[at]
        local v = nil
        if not missing[word] and word ~= "" then v = (f or number_of)(word) end
        if whole and math.type(v) == "float" then v = nil end
        values[k] = v or filling
      end
      out[i] = values
    end
    local a = #out == 0 and core.zeros({ 0 }, o.dtype or "float64") or core.array(out, whole and "int64" or "float64")
    if o.dtype then a = a:astype(o.dtype) end
    a = of_rank(a, ndmin, o.unpack)
    if not o.names then return a end
    local used = {}
    for k, at in ipairs(places) do used[k] = names[at] end
    return a, #rows > 0 and used or names
  end
end
