--- Every function of NumPy's, of the array API standard's and of SciPy's that takes arrays, by every dtype and every
-- kind of array (no elements, no dimensions, strided backwards, broadcast, NaN and infinities, the dtype's extremes),
-- against the numbers and classes of errors of spec/data/matrix.npz (scripts/make-matrix-data.py). What differs is
-- listed here with its reason, as docs/arrays.md and the pages of SciPy's functions say it; each line of it is seen.
-- Names without an answer stand in ELSEWHERE with where they are proved.
local matrix = require("spec.support.matrix")
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local ported = require("theano.ported")
local standard = require("spec.support.array_api")

local function set(text)
  local s = {}
  for word in text:gmatch("%S+") do s[word] = true end
  return s
end

-- ---- what differs, and why ------------------------------------------------------------------------------------------
-- A rule gets what is compared: { call, name, module, form, kind, dtype (of the first array), other (of the second, or
-- nil), want (NumPy's word), why (how it differs) }.
local SMALL = set("bool int8 uint8 int16 uint16")
local TINY = set("bool int8 uint8")

local function discrete(d) return not d:find("^[fc][lo]") end
local function complex(c) return c.dtype:find("^complex") or c.other and c.other:find("^complex") end
local function half(c) return c.dtype == "float16" or c.other == "float16" end
local function refused(c) return c.want:sub(1, 1) == "!" end
local function fails(c, class) return c.why:find("^raises " .. class) end
local function of(names)
  names = set(names)
  return function(c) return names[c.name] end
end

local ORDERED = of([[greater greater_equal less less_equal fmax fmin max min amax amin argmax argmin nanmax nanmin
  nanargmax nanargmin ptp clip histogram histogram_bin_edges histogram2d histogramdd pad maximum minimum]])
local TRAPEZOIDS = of([[trapezoid integrate.trapezoid integrate.cumulative_trapezoid integrate.simpson gradient ediff1d
  unwrap]])
local QUANTILES = of("percentile quantile nanpercentile nanquantile median nanmedian")

local RULES = {
  -- dtypes
  { "functions of bool, int8 and uint8 that give floats give float32, not float16", function(c)
    return (TINY[c.dtype] or c.other and TINY[c.other]) and c.why:find("dtype float32, not float16")
  end },
  { "the next float and the exponentials of these are float32's too", function(c)
    return TINY[c.dtype] and c.kind == "z" and of("spacing nextafter")(c)
  end },
  { "bool stays bool where it is rounded or conjugated", function(c)
    return c.dtype == "bool" and of("around round conj conjugate")(c)
  end },
  { "apply_along_axis makes arrays of Lua numbers", function(c)
    return c.name == "apply_along_axis" and c.why:find("dtype")
  end },
  { "complex numbers have no order", function(c)
    return complex(c) and ORDERED(c) and fails(c, "TypeError")
  end },
  { "complex numbers become real by real(x) alone", function(c)
    return complex(c) and fails(c, "TypeError") and (c.why:find("cannot cast") or c.why:find("cannot have dtype"))
  end },
  { "differences and quantiles of bool count it as 0 and 1", function(c)
    return c.dtype == "bool" and (TRAPEZOIDS(c) or QUANTILES(c))
  end },
  { "a bool array may be longer than two elements of a range, and goes down a ramp in one step", function(c)
    return c.dtype == "bool" and of("arange fromfunction pad optimize.rosen")(c)
  end },
  { "spacing of a negative half is negative, as that of other floats", function(c)
    return c.name == "spacing" and half(c)
  end },
  { "exponents of ldexp are of every dtype of integers", function(c) return c.name == "ldexp" end },
  -- whole numbers
  { "an integer division by zero raises", function(c) return fails(c, "ZeroDivisionError") and not refused(c) end },
  { "negative integer powers of integers are 0, 1 or -1", function(c)
    return of("pow power")(c) and discrete(c.dtype) and c.want == "!ValueError"
  end },
  { "a number that does not fit widens the dtype, NumPy's overflows", function(c)
    return c.want == "!OverflowError"
  end },
  { "integers do not wrap where floats are made of them", function(c)
    return discrete(c.dtype) and (c.kind == "h" or c.dtype:find("^u")) and c.why:find("element")
      and (TRAPEZOIDS(c) or QUANTILES(c) or of("around pad optimize.rosen signal.zpk2tf special.softmax "
        .. "special.log_softmax linalg.eigvals linalg.eig sort interp roots poly")(c))
  end },
  { "polynomials of small integers do not wrap", function(c)
    return discrete(c.dtype) and of("signal.zpk2tf")(c)
  end },
  { "what is added to unsigned numbers may be of any dtype that fits", function(c)
    return c.name == "ediff1d" and c.dtype:find("^u") and c.want == "!TypeError"
  end },
  { "uint64 beside signed numbers stays exact where NumPy compares floats", function(c)
    return c.dtype == "uint64" and c.kind == "h" and of("setxor1d intersect1d")(c)
  end },
  -- no dimensions, no elements
  { "both refuse an array without dimensions, with other classes: an axis that is out of range is a ValueError, as "
    .. "NumPy's AxisError is too", function(c)
    return c.kind == "z" and refused(c) and (fails(c, "ValueError") or fails(c, "IndexError") or fails(c, "TypeError"))
      and of([[array_split concat concatenate ptp roll split sum take tensordot trapezoid tril triu packbits
        fft.fft fft.fft2 fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft
        fft.rfft2 fft.rfftn integrate.cumulative_trapezoid integrate.simpson integrate.trapezoid
        interpolate.Akima1DInterpolator interpolate.CubicHermiteSpline interpolate.CubicSpline
        interpolate.PchipInterpolator linalg.cho_solve linalg.cross linalg.multi_dot linalg.tensordot linalg.tensorinv
        signal.argrelmax signal.argrelmin signal.detrend signal.filtfilt signal.find_peaks signal.hilbert
        signal.medfilt signal.peak_prominences signal.peak_widths signal.periodogram signal.resample
        signal.resample_poly signal.savgol_filter signal.spectrogram signal.stft signal.upfirdn signal.welch
        special.log_softmax]])(c)
  end },
  { "dimensions that linear algebra lacks are a LinAlgError, where SciPy has ValueErrors or makes a matrix of a number",
    function(c)
      return c.kind == "z" and fails(c, "LinAlgError") and of([[linalg.expm linalg.logm linalg.lu linalg.lu_factor
        linalg.lu_solve linalg.solve_triangular linalg.sqrtm]])(c)
    end },
  { "an array without dimensions has an axis 0 for what folds along it alone, and is no vector", function(c)
    return c.kind == "z" and not refused(c) and fails(c, "ValueError") and of([[apply_over_axes argwhere compress
      convolve fft.fftn fft.ifftn lexsort linalg.matrix_rank linalg.multi_dot packbits
      ravel_multi_index signal.freqz signal.medfilt special.log_softmax special.logsumexp special.softmax
      unravel_index]])(c)
  end },
  { "a number is a polynomial, a sample and a shift of nothing, where NumPy wants vectors", function(c)
    return c.kind == "z" and refused(c) and c.why:find("^no error") and of([[fft.fftshift fft.ifftshift histogram2d
      linalg.outer polyder polyint polyval]])(c)
  end },
  { "convolutions and histograms of numbers are those of vectors of one element", function(c)
    return c.kind == "z" and c.why:find("shape") and of([[histogramdd signal.convolve signal.correlate
      signal.fftconvolve signal.oaconvolve]])(c)
  end },
  { "results of one element are Lua numbers, whose digits are those of their dtype", function(c)
    return c.kind == "z" and (SMALL[c.dtype] or half(c) or c.dtype == "float32" or c.dtype == "complex64")
  end },
  { "quantiles of nothing are NaN", function(c) return c.kind == "e" and QUANTILES(c) end },
  { "a signal of nothing has no spectrum, no window and no peaks", function(c)
    return c.kind == "e" and c.module == "signal" and not refused(c) and fails(c, "ValueError") and of([[
      signal.argrelmax signal.argrelmin signal.find_peaks signal.freqz signal.periodogram signal.resample_poly
      signal.stft signal.upfirdn signal.welch]])(c)
  end },
  { "what is made of nothing is empty, where SciPy stumbles over its first element", function(c)
    return c.kind == "e" and refused(c) and c.why:find("^no error") and of([[integrate.cumulative_trapezoid
      integrate.simpson optimize.rosen_der optimize.rosen_hess optimize.rosen_hess_prod signal.convolve
      signal.convolve2d signal.correlate signal.detrend signal.medfilt signal.sosfilt special.log_softmax
      special.softmax]])(c)
  end },
  { "logsumexp of all of a matrix of nothing is -inf, where SciPy counts its dimensions wrong", function(c)
    return c.kind == "e" and refused(c) and c.name == "special.logsumexp" and c.why:find("^no error")
  end },
  { "both refuse what is made of nothing, with other classes", function(c)
    return c.kind == "e" and refused(c) and of([[interpolate.RegularGridInterpolator interpolate.interp1d
      signal.hilbert signal.medfilt signal.peak_prominences signal.peak_widths special.softmax]])(c)
  end },
  { "factorials are floats, as SciPy's without exact", function(c)
    return c.kind == "e" and c.name == "special.factorial" and c.why:find("dtype float64")
  end },
  { "a convolution with nothing in two dimensions is as large as its way says", function(c)
    return c.kind == "e" and c.name == "signal.convolve2d" and c.why:find("shape")
  end },
  { "covariances of no complex numbers are complex", function(c)
    return c.kind == "e" and complex(c) and of("cov corrcoef")(c)
  end },
  { "polynomials without coefficients: refused, or empty of their own dtype", function(c)
    return c.kind == "e" and of("polyder polydiv polymul polyfit polyval convolve poly roots")(c)
  end },
  { "of nothing no element is the k-th, and there is no array of its rows", function(c)
    return c.kind == "e" and of("partition argpartition unstack putmask histogram2d histogramdd take")(c)
  end },
  { "a matrix of no elements has its inverse and no singular values", function(c)
    return c.kind == "e" and c.module == "linalg"
  end },
  -- halves
  { "linear algebra refuses halves, or computes in float32", function(c)
    return half(c) and (c.module == "linalg" or of("polyfit poly roots signal.savgol_filter")(c))
  end },
  { "sums and products of halves are made in float32, of float32 in float64, and overflow in another order", function(c)
    return c.kind == "h" and c.why:find("element") and of([[sum prod nansum nanprod mean std var nanmean nanstd
      nanvar cumprod cumulative_prod nancumprod apply_over_axes linalg.norm linalg.vector_norm
      linalg.multi_dot linalg.matrix_power
      average convolve correlate matmul cumsum cov]])(c)
  end },
  { "what is between two halves is computed in floats", function(c)
    return half(c) and (QUANTILES(c) or of("sinc special.sinc polyval")(c))
  end },
  { "widths of halves' bins may be zero", function(c)
    return c.kind == "h" and of("histogram histogram_bin_edges histogram2d histogramdd")(c)
  end },
  { "transforms of halves give halves, in every dimension", function(c) return c.module == "fft" and half(c) end },
  -- zeros, NaN, infinities
  { "zeros of both signs are sorted, -0 first", function(c)
    return c.kind == "n" and of("sort sort_complex unique_counts unique")(c) and not complex(c)
  end },
  { "expm1 and reciprocals of complex numbers have C99's special values", function(c)
    return complex(c) and of("expm1 reciprocal round around vander special.expm1")(c)
  end },
  { "complex infinities and overflows: which part is NaN follows C99's products and the order of sums", function(c)
    return complex(c) and (c.kind == "n" or c.kind == "h") and c.why:find("element")
  end },
  { "complex numbers with NaN in different parts are different for unique", function(c)
    return complex(c) and c.kind == "n" and of("unique setdiff1d setxor1d union1d")(c)
  end },
  { "NaN and infinities spread through transforms as their algorithm goes", function(c)
    return (c.kind == "n" or c.kind == "h") and (c.module == "fft" or c.module == "signal")
  end },
  { "factors of matrices of NaN have NaN in other places, or none is looked for", function(c)
    return c.kind == "n" and c.module == "linalg"
  end },
  { "SciPy's factors of small integers are float32, its logarithms float64: here as NumPy's factors", function(c)
    return c.why:find("dtype")
      and of("linalg.lu linalg.lu_factor linalg.lu_solve linalg.solve_triangular linalg.logm")(c)
  end },
  { "roots and logarithms of real matrices are real: others want a complex matrix", function(c)
    return of("linalg.sqrtm linalg.logm")(c) and fails(c, "LinAlgError")
  end },
  -- by its vectors' length a processor rounds the smallest singular value of equal rows to 0 or to something
  { "1e-15 is below the rounding of single precision: pinv inverts what rounding left of a singular matrix",
    function(c)
      return c.name == "linalg.pinv" and c.kind == "b" and (c.dtype == "complex64" or c.dtype == "float32")
    end, on_some_processors = true },
  { "a singular matrix has an infinite condition number", function(c) return c.name == "linalg.cond" end },
  { "of several matrices of one triangle the diagonal counts as it is, not its real part", function(c)
    return complex(c) and of("linalg.eigvalsh linalg.eigh")(c)
  end },
  { "splines go through NaN without complaint", function(c) return c.module == "interpolate" and c.kind == "n" end },
  { "gradients of Rosenbrock's function at NaN have NaN wherever it is read", function(c)
    return c.kind == "n" and c.module == "optimize"
  end },
  { "what is left of a division of polynomials is trimmed as its rounding goes", function(c)
    return c.name == "polydiv" and complex(c)
  end },
  { "a transform of real numbers refuses complex ones, whatever else is wrong", function(c)
    return c.module == "fft" and complex(c) and fails(c, "TypeError")
  end },
  -- special functions
  { "special functions of bool and of integers of up to 16 bits give float32, of float16 float16", function(c)
    return c.module == "special" and (SMALL[c.dtype] or c.dtype == "float16" or c.dtype == "float32")
      and c.why:find("dtype")
  end },
  { "special functions are of real numbers; elementary ones are of complex ones too", function(c)
    return c.module == "special" and complex(c)
  end },
  { "special functions at the ends of a dtype and at poles: limits where SciPy has NaN, signs of zero", function(c)
    return c.module == "special" and (c.kind == "n" or c.kind == "h")
  end },
  { "special functions of bool count it as 0 and 1", function(c)
    return c.module == "special" and c.dtype == "bool"
  end },
  { "loggamma is the logarithm of |gamma| of negative numbers too", function(c)
    return c.name == "special.loggamma"
  end },
  { "a gamma function of several dimensions outside of its domain is NaN, and poles have no sign", function(c)
    return of("special.multigammaln special.poch special.beta special.betaln special.zetac")(c)
  end },
  { "softmax and logsumexp of integers are of floats", function(c)
    return of("special.softmax special.log_softmax special.logsumexp")(c) and discrete(c.dtype)
  end },
  { "zeta of q = 1 is Riemann's below 1 too", function(c) return c.name == "special.zeta" end },
  -- signals and the rest of SciPy
  { "signals are computed in float64, and float32 or integers stay so where SciPy's do not", function(c)
    return (c.module == "signal" or c.module == "integrate" or c.module == "optimize") and c.why:find("dtype")
  end },
  { "the phase of a chirp is computed in float64", function(c)
    return c.name == "signal.chirp" and c.dtype == "float32"
  end },
  { "signals of complex numbers, of bool and of halves: refused here or there", function(c)
    return c.module == "signal" and (complex(c) or c.dtype == "bool" or half(c))
  end },
  { "splines of complex numbers: refused with another class", function(c)
    return c.module == "interpolate" and complex(c)
  end },
  -- classes of errors
  { "an array that does not fit a mask is an index that does not", function(c)
    return of("putmask bincount roll unravel_index ravel_multi_index")(c)
  end },
}

-- ---- names without an answer ----------------------------------------------------------------------------------------
local TEXTS = "texts: spec/ndtext_spec.lua, spec/ndarray_print_spec.lua"
local FILES = "files and memory: spec/files_spec.lua, spec/ndarray_spec.lua"
local DTYPES = "dtypes: spec/types_spec.lua, spec/alike_spec.lua, spec/promotion_spec.lua"
local CALLS = "takes a function: spec/scipy_spec.lua, spec/objective_spec.lua"
local ELSEWHERE = {
  [TEXTS] = [[array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific
    get_printoptions set_printoptions printoptions]],
  [FILES] = [[frombuffer fromfile fromstring genfromtxt load loadtxt save savetxt savez savez_compressed
    may_share_memory shares_memory]],
  [DTYPES] = [[can_cast common_type finfo iinfo isdtype issubdtype min_scalar_type promote_types result_type
    __array_namespace_info__ e inf nan newaxis pi]],
  [CALLS] = [[optimize.Bounds optimize.LinearConstraint optimize.NonlinearConstraint optimize.approx_fprime
    optimize.bisect
    optimize.brentq optimize.check_grad optimize.curve_fit optimize.fsolve optimize.least_squares optimize.minimize
    optimize.brenth optimize.ridder optimize.golden optimize.bracket optimize.fminbound optimize.fixed_point
    optimize.differential_evolution optimize.brute optimize.basinhopping
    optimize.minimize_scalar optimize.newton optimize.root optimize.root_scalar integrate.dblquad integrate.fixed_quad
    integrate.nquad integrate.odeint integrate.quad integrate.solve_ivp integrate.tplquad]],
  ["NumPy lacks it: spec/special_spec.lua"] = "special.softplus",
  ["of whole numbers, or rules of others: spec/special_values_spec.lua"] = [[special.bernoulli special.euler
    special.roots_chebyc special.roots_chebys special.roots_gegenbauer special.roots_sh_chebyt special.roots_sh_chebyu
    special.roots_sh_jacobi special.roots_sh_legendre]],
  ["its arguments are coefficients: spec/scipy_spec.lua"] = "interpolate.PPoly",
  ["of complex numbers: spec/scipy_spec.lua"] = "special.wofz special.hankel1 special.hankel2",
  ["another name of special.yv"] = "special.yve",
  ["their arguments are of forms of their own: spec/scipy_spec.lua, spec/scipy_edges_spec.lua"] = [[linalg.toeplitz
    linalg.hankel linalg.circulant linalg.companion linalg.leslie linalg.fiedler linalg.convolution_matrix
    linalg.khatri_rao linalg.diagsvd linalg.hilbert linalg.invhilbert linalg.pascal linalg.invpascal linalg.hadamard
    linalg.helmert linalg.dft linalg.polar linalg.cho_factor linalg.orthogonal_procrustes linalg.pinvh
    linalg.eigh_tridiagonal linalg.eigvalsh_tridiagonal linalg.solve_sylvester linalg.solve_lyapunov
    linalg.solve_continuous_lyapunov linalg.solve_discrete_lyapunov linalg.solve_toeplitz linalg.solve_circulant
    linalg.cosm linalg.sinm linalg.tanm linalg.coshm linalg.sinhm linalg.tanhm linalg.expm_frechet
    linalg.fractional_matrix_power linalg.null_space linalg.orth linalg.subspace_angles linalg.issymmetric
    linalg.ishermitian linalg.bandwidth linalg.solve_banded fft.dct fft.idct fft.dst fft.idst fft.dctn fft.idctn
    fft.dstn fft.idstn fft.next_fast_len fft.prev_fast_len optimize.linear_sum_assignment
    optimize.isotonic_regression optimize.lsq_linear optimize.linprog interpolate.pchip_interpolate
    interpolate.BarycentricInterpolator interpolate.barycentric_interpolate interpolate.lagrange interpolate.BSpline
    interpolate.make_interp_spline interpolate.RBFInterpolator interpolate.NearestNDInterpolator interpolate.griddata
    interpolate.LinearNDInterpolator interpolate.CloughTocher2DInterpolator
    interpolate.splrep interpolate.splev interpolate.splint interpolate.splder
    interpolate.splantider interpolate.spalde interpolate.sproot interpolate.UnivariateSpline
    interpolate.InterpolatedUnivariateSpline interpolate.LSQUnivariateSpline interpolate.make_smoothing_spline
    interpolate.RectBivariateSpline interpolate.KroghInterpolator interpolate.krogh_interpolate
    interpolate.interpn integrate.cumulative_simpson integrate.romb integrate.newton_cotes integrate.quad_vec
    signal.iirnotch signal.iirpeak signal.kaiser_beta signal.kaiser_atten signal.kaiserord signal.buttord
    signal.cheb1ord signal.cheb2ord signal.ellipord signal.iirfilter signal.iirdesign signal.firls
    signal.remez signal.minimum_phase
    signal.sos2zpk signal.lp2lp signal.lp2hp signal.lp2bp signal.lp2bs signal.bilinear signal.lp2lp_zpk
    signal.lp2hp_zpk signal.lp2bp_zpk signal.lp2bs_zpk signal.bilinear_zpk signal.freqz_sos signal.freqz_zpk
    signal.group_delay signal.unique_roots signal.residue signal.csd signal.coherence signal.lombscargle
    signal.czt signal.zoom_fft signal.hilbert2 signal.correlate2d signal.medfilt2d signal.wiener
    signal.deconvolve signal.gausspulse signal.vectorstrength linalg.schur linalg.hessenberg linalg.ldl
    linalg.signm linalg.solve_continuous_are linalg.solve_discrete_are
    optimize.milp signal.firwin2 signal.freqs signal.freqs_zpk signal.windows.barthann signal.windows.lanczos
    signal.windows.general_gaussian signal.windows.general_cosine signal.windows.taylor
    signal.windows.kaiser_bessel_derived signal.windows.chebwin signal.windows.dpss optimize.toms748]],
}

-- ---- the matrix -----------------------------------------------------------------------------------------------------
local calls, file, bytes = matrix.read()
local env = matrix.environment(file)
local names, by_name, seen, asked = {}, {}, {}, 0
for _, this in ipairs(calls) do
  if not by_name[this.name] then
    by_name[this.name] = {}
    names[#names + 1] = this.name
  end
  table.insert(by_name[this.name], this)
end
table.sort(names)

local function excused(case)
  for _, rule in ipairs(RULES) do
    if rule[2](case) then
      seen[rule[1]] = true
      return true
    end
  end
end

local function compare(this, wrong)
  local call = assert(load("return " .. this.call, "=call", "t", env))
  local module = this.name:match("^(%l+)%.") or ""
  for _, line in ipairs(this.lines) do
    for _, word in ipairs(line[2]) do
      local kind, given = word[1], matrix.arguments(file, this, line[1], word[1])
      env.x, env.y, env.D = given.x, given.y, given.D
      asked = asked + 1
      local why = matrix.why(table.pack(pcall(call)), this, word, bytes)
      local pairs_ = this.kinds == "P"
      if why and not excused({ call = this.call, name = this.name, module = module, form = this.form, dtype = line[1],
        kind = pairs_ and "P" or kind, other = pairs_ and given.y.dtype or nil, want = word[2], why = why }) then
        wrong[#wrong + 1] = ("%s, %s, form %s, kind %s: %s"):format(this.call, line[1], this.form, kind, why)
      end
    end
  end
end

-- Names of spec/data/special.json: spec/special_values_spec.lua.
local function exact_values()
  local data, named = oracle.cases("special"), {}
  for name in pairs(data.exact) do named[name:match("%S+")] = true end
  for _, rule in ipairs(data.rules) do named[rule.name] = true end
  return named
end

describe("the matrix of functions, dtypes and kinds of arrays:", function()
  for _, name in ipairs(names) do
    it(name, function()
      local wrong = {}
      for _, this in ipairs(by_name[name]) do compare(this, wrong) end
      assert(#wrong == 0, #wrong .. " differ\n" .. table.concat(wrong, "\n", 1, math.min(#wrong, 8)))
    end)
  end

  it("is whole, and each listed difference is one", function()
    assert.is_true(asked > 76000, asked)
    for _, rule in ipairs(RULES) do
      assert(seen[rule[1]] or rule.on_some_processors, "is no difference: " .. rule[1])
    end
  end)

  it("has every name of NumPy's, of the standard's and of SciPy's modules, or says where it is proved", function()
    local wanted, without = {}, {}
    for name in ported.functions:gmatch("%S+") do wanted[name] = not ported.unwanted[name] or nil end
    for heading, list in pairs(standard) do
      if type(list) == "string" and heading ~= "version" then
        local prefix = (heading == "fft" or heading == "linalg") and heading .. "." or ""
        for name in list:gmatch("%S+") do wanted[prefix .. name] = not standard.absent[name] or nil end
      end
    end
    for _, module in ipairs({ "linalg", "fft", "special", "signal", "interpolate", "integrate", "optimize" }) do
      for name, f in pairs(nd[module]) do
        if type(f) == "function" then wanted[module .. "." .. name] = true end
      end
    end
    for name in pairs(nd.signal.windows) do wanted["signal.windows." .. name] = true end
    local elsewhere = {}
    for reason, list in pairs(ELSEWHERE) do
      for name in list:gmatch("%S+") do
        elsewhere[name] = reason
        if not wanted[name] or by_name[name] then without[#without + 1] = name .. " needs no reason" end
      end
    end
    for name in pairs(exact_values()) do elsewhere["special." .. name] = "exact values" end
    for name in pairs(wanted) do
      if not by_name[name] and not elsewhere[name] then without[#without + 1] = name end
    end
    table.sort(without)
    assert.equal("", table.concat(without, " "))
  end)
end)
