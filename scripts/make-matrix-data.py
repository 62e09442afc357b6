#!/usr/bin/env python3
"""Every function of NumPy's and the array API standard's that takes arrays, and of SciPy's that are here, by every
dtype and every kind of array: writes spec/data/matrix.npz, which spec/matrix_spec.lua runs.

    python3 scripts/make-matrix-data.py        (what is committed comes from NumPy 2.4.6 and SciPy 1.17.1)

A line of TABLE is a form of arrays, kinds of them, how many units in the last place the results may be off (with a ~
of their largest element), and calls; a bare name is called with the line's arguments. Arrays: x and y of the dtype D;
others by name. Forms: m 3 x 4, v a vector of 6, l of 24, q 3 x 3, p 3 x 3 positive definite, d none. Kinds: m mild
values, e no elements, z no dimensions, s strided backwards and transposed, b broadcast (strides of 0), n NaN,
infinities and zeros of both signs, h the dtype's extremes, 1 of float64 alone. P: the two arrays are of every pair of
dtypes.

The file has inputs by name (the arrays that strided and broadcast ones are views of), `text`, a line for each call
(form, kinds, units, Lua) and behind it one for each dtype, after a blank: a word for each kind, letters of dtypes with
shapes, or ! and the class of the error; and `values`, the bytes of all results one behind the other.
"""
import json
import os
import warnings

import numpy as np
import scipy
from scipy import fft, integrate, interpolate, linalg as scipy_linalg, optimize, signal, special

from lua_calls import lua

warnings.simplefilter("ignore")
np.seterr(all="ignore")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec", "data")
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
LETTER = dict(zip(DTYPES, "?bhilBHILefdFD"))
nan, inf = float("nan"), float("inf")

TABLE = r"""
# ---- one array, element by element
m mezsbnh 2 x: abs absolute sign sqrt square round(x,1) reciprocal
m mezsbnh 0 x: around bitwise_count bitwise_invert bitwise_not ceil conj conjugate copy fabs fix floor frexp imag
+ invert iscomplex isfinite isinf isnan isneginf isposinf isreal logical_not modf nan_to_num negative positive real
+ rint round signbit trunc zeros_like ones_like around(x,-1) full_like(x,1) empty_like(x).shape spacing real_if_close
+ asarray asanyarray ascontiguousarray asarray_chkfinite array astype(x,'float64') astype(x,'int32')
m mezsbnh 4 x: acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cbrt cos cosh deg2rad
+ degrees exp exp2 expm1 log log10 log1p log2 rad2deg radians sin sinc sinh tan tanh angle angle(x,deg=True)
m mezsb 16 x: i0
m mezsbnh 0 x: ndim size shape iscomplexobj isrealobj isscalar iterable isfortran size(x,1) ravel transpose atleast_1d
+ atleast_2d atleast_3d atleast_1d(x,y) argwhere nonzero flatnonzero squeeze fliplr flipud flip flip(x,1) rot90
+ rot90(x,2) tril triu tril(x,1) triu(x,-1) diag diag(x,1) diagflat(x,1) diagonal diagonal(x,1) trace matrix_transpose
+ permute_dims(x,[1,0]) unique sort(unique_values(x)) unique_counts unique_inverse unique_all sort sort(x,axis=0)
+ sort_complex argsort(x,kind='stable') argsort(x,axis=0,kind='stable') ediff1d diff diff(x,n=2,axis=0)
+ diff(x,prepend=0) expand_dims(x,0) expand_dims(x,[0,-1]) moveaxis(x,0,1) swapaxes(x,0,1) rollaxis(x,1) roll(x,1)
+ roll(x,[1,2],axis=[0,1]) reshape(x,[2,6]) reshape(x,-1) resize(x,[2,5]) repeat_(x,2) repeat_(x,2,axis=0)
+ tile(x,[2,1]) broadcast_to(x,[2,3,4]) take(x,[2,0]) take(x,[1,-1],axis=0) take_along_axis(x,i34,axis=0)
+ delete(x,1,axis=0) delete(x,[0,2]) insert(x,1,2) insert(x,[0,1],1,axis=0) append(x,x) append(x,x,axis=0)
+ compress([True,False],x,axis=0) extract(b34,x) choose([1,0,1],[v3,v3]) pad(x,1) pad(x,[[1,0],[0,2]],'edge')
+ pad(x,2,'wrap') pad(x,1,'reflect') pad(x,2,'symmetric') pad(x,1,'maximum') split(x,3) split(x,2) array_split(x,2)
+ hsplit(x,2) vsplit(x,3) dsplit(x,1) unstack(x) unstack(x,axis=1) block([[x,x]]) meshgrid(x,x) column_stack([x,x])
+ vstack([x,x]) hstack([x,x]) dstack([x,x]) row_stack([x,x]) stack([x,x]) stack([x,x],axis=-1) concat([x,x])
+ concatenate([x,x],axis=1) tril_indices_from triu_indices_from packbits unpackbits packbits(x,axis=0) where(x,1,2)
+ where(b34,x,y) where(x) changed('fill_diagonal',x,1) changed('put',x,[0,2],[1,0]) changed('place',x,b34,[1,0])
+ changed('putmask',x,b34,y) changed('put_along_axis',x,i14,1,0) changed('copyto',x,y) select([b34],[x])
+ piecewise(x,[b34],[1]) trim_zeros apply_along_axis(total,0,x) apply_over_axes(summed,x,[0])
+ partition(x,1,axis=0).shape array_equal(x,x) array_equal(x,y) array_equiv(x,x) isin(x,[1,2])
+ isin(x,[1,2],invert=True) setdiff1d(x,[1,2]) setxor1d(x,[1,7]) union1d(x,[1,7]) clip(x,1,3) intersect1d(x,[1,2])
+ broadcast_arrays(x,v4) digitize(x,[0.0,2.0]) bincount isclose(x,x) isclose(x,y) allclose(x,x) ix_
+ bincount(x,minlength=3) fliplr(x) sliding_window_view(x,2,axis=0) sliding_window_view(x,(2,3)) ones([2,3],dtype=D)
+ searchsorted([1,2,3],x) searchsorted([1,2,3],x,side='right')
v mezsbnh 0 x: diag diag(x,-1) trim_zeros trim_zeros(x,'f') ix_(x,[0,1]) vander(x,3) vander(x,3,increasing=True)
+ bincount unique sort argsort(x,kind='stable') flip roll(x,-2) diff ediff1d(x,to_end=1) packbits unpackbits diagflat
+ split(x,3) tile(x,3) repeat_(x,[1,0,2,1,0,1]) searchsorted(x,[1,2]) lexsort([x,y]) take(partition(x,2),[2])
+ atleast_3d hsplit(x,2) expand_dims(x,1) delete(x,[1,2]) insert(x,2,1) meshgrid(x,y,indexing='ij')
+ meshgrid(x,y,sparse=True) argpartition(x,1).shape cross(x[:3],y[:3]) pad(x,2,mode='constant',constant_values=1)
+ unravel_index(x,[3,40]) ravel_multi_index([x,y],[12,13]) digitize(x,[4.0,2.0,1.0]) take(x,[]) broadcast_to(x,[2,6])
+ polyder polyder(x,2) array_split(x,4) concatenate([x,y]) hstack([x,y]) vstack([x,y]) dstack([x,y])
+ column_stack([x,y]) append(x,y)
v mezsnh 64~ x: polyint unwrap poly(x[:3]) interp(x,[0.0,1.0,2.0],[3.0,5.0,4.0]) interp([0.5,1.5],[0.0,1.0],x[:2])
+ gradient gradient(x,2.0) histogram(x,4) histogram_bin_edges(x,3) histogram2d(x,y,2) histogram2d(x,y,bins=[2,3])
+ polyval(x,2.0) polyval([1,2],x) convolve(x,y) convolve(x,y,'same') correlate(x,y) correlate(x,y,'full') polymul(x,y)
+ average(x,weights=y) trapezoid(x,y) polyadd(x,y) polysub(x,y) histogramdd([x,y],2) pad(x,3,'linear_ramp')
+ pad(x,2,'mean') pad(x,1,'median') pad(x,1,'minimum')
v mezs 4096~ x: polyfit(x,y,1) polydiv(x[2:],y[:2]) roots(x[:3])
m mezsbnh 64~ x: gradient gradient(x,axis=0) gradient(x,2.0,axis=1) cov corrcoef cov(x,rowvar=False) trapezoid
+ trapezoid(x,dx=0.5,axis=0) histogram(x,bins=3,range=[0,5]) histogram(x,[0,1,5]) unwrap(x,axis=0)
+ interp(x,[0,1,2],[3,5,4]) average(x,axis=1,weights=w4)
# ---- over axes
m mezsbnh 64~ x: sum sum(x,axis=0) sum(x,axis=-1,keepdims=True) sum(x,axis=(0,1)) prod prod(x,axis=0) mean
+ mean(x,axis=0) mean(x,axis=1,keepdims=True) std std(x,axis=0) std(x,axis=1,ddof=1) var var(x,axis=0)
+ var(x,correction=1) nansum nansum(x,axis=0) nanprod nanprod(x,axis=1) nanmean nanmean(x,axis=0) nanstd(x,axis=0)
+ nanvar nanvar(x,axis=1,ddof=1) cumsum cumsum(x,axis=0) cumprod(x,axis=1) nancumsum nancumsum(x,axis=0)
+ nancumprod(x,axis=1) cumulative_sum(x,axis=0) cumulative_sum(x,axis=1,include_initial=True)
+ cumulative_prod(x,axis=1) average average(x,axis=0) sum(x,axis=0,where=b34) sum(x,initial=2)
+ mean(x,where=b34,axis=0) sum(x,dtype='float64',axis=0) prod(x,dtype='float32')
m mezsbnh 0 x: max max(x,axis=0) max(x,axis=1,keepdims=True) max(x,initial=3) min min(x,axis=0) min(x,axis=(0,1)) amax
+ amax(x,axis=-1) amin amin(x,axis=0) any any(x,axis=0) all all(x,axis=1,keepdims=True) argmax argmax(x,axis=0)
+ argmax(x,axis=1,keepdims=True) argmin argmin(x,axis=-1) nanmax nanmax(x,axis=0) nanmin nanmin(x,axis=1) nanargmax
+ nanargmax(x,axis=0) nanargmin nanargmin(x,axis=1) count_nonzero count_nonzero(x,axis=0) ptp ptp(x,axis=0)
m mezsbnh 16~ x: median median(x,axis=0) nanmedian nanmedian(x,axis=1) percentile(x,30) percentile(x,[10,90],axis=0)
+ quantile(x,0.4,axis=1) quantile(x,0.5,method='lower') nanpercentile(x,30,axis=0) nanquantile(x,[0.2,0.8])
+ quantile(x,0.3,method='hazen')
# ---- two arrays
m mezsbnhP 0 x,y: add subtract bitwise_and bitwise_or bitwise_xor copysign equal not_equal fmax fmin greater
+ greater_equal less less_equal logical_and logical_or logical_xor maximum minimum heaviside nextafter gcd lcm
+ floor_divide mod remainder divmod fmod ldexp
m mezsbnhP 4 x,y: multiply divide true_divide arctan2 atan2 hypot logaddexp logaddexp2
m mezsbnhP 64 x,y: pow power float_power
m mezsP 0 x,abs_(y): left_shift right_shift bitwise_left_shift bitwise_right_shift
m h 0 x,y: left_shift right_shift
m mezsbnh 4 x,2: add multiply power floor_divide remainder maximum minimum divide
m mezsbnh 0 x,2: subtract less equal bitwise_and left_shift gcd
m mezsbnh 4 0.5,x: add multiply maximum divide less
m mzs 0 x,1000: add maximum less
m mezsbn 64~ x,y: vecdot outer inner(x,y) kron tensordot(x,y,axes=2) einsum('ij,ij->i',x,y) einsum('ij->j',x) convolve
+ correlate matmul(x,transpose(y)) dot(x,transpose(y)) vdot matvec(x,y[0]) vecmat(x[:,0],y)
q mezsbn 64~ x,y: matmul dot inner tensordot(x,y,axes=1) einsum('ij,jk',x,y) vdot kron cross linalg.cross
+ linalg.outer(x[0],y[1]) linalg.vecdot
v mezsbnP 64~ x,y: dot inner outer vdot vecdot convolve correlate kron tensordot(x,y,axes=1) einsum('i,i',x,y) polymul
+ matvec(stack([x,x]),y) vecmat(x,stack([y,y,y,y,y,y])) linalg.outer linalg.vecdot
v mezsP 0 x,y: isin union1d intersect1d setdiff1d setxor1d searchsorted(sort(x),y) isclose append concatenate([x,y])
+ stack([x,y]) where(b6,x,y) maximum polyadd polysub select([b6],[x],default=1) broadcast_arrays
# ---- making
d m 0 x: zeros([2,3],dtype=D) ones(3,dtype=D) empty([2,0],dtype=D) full([2],1,dtype=D) eye(3,4,1,dtype=D)
+ identity(2,dtype=D) arange(5,dtype=D) arange(1,9,3,dtype=D) linspace(0,4,5,dtype=D)
+ linspace(0,1,4,endpoint=False,dtype=D) tri(3,4,1,dtype=D) fromfunction(added,[2,3],dtype=D) indices([2,2],dtype=D)
+ array([1,0,1],dtype=D) full([2],300,dtype=D) fromiter([1,0],D) zeros(-1,dtype=D) eye(-1,dtype=D)
+ arange(3,0,-1,dtype=D)
d 1 16~ x: bartlett(7) blackman(6) hamming(5) hanning(5) kaiser(6,8.6)
d 1 0 x: hanning(1) hanning(0) kaiser(0,1.0) kaiser(1,1.0) indices([2,3],sparse=True) mask_indices(3,triu)
+ mask_indices(3,tril,-1) diag_indices(3) diag_indices(2,3) tril_indices(3) tril_indices(3,1,4) triu_indices(2)
+ diag_indices_from(q33) diag_indices_from(i34) broadcast_shapes([2,1],[1,3]) broadcast_shapes([2],[3])
+ ravel_multi_index([[0,3],[1,2]],[4,3]) unravel_index([4,11],[4,3]) tri(3) vander([1,2,3])
d m 16 x: logspace(0,2,3,dtype=D) geomspace(1,16,5,dtype=D)
# ---- linear algebra
q mezsbnh 4096~ x: linalg.det linalg.inv linalg.matrix_power(x,3) linalg.matrix_power(x,-1) linalg.matrix_rank
+ linalg.norm linalg.norm(x,ord=1) linalg.norm(x,ord=2) linalg.norm(x,ord='nuc') linalg.norm(x,axis=0)
+ linalg.norm(x,ord=inf) linalg.pinv linalg.slogdet linalg.solve(x,y) linalg.solve(x,y[0]) linalg.svdvals
+ linalg.svd(x,compute_uv=False) linalg.cond linalg.trace linalg.diagonal linalg.matrix_norm linalg.vector_norm
+ linalg.vector_norm(x,ord=1,axis=0) linalg.matrix_transpose linalg.multi_dot([x,y,x]) linalg.tensorsolve(x,y[0])
+ linalg.tensorinv(x,1) abs(linalg.qr(x)[1]) linalg.matmul(x,y) linalg.tensordot(x,y,axes=1)
+ sort(abs(linalg.eigvals(x))) sort(abs(linalg.eig(x)[0]))
q mezs 4096~ x: linalg.lstsq(x,y)[0]
p mezsbnh 4096~ x: linalg.cholesky linalg.cholesky(x,upper=True) linalg.eigvalsh linalg.eigh(x)[0] linalg.inv
+ linalg.det linalg.solve(x,y) linalg.eigvalsh(x,'U')
m mezsbnh 4096~ x: linalg.det linalg.inv linalg.solve(x,y) linalg.svdvals linalg.pinv linalg.eigvals linalg.eigvalsh
+ linalg.cholesky linalg.slogdet linalg.matrix_rank linalg.matrix_power(x,2) linalg.qr(x)[1].shape linalg.norm
+ linalg.norm(x,axis=1) linalg.norm(x,ord=1,axis=0) linalg.cond linalg.trace linalg.diagonal(x,offset=1)
+ linalg.matrix_norm(x,ord=2) linalg.vector_norm(x,axis=1,keepdims=True) linalg.multi_dot([x,y]) linalg.matmul(x,y)
q mezs 4096~ x: linalg.expm(x/4) linalg.sqrtm linalg.logm linalg.lu linalg.lu_factor linalg.solve_triangular(x,y)
+ linalg.solve_triangular(x,y,lower=True) linalg.block_diag(x,y) linalg.lu_solve(packed(linalg.lu_factor(x)),y)
+ linalg.cho_solve((linalg.cholesky(p33),True),y)
# ---- Fourier transforms
m mezsbnh 64~ x: fft.fft fft.fft(x,axis=0) fft.fft(x,n=6) fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.fft2
+ fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.fft(x,norm='ortho') fft.rfft(x,n=0)
+ fft.fft(x,n=-1)
m mezsbnh 0 x: fft.fftshift fft.ifftshift fft.fftshift(x,axes=1)
d 1 0 x: fft.fftfreq(7,0.5) fft.rfftfreq(8) fft.fftfreq(4)
# ---- SciPy: special
m mezsbnh 256 x: special.gamma special.gammaln special.loggamma special.digamma special.psi special.rgamma special.erf
+ special.erfc special.erfcx special.erfinv special.erfcinv special.ndtr special.log_ndtr special.ndtri special.expi
+ special.exp1 special.ellipk special.ellipe special.entr special.expit special.logit special.log_expit special.exprel
+ special.cosm1 special.exp2 special.exp10 special.expm1 special.log1p special.cbrt special.j0 special.j1 special.i0
+ special.i0e special.i1 special.i1e special.factorial special.zetac special.sinc special.round special.gammasgn
+ special.multigammaln(x,2) special.polygamma(1,x) special.zeta(x)
m mezsbn 64~ x: special.logsumexp special.logsumexp(x,axis=0) special.softmax special.softmax(x,axis=1)
+ special.log_softmax(x,axis=0)
m mezsbnh 4096 x,y: special.beta special.betaln special.gammainc special.gammaincc special.xlogy special.xlog1py
+ special.rel_entr special.kl_div special.huber special.zeta special.binom special.comb special.perm special.poch
+ special.jv special.iv special.jn special.betainc(x,y,0.5)
# ---- SciPy: the rest
l mezsn 256~ x: integrate.trapezoid integrate.simpson integrate.cumulative_trapezoid
+ integrate.cumulative_trapezoid(x,initial=0) integrate.simpson(x,dx=0.5)
l mezsn 4096~ x: signal.lfilter([1.0,2.0],[1.0,0.5],x) signal.sosfilt([[1.0,0.5,0.25,1.0,0.5,0.1]],x)
+ signal.filtfilt([0.5,0.5],[1.0],x) signal.sosfiltfilt([[1.0,0.5,0.25,1.0,0.5,0.1]],x) signal.detrend
+ signal.detrend(x,type='constant') signal.hilbert signal.medfilt signal.medfilt(x,5) signal.savgol_filter(x,5,2)
+ signal.resample(x,7) signal.resample_poly(x,2,3) signal.decimate(x,2) signal.upfirdn([1.0,2.0],x,2)
+ signal.find_peaks(x)[0] signal.argrelmax(x)[0] signal.argrelmin(x)[0] signal.periodogram signal.welch(x,nperseg=8)
+ signal.stft(x,nperseg=8) signal.spectrogram(x,nperseg=8) signal.sawtooth signal.square signal.chirp(x,1.0,4.0,6.0)
+ signal.peak_prominences(x,[3]) signal.peak_widths(x,[3]) signal.istft(x) signal.spectrogram(x,nperseg=8)
l mezsn 4096~ x,y: signal.convolve signal.correlate signal.fftconvolve signal.oaconvolve
m mezsbn 4096~ x,y: signal.convolve signal.correlate signal.fftconvolve signal.convolve2d
+ signal.fftconvolve(x,y,mode='same') signal.convolve2d(x,y,mode='valid')
+ signal.convolve2d(x,y,mode='same',boundary='wrap')
v mezsn 4096~ x: interpolate.interp1d(t6,x)(p3) interpolate.CubicSpline(t6,x)(p3)
+ interpolate.PchipInterpolator(t6,x)(p3) interpolate.Akima1DInterpolator(t6,x)(p3)
+ interpolate.CubicHermiteSpline(t6,x,y)(p3) interpolate.RegularGridInterpolator([t6],x)(p31)
+ interpolate.interp1d(t6,x,kind='nearest')(p3) interpolate.interp1d(t6,x,kind='cubic')(p3) optimize.rosen
+ optimize.rosen_der optimize.rosen_hess optimize.rosen_hess_prod(x,y) signal.freqz(x,[1.0],worN=4)
+ signal.get_window('hann',5) signal.correlation_lags(5,3) signal.unit_impulse(5,2)
+ signal.lfilter_zi([1.0,2.0],[1.0,0.5]) signal.zpk2tf(x,[],1.0) signal.tf2zpk([1.0,2.0],[1.0,0.5])
p mezs 4096~ x: optimize.nnls(x,y[0])
d 1 4096 x: signal.butter(2,0.3) signal.cheby1(2,1,0.3) signal.cheby2(2,20,0.3) signal.ellip(2,1,20,0.3)
+ signal.bessel(2,0.3) signal.butter(3,[0.2,0.5],btype='band',output='sos') signal.firwin(5,0.3)
+ signal.savgol_coeffs(5,2) signal.sosfreqz([[1.0,0.5,0.25,1.0,0.5,0.1]],worN=4) signal.tf2sos([1.0,2.0],[1.0,0.5])
+ signal.sos2tf([[1.0,0.5,0.25,1.0,0.5,0.1]]) signal.zpk2sos([0.5],[0.25],1.0)
+ signal.sosfilt_zi([[1.0,0.5,0.25,1.0,0.5,0.1]]) signal.windows.boxcar(5) signal.windows.triang(5)
+ signal.windows.hann(5) signal.windows.hamming(5) signal.windows.blackman(5) signal.windows.blackmanharris(5)
+ signal.windows.bohman(5) signal.windows.cosine(5) signal.windows.flattop(5) signal.windows.nuttall(5)
+ signal.windows.parzen(5) signal.windows.bartlett(5) signal.windows.kaiser(5,8.0) signal.windows.gaussian(5,1.5)
+ signal.windows.tukey(5) signal.windows.exponential(5) signal.windows.general_hamming(5,0.6)
+ signal.windows.get_window('hann',5)
"""


# ---- arrays ---------------------------------------------------------------------------------------------------------
def mild(d, n, k):
    """n values of ordinary size; k: which of the arrays."""
    i = np.arange(n) + 5 * k
    v = (i * 7 + 3) % 11
    if d == "bool":
        return v > 4
    if d.startswith("complex"):
        return (v / 4 - 1 + 1j * ((i * 5) % 7 - 3)).astype(d)
    if d.startswith("float"):
        return (v / 4 - 1).astype(d)
    v = v - (3 if d[0] == "i" else 0)
    return np.where((v == 0) & (k > 0), 2, v).astype(d)  # the second operand divides


def special_values(d, n, k):
    if d.startswith("float"):
        v = np.array([1.5, -2.25, 0.0, -0.0, inf, -inf, nan, 1.0, -7.5, 0.5, 2.5, -1.0], d)
    else:
        z = [complex(1.5, -2), complex(-0.0, 0.0), complex(0.0, -0.0), complex(inf, 1), complex(1, nan), complex(-3, 4),
             complex(-inf, inf), complex(0, 2.5), complex(nan, 0.0), complex(-7, -0.0), complex(2, 2),
             complex(0.5, inf)]
        v = np.array(z, d)
    return np.roll(np.resize(v, n), 5 * k)


def huge(d, n, k):
    if "int" in d:
        i = np.iinfo(d)
        v = np.array([i.max, i.min, 2, 1, 7, i.max - 1, 3, 100, i.min + 1, i.max // 2, 5, 64], d)
        v = v if k == 0 else np.where(v == 0, 9, v).astype(d)
    else:
        f = np.finfo(d)
        v = np.array([f.max, f.min, f.smallest_normal, f.smallest_subnormal, -f.smallest_subnormal, f.eps, 1 + f.eps,
                      f.max / 2, np.sqrt(f.max), -np.sqrt(f.smallest_normal), 1.0, 1 - f.epsneg], f.dtype)
        if d.startswith("complex"):
            v = (v + 1j * np.roll(v, 3)).astype(d)
    return np.roll(np.resize(v.astype(d), n), 5 * k)


SHAPES = {"m": (3, 4), "v": (6,), "l": (24,), "q": (3, 3), "p": (3, 3)}
WELL = np.array([[2, 1, 0], [1, 3, 1], [0, 2, 4]]), np.array([[4, 1, 1], [1, 5, 2], [1, 2, 6]])
inputs = {}


def base(form, kind, d, k):
    """What is stored; view() makes the array of it."""
    shape = SHAPES[form]
    n = int(np.prod(shape))
    if kind == "e":
        return np.zeros({"m": (0, 4), "q": (0, 0), "p": (0, 0)}.get(form, (0,)), d)
    if kind == "z":
        return mild(d, 12, k)[3:4].reshape(())
    if kind == "n":
        return special_values(d, n, k).reshape(shape)
    if kind == "h" and form in "qp":  # with an inverse
        most = np.iinfo(d).max if "int" in d else np.finfo(d).max
        return (WELL["qp".index(form)] if k == 0 else np.eye(3)).astype(d) * (np.array(most).astype(d) / 16).astype(d)
    if kind == "h":
        return huge(d, n, k).reshape(shape)
    if kind == "b":
        if len(shape) == 1:
            return mild(d, 12, k)[4:5]
        return mild(d, shape[1], k).reshape(1, -1) if k == 0 else mild(d, shape[0], k).reshape(-1, 1)
    v = mild(d, n, k).reshape(shape)
    if form in "qp" and k == 0:
        v = WELL["qp".index(form)].astype(d)
        if d.startswith("complex") and form == "p":
            v = v + np.array([[0, 1j, 0], [-1j, 0, 1j], [0, -1j, 0]], d)
        if d.startswith("complex") and form == "q":
            v = v + np.array([[0, 1j, 0.5j], [1j, 0, 1j], [0.25j, 0, 0]], d)
    if kind == "s":  # twice as long along each axis, backwards
        big = np.zeros([2 * s for s in shape[::-1]], d)
        big[tuple([slice(None, None, -2)] * len(shape))] = v.T
        return big
    return v


def array(form, kind, d, k):
    name = "%s%s%d_%s" % (form, kind, k, LETTER[d].replace("?", "t"))
    if name not in inputs:
        inputs[name] = base(form, kind, d, k)
    a = inputs[name]
    if kind == "s":
        return a[tuple([slice(None, None, -2)] * a.ndim)].T
    if kind == "b" and not (form == "m" and k == 1):
        return np.broadcast_to(a, SHAPES[form])
    return a


OTHERS = {"i34": np.array([[0, 1, 0, 2], [1, 1, 2, 0], [2, 0, 1, 1]]), "i14": np.array([[0, 1, 0, 2]]),
          "b34": (np.arange(12) % 3 != 1).reshape(3, 4), "b6": np.arange(6) % 2 == 0, "v3": np.array([5, 6, 7]),
          "v4": np.array([5, 6, 7, 8]), "w4": np.array([0.5, 2, 3, 1]), "t6": np.array([0, 0.5, 1.5, 2, 3, 5.0]),
          "p3": np.array([0.25, 1.5, 4.0]), "p31": np.array([[0.25], [1.5], [4.0]]), "q33": np.ones((3, 3)),
          "p33": WELL[1] * 1.0}


# ---- calls ----------------------------------------------------------------------------------------------------------
def changed(name, x, *args):
    x = np.array(x)
    getattr(np, name)(x, *args)
    return x


def abs_(y):
    return y if y.dtype.kind in "?bu" else np.abs(y) % 70 if y.dtype.kind == "i" else np.abs(y)


class Linalg:
    """NumPy's, and what SciPy alone has."""
    def __getattr__(self, name):
        return getattr(np.linalg, name, None) or getattr(scipy_linalg, name)


ENV = {"changed": changed, "abs_": abs_, "repeat_": np.repeat, "total": lambda a: a.sum(), "nan": nan, "inf": inf,
       "summed": lambda a, axis: np.sum(a, axis=axis), "added": lambda i, j: i + j,
       "packed": tuple, "sliding_window_view": np.lib.stride_tricks.sliding_window_view, "fft": np.fft,
       "linalg": Linalg(), "special": special, "signal": signal, "integrate": integrate,
       "interpolate": interpolate, "optimize": optimize, **OTHERS}
CLASSES = {"AxisError": "ValueError", "UFuncTypeError": "TypeError", "_UFuncNoLoopError": "TypeError",
           "_UFuncBinaryResolutionError": "TypeError", "_UFuncInputCastingError": "TypeError",
           "DTypePromotionError": "TypeError", "UFuncNoLoopError": "TypeError", "_UFuncOutputCastingError": "TypeError"}


class Names(dict):
    def __missing__(self, name):
        return getattr(np, name)


def results(r):
    if isinstance(r, (tuple, list)):
        return [v for e in r for v in results(e)]
    return [np.asarray(r)]


values = []


def word(code, names):
    try:
        out = results(eval(code, Names(ENV, **names)))
    except Exception as e:
        name = type(e).__name__
        return "!" + CLASSES.get(name, name)
    if any(v.dtype.name not in LETTER for v in out):
        return "!" + "/".join(v.dtype.name for v in out)
    values.extend(np.ascontiguousarray(v).tobytes() for v in out)
    return ";".join(LETTER[v.dtype.name] + ",".join(map(str, v.shape)) for v in out) or "none"


def lines_of(table):
    group = None
    for line in table.strip().splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("+"):
            group[1].extend(line[1:].split())
            continue
        if group:
            yield group
        head, calls = line.split(": ", 1)
        form, kinds, ulps, args = head.split()
        group = ((form, kinds, ulps, args), calls.split())
    yield group


def main():
    text, n, names, seen = [], 0, set(), set()
    for (form, kinds, ulps, args), calls in lines_of(TABLE):
        pairs = "P" in kinds
        kinds = kinds.replace("P", "")
        for call in calls:
            if "(" not in call:
                call = "%s(%s)" % (call, args)
            if (form, kinds, call) in seen:
                continue
            seen.add((form, kinds, call))
            code = compile(call, call, "eval")
            text.append("%s %s %s %s" % (form, kinds, ulps, lua(call)))
            for d in DTYPES if kinds != "1" else ["float64"]:
                words = []
                for kind in kinds:
                    if kind in "nh" and d == "bool" or kind == "n" and "int" in d:
                        continue
                    arrays = {"D": d}
                    if form != "d":
                        arrays.update(x=array(form, kind, d, 0), y=array(form, kind, d, 1))
                    words.append(word(code, arrays))
                text.append(" " + " ".join(words))
                n += len(words)
            if pairs:
                text.append("%s P %s %s" % (form, ulps, lua(call)))
                for a in DTYPES:
                    words = [word(code, {"x": array(form, "m", a, 0), "y": array(form, "m", b, 1)})
                             for b in DTYPES]
                    text.append(" " + " ".join(words))
                    n += len(words)
    blob = np.frombuffer(b"".join(values), "uint8")
    versions = "NumPy %s, SciPy %s" % (np.__version__, scipy.__version__)
    lines = np.frombuffer("\n".join([versions] + text).encode(), "uint8")
    path = os.path.join(ROOT, "matrix.npz")
    np.savez_compressed(path, text=lines, values=blob, **inputs, **OTHERS)
    print(n, "answers,", len(seen), "calls,", len(blob), "bytes of values,", os.path.getsize(path), "bytes")


if __name__ == "__main__":
    main()
