--- The functions that arrays and Variables share, with the kinds of their arguments: what spec.fuzz.alike.calls makes
-- valid calls of. A line: names, then `:` and arguments; `key=kind` is a keyword, given in every third call. A kind
-- with `*` is a list of one to three of it, behind `/` stand words or numbers to choose from.
--   x any array, f of floats, c of floats or complex numbers, i of integers, j of integers or bool, b bool, r of
--   anything but complex numbers; y what broadcasts with the argument before, of its dtype or another; s the same shape
--   and dtype as it; S the same shape, of any dtype; v a vector, m a matrix, q square matrices, p positive definite
--   ones, V M Q: of the first's dtype; n a number; axis of the first argument (must: where it has one), axes: one,
--   several or none; shape a shape
return [[
abs absolute sign negative neg square sqr conj real imag isnan isinf isfinite isreal iscomplex round rint around copy
+ zeros_like ones_like ravel flatten transpose squeeze logical_not nan_to_num matrix_transpose ndim size shape
+ atleast_1d atleast_2d atleast_3d nonzero flatnonzero argwhere count_nonzero iscomplexobj isrealobj diagflat
+ positive reciprocal sgn : x
ceil floor trunc fix fabs signbit isneginf isposinf deg2rad rad2deg degrees radians spacing modf frexp : r
sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh
+ sinc angle sigmoid softplus : c
cbrt erf erfc erfcx erfinv erfcinv gamma gammaln psi tri_gamma i0 i1 j0 j1 special.ndtr special.ndtri special.entr
+ special.expit special.logit special.log_ndtr special.exp1 special.expi special.i0e special.i1e special.ellipk
+ special.ellipe nnet.relu nnet.elu nnet.gelu nnet.silu nnet.mish nnet.selu nnet.softsign nnet.hard_sigmoid : f
bitwise_count bitwise_invert invert bitwise_not : j
add multiply maximum minimum fmax fmin equal not_equal logical_and logical_or logical_xor : x y
subtract less less_equal greater greater_equal arctan2 hypot copysign heaviside nextafter logaddexp logaddexp2 fmod
+ floor_divide remainder mod divmod : r y
divide true_divide float_power isclose : x y
power : f y
power : x /0/1/2/3
bitwise_and bitwise_or bitwise_xor : j s
gcd lcm : i s
left_shift right_shift : i /0/1/3/7
ldexp : f /-3/0/2/5
special.beta special.gammainc special.gammaincc special.xlogy special.xlog1py special.rel_entr special.kl_div : f s
clip : r /-2/-0.5/0 /0.5/1/2
where : b y y
switch : b y y
sum prod : x axis=axes keepdims=flag dtype=wide initial=n where=mask
mean : x axis=axes keepdims=flag where=mask
var std : r axis=axes keepdims=flag correction=/0/1/0.5 where=mask
max min : r axis=axes keepdims=flag initial=n
amax amin ptp : r axis=axes keepdims=flag
any all : x axis=axes keepdims=flag where=mask
count_nonzero : x axis=axes keepdims=flag
argmax argmin nanargmax nanargmin : r axis=axis keepdims=flag
nansum nanprod : x axis=axes keepdims=flag
nanmax nanmin nanmean nanvar nanstd nanmedian median : r axis=axes keepdims=flag
quantile nanquantile : r /0/0.25/0.5/0.9/1 axis=axes keepdims=flag method=/linear/lower/higher/midpoint/nearest/hazen
percentile nanpercentile : r /0/10/50/99 axis=axis keepdims=flag
average : r axis=axis
average : r weights=S
cumsum cumprod nancumsum nancumprod : x axis=axis dtype=wide
cumulative_sum cumulative_prod : v include_initial=flag dtype=wide
cumulative_sum cumulative_prod : x axis=must include_initial=flag
logsumexp : f axis=axes keepdims=flag
max_and_argmax : r axis=axis keepdims=flag
sort argsort : x axis=axis descending=flag
unique : x return_index=flag return_inverse=flag return_counts=flag axis=axis
diff : x n=/0/1/2 axis=must prepend=n append=n
ediff1d : x to_end=n to_begin=n
gradient : f axis=axis
trapezoid : f dx=n axis=must
flip : x axis=axes
roll : x /-7/-1/0/1/2/5 axis=axis
rot90 : m k=/-1/0/1/2/3
swapaxes : x must must
moveaxis : x must must
rollaxis : x must
expand_dims : x /0/-1
tile : x /0/1/2
tile : x shape
repeat : x /0/1/2/3 axis=axis
reshape : x /-1
resize : x shape
broadcast_to : x wider
take : x places axis=axis mode=/wrap/clip
delete : x /0 axis=axis
insert : x /0 n axis=axis
append : x s axis=must
append : x x
concatenate concat : same* axis=must
stack : same* axis=must
hstack vstack dstack column_stack row_stack : same*
array_split : x /1/2 axis=must
array_split : x /3/4 axis=must
unstack : x axis=must
pad : x /0/1/2 mode=/constant/edge/reflect/symmetric/wrap/maximum/mean/minimum/linear_ramp/empty
tril triu : m k=/-3/-1/0/1/2
diag diagonal trace : m
diagonal : m offset=/-2/-1/0/1/5
diag : v k=/-1/0/2

matmul dot inner : m turned
matmul dot vdot inner outer kron vecdot convolve correlate : v V
convolve correlate : v V mode=/full/same/valid
tensordot : m turned axes=/1
outer kron : x x
cross : three s
vecdot : x s axis=must
einsum : /ij->ji/ij->/ii->i/ij->j/ij,ij->i/ij,ij->ij/ii q s
topk argtopk : r /1/2/-1 axis=must
searchsorted : sorted V side=/left/right
digitize : f sorted right=flag
bincount : counts minlength=/0/3/9
bincount : counts weights=real_weights
histogram : f bins=/1/3/10 density=flag
histogram_bin_edges : f bins=/1/3/10
isin in1d : x V invert=flag
union1d intersect1d setdiff1d setxor1d : v V
array_equal allclose : x s
interp : f increasing rising left=n right=n
lexsort : same*
compress : bits v
extract : mask_of x
choose : few same*
select : masks likes
meshgrid : v V indexing=/ij/xy
broadcast_arrays : x y
packbits unpackbits : u8 axis=axis bitorder=/big/little
trim_zeros : v
vander : v /1/2/4 increasing=flag
polyval : v n
polyder polyint : v
polyadd polysub polymul : v V
unwrap : f axis=must
cov corrcoef : m rowvar=flag
cov : m ddof=/0/1 bias=flag
sliding_window_view : v /1/2
fft.fft fft.ifft : c n=/1/2/5/8 axis=must norm=/ortho/forward/backward
fft.fftn fft.ifftn : c norm=/ortho/forward/backward
fft.rfftn fft.hfft fft.ihfft : f
fft.fftshift fft.ifftshift : x axes=axes
linalg.det linalg.inv linalg.slogdet linalg.pinv linalg.qr linalg.svdvals linalg.eigvalsh linalg.cholesky : p
linalg.solve : p Q
linalg.matrix_power : q /0/1/2/3
linalg.norm : c axis=axis keepdims=flag ord=/1/2/3
linalg.vector_norm : c axis=axes keepdims=flag ord=/0/1/2/3
linalg.matrix_norm : m ord=/1/2/fro keepdims=flag
linalg.matrix_rank linalg.cond : p
nnet.softmax nnet.logsoftmax : f axis=must
special.logsumexp special.softmax special.log_softmax : f axis=must
astype cast : r any
astype : x wide
sort_complex : x
full_like : x n dtype=wide
arange : /0/1/-2/0.5 /3/7/1 /1/2/0.5
linspace : n n /0/1/5 endpoint=flag
eye : /0/1/3 /0/2/4 k=/-1/0/1
tri : /0/1/3 /0/2/4 k=/-1/0/1
ones zeros : shape dtype=wide
]]
