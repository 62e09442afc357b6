---@meta theano.tensor
-- Made by `build/theano scripts/make-reference` from the engine's tables; not edited by hand.
-- For the Lua language server: see docs/editor.md.

---@class theano.module.tensor
---@field newaxis any a new dimension in a table subscript
---@field none any an explicit None where the default is another
local T = {}
T.extra_ops = {}
T.fft = {}
T.gradient = {}
T.nlinalg = {}
T.nnet = {}
T.nnet.abstract_conv = {}
T.nnet.neighbours = {}
T.nnet.nnet = {}
T.opt = {}
T.random = {}
T.signal = {}
T.signal.pool = {}
T.slinalg = {}
T.sparse = {}
T.special = {}
T.xlogx = {}

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.bcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.bcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.bmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.bmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.brow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.brows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.bscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.bscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.btensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.btensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.btensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.btensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.btensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.btensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.btensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.btensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.btensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.btensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.bvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.bvectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ccol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ccols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.cmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.cmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.col(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.cols(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.crow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.crows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.cscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.cscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ctensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ctensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ctensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ctensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ctensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ctensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ctensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ctensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ctensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ctensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.cvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.cvectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.drow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.drows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dtensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dtensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dtensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dtensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dtensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dtensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dtensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dtensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dtensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dtensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.dvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.dvectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.fcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.fcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.fmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.fmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.frow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.frows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.fscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.fscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ftensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ftensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ftensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ftensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ftensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ftensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ftensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ftensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ftensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ftensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.fvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.fvectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.icol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.icols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.imatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.imatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.irow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.irows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.iscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.iscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.itensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.itensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.itensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.itensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.itensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.itensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.itensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.itensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.itensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.itensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ivector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ivectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.lcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.lcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.lmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.lmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.lrow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.lrows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.lscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.lscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ltensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ltensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ltensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ltensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ltensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ltensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ltensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ltensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ltensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ltensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.lvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.lvectors(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.matrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.matrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.row(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.rows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.scalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.scalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.tensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.tensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.tensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.tensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.tensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.tensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.tensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.tensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.tensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.tensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.vector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.vectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wrow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wrows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wtensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wtensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wtensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wtensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wtensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wtensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wtensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wtensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wtensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wtensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.wvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.wvectors(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.zcol(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.zcols(...) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.zmatrices(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.zmatrix(name, options) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.zrow(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.zrows(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.zscalar(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.zscalars(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ztensor3(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ztensor3s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ztensor4(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ztensor4s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ztensor5(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ztensor5s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ztensor6(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ztensor6s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.ztensor7(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.ztensor7s(...) end

---a variable
---@param name? string|table
---@param options? theano.Dtype|table
---@return theano.Variable
function T.zvector(name, options) end

---variables: names, or how many
---@param ... string|integer
---@return theano.Variable ...
function T.zvectors(...) end

---x in another dtype ("floatX" is the configured one); x itself when it has it
---@param x theano.Operand
---@param dtype theano.Dtype
---@return theano.Variable
function T.cast(x, dtype) end

---x in another dtype ("floatX" is the configured one); x itself when it has it
---@param x theano.Operand
---@param dtype theano.Dtype
---@param copy? theano.Operand
---@overload fun(x: theano.Operand, dtype: theano.Dtype, keywords: { copy?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.astype(x, dtype, copy) end

---nearest integral value; mode "half_to_even" (default) or "half_away_from_zero", or to how many decimals
---@param a theano.Operand
---@param mode? string
---@overload fun(a: theano.Operand, keywords: { mode?: string }): theano.Variable
---@return theano.Variable
function T.round(a, mode) end

---round, as int64
---@param a theano.Operand
---@param mode? string
---@overload fun(a: theano.Operand, keywords: { mode?: string }): theano.Variable
---@return theano.Variable
function T.iround(a, mode) end

---x // y and x % y, as two results
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable ...
function T.divmod(x, y) end

---integer quotient rounded up
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.ceil_intdiv(a, b) end

---where |a - b| <= atol + rtol * |b|; equal infinities are close
---@param a theano.Operand
---@param b theano.Operand
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { rtol?: number, atol?: number, equal_nan?: boolean }): theano.Variable
---@return theano.Variable
function T.isclose(a, b, rtol, atol, equal_nan) end

---whether isclose holds everywhere
---@param a theano.Operand
---@param b theano.Operand
---@param rtol? number
---@param atol? number
---@param equal_nan? boolean
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { rtol?: number, atol?: number, equal_nan?: boolean }): theano.Variable
---@return theano.Variable
function T.allclose(a, b, rtol, atol, equal_nan) end

---real part; z itself when it is real
---@param z theano.Operand
---@return theano.Variable
function T.real(z) end

---imaginary part; zeros when z is real
---@param z theano.Operand
---@return theano.Variable
function T.imag(z) end

---a copy of a
---@param a theano.Operand
---@return theano.Variable
function T.tensor_copy(a) end

---a copy of a
---@param a theano.Operand
---@param name? string
---@overload fun(a: theano.Operand, keywords: { name?: string }): theano.Variable
---@return theano.Variable
function T.copy(a, name) end

---dimensions in another order; "x" is a new broadcastable one
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.dimshuffle(x, ...) end

---x where positive, alpha * x elsewhere
---@param x theano.Operand
---@param alpha? number
---@overload fun(x: theano.Operand, keywords: { alpha?: number }): theano.Variable
---@return theano.Variable
function T.nnet.relu(x, alpha) end

---x where positive, alpha * expm1(x) elsewhere
---@param x theano.Operand
---@param alpha? number
---@overload fun(x: theano.Operand, keywords: { alpha?: number }): theano.Variable
---@return theano.Variable
function T.nnet.elu(x, alpha) end

---scaled elu of self-normalizing networks
---@param x theano.Operand
---@return theano.Variable
function T.nnet.selu(x) end

---x where positive, alpha * x elsewhere; the gradient at 0 is alpha
---@param x theano.Operand
---@param alpha? number
---@overload fun(x: theano.Operand, keywords: { alpha?: number }): theano.Variable
---@return theano.Variable
function T.nnet.leaky_relu(x, alpha) end

---x * Phi(x) of the normal distribution, by erf or, approximate, by tanh
---@param x theano.Operand
---@param approximate? boolean
---@overload fun(x: theano.Operand, keywords: { approximate?: boolean }): theano.Variable
---@return theano.Variable
function T.nnet.gelu(x, approximate) end

---x * sigmoid(x), also called swish
---@param x theano.Operand
---@return theano.Variable
function T.nnet.silu(x) end

---x * tanh(softplus(x))
---@param x theano.Operand
---@return theano.Variable
function T.nnet.mish(x) end

---x / (1 + |x|)
---@param x theano.Operand
---@return theano.Variable
function T.nnet.nnet.softsign(x) end

---clip(0.2 * x + 0.5, 0, 1)
---@param x theano.Operand
---@return theano.Variable
function T.nnet.hard_sigmoid(x) end

----(target * log(output) + (1 - target) * log(1 - output))
---@param output theano.Operand
---@param target theano.Operand
---@return theano.Variable
function T.nnet.binary_crossentropy(output, target) end

---binary_crossentropy of sigmoid(output), stable
---@param output theano.Operand
---@param target theano.Operand
---@return theano.Variable
function T.nnet.sigmoid_binary_crossentropy(output, target) end

---sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64
---@param input theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(input: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.sum(input, axis, dtype, keepdims, acc_dtype, initial, where) end

---product over axis (None: all) of what where holds for, and initial
---@param input theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param no_zeros_in_input? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(input: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, no_zeros_in_input?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.prod(input, axis, dtype, keepdims, acc_dtype, no_zeros_in_input, initial, where) end

---mean over axis (None: all) of what where holds for
---@param input theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param where? theano.Operand
---@overload fun(input: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.mean(input, axis, dtype, keepdims, acc_dtype, where) end

---variance over axis, in two passes, of what where holds for; mean is one known before
---@param input theano.Operand
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Operand
---@param dtype? theano.Dtype
---@param mean? theano.Operand
---@param where? theano.Operand
---@overload fun(input: theano.Operand, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Operand, dtype?: theano.Dtype, mean?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.var(input, axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---standard deviation over axis of what where holds for
---@param input theano.Operand
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Operand
---@param dtype? theano.Dtype
---@param mean? theano.Operand
---@param where? theano.Operand
---@overload fun(input: theano.Operand, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Operand, dtype?: theano.Dtype, mean?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.std(input, axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---largest element over axis, of what where holds for, and initial; the gradient goes to every tied position
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.max(x, axis, keepdims, initial, where) end

---smallest element over axis, of what where holds for, and initial; built as -max(-x)
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.min(x, axis, keepdims, initial, where) end

---first position (from 0) of the largest element
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function T.argmax(x, axis, keepdims) end

---first position (from 0) of the smallest element
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function T.argmin(x, axis, keepdims) end

---largest element and its first position, as two results
---@param a theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(a: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable ...
---@return theano.Variable ...
function T.max_and_argmax(a, axis, keepdims) end

---max - min over axis
---@param a theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(a: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function T.ptp(a, axis, keepdims) end

---L-norm over axis: sum(|x|^L)^(1/L)
---@param x theano.Operand
---@param L theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Operand, L: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function T.norm(x, L, axis, keepdims) end

---log of the sum of b exp(x) over axis (b=1), without overflow; -inf of nothing
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@param b? theano.Operand
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean, b?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.logsumexp(x, axis, keepdims, b) end

---whether any element is nonzero, of those where holds for
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Operand
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.any(x, axis, keepdims, where) end

---whether all elements are nonzero, of those where holds for
---@param x theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Operand
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.all(x, axis, keepdims, where) end

---whether both are nonzero
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.logical_and(x1, x2) end

---whether one of both is nonzero
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.logical_or(x1, x2) end

---whether exactly one of both is nonzero
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.logical_xor(x1, x2) end

---whether x is zero
---@param x theano.Operand
---@return theano.Variable
function T.logical_not(x) end

---whether x is positive infinity
---@param x theano.Operand
---@return theano.Variable
function T.isposinf(x) end

---whether x is negative infinity
---@param x theano.Operand
---@return theano.Variable
function T.isneginf(x) end

---whether x has an imaginary part that is not 0
---@param x theano.Operand
---@return theano.Variable
function T.iscomplex(x) end

---whether x has no imaginary part
---@param x theano.Operand
---@return theano.Variable
function T.isreal(x) end

---x itself, copied; bool has no sign
---@param x theano.Operand
---@return theano.Variable
function T.positive(x) end

---1 / x; of integers rounded toward 0, an integer zero raises
---@param x theano.Operand
---@return theano.Variable
function T.reciprocal(x) end

---absolute value as a float
---@param x theano.Operand
---@return theano.Variable
function T.fabs(x) end

---remainder with the sign of x1, as in C; an integer zero divisor raises
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.fmod(x1, x2) end

---the part behind the point and the part before it, both with the sign of x
---@param x theano.Operand
---@return theano.Variable
function T.modf(x) end

---mantissa of magnitude [0.5, 1) and exponent, int32: x = mantissa * 2^exponent
---@param x theano.Operand
---@return theano.Variable
function T.frexp(x) end

---x1 * 2^x2 for integers x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.ldexp(x1, x2) end

---how far the next float is, away from zero
---@param x theano.Operand
---@return theano.Variable
function T.spacing(x) end

---sin(pi x) / (pi x), and 1 at 0
---@param x theano.Operand
---@return theano.Variable
function T.sinc(x) end

---x1 to the power x2, in float64 or complex128
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.float_power(x1, x2) end

---how many bits of |x| are set, uint8
---@param x theano.Operand
---@return theano.Variable
function T.bitwise_count(x) end

---lengths of x as an int64 vector (x.shape)
---@param x theano.Operand
---@return theano.Variable
function T.shape(x) end

---number of elements of x (x.size), or its lengths along axis multiplied
---@param x theano.Operand
---@param axis? theano.Axis
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.size(x, axis) end

---the elements of x in another shape; one entry may be -1
---@param x theano.Operand
---@param newshape theano.Operand
---@param ndim? integer
---@overload fun(x: theano.Operand, newshape: theano.Operand, keywords: { ndim?: integer }): theano.Variable
---@return theano.Variable
function T.reshape(x, newshape, ndim) end

---x with its last dimensions merged so that ndim are left
---@param x theano.Operand
---@param ndim? integer
---@overload fun(x: theano.Operand, keywords: { ndim?: integer }): theano.Variable
---@return theano.Variable
function T.flatten(x, ndim) end

---x as a vector
---@param x theano.Operand
---@return theano.Variable
function T.ravel(x) end

---x with its dimensions reversed, or in the order of axes
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.transpose(x, ...) end

---y with two dimensions exchanged
---@param y theano.Operand
---@param axis1 integer
---@param axis2 integer
---@return theano.Variable
function T.swapaxes(y, axis1, axis2) end

---t with broadcastable dimensions put before its own
---@param t theano.Operand
---@param n_ones? number
---@overload fun(t: theano.Operand, keywords: { n_ones?: number }): theano.Variable
---@return theano.Variable
function T.shape_padleft(t, n_ones) end

---t with broadcastable dimensions put after its own
---@param t theano.Operand
---@param n_ones? number
---@overload fun(t: theano.Operand, keywords: { n_ones?: number }): theano.Variable
---@return theano.Variable
function T.shape_padright(t, n_ones) end

---t with a broadcastable dimension put at axis
---@param t theano.Operand
---@param axis theano.Axis
---@return theano.Variable
function T.shape_padaxis(t, axis) end

---x without its broadcastable dimensions
---@param x theano.Operand
---@param axis? theano.Axis
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.squeeze(x, axis) end

---x with these dimensions promised to be 1 (checked when run)
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.addbroadcast(x, ...) end

---x with these dimensions no longer broadcastable
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.unbroadcast(x, ...) end

---x with exactly this broadcast pattern (checked when run)
---@param x theano.Operand
---@param broadcastable boolean[]
---@return theano.Variable
function T.patternbroadcast(x, broadcastable) end

---x, raising when run unless it has this shape
---@param x theano.Operand
---@param shape theano.Operand
---@return theano.Variable
function T.specify_shape(x, shape) end

---x repeated reps[d] times along dimension d
---@param x theano.Operand
---@param reps theano.Operand
---@param ndim? integer
---@overload fun(x: theano.Operand, reps: theano.Operand, keywords: { ndim?: integer }): theano.Variable
---@return theano.Variable
function T.tile(x, reps, ndim) end

---each element of x repeated along axis (flattened without axis)
---@param x theano.Operand
---@param repeats theano.Operand
---@param axis? theano.Axis
---@overload fun(x: theano.Operand, repeats: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.repeat_(x, repeats, axis) end

---value broadcast to a shape
---@param value theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.alloc(value, ...) end

---zeros of a shape; dtype floatX by default
---@param shape theano.Operand
---@param dtype? theano.Dtype
---@overload fun(shape: theano.Operand, keywords: { dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.zeros(shape, dtype) end

---ones of a shape; dtype floatX by default
---@param shape theano.Operand
---@param dtype? theano.Dtype
---@overload fun(shape: theano.Operand, keywords: { dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.ones(shape, dtype) end

---zeros in the shape of model
---@param model theano.Operand
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(model: theano.Operand, keywords: { dtype?: theano.Dtype, opt?: boolean }): theano.Variable
---@return theano.Variable
function T.zeros_like(model, dtype, opt) end

---ones in the shape of model
---@param model theano.Operand
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(model: theano.Operand, keywords: { dtype?: theano.Dtype, opt?: boolean }): theano.Variable
---@return theano.Variable
function T.ones_like(model, dtype, opt) end

---start, start + step, .. below stop
---@param start theano.Operand
---@param stop? theano.Operand
---@param step? number
---@param dtype? theano.Dtype
---@overload fun(start: theano.Operand, keywords: { stop?: theano.Operand, step?: number, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.arange(start, stop, step, dtype) end

---n x m matrix with ones on diagonal k
---@param n theano.Operand
---@param m? theano.Operand
---@param k? number
---@param dtype? theano.Dtype
---@overload fun(n: theano.Operand, keywords: { m?: theano.Operand, k?: number, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.eye(n, m, k, dtype) end

---N x M matrix with ones on and below diagonal k
---@param N theano.Operand
---@param M? theano.Operand
---@param k? number
---@param dtype? theano.Dtype
---@overload fun(N: theano.Operand, keywords: { M?: theano.Operand, k?: number, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.tri(N, M, k, dtype) end

---identity matrix in the shape of x
---@param x theano.Operand
---@return theano.Variable
function T.identity_like(x) end

---m with zeros above diagonal k
---@param m theano.Operand
---@param k? number
---@overload fun(m: theano.Operand, keywords: { k?: number }): theano.Variable
---@return theano.Variable
function T.tril(m, k) end

---m with zeros below diagonal k
---@param m theano.Operand
---@param k? number
---@overload fun(m: theano.Operand, keywords: { k?: number }): theano.Variable
---@return theano.Variable
function T.triu(m, k) end

---part of x by integers, slices, ellipsis, newaxis, integer tensors
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.subtensor(x, ...) end

---elements of a along axis at integer positions
---@param a theano.Operand
---@param indices theano.Operand
---@param axis? theano.Axis
---@param mode? string
---@overload fun(a: theano.Operand, indices: theano.Operand, keywords: { axis?: theano.Axis, mode?: string }): theano.Variable
---@return theano.Variable
function T.take(a, indices, axis, mode) end

---the tensor that x is a part of, with that part set to y
---@param x theano.Operand
---@param y theano.Operand
---@param inplace? boolean
---@param tolerate_inplace_aliasing? boolean
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { inplace?: boolean, tolerate_inplace_aliasing?: boolean }): theano.Variable
---@return theano.Variable
function T.set_subtensor(x, y, inplace, tolerate_inplace_aliasing) end

---the tensor that x is a part of, with that part increased by y
---@param x theano.Operand
---@param y theano.Operand
---@param inplace? boolean
---@param set_instead_of_inc? boolean
---@param tolerate_inplace_aliasing? boolean
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { inplace?: boolean, set_instead_of_inc?: boolean, tolerate_inplace_aliasing?: boolean }): theano.Variable
---@return theano.Variable
function T.inc_subtensor(x, y, inplace, set_instead_of_inc, tolerate_inplace_aliasing) end

---tensors one after the other along axis
---@param axis theano.Axis
---@param ... theano.Operand
---@return theano.Variable
function T.join(axis, ...) end

---tensors one after the other along axis (None: flattened), of dtype
---@param tensor_list theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(tensor_list: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.concatenate(tensor_list, axis, dtype) end

---tensors one above the other along a new axis, of dtype
---@param tensors theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(tensors: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.stack(tensors, axis, dtype) end

---consecutive parts of x along axis: n_splits results
---@param x theano.Operand
---@param splits_size theano.Operand
---@param n_splits theano.Operand
---@param axis? theano.Axis
---@overload fun(x: theano.Operand, splits_size: theano.Operand, n_splits: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable ...
---@return theano.Variable ...
function T.split(x, splits_size, n_splits, axis) end

---matrices side by side
---@param ... theano.Operand
---@return theano.Variable
function T.horizontal_stack(...) end

---matrices one above the other
---@param ... theano.Operand
---@return theano.Variable
function T.vertical_stack(...) end

---product of vectors, matrices, tensors
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.dot(a, b) end

---sum of products over some axes of a and b
---@param a theano.Operand
---@param b theano.Operand
---@param axes? theano.Axis
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { axes?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.tensordot(a, b, axes) end

---matrix of the products of the elements of x and y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.outer(x, y) end

---exp(c) / sum(exp(c)) along axis (each row by default)
---@param c theano.Operand
---@param axis? theano.Axis
---@overload fun(c: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.nnet.softmax(c, axis) end

---log of the softmax along axis (each row by default)
---@param c theano.Operand
---@param axis? theano.Axis
---@overload fun(c: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.nnet.logsoftmax(c, axis) end

---softmax of x + b, b added to each row
---@param x theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.nnet.softmax_with_bias(x, b) end

---softmax written with exp and sum
---@param c theano.Operand
---@return theano.Variable
function T.nnet.softmax_graph(c) end

---cost of each sequence of labels under activations (time, sequence, class), over all alignments with blanks
---(class 0)
---@param activations theano.Operand
---@param labels theano.Operand
---@param input_lengths theano.Operand
---@return theano.Variable
function T.nnet.ctc(activations, labels, input_lengths) end

---x / (1 + |x|)
---@param x theano.Operand
---@return theano.Variable
function T.nnet.softsign(x) end

---cross-entropy of rows against distributions or class numbers
---@param coding_dist theano.Operand
---@param true_dist theano.Operand
---@return theano.Variable
function T.nnet.categorical_crossentropy(coding_dist, true_dist) end

----log of the probability of each row's class
---@param coding_dist theano.Operand
---@param true_one_of_n theano.Operand
---@return theano.Variable
function T.nnet.crossentropy_categorical_1hot(coding_dist, true_one_of_n) end

---loss and softmax of rows against class numbers
---@param x theano.Operand
---@param y_idx theano.Operand
---@return theano.Variable ...
function T.nnet.crossentropy_softmax_1hot(x, y_idx) end

---loss and softmax of x + b against class numbers
---@param x theano.Operand
---@param b theano.Operand
---@param y_idx theano.Operand
---@return theano.Variable ...
function T.nnet.crossentropy_softmax_1hot_with_bias(x, b, y_idx) end

---loss, softmax and argmax of x + b against class numbers
---@param x theano.Operand
---@param b theano.Operand
---@param y_idx theano.Operand
---@return theano.Variable ...
function T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx) end

---loss, softmax, row maximum and argmax against class numbers
---@param x theano.Operand
---@param y_idx theano.Operand
---@return theano.Variable ...
function T.nnet.crossentropy_softmax_max_and_argmax_1hot(x, y_idx) end

---loss, softmax, row maximum and argmax of x + b against class numbers
---@param x theano.Operand
---@param b theano.Operand
---@param y_idx theano.Operand
---@return theano.Variable ...
function T.nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias(x, b, y_idx) end

---x, recomputed for its later users (gradients) instead of kept in memory
---@param x theano.Operand
---@return theano.Variable
function T.remat(x) end

---x in another memory, "cpu", "gpu", "cuda", "cuda0": its value; a result goes where the last transfer says
---@param x theano.Operand
---@param target? theano.Operand
---@overload fun(x: theano.Operand, keywords: { target?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.transfer(x, target) end

---x, for gradients a constant: disconnected from what it is made of
---@param x theano.Operand
---@return theano.Variable
function T.gradient.disconnected_grad(x) end

---x, whose gradient is zero (but connected)
---@param x theano.Operand
---@return theano.Variable
function T.gradient.zero_grad(x) end

---x, through which no gradient is defined: grad raises
---@param x theano.Operand
---@return theano.Variable
function T.gradient.undefined_grad(x) end

---x, whose gradient is clipped to an interval
---@param x theano.Operand
---@param lower_bound theano.Operand
---@param upper_bound theano.Operand
---@return theano.Variable
function T.gradient.grad_clip(x, lower_bound, upper_bound) end

---x, whose gradient is multiplied by a number
---@param x theano.Operand
---@param multiplier theano.Operand
---@return theano.Variable
function T.gradient.grad_scale(x, multiplier) end

---Fourier transforms of real numbers (m, .., n) over all dimensions but the first, as pairs (m, .., n//2+1, 2);
---norm "ortho": divided by the root of the lengths' product
---@param inp theano.Operand
---@param norm? theano.Operand
---@overload fun(inp: theano.Operand, keywords: { norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.rfft(inp, norm) end

---what rfft undoes: real numbers (m, .., n) from pairs (m, .., n//2+1, 2), divided by the lengths' product
---(norm "ortho": its root, "no_norm": by nothing)
---@param inp theano.Operand
---@param norm? theano.Operand
---@param is_odd? boolean
---@overload fun(inp: theano.Operand, keywords: { norm?: theano.Operand, is_odd?: boolean }): theano.Variable
---@return theano.Variable
function T.fft.irfft(inp, norm, is_odd) end

---RFFTOp: rfft that is not scaled, with the lengths s of all dimensions but the first
---@param a theano.Operand
---@param s? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.rfft_op(a, s) end

---IRFFTOp: irfft that is not scaled, with the lengths s of the result but the first
---@param a theano.Operand
---@param s? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.irfft_op(a, s) end

---Fourier transform along an axis, complex; n: lines are cut to it or followed by zeros; norm "backward",
---"ortho" or "forward"
---@param a theano.Operand
---@param n? theano.Operand
---@param axis? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { n?: theano.Operand, axis?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.fft(a, n, axis, norm) end

---inverse of fft
---@param a theano.Operand
---@param n? theano.Operand
---@param axis? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { n?: theano.Operand, axis?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.ifft(a, n, axis, norm) end

---Fourier transform along two axes, the last ones
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.fft2(a, s, axes, norm) end

---inverse of fft2
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.ifft2(a, s, axes, norm) end

---Fourier transform along axes (None: all), with lengths s
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.fftn(a, s, axes, norm) end

---inverse of fftn
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.ifftn(a, s, axes, norm) end

---rfftn along two axes, the last ones
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.rfft2(a, s, axes, norm) end

---irfftn along two axes, the last ones
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.irfft2(a, s, axes, norm) end

---fftn of real numbers, complex: the first n//2+1 along the last of the axes
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.rfftn(a, s, axes, norm) end

---inverse of rfftn, real; the last length is even unless s says otherwise
---@param a theano.Operand
---@param s? theano.Operand
---@param axes? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { s?: theano.Operand, axes?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.irfftn(a, s, axes, norm) end

---the real Fourier transform of numbers whose second half is the conjugate of the first, which is given
---@param a theano.Operand
---@param n? theano.Operand
---@param axis? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { n?: theano.Operand, axis?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.hfft(a, n, axis, norm) end

---inverse of hfft
---@param a theano.Operand
---@param n? theano.Operand
---@param axis? theano.Axis
---@param norm? theano.Operand
---@overload fun(a: theano.Operand, keywords: { n?: theano.Operand, axis?: theano.Axis, norm?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.fft.ihfft(a, n, axis, norm) end

---frequencies of the n elements of fft, for samples d apart
---@param n theano.Operand
---@param d? number
---@overload fun(n: theano.Operand, keywords: { d?: number }): theano.Variable
---@return theano.Variable
function T.fft.fftfreq(n, d) end

---frequencies of the n//2+1 elements of a half
---@param n theano.Operand
---@param d? number
---@overload fun(n: theano.Operand, keywords: { d?: number }): theano.Variable
---@return theano.Variable
function T.fft.rfftfreq(n, d) end

---frequency 0 moved to the middle of each axis (None: all)
---@param x theano.Operand
---@param axes? theano.Axis
---@overload fun(x: theano.Operand, keywords: { axes?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.fft.fftshift(x, axes) end

---inverse of fftshift
---@param x theano.Operand
---@param axes? theano.Axis
---@overload fun(x: theano.Operand, keywords: { axes?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.fft.ifftshift(x, axes) end

---diagonal k of a matrix, or the matrix with vector v on diagonal k
---@param v theano.Operand
---@param k? number
---@overload fun(v: theano.Operand, keywords: { k?: number }): theano.Variable
---@return theano.Variable
function T.diag(v, k) end

---diagonal of two axes of a, as the last axis
---@param a theano.Operand
---@param offset? number
---@param axis1? integer
---@param axis2? integer
---@overload fun(a: theano.Operand, keywords: { offset?: number, axis1?: integer, axis2?: integer }): theano.Variable
---@return theano.Variable
function T.diagonal(a, offset, axis1, axis2) end

---sum of the main diagonal of a matrix
---@param X theano.Operand
---@return theano.Variable
function T.trace(X) end

---sum of the main diagonal of a matrix, of each of many
---@param X theano.Operand
---@return theano.Variable
function T.nlinalg.trace(X) end

---diagonal of a matrix, or the diagonal matrix of a vector
---@param X theano.Operand
---@return theano.Variable
function T.nlinalg.diag(X) end

---main diagonal of a matrix, of each of many
---@param x theano.Operand
---@return theano.Variable
function T.nlinalg.extract_diag(x) end

---matrix with vector x on its diagonal; many of many vectors
---@param x theano.Operand
---@return theano.Variable
function T.nlinalg.alloc_diag(x) end

---a with its main diagonal set to val
---@param a theano.Operand
---@param val theano.Operand
---@return theano.Variable
function T.fill_diagonal(a, val) end

---a with its main diagonal set to val
---@param a theano.Operand
---@param val theano.Operand
---@return theano.Variable
function T.extra_ops.fill_diagonal(a, val) end

---matrix a with diagonal `offset` set to val
---@param a theano.Operand
---@param val theano.Operand
---@param offset theano.Operand
---@return theano.Variable
function T.fill_diagonal_offset(a, val, offset) end

---matrix a with diagonal `offset` set to val
---@param a theano.Operand
---@param val theano.Operand
---@param offset theano.Operand
---@return theano.Variable
function T.extra_ops.fill_diagonal_offset(a, val, offset) end

---sums of products over labelled dimensions, "ij,jk->ik": labels that the output lacks are summed, a label
---twice in an operand is its diagonal, "..." stands for other dimensions; or each operand is followed by a list
---of numbers as its labels
---@param subscripts theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.einsum(subscripts, ...) end

---elements along axis in ascending order, NaN last (None: flattened)
---@param self theano.Operand
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Operand
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Operand, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Operand, descending?: boolean, stable?: boolean }): theano.Variable
---@return theano.Variable
function T.sort(self, axis, kind, order, descending, stable) end

---positions of the elements along axis in ascending order; equal ones stay in order
---@param self theano.Operand
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Operand
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Operand, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Operand, descending?: boolean, stable?: boolean }): theano.Variable
---@return theano.Variable
function T.argsort(self, axis, kind, order, descending, stable) end

---the kth > 0 largest or -kth smallest elements along axis, the extreme ones first
---@param x theano.Operand
---@param kth theano.Operand
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Operand, kth: theano.Operand, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): theano.Variable
---@return theano.Variable
function T.topk(x, kth, axis, sorted, idx_dtype) end

---positions of the elements that topk gives
---@param x theano.Operand
---@param kth theano.Operand
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Operand, kth: theano.Operand, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): theano.Variable
---@return theano.Variable
function T.argtopk(x, kth, axis, sorted, idx_dtype) end

---both, as two results
---@param x theano.Operand
---@param kth theano.Operand
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Operand, kth: theano.Operand, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): theano.Variable ...
---@return theano.Variable ...
function T.topk_and_argtopk(x, kth, axis, sorted, idx_dtype) end

---where elements of v go into the sorted vector x
---@param x theano.Operand
---@param v theano.Operand
---@param side? string
---@param sorter? theano.Operand
---@overload fun(x: theano.Operand, v: theano.Operand, keywords: { side?: string, sorter?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.searchsorted(x, v, side, sorter) end

---where elements of v go into the sorted vector x
---@param x theano.Operand
---@param v theano.Operand
---@param side? string
---@param sorter? theano.Operand
---@overload fun(x: theano.Operand, v: theano.Operand, keywords: { side?: string, sorter?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.extra_ops.searchsorted(x, v, side, sorter) end

---distinct elements in ascending order, and as asked: first positions, inverse, counts
---@param ar theano.Operand
---@param return_index? boolean
---@param return_inverse? boolean
---@param return_counts? boolean
---@param axis? theano.Axis
---@param sorted? boolean
---@param equal_nan? boolean
---@overload fun(ar: theano.Operand, keywords: { return_index?: boolean, return_inverse?: boolean, return_counts?: boolean, axis?: theano.Axis, sorted?: boolean, equal_nan?: boolean }): theano.Variable
---@return theano.Variable
function T.unique(ar, return_index, return_inverse, return_counts, axis, sorted, equal_nan) end

---distinct elements in ascending order, and as asked: first positions, inverse, counts
---@param ar theano.Operand
---@param return_index? boolean
---@param return_inverse? boolean
---@param return_counts? boolean
---@param axis? theano.Axis
---@param sorted? boolean
---@param equal_nan? boolean
---@overload fun(ar: theano.Operand, keywords: { return_index?: boolean, return_inverse?: boolean, return_counts?: boolean, axis?: theano.Axis, sorted?: boolean, equal_nan?: boolean }): theano.Variable
---@return theano.Variable
function T.extra_ops.unique(ar, return_index, return_inverse, return_counts, axis, sorted, equal_nan) end

---running sums along axis (None: flattened)
---@param x theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.cumsum(x, axis, dtype) end

---running sums along axis (None: flattened)
---@param x theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.extra_ops.cumsum(x, axis, dtype) end

---running products along axis (None: flattened)
---@param x theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.cumprod(x, axis, dtype) end

---running products along axis (None: flattened)
---@param x theano.Operand
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.extra_ops.cumprod(x, axis, dtype) end

---differences of neighbours along axis, n times; of prepend, x, append behind each other
---@param x theano.Operand
---@param n? number
---@param axis? theano.Axis
---@param prepend? theano.Operand
---@param append? theano.Operand
---@overload fun(x: theano.Operand, keywords: { n?: number, axis?: theano.Axis, prepend?: theano.Operand, append?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.diff(x, n, axis, prepend, append) end

---differences of neighbours along axis, n times; of prepend, x, append behind each other
---@param x theano.Operand
---@param n? number
---@param axis? theano.Axis
---@param prepend? theano.Operand
---@param append? theano.Operand
---@overload fun(x: theano.Operand, keywords: { n?: number, axis?: theano.Axis, prepend?: theano.Operand, append?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.extra_ops.diff(x, n, axis, prepend, append) end

---how often each value 0, 1, .. occurs in the vector x, or the sum of its weights
---@param x theano.Operand
---@param weights? theano.Operand
---@param minlength? theano.Operand
---@param assert_nonneg? boolean
---@overload fun(x: theano.Operand, keywords: { weights?: theano.Operand, minlength?: theano.Operand, assert_nonneg?: boolean }): theano.Variable
---@return theano.Variable
function T.bincount(x, weights, minlength, assert_nonneg) end

---how often each value 0, 1, .. occurs in the vector x, or the sum of its weights
---@param x theano.Operand
---@param weights? theano.Operand
---@param minlength? theano.Operand
---@param assert_nonneg? boolean
---@overload fun(x: theano.Operand, keywords: { weights?: theano.Operand, minlength?: theano.Operand, assert_nonneg?: boolean }): theano.Variable
---@return theano.Variable
function T.extra_ops.bincount(x, weights, minlength, assert_nonneg) end

---elementwise smallest of the arguments
---@param ... theano.Operand
---@return theano.Variable
function T.smallest(...) end

---elementwise largest of the arguments
---@param ... theano.Operand
---@return theano.Variable
function T.largest(...) end

---positions of the nonzero elements: a vector for each dimension, or the rows of a matrix
---@param a theano.Operand
---@param return_matrix? boolean
---@overload fun(a: theano.Operand, keywords: { return_matrix?: boolean }): theano.Variable
---@return theano.Variable
function T.nonzero(a, return_matrix) end

---positions of the nonzero elements of the flattened a
---@param a theano.Operand
---@return theano.Variable
function T.flatnonzero(a) end

---the nonzero elements as a vector
---@param a theano.Operand
---@return theano.Variable
function T.nonzero_values(a) end

---slices of x along axis where the vector condition is nonzero
---@param condition theano.Operand
---@param x theano.Operand
---@param axis? theano.Axis
---@overload fun(condition: theano.Operand, x: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.compress(condition, x, axis) end

---slices of x along axis where the vector condition is nonzero
---@param condition theano.Operand
---@param x theano.Operand
---@param axis? theano.Axis
---@overload fun(condition: theano.Operand, x: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.extra_ops.compress(condition, x, axis) end

---element of choices[a] at each place of a
---@param a theano.Operand
---@param choices theano.Operand
---@param out? theano.Operand
---@param mode? string
---@overload fun(a: theano.Operand, choices: theano.Operand, keywords: { out?: theano.Operand, mode?: string }): theano.Variable
---@return theano.Variable
function T.choose(a, choices, out, mode) end

---elements moved by shift along axis, or along each of a list of axes (None: flattened); those past the end
---come first
---@param x theano.Operand
---@param shift theano.Operand
---@param axis? theano.Axis
---@overload fun(x: theano.Operand, shift: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.roll(x, shift, axis) end

---matrix with a 1 at column y[i] of row i
---@param y theano.Operand
---@param nb_class theano.Operand
---@param dtype? theano.Dtype
---@overload fun(y: theano.Operand, nb_class: theano.Operand, keywords: { dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.to_one_hot(y, nb_class, dtype) end

---matrix with a 1 at column y[i] of row i
---@param y theano.Operand
---@param nb_class theano.Operand
---@param dtype? theano.Dtype
---@overload fun(y: theano.Operand, nb_class: theano.Operand, keywords: { dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.extra_ops.to_one_hot(y, nb_class, dtype) end

---positions in the flattened tensor of lengths dims
---@param multi_index theano.Operand
---@param dims theano.Operand
---@param mode? string
---@param order? string
---@overload fun(multi_index: theano.Operand, dims: theano.Operand, keywords: { mode?: string, order?: string }): theano.Variable
---@return theano.Variable
function T.ravel_multi_index(multi_index, dims, mode, order) end

---positions in the flattened tensor of lengths dims
---@param multi_index theano.Operand
---@param dims theano.Operand
---@param mode? string
---@param order? string
---@overload fun(multi_index: theano.Operand, dims: theano.Operand, keywords: { mode?: string, order?: string }): theano.Variable
---@return theano.Variable
function T.extra_ops.ravel_multi_index(multi_index, dims, mode, order) end

---coordinates of positions in the flattened tensor of lengths dims, one result each
---@param indices theano.Operand
---@param dims theano.Operand
---@param order? string
---@param ndim? integer
---@overload fun(indices: theano.Operand, dims: theano.Operand, keywords: { order?: string, ndim?: integer }): theano.Variable
---@return theano.Variable
function T.unravel_index(indices, dims, order, ndim) end

---coordinates of positions in the flattened tensor of lengths dims, one result each
---@param indices theano.Operand
---@param dims theano.Operand
---@param order? string
---@param ndim? integer
---@overload fun(indices: theano.Operand, dims: theano.Operand, keywords: { order?: string, ndim?: integer }): theano.Variable
---@return theano.Variable
function T.extra_ops.unravel_index(indices, dims, order, ndim) end

---permutation that undoes perm (each row of it)
---@param perm theano.Operand
---@return theano.Variable
function T.inverse_permutation(perm) end

---rows of x in the order of the rows of y, or the inverse
---@param x theano.Operand
---@param y theano.Operand
---@param inverse? boolean
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { inverse?: boolean }): theano.Variable
---@return theano.Variable
function T.permute_row_elements(x, y, inverse) end

---a with axes moved to other places
---@param a theano.Operand
---@param source theano.Operand
---@param destination theano.Operand
---@return theano.Variable
function T.moveaxis(a, source, destination) end

---nested lists of tensors stacked into one tensor
---@param arg theano.Operand
---@return theano.Variable
function T.stacklists(arg) end

---triangular window of M points
---@param M theano.Operand
---@return theano.Variable
function T.bartlett(M) end

---triangular window of M points
---@param M theano.Operand
---@return theano.Variable
function T.extra_ops.bartlett(M) end

---covariance matrix of variables in rows (or columns)
---@param m theano.Operand
---@param y? theano.Operand
---@param rowvar? boolean
---@param bias? boolean
---@param ddof? theano.Operand
---@param fweights? theano.Operand
---@param aweights? theano.Operand
---@overload fun(m: theano.Operand, keywords: { y?: theano.Operand, rowvar?: boolean, bias?: boolean, ddof?: theano.Operand, fweights?: theano.Operand, aweights?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.cov(m, y, rowvar, bias, ddof, fweights, aweights) end

---value, raising an error of that kind with msg while running unless all conditions hold
---@param value theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.opt.assert_op(value, ...) end

---dot of a[i] and b[i] for each i
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.batched_dot(a, b) end

---tensordot of x[i] and y[i] for each i; listed axes count the first one
---@param x theano.Operand
---@param y theano.Operand
---@param axes? theano.Axis
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { axes?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.batched_tensordot(x, y, axes) end

---matrix products over the last two dimensions; those before them are broadcast, a vector is a row or a column
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.matmul(a, b) end

---product of several matrices, from left to right
---@param ... theano.Operand
---@return theano.Variable
function T.nlinalg.matrix_dot(...) end

---product of several matrices in the order that needs the fewest multiplications; the first and the last may be
---vectors
---@param ... theano.Operand
---@return theano.Variable
function T.nlinalg.multi_dot(...) end

---square matrix M multiplied n times; of the inverse where n is negative
---@param M theano.Operand
---@param n theano.Operand
---@return theano.Variable
function T.nlinalg.matrix_power(M, n) end

---Kronecker product, as scipy.linalg.kron; of more than two dimensions the first two are merged
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.slinalg.kron(a, b) end

---matrices along the diagonal of one that has zeros elsewhere; a vector is a row
---@param ... theano.Operand
---@return theano.Variable
function T.slinalg.block_diag(...) end

---inverse of the map that tensordot with a is: its first ind dimensions against the others
---@param a theano.Operand
---@param ind? number
---@overload fun(a: theano.Operand, keywords: { ind?: number }): theano.Variable
---@return theano.Variable
function T.nlinalg.tensorinv(a, ind) end

---x with tensordot(a, x, x.ndim) = b; axes of a come last before
---@param a theano.Operand
---@param b theano.Operand
---@param axes? theano.Axis
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { axes?: theano.Axis }): theano.Variable
---@return theano.Variable
function T.nlinalg.tensorsolve(a, b, axes) end

---norm of a vector or a matrix: ord None, a number, "inf", "-inf", of matrices "fro", "nuc", 1, -1, 2, -2 too;
---axis: one of vectors, two of matrices
---@param x theano.Operand
---@param ord? theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Operand, keywords: { ord?: theano.Operand, axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function T.nlinalg.norm(x, ord, axis, keepdims) end

---condition number: norm(x, p) * norm(inverse, p); p None: by singular values
---@param x theano.Operand
---@param p? theano.Operand
---@overload fun(x: theano.Operand, keywords: { p?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.nlinalg.cond(x, p) end

---number of singular values above tol (None: the largest times rtol, or times max(m, n) times epsilon)
---@param A theano.Operand
---@param tol? theano.Operand
---@param hermitian? boolean
---@param rtol? theano.Operand
---@overload fun(A: theano.Operand, keywords: { tol?: theano.Operand, hermitian?: boolean, rtol?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.nlinalg.matrix_rank(A, tol, hermitian, rtol) end

---triangular factor of a positive definite matrix, of which one triangle is read; on_error "nan": NaN where it
---is not positive definite
---@param x theano.Operand
---@param lower? boolean
---@param on_error? string
---@overload fun(x: theano.Operand, keywords: { lower?: boolean, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.cholesky(x, lower, on_error) end

---p, l, u with a = p l u: p a permutation, l with ones on its diagonal; or p l and u
---@param a theano.Operand
---@param permute_l? boolean
---@overload fun(a: theano.Operand, keywords: { permute_l?: boolean }): theano.Variable
---@return theano.Variable
function T.slinalg.lu(a, permute_l) end

---l and u in one matrix, and with which row each was exchanged
---@param a theano.Operand
---@return theano.Variable
function T.slinalg.lu_factor(a) end

---q, r with a = q r; mode "reduced", "complete", "r" (r alone) or "raw"
---@param a theano.Operand
---@param mode? string
---@overload fun(a: theano.Operand, keywords: { mode?: string }): theano.Variable
---@return theano.Variable
function T.nlinalg.qr(a, mode) end

---u, s, vt with a = u diag(s) vt; without compute_uv s alone, descending
---@param a theano.Operand
---@param full_matrices? boolean
---@param compute_uv? boolean
---@overload fun(a: theano.Operand, keywords: { full_matrices?: boolean, compute_uv?: boolean }): theano.Variable
---@return theano.Variable
function T.nlinalg.svd(a, full_matrices, compute_uv) end

---eigenvalues and right eigenvectors (columns) of x's dtype; LinAlgError where those of a real matrix are not
---real, unless complex
---@param x theano.Operand
---@param complex? boolean
---@overload fun(x: theano.Operand, keywords: { complex?: boolean }): theano.Variable
---@return theano.Variable
function T.nlinalg.eig(x, complex) end

---eigenvalues of x's dtype; complex: complex ones of real matrices too
---@param x theano.Operand
---@param complex? boolean
---@overload fun(x: theano.Operand, keywords: { complex?: boolean }): theano.Variable
---@return theano.Variable
function T.nlinalg.eigvals(x, complex) end

---real eigenvalues, ascending, and eigenvectors (columns) of a Hermitian matrix, of which one triangle is read
---@param x theano.Operand
---@param UPLO? string
---@overload fun(x: theano.Operand, keywords: { UPLO?: string }): theano.Variable
---@return theano.Variable
function T.nlinalg.eigh(x, UPLO) end

---real eigenvalues of a Hermitian matrix, ascending
---@param x theano.Operand
---@param UPLO? string
---@overload fun(x: theano.Operand, keywords: { UPLO?: string }): theano.Variable
---@return theano.Variable
function T.nlinalg.eigvalsh(x, UPLO) end

---eigenvalues w of a v = w b v, a Hermitian and b positive definite (None: the identity)
---@param a theano.Operand
---@param b? theano.Operand
---@param lower? boolean
---@overload fun(a: theano.Operand, keywords: { b?: theano.Operand, lower?: boolean }): theano.Variable
---@return theano.Variable
function T.slinalg.eigvalsh(a, b, lower) end

---x, of which rewrites may take for granted that it is positive definite, symmetric or triangular; nothing is
---checked
---@param x theano.Operand
---@param psd? boolean
---@param symmetric? boolean
---@param lower_triangular? boolean
---@param upper_triangular? boolean
---@overload fun(x: theano.Operand, keywords: { psd?: boolean, symmetric?: boolean, lower_triangular?: boolean, upper_triangular?: boolean }): theano.Variable
---@return theano.Variable
function T.slinalg.hint(x, psd, symmetric, lower_triangular, upper_triangular) end

---x with a x = b; assume_a "gen", "sym", "her", "pos" (one triangle is read), "lower triangular", "upper
---triangular"; trans 1: a transposed, 2: conjugated too
---@param a theano.Operand
---@param b theano.Operand
---@param assume_a? string
---@param lower? boolean
---@param trans? number
---@param on_error? string
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { assume_a?: string, lower?: boolean, trans?: number, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.solve(a, b, assume_a, lower, trans, on_error) end

---x with a x = b, a symmetric: one triangle is read
---@param a theano.Operand
---@param b theano.Operand
---@param lower? boolean
---@param on_error? string
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { lower?: boolean, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.solve_symmetric(a, b, lower, on_error) end

---x with a x = b, a triangular
---@param a theano.Operand
---@param b theano.Operand
---@param trans? number
---@param lower? boolean
---@param unit_diagonal? boolean
---@param on_error? string
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { trans?: number, lower?: boolean, unit_diagonal?: boolean, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.solve_triangular(a, b, trans, lower, unit_diagonal, on_error) end

---x with a x = b, of a the lower triangle
---@param a theano.Operand
---@param b theano.Operand
---@param trans? number
---@param unit_diagonal? boolean
---@param on_error? string
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { trans?: number, unit_diagonal?: boolean, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.solve_lower_triangular(a, b, trans, unit_diagonal, on_error) end

---x with a x = b, of a the upper triangle
---@param a theano.Operand
---@param b theano.Operand
---@param trans? number
---@param unit_diagonal? boolean
---@param on_error? string
---@overload fun(a: theano.Operand, b: theano.Operand, keywords: { trans?: number, unit_diagonal?: boolean, on_error?: string }): theano.Variable
---@return theano.Variable
function T.slinalg.solve_upper_triangular(a, b, trans, unit_diagonal, on_error) end

---x with a x = b, c being the factor of a by cholesky, or {c, lower}
---@param c theano.Operand
---@param b theano.Operand
---@param lower? boolean
---@overload fun(c: theano.Operand, b: theano.Operand, keywords: { lower?: boolean }): theano.Variable
---@return theano.Variable
function T.slinalg.cho_solve(c, b, lower) end

---x with a x = b, lu and piv being the results of lu_factor(a)
---@param lu theano.Operand
---@param piv theano.Operand
---@param b theano.Operand
---@param trans? number
---@overload fun(lu: theano.Operand, piv: theano.Operand, b: theano.Operand, keywords: { trans?: number }): theano.Variable ...
---@return theano.Variable ...
function T.slinalg.lu_solve(lu, piv, b, trans) end

---z for which x z is nearest to y, what is left, squared and summed (zeros unless the rank is full and x has
---more rows than columns), rank, singular values
---@param x theano.Operand
---@param y theano.Operand
---@param rcond? theano.Operand
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { rcond?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.nlinalg.lstsq(x, y, rcond) end

---inverse of a square matrix; LinAlgError where it is singular, or NaN
---@param x theano.Operand
---@param on_error? string
---@overload fun(x: theano.Operand, keywords: { on_error?: string }): theano.Variable
---@return theano.Variable
function T.nlinalg.matrix_inverse(x, on_error) end

---inverse of a square matrix; LinAlgError where it is singular, or NaN
---@param x theano.Operand
---@param on_error? string
---@overload fun(x: theano.Operand, keywords: { on_error?: string }): theano.Variable
---@return theano.Variable
function T.nlinalg.inv(x, on_error) end

---pseudo-inverse of a matrix: singular values up to rcond times the largest count as 0
---@param x theano.Operand
---@param rcond? number
---@param hermitian? boolean
---@overload fun(x: theano.Operand, keywords: { rcond?: number, hermitian?: boolean }): theano.Variable
---@return theano.Variable
function T.nlinalg.pinv(x, rcond, hermitian) end

---determinant
---@param x theano.Operand
---@return theano.Variable
function T.nlinalg.det(x) end

---sign of the determinant, and the logarithm of its modulus
---@param x theano.Operand
---@return theano.Variable
function T.nlinalg.slogdet(x) end

---logarithm of the modulus of the determinant
---@param x theano.Operand
---@return theano.Variable
function T.nlinalg.logdet(x) end

---exponential of a matrix
---@param A theano.Operand
---@return theano.Variable
function T.slinalg.expm(A) end

---principal square root of a matrix, of its dtype
---@param A theano.Operand
---@return theano.Variable
function T.slinalg.sqrtm(A) end

---principal logarithm of a matrix, of its dtype
---@param A theano.Operand
---@return theano.Variable
function T.slinalg.logm(A) end

---convolution of images (batch, channels, rows, columns) with filters (filters, channels, rows, columns)
---@param input theano.Operand
---@param filters theano.Operand
---@param input_shape? theano.Operand
---@param filter_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param image_shape? theano.Operand
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@param unshared? boolean
---@overload fun(input: theano.Operand, filters: theano.Operand, keywords: { input_shape?: theano.Operand, filter_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, image_shape?: theano.Operand, filter_dilation?: theano.Operand, num_groups?: number, unshared?: boolean }): theano.Variable
---@return theano.Variable
function T.nnet.conv2d(input, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, image_shape, filter_dilation, num_groups, unshared) end

---convolution over three dimensions: (batch, channels, depth, rows, columns)
---@param input theano.Operand
---@param filters theano.Operand
---@param input_shape? theano.Operand
---@param filter_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@overload fun(input: theano.Operand, filters: theano.Operand, keywords: { input_shape?: theano.Operand, filter_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number }): theano.Variable
---@return theano.Variable
function T.nnet.conv3d(input, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups) end

---gradient of conv2d for its images, from the gradient of its result
---@param output_grad theano.Operand
---@param filters theano.Operand
---@param input_shape theano.Operand
---@param filter_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@param unshared? boolean
---@overload fun(output_grad: theano.Operand, filters: theano.Operand, input_shape: theano.Operand, keywords: { filter_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number, unshared?: boolean }): theano.Variable
---@return theano.Variable
function T.nnet.abstract_conv.conv2d_grad_wrt_inputs(output_grad, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared) end

---gradient of conv3d for its images, from the gradient of its result
---@param output_grad theano.Operand
---@param filters theano.Operand
---@param input_shape theano.Operand
---@param filter_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@overload fun(output_grad: theano.Operand, filters: theano.Operand, input_shape: theano.Operand, keywords: { filter_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number }): theano.Variable
---@return theano.Variable
function T.nnet.abstract_conv.conv3d_grad_wrt_inputs(output_grad, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups) end

---gradient of conv2d for its filters, from the gradient of its result
---@param input theano.Operand
---@param output_grad theano.Operand
---@param filter_shape theano.Operand
---@param input_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@param unshared? boolean
---@overload fun(input: theano.Operand, output_grad: theano.Operand, filter_shape: theano.Operand, keywords: { input_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number, unshared?: boolean }): theano.Variable
---@return theano.Variable
function T.nnet.abstract_conv.conv2d_grad_wrt_weights(input, output_grad, filter_shape, input_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared) end

---gradient of conv3d for its filters, from the gradient of its result
---@param input theano.Operand
---@param output_grad theano.Operand
---@param filter_shape theano.Operand
---@param input_shape? theano.Operand
---@param border_mode? string
---@param subsample? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@overload fun(input: theano.Operand, output_grad: theano.Operand, filter_shape: theano.Operand, keywords: { input_shape?: theano.Operand, border_mode?: string, subsample?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number }): theano.Variable
---@return theano.Variable
function T.nnet.abstract_conv.conv3d_grad_wrt_weights(input, output_grad, filter_shape, input_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups) end

---what conv2d maps to input: a convolution that makes images larger
---@param input theano.Operand
---@param filters theano.Operand
---@param output_shape theano.Operand
---@param filter_shape? theano.Operand
---@param border_mode? string
---@param input_dilation? theano.Operand
---@param filter_flip? boolean
---@param filter_dilation? theano.Operand
---@param num_groups? number
---@param unshared? boolean
---@overload fun(input: theano.Operand, filters: theano.Operand, output_shape: theano.Operand, keywords: { filter_shape?: theano.Operand, border_mode?: string, input_dilation?: theano.Operand, filter_flip?: boolean, filter_dilation?: theano.Operand, num_groups?: number, unshared?: boolean }): theano.Variable
---@return theano.Variable
function T.nnet.conv2d_transpose(input, filters, output_shape, filter_shape, border_mode, input_dilation, filter_flip, filter_dilation, num_groups, unshared) end

---maximum, sum or mean ("max", "sum", "average_inc_pad", "average_exc_pad") of windows over the last two
---dimensions
---@param input theano.Operand
---@param ws? theano.Operand
---@param ignore_border? theano.Operand
---@param stride? theano.Operand
---@param pad? theano.Operand
---@param mode? string
---@param ds? theano.Operand
---@param st? theano.Operand
---@param padding? theano.Operand
---@overload fun(input: theano.Operand, keywords: { ws?: theano.Operand, ignore_border?: theano.Operand, stride?: theano.Operand, pad?: theano.Operand, mode?: string, ds?: theano.Operand, st?: theano.Operand, padding?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.signal.pool.pool_2d(input, ws, ignore_border, stride, pad, mode, ds, st, padding) end

---maximum, sum or mean of windows over the last three dimensions
---@param input theano.Operand
---@param ws? theano.Operand
---@param ignore_border? theano.Operand
---@param stride? theano.Operand
---@param pad? theano.Operand
---@param mode? string
---@param ds? theano.Operand
---@param st? theano.Operand
---@param padding? theano.Operand
---@overload fun(input: theano.Operand, keywords: { ws?: theano.Operand, ignore_border?: theano.Operand, stride?: theano.Operand, pad?: theano.Operand, mode?: string, ds?: theano.Operand, st?: theano.Operand, padding?: theano.Operand }): theano.Variable
---@return theano.Variable
function T.signal.pool.pool_3d(input, ws, ignore_border, stride, pad, mode, ds, st, padding) end

---input where it is the maximum of its patch, else 0
---@param input theano.Operand
---@param patch_size theano.Operand
---@return theano.Variable
function T.signal.pool.max_pool_2d_same_size(input, patch_size) end

---patches of images (batch, channels, rows, columns) as rows of a matrix
---@param ten4 theano.Operand
---@param neib_shape theano.Operand
---@param neib_step? theano.Operand
---@param mode? string
---@overload fun(ten4: theano.Operand, neib_shape: theano.Operand, keywords: { neib_step?: theano.Operand, mode?: string }): theano.Variable
---@return theano.Variable
function T.nnet.neighbours.images2neibs(ten4, neib_shape, neib_step, mode) end

---sparse matrix by rows from its values, column numbers, row pointers and shape
---@param data theano.Operand
---@param indices theano.Operand
---@param indptr theano.Operand
---@param shape theano.Operand
---@return theano.Variable
function T.sparse.CSR(data, indices, indptr, shape) end

---sparse matrix by columns from its values, row numbers, column pointers and shape
---@param data theano.Operand
---@param indices theano.Operand
---@param indptr theano.Operand
---@param shape theano.Operand
---@return theano.Variable
function T.sparse.CSC(data, indices, indptr, shape) end

---data, indices, indptr and shape of a sparse matrix, as four results
---@param csm theano.Operand
---@return theano.Variable ...
function T.sparse.csm_properties(csm) end

---the stored values
---@param csm theano.Operand
---@return theano.Variable
function T.sparse.csm_data(csm) end

---column (CSR) or row (CSC) of each stored value
---@param csm theano.Operand
---@return theano.Variable
function T.sparse.csm_indices(csm) end

---where each row (CSR) or column (CSC) begins among the stored values, and the end
---@param csm theano.Operand
---@return theano.Variable
function T.sparse.csm_indptr(csm) end

---rows and columns, int32
---@param csm theano.Operand
---@return theano.Variable
function T.sparse.csm_shape(csm) end

---rows and columns, int64
---@param x theano.Operand
---@return theano.Variable
function T.sparse.shape(x) end

---how many values are stored
---@param x theano.Operand
---@return theano.Variable
function T.sparse.size(x) end

---x with other stored values
---@param x theano.Operand
---@param data theano.Operand
---@return theano.Variable
function T.sparse.with_data(x, data) end

---sparse matrix with data[k] at row[k], col[k]; what stands at one place is added
---@param data theano.Operand
---@param row theano.Operand
---@param col theano.Operand
---@param shape theano.Operand
---@param format? string
---@overload fun(data: theano.Operand, row: theano.Operand, col: theano.Operand, shape: theano.Operand, keywords: { format?: string }): theano.Variable
---@return theano.Variable
function T.sparse.from_triplets(data, row, col, shape, format) end

---sparse matrix of x's shape whose rows node_list are the rows of values; rows that stand twice are added
---@param x theano.Operand
---@param values theano.Operand
---@param node_list theano.Operand
---@return theano.Variable
function T.sparse.construct_sparse_from_list(x, values, node_list) end

---x with ones as stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sp_ones_like(x) end

---x with zeros as stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sp_zeros_like(x) end

---x as a dense matrix; its gradient is taken at stored values only unless structured is false
---@param x theano.Operand
---@param structured? boolean
---@overload fun(x: theano.Operand, keywords: { structured?: boolean }): theano.Variable
---@return theano.Variable
function T.sparse.dense_from_sparse(x, structured) end

---what is not zero of a matrix, by rows
---@param x theano.Operand
---@return theano.Variable
function T.sparse.csr_from_dense(x) end

---what is not zero of a matrix, by columns
---@param x theano.Operand
---@return theano.Variable
function T.sparse.csc_from_dense(x) end

---x by rows
---@param x theano.Operand
---@return theano.Variable
function T.sparse.tocsr(x) end

---x by columns
---@param x theano.Operand
---@return theano.Variable
function T.sparse.tocsc(x) end

---x with values of another dtype
---@param variable theano.Operand
---@param dtype theano.Dtype
---@return theano.Variable
function T.sparse.cast(variable, dtype) end

---x with values of another dtype
---@param variable theano.Operand
---@param dtype theano.Dtype
---@return theano.Variable
function T.sparse.astype(variable, dtype) end

---the transpose in the other format: nothing is copied
---@param x theano.Operand
---@param ... theano.Operand
---@return theano.Variable
function T.sparse.transpose(x, ...) end

---x with ascending indices in each row (CSR) or column (CSC)
---@param x theano.Operand
---@return theano.Variable
function T.sparse.ensure_sorted_indices(x) end

---the same with values of one place added
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sum_duplicates(x) end

---x without stored zeros
---@param x theano.Operand
---@return theano.Variable
function T.sparse.remove0(x) end

---x without stored zeros, with ascending indices
---@param x theano.Operand
---@return theano.Variable
function T.sparse.clean(x) end

---x with the opposite values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.neg(x) end

---sum: sparse for sparse matrices, dense beside a dense one
---@param ... theano.Operand
---@return theano.Variable
function T.sparse.add(...) end

---difference: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.sub(x, y) end

---elementwise product, sparse; the other factor may be a matrix or a scalar
---@param ... theano.Operand
---@return theano.Variable
function T.sparse.mul(...) end

---stored values of x divided by a scalar or by a dense matrix there
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.true_div(x, y) end

---x with each column multiplied by an element of the vector y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.mul_s_v(x, y) end

---stored values of x plus the element of the vector y of their column
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_add_s_v(x, y) end

---x with each row multiplied by an element of the vector s
---@param x theano.Operand
---@param s theano.Operand
---@return theano.Variable
function T.sparse.row_scale(x, s) end

---x with each column multiplied by an element of the vector s
---@param x theano.Operand
---@param s theano.Operand
---@return theano.Variable
function T.sparse.col_scale(x, s) end

---dense sum over all, of columns (axis 0) or of rows (axis 1); sparse_grad: its gradient at stored values only
---@param x theano.Operand
---@param axis? theano.Axis
---@param sparse_grad? boolean
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, sparse_grad?: boolean }): theano.Variable
---@return theano.Variable
function T.sparse.sp_sum(x, axis, sparse_grad) end

---sp_sum, as a method of sparse variables
---@param x theano.Operand
---@param axis? theano.Axis
---@param sparse_grad? boolean
---@overload fun(x: theano.Operand, keywords: { axis?: theano.Axis, sparse_grad?: boolean }): theano.Variable
---@return theano.Variable
function T.sparse.sum(x, axis, sparse_grad) end

---diagonal of a square sparse matrix, dense
---@param x theano.Operand
---@return theano.Variable
function T.sparse.diag(x) end

---square sparse matrix (CSC) with the given diagonal
---@param diag theano.Operand
---@return theano.Variable
function T.sparse.square_diagonal(diag) end

---sigmoid of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.structured_sigmoid(x) end

---exp of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.structured_exp(x) end

---log of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.structured_log(x) end

---stored values to the power y, a scalar
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_pow(x, y) end

---smaller of the stored values and y, a scalar
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_minimum(x, y) end

---larger of the stored values and y, a scalar
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_maximum(x, y) end

---stored values plus y, a scalar
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_add(x, y) end

---sine of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sin(x) end

---tangent of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.tan(x) end

---inverse sine of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.arcsin(x) end

---inverse tangent of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.arctan(x) end

---hyperbolic sine of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sinh(x) end

---inverse hyperbolic sine of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.arcsinh(x) end

---hyperbolic tangent of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.tanh(x) end

---inverse hyperbolic tangent of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.arctanh(x) end

---nearest integral value of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.rint(x) end

---sign of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sgn(x) end

---next larger integral value of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.ceil(x) end

---next smaller integral value of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.floor(x) end

---log(1 + x) of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.log1p(x) end

---exp(x) - 1 of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.expm1(x) end

---radians of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.deg2rad(x) end

---degrees of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.rad2deg(x) end

---integral part of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.trunc(x) end

---square of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sqr(x) end

---square root of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.sqrt(x) end

---absolute value of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.abs_(x) end

---absolute value of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.abs(x) end

---complex conjugate of the stored values
---@param x theano.Operand
---@return theano.Variable
function T.sparse.conj(x) end

---x == y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.eq(x, y) end

---x != y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.neq(x, y) end

---x < y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.lt(x, y) end

---x <= y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.le(x, y) end

---x > y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.gt(x, y) end

---x >= y, as uint8: sparse for two sparse matrices, dense beside a dense one
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.ge(x, y) end

---product of matrices of which at least one is sparse, dense
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.dot(x, y) end

---dot whose gradient for the sparse factor is taken at its stored values only
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sparse.structured_dot(x, y) end

---product as a sparse matrix
---@param x theano.Operand
---@param y theano.Operand
---@param grad_preserves_dense? boolean
---@overload fun(x: theano.Operand, y: theano.Operand, keywords: { grad_preserves_dense?: boolean }): theano.Variable
---@return theano.Variable
function T.sparse.true_dot(x, y, grad_preserves_dense) end

---dot(x, y.T) * p for a sparse p: only its places are computed
---@param x theano.Operand
---@param y theano.Operand
---@param p theano.Operand
---@return theano.Variable
function T.sparse.sampling_dot(x, y, p) end

---alpha * dot(x, y) + z, dense
---@param alpha theano.Operand
---@param x theano.Operand
---@param y theano.Operand
---@param z theano.Operand
---@return theano.Variable
function T.sparse.usmm(alpha, x, y, z) end

---sparse matrices side by side; format "csc" unless it is given
---@param blocks theano.Operand
---@param format? theano.Operand
---@param dtype? theano.Dtype
---@overload fun(blocks: theano.Operand, keywords: { format?: theano.Operand, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.sparse.hstack(blocks, format, dtype) end

---sparse matrices one below the other; format "csc" unless it is given
---@param blocks theano.Operand
---@param format? theano.Operand
---@param dtype? theano.Dtype
---@overload fun(blocks: theano.Operand, keywords: { format?: theano.Operand, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.sparse.vstack(blocks, format, dtype) end

---rows and columns by slices, sparse
---@param x theano.Operand
---@param index theano.Operand
---@return theano.Variable
function T.sparse.get_item_2d(x, index) end

---one element
---@param x theano.Operand
---@param index theano.Operand
---@return theano.Variable
function T.sparse.get_item_scalar(x, index) end

---rows by number, sparse
---@param x theano.Operand
---@param index theano.Operand
---@return theano.Variable
function T.sparse.get_item_list(x, index) end

---vector of the elements at rows ind1 and columns ind2
---@param x theano.Operand
---@param ind1 theano.Operand
---@param ind2 theano.Operand
---@return theano.Variable
function T.sparse.get_item_2lists(x, ind1, ind2) end

---x[index]: an element, a part, rows by number, or elements
---@param x theano.Operand
---@param index theano.Operand
---@return theano.Variable
function T.sparse.subtensor(x, index) end

---states of MRG31k3p streams (n x 6, int32) after a draw, and uniform numbers of that size in [0, 1)
---@param rstate theano.Operand
---@param size integer|integer[]
---@param ndim? integer
---@param dtype? theano.Dtype
---@overload fun(rstate: theano.Operand, size: integer|integer[], keywords: { ndim?: integer, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.random.mrg_uniform(rstate, size, ndim, dtype) end

---numbers of Philox4x32-10 from a counter (4 uint32) on: bits as uint32 or uint64, uniform float32 or float64
---@param key theano.Operand
---@param counter theano.Operand
---@param size integer|integer[]
---@param ndim? integer
---@param dtype? theano.Dtype
---@overload fun(key: theano.Operand, counter: theano.Operand, size: integer|integer[], keywords: { ndim?: integer, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.random.philox(key, counter, size, ndim, dtype) end

---how often each column of pvals is drawn for its row by n uniform numbers
---@param pvals theano.Operand
---@param unis theano.Operand
---@param n? number
---@param dtype? theano.Dtype
---@overload fun(pvals: theano.Operand, unis: theano.Operand, keywords: { n?: number, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.random.multinomial_from_uniform(pvals, unis, n, dtype) end

---n different columns of pvals drawn for each row by uniform numbers
---@param pvals theano.Operand
---@param unis theano.Operand
---@param n? number
---@param dtype? theano.Dtype
---@overload fun(pvals: theano.Operand, unis: theano.Operand, keywords: { n?: number, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function T.random.choice_from_uniform(pvals, unis, n, dtype) end

---sum of the inputs, elementwise with broadcasting; or on bool
---@param ... theano.Operand
---@return theano.Variable
function T.add(...) end

---difference x - y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.sub(x, y) end

---product of the inputs, elementwise with broadcasting; and on bool
---@param ... theano.Operand
---@return theano.Variable
function T.mul(...) end

---quotient x / y; integers give floatX
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.true_div(x, y) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.int_div(x, y) end

---remainder with the sign of y; an integer zero divisor raises
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.mod(x, y) end

---x to the power y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.pow(x, y) end

----x
---@param x theano.Operand
---@return theano.Variable
function T.neg(x) end

---1 / x
---@param x theano.Operand
---@return theano.Variable
function T.inv(x) end

---x * x
---@param x theano.Operand
---@return theano.Variable
function T.sqr(x) end

---square root
---@param x theano.Operand
---@return theano.Variable
function T.sqrt(x) end

---absolute value; of complex, the modulus
---@param x theano.Operand
---@return theano.Variable
function T.abs_(x) end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@param x theano.Operand
---@return theano.Variable
function T.sgn(x) end

---the larger of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.maximum(x, y) end

---the smaller of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.minimum(x, y) end

---x limited to [min, max]; the gradient passes at the bounds
---@param x theano.Operand
---@param min theano.Operand
---@param max theano.Operand
---@return theano.Variable
function T.clip(x, min, max) end

---x < y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.lt(x, y) end

---x > y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.gt(x, y) end

---x <= y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.le(x, y) end

---x >= y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.ge(x, y) end

---x == y (the operator == is identity in Lua)
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.eq(x, y) end

---x ~= y (the operator ~= is identity in Lua)
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.neq(x, y) end

---true where x is NaN
---@param x theano.Operand
---@return theano.Variable
function T.isnan(x) end

---true where x is an infinity
---@param x theano.Operand
---@return theano.Variable
function T.isinf(x) end

---smallest integral value not below x
---@param x theano.Operand
---@return theano.Variable
function T.ceil(x) end

---largest integral value not above x
---@param x theano.Operand
---@return theano.Variable
function T.floor(x) end

---x without its fraction
---@param x theano.Operand
---@return theano.Variable
function T.trunc(x) end

---nearest integral value, halves to even; floats only
---@param x theano.Operand
---@return theano.Variable
function T.round_half_to_even(x) end

---nearest integral value, halves away from zero; floats only
---@param x theano.Operand
---@return theano.Variable
function T.round_half_away_from_zero(x) end

---e to the power x
---@param x theano.Operand
---@return theano.Variable
function T.exp(x) end

---2 to the power x
---@param x theano.Operand
---@return theano.Variable
function T.exp2(x) end

---exp(x) - 1, accurate near 0
---@param x theano.Operand
---@return theano.Variable
function T.expm1(x) end

---natural logarithm
---@param x theano.Operand
---@return theano.Variable
function T.log(x) end

---logarithm to base 2
---@param x theano.Operand
---@return theano.Variable
function T.log2(x) end

---logarithm to base 10
---@param x theano.Operand
---@return theano.Variable
function T.log10(x) end

---log(1 + x), accurate near 0
---@param x theano.Operand
---@return theano.Variable
function T.log1p(x) end

---degrees to radians
---@param x theano.Operand
---@return theano.Variable
function T.deg2rad(x) end

---radians to degrees
---@param x theano.Operand
---@return theano.Variable
function T.rad2deg(x) end

---sine
---@param x theano.Operand
---@return theano.Variable
function T.sin(x) end

---cosine
---@param x theano.Operand
---@return theano.Variable
function T.cos(x) end

---tangent
---@param x theano.Operand
---@return theano.Variable
function T.tan(x) end

---inverse sine
---@param x theano.Operand
---@return theano.Variable
function T.arcsin(x) end

---inverse cosine
---@param x theano.Operand
---@return theano.Variable
function T.arccos(x) end

---inverse tangent
---@param x theano.Operand
---@return theano.Variable
function T.arctan(x) end

---angle of the point (y, x)
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.arctan2(x, y) end

---hyperbolic sine
---@param x theano.Operand
---@return theano.Variable
function T.sinh(x) end

---hyperbolic cosine
---@param x theano.Operand
---@return theano.Variable
function T.cosh(x) end

---hyperbolic tangent
---@param x theano.Operand
---@return theano.Variable
function T.tanh(x) end

---inverse hyperbolic sine
---@param x theano.Operand
---@return theano.Variable
function T.arcsinh(x) end

---inverse hyperbolic cosine
---@param x theano.Operand
---@return theano.Variable
function T.arccosh(x) end

---inverse hyperbolic tangent
---@param x theano.Operand
---@return theano.Variable
function T.arctanh(x) end

---error function
---@param x theano.Operand
---@return theano.Variable
function T.erf(x) end

---1 - erf(x)
---@param x theano.Operand
---@return theano.Variable
function T.erfc(x) end

---scaled complementary error function exp(x*x) * erfc(x)
---@param x theano.Operand
---@return theano.Variable
function T.erfcx(x) end

---inverse of erf
---@param x theano.Operand
---@return theano.Variable
function T.erfinv(x) end

---inverse of erfc
---@param x theano.Operand
---@return theano.Variable
function T.erfcinv(x) end

---gamma function
---@param x theano.Operand
---@return theano.Variable
function T.gamma(x) end

---logarithm of |gamma(x)|
---@param x theano.Operand
---@return theano.Variable
function T.gammaln(x) end

---digamma function, derivative of gammaln
---@param x theano.Operand
---@return theano.Variable
function T.psi(x) end

---derivative of psi
---@param x theano.Operand
---@return theano.Variable
function T.tri_gamma(x) end

---probability that chi squared of k degrees of freedom exceeds x
---@param x theano.Operand
---@param k theano.Operand
---@return theano.Variable
function T.chi2sf(x, k) end

---regularised lower incomplete gamma function P(k, x)
---@param k theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.gammainc(k, x) end

---regularised upper incomplete gamma function Q(k, x)
---@param k theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.gammaincc(k, x) end

---lower incomplete gamma function
---@param k theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.gammal(k, x) end

---upper incomplete gamma function
---@param k theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.gammau(k, x) end

---Bessel function of the first kind, order 0
---@param x theano.Operand
---@return theano.Variable
function T.j0(x) end

---Bessel function of the first kind, order 1
---@param x theano.Operand
---@return theano.Variable
function T.j1(x) end

---Bessel function of the first kind, real order v
---@param v theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.jv(v, x) end

---modified Bessel function of the first kind, order 0
---@param x theano.Operand
---@return theano.Variable
function T.i0(x) end

---modified Bessel function of the first kind, order 1
---@param x theano.Operand
---@return theano.Variable
function T.i1(x) end

---modified Bessel function of the first kind, real order v
---@param v theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.iv(v, x) end

---logistic function 1 / (1 + exp(-x))
---@param x theano.Operand
---@return theano.Variable
function T.sigmoid(x) end

---log(1 + exp(x))
---@param x theano.Operand
---@return theano.Variable
function T.softplus(x) end

---sigmoid by pieces of simple functions, within 0.1
---@param x theano.Operand
---@return theano.Variable
function T.ultra_fast_sigmoid(x) end

---ift where cond is nonzero, else iff
---@param cond theano.Operand
---@param ift theano.Operand
---@param iff theano.Operand
---@return theano.Variable
function T.switch(cond, ift, iff) end

---b broadcast to the shape of a
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.second(a, b) end

---bitwise and; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.and_(x, y) end

---bitwise or; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.or_(x, y) end

---bitwise exclusive or; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.xor(x, y) end

---x * 2^y of integers, wrapped; 0 where y is not in [0, width)
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.left_shift(x, y) end

---x / 2^y of integers, rounded toward -inf
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.right_shift(x, y) end

---bitwise not; logical on bool
---@param x theano.Operand
---@return theano.Variable
function T.invert(x) end

---true where x is neither NaN nor an infinity
---@param x theano.Operand
---@return theano.Variable
function T.isfinite(x) end

---true where the sign bit is set: that of -0.0 is
---@param x theano.Operand
---@return theano.Variable
function T.signbit(x) end

---the value of x1 with the sign of x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.copysign(x1, x2) end

---the next float behind x1 on the way to x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.nextafter(x1, x2) end

---the larger of two; where one is NaN the other
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.fmax(x1, x2) end

---the smaller of two; where one is NaN the other
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.fmin(x1, x2) end

---0 below 0, 1 above, and x2 at 0
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.heaviside(x1, x2) end

---sqrt(x1^2 + x2^2), not out of range on the way
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.hypot(x1, x2) end

---log(exp(x1) + exp(x2))
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.logaddexp(x1, x2) end

---log2(2^x1 + 2^x2)
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.logaddexp2(x1, x2) end

---real cube root
---@param x theano.Operand
---@return theano.Variable
function T.cbrt(x) end

---greatest common divisor of integers
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.gcd(x1, x2) end

---least common multiple of integers
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.lcm(x1, x2) end

---complex conjugate
---@param z theano.Operand
---@return theano.Variable
function T.conj(z) end

---angle of a complex number, in (-pi, pi]
---@param z theano.Operand
---@return theano.Variable
function T.angle(z) end

---complex number of two reals
---@param real theano.Operand
---@param imag theano.Operand
---@return theano.Variable
function T.complex(real, imag) end

---complex number of modulus and angle
---@param abs theano.Operand
---@param angle theano.Operand
---@return theano.Variable
function T.complex_from_polar(abs, angle) end

---absolute value; of complex, the modulus
---@param x theano.Operand
---@return theano.Variable
function T.abs(x) end

---x * x
---@param x theano.Operand
---@return theano.Variable
function T.square(x) end

---x to the power y
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.power(x, y) end

---b broadcast to the shape of a
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.fill(a, b) end

---ift where cond is nonzero, else iff
---@param cond theano.Operand
---@param ift theano.Operand
---@param iff theano.Operand
---@return theano.Variable
function T.where(cond, ift, iff) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.floor_div(x, y) end

---bitwise and; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.bitwise_and(x, y) end

---bitwise or; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.bitwise_or(x, y) end

---bitwise exclusive or; logical on bool
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.bitwise_xor(x, y) end

---bitwise not; logical on bool
---@param x theano.Operand
---@return theano.Variable
function T.bitwise_not(x) end

---logistic function 1 / (1 + exp(-x))
---@param x theano.Operand
---@return theano.Variable
function T.nnet.sigmoid(x) end

---log(1 + exp(x))
---@param x theano.Operand
---@return theano.Variable
function T.nnet.softplus(x) end

---x * log(x), 0 at 0: an entropy's term
---@param x theano.Operand
---@return theano.Variable
function T.xlogx.xlogx(x) end

---x * log(y), 0 where x is 0: a cross-entropy's term
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.xlogx.xlogy0(x, y) end

---sigmoid by pieces of simple functions, within 0.1
---@param x theano.Operand
---@return theano.Variable
function T.nnet.ultra_fast_sigmoid(x) end

---gamma function
---@param x theano.Operand
---@return theano.Variable
function T.special.gamma(x) end

---logarithm of |gamma(x)|
---@param x theano.Operand
---@return theano.Variable
function T.special.gammaln(x) end

---logarithm of |gamma(x)|, of real numbers
---@param x theano.Operand
---@return theano.Variable
function T.special.loggamma(x) end

---digamma function, derivative of gammaln
---@param x theano.Operand
---@return theano.Variable
function T.special.psi(x) end

---derivative of gammaln
---@param x theano.Operand
---@return theano.Variable
function T.special.digamma(x) end

---derivative of digamma of an order
---@param n theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.special.polygamma(n, x) end

---Hurwitz's zeta function, the sum of (q + k)^-x; of q = 1 Riemann's
---@param x theano.Operand
---@param q? number
---@overload fun(x: theano.Operand, keywords: { q?: number }): theano.Variable
---@return theano.Variable
function T.special.zeta(x, q) end

---regularised lower incomplete gamma function
---@param a theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.special.gammainc(a, x) end

---regularised upper incomplete gamma function
---@param a theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.special.gammaincc(a, x) end

---beta function gamma(a) gamma(b) / gamma(a + b)
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.special.beta(a, b) end

---logarithm of |beta(a, b)|
---@param a theano.Operand
---@param b theano.Operand
---@return theano.Variable
function T.special.betaln(a, b) end

---regularised incomplete beta function I_x(a, b)
---@param a theano.Operand
---@param b theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.special.betainc(a, b, x) end

---binomial coefficient x over y, of real numbers
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.special.binom(x, y) end

---error function
---@param x theano.Operand
---@return theano.Variable
function T.special.erf(x) end

---1 - erf(x)
---@param x theano.Operand
---@return theano.Variable
function T.special.erfc(x) end

---exp(x*x) * erfc(x)
---@param x theano.Operand
---@return theano.Variable
function T.special.erfcx(x) end

---inverse of erf
---@param y theano.Operand
---@return theano.Variable
function T.special.erfinv(y) end

---inverse of erfc
---@param y theano.Operand
---@return theano.Variable
function T.special.erfcinv(y) end

---the part of the standard normal distribution below x
---@param x theano.Operand
---@return theano.Variable
function T.special.ndtr(x) end

---logarithm of ndtr(x), exact far below 0 too
---@param x theano.Operand
---@return theano.Variable
function T.special.log_ndtr(x) end

---inverse of ndtr
---@param y theano.Operand
---@return theano.Variable
function T.special.ndtri(y) end

---exponential integral Ei
---@param x theano.Operand
---@return theano.Variable
function T.special.expi(x) end

---exponential integral E1 of x >= 0
---@param x theano.Operand
---@return theano.Variable
function T.special.exp1(x) end

---complete elliptic integral of the first kind, of the parameter m = k^2
---@param m theano.Operand
---@return theano.Variable
function T.special.ellipk(m) end

---complete elliptic integral of the second kind, of the parameter m = k^2
---@param m theano.Operand
---@return theano.Variable
function T.special.ellipe(m) end

---Bessel function of the first kind, order 0
---@param x theano.Operand
---@return theano.Variable
function T.special.j0(x) end

---Bessel function of the first kind, order 1
---@param x theano.Operand
---@return theano.Variable
function T.special.j1(x) end

---Bessel function of the first kind, real order v
---@param v theano.Operand
---@param z theano.Operand
---@return theano.Variable
function T.special.jv(v, z) end

---Bessel function of the first kind, real order n
---@param n theano.Operand
---@param x theano.Operand
---@return theano.Variable
function T.special.jn(n, x) end

---modified Bessel function of the first kind, order 0
---@param x theano.Operand
---@return theano.Variable
function T.special.i0(x) end

---modified Bessel function of the first kind, order 1
---@param x theano.Operand
---@return theano.Variable
function T.special.i1(x) end

---exp(-|x|) i0(x)
---@param x theano.Operand
---@return theano.Variable
function T.special.i0e(x) end

---exp(-|x|) i1(x)
---@param x theano.Operand
---@return theano.Variable
function T.special.i1e(x) end

---modified Bessel function of the first kind, real order v
---@param v theano.Operand
---@param z theano.Operand
---@return theano.Variable
function T.special.iv(v, z) end

---logistic function 1 / (1 + exp(-x))
---@param x theano.Operand
---@return theano.Variable
function T.special.expit(x) end

---log(x / (1 - x)), inverse of expit
---@param x theano.Operand
---@return theano.Variable
function T.special.logit(x) end

---x * log(y), 0 where x is 0 and y is no NaN
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.special.xlogy(x, y) end

---x * log1p(y), 0 where x is 0 and y is no NaN
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.special.xlog1py(x, y) end

----x * log(x), 0 at 0, -inf below
---@param x theano.Operand
---@return theano.Variable
function T.special.entr(x) end

---x * log(x / y), 0 where x is 0 and y >= 0; inf outside
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.special.rel_entr(x, y) end

---x * log(x / y) - x + y, y where x is 0 and y >= 0; inf outside
---@param x theano.Operand
---@param y theano.Operand
---@return theano.Variable
function T.special.kl_div(x, y) end

---2 to the power x
---@param x theano.Operand
---@return theano.Variable
function T.special.exp2(x) end

---exp(x) - 1, accurate near 0
---@param x theano.Operand
---@return theano.Variable
function T.special.expm1(x) end

---log(1 + x), accurate near 0
---@param x theano.Operand
---@return theano.Variable
function T.special.log1p(x) end

---real cube root
---@param x theano.Operand
---@return theano.Variable
function T.special.cbrt(x) end

---inverse cosine
---@param x theano.Operand
---@return theano.Variable
function T.acos(x) end

---inverse hyperbolic cosine
---@param x theano.Operand
---@return theano.Variable
function T.acosh(x) end

---inverse sine
---@param x theano.Operand
---@return theano.Variable
function T.asin(x) end

---inverse hyperbolic sine
---@param x theano.Operand
---@return theano.Variable
function T.asinh(x) end

---inverse tangent
---@param x theano.Operand
---@return theano.Variable
function T.atan(x) end

---angle of the point (x2, x1)
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.atan2(x1, x2) end

---inverse hyperbolic tangent
---@param x theano.Operand
---@return theano.Variable
function T.atanh(x) end

---bitwise not; logical on bool
---@param x theano.Operand
---@return theano.Variable
function T.bitwise_invert(x) end

---x1 * 2^x2 of integers, wrapped; 0 where x2 is not in [0, width)
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.bitwise_left_shift(x1, x2) end

---x1 / 2^x2 of integers, rounded toward -inf
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.bitwise_right_shift(x1, x2) end

---difference x1 - x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.subtract(x1, x2) end

---product of the inputs, elementwise with broadcasting; and on bool
---@param ... theano.Operand
---@return theano.Variable
function T.multiply(...) end

---quotient x1 / x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.divide(x1, x2) end

---quotient x1 / x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.true_divide(x1, x2) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.floor_divide(x1, x2) end

---remainder with the sign of x2; an integer zero divisor raises
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.remainder(x1, x2) end

----x
---@param x theano.Operand
---@return theano.Variable
function T.negative(x) end

---absolute value; of complex, the modulus
---@param x theano.Operand
---@return theano.Variable
function T.absolute(x) end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@param x theano.Operand
---@return theano.Variable
function T.sign(x) end

---complex conjugate
---@param x theano.Operand
---@return theano.Variable
function T.conjugate(x) end

---x without its fraction
---@param x theano.Operand
---@return theano.Variable
function T.fix(x) end

---radians to degrees
---@param x theano.Operand
---@return theano.Variable
function T.degrees(x) end

---degrees to radians
---@param x theano.Operand
---@return theano.Variable
function T.radians(x) end

---x1 == x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.equal(x1, x2) end

---x1 != x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.not_equal(x1, x2) end

---x1 < x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.less(x1, x2) end

---x1 <= x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.less_equal(x1, x2) end

---x1 > x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.greater(x1, x2) end

---x1 >= x2
---@param x1 theano.Operand
---@param x2 theano.Operand
---@return theano.Variable
function T.greater_equal(x1, x2) end

---Row vector times Jacobian: the sum over f of `eval_points` . d f / d wrt, for each wrt.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function T.Lop(f, wrt, eval_points, options) end

---Jacobian times vector: the sum over wrt of d f / d wrt . `eval_points`, for each f. Forward mode.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function T.Rop(f, wrt, eval_points, options) end

---a tensor type; calling it makes a variable
---@param dtype theano.Dtype
---@param broadcastable boolean[]
---@return theano.TensorType
function T.TensorType(dtype, broadcastable) end

---What the array API standard asks a module for about itself: a table of functions, `dtypes`, `default_dtypes`,
---`capabilities`, `devices`, `default_device`.
---@return any
function T.__array_namespace_info__() end

---the same as `T.max`
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.amax(x, axis, keepdims) end

---the same as `T.min`
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.amin(x, axis, keepdims) end

---`append(a, values, axis)`: joined; without an axis both are flattened.
---@param a any
---@param values any
---@param axis theano.Axis
---@return any
function T.append(a, values, axis) end

---`apply_along_axis(func1d, axis, x)`: what a function makes of each vector along an axis, in its place. In
---graphs it is called once, and mapped (`T.vmap`).
---@param func1d any
---@param axis theano.Axis
---@param x any
---@return any
function T.apply_along_axis(func1d, axis, x) end

---`apply_over_axes(func, x, axes)`: what a function of a tensor and an axis makes of each axis in turn; an axis
---that it takes away comes back with length 1.
---@param func any
---@param x any
---@param axes? theano.Axis
---@overload fun(func: any, x: any, keywords: { axes?: theano.Axis }): any
---@return any
function T.apply_over_axes(func, x, axes) end

---The positions of the elements of such a partition.
---@param x any
---@param kth any
---@param axis theano.Axis
---@param kind any
---@return any
function T.argpartition(x, kth, axis, kind) end

---Positions of what is not zero, one row each.
---@param x any
---@return any
function T.argwhere(x) end

---the same as `T.round`
---@param a any
---@param mode string
---@return any
function T.around(a, mode) end

---Whether two tensors have one shape and equal elements; NaN is none, unless equal_nan.
---@param a any
---@param b any
---@param equal_nan? any
---@overload fun(a: any, b: any, keywords: { equal_nan?: any }): any
---@return any
function T.array_equal(a, b, equal_nan) end

---`array_split(x, n)` or `array_split(x, {i, j}, axis)`: a sequence of parts, whose lengths differ by one where
---they must, or cut before the positions given.
---@param x any
---@param at any
---@param axis theano.Axis
---@return any
function T.array_split(x, at, axis) end

---Anything as a variable: Variables stay, numbers and arrays become Constants, lists with variables are
---stacked. name names a Constant; ndim adds broadcastable dimensions in front, or drops those, until there are
---so many.
---@param v any
---@param name? string
---@param ndim? integer
---@overload fun(v: any, keywords: { name?: string, ndim?: integer }): any
---@return any
function T.as_tensor(v, name, ndim) end

---Anything as a variable: Variables stay, numbers and arrays become Constants, lists with variables are
---stacked. name names a Constant; ndim adds broadcastable dimensions in front, or drops those, until there are
---so many.
---@param v any
---@param name? string
---@param ndim? integer
---@overload fun(v: any, keywords: { name?: string, ndim?: integer }): theano.Variable
---@return theano.Variable
function T.as_tensor_variable(v, name, ndim) end

---Anything as a Variable, of that dtype: `as_tensor_variable`, then `cast`.
---@param x any
---@param dtype? theano.Dtype
---@overload fun(x: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.asanyarray(x, dtype) end

---Anything as a Variable, of that dtype: `as_tensor_variable`, then `cast`.
---@param x any
---@param dtype? theano.Dtype
---@overload fun(x: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.asarray(x, dtype) end

---at least one dimension; of several tensors as many results
---@param x any
---@param ... any
---@return any
function T.atleast_1d(x, ...) end

---at least two dimensions: a vector becomes a row
---@param x any
---@param ... any
---@return any
function T.atleast_2d(x, ...) end

---at least three dimensions: a vector becomes (1, n, 1), a matrix (m, n, 1)
---@param x any
---@param ... any
---@return any
function T.atleast_3d(x, ...) end

---the array that a float literal becomes; `T.autocast_float.dtypes` are tried in order
---@param value any
---@return any
function T.autocast_float(value) end

---Float literals become the first of these dtypes that holds them, or the last: `local s <close> =
---T.autocast_float_as("float32")` until the block ends, or `s:close()`.
---@param ... any
---@return any
function T.autocast_float_as(...) end

---the same of an integer literal
---@param value any
---@return any
function T.autocast_int(value) end

---`average(x, axis, weights, keepdims, returned)`: the weighted mean; with returned also the sum of the weights.
---@param x any
---@param ... any
---@return any
function T.average(x, ...) end

---The Blackman window of n points.
---@param n any
---@return any
function T.blackman(n) end

---`block(arrays)`: nested lists put together, the innermost along the last axis.
---@param arrays any
---@return any
function T.block(arrays) end

---`broadcast_arrays(a, b, ..)`: all with one shape, one result for each; of arrays read-only views.
---@param ... any
---@return any
function T.broadcast_arrays(...) end

---`broadcast_shapes(shape, ..)`: the shape that tensors of these shapes have together.
---@param ... any
---@return any
function T.broadcast_shapes(...) end

---With the shape given, as broadcasting would have it: of arrays a view that is read-only.
---@param x any
---@param shape any
---@return any
function T.broadcast_to(x, shape) end

---Whether a dtype may become another: casting "safe" (no value changes), "same_kind", "no", "equiv" or "unsafe".
---@param from_ any
---@param to any
---@param casting any
---@return any
function T.can_cast(from_, to, casting) end

---Vectors as the columns of a matrix; matrices side by side.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.column_stack(arrays, dtype) end

---The float (or complex) dtype that holds the elements of all arrays; integers count as float64.
---@param ... any
---@return any
function T.common_type(...) end

---the same as `T.concatenate`
---@param tensors any
---@param axis theano.Axis
---@return any
function T.concat(tensors, axis) end

---x, whose gradient is zero: Theano's older name of zero_grad.
---@param x any
---@return any
function T.consider_constant(x) end

---A Constant: numbers take the smallest dtype that holds them unless dtype is given.
---@param value any
---@param name? string
---@param options? table
---@return theano.Variable
function T.constant(value, name, options) end

---`convolve(a, v, mode)`: sums of products of two vectors (or numbers), one turned round and moved over the
---other: "full", "same" or "valid". In graphs integers go through float64.
---@param a any
---@param v any
---@param mode string
---@return any
function T.convolve(a, v, mode) end

---`corrcoef(x, y, rowvar)`: correlation coefficients of the rows of x and of y, or of the columns.
---@param x any
---@param y any
---@param rowvar any
---@return any
function T.corrcoef(x, y, rowvar) end

---`correlate(a, v, mode)`: sums of products with v moved along: "valid", "same" or "full".
---@param a any
---@param v any
---@param mode string
---@return any
function T.correlate(a, v, mode) end

---How many elements are not zero, over an axis, a sequence of axes, or all.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.count_nonzero(x, axis, keepdims) end

---The cross product of vectors of three along the last axis.
---@param a any
---@param b any
---@param axisa any
---@param axisb any
---@param axisc any
---@param axis theano.Axis
---@return any
function T.cross(a, b, axisa, axisb, axisc, axis) end

---running products along an axis; with `include_initial` from 1 on
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@param include_initial? any
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype, include_initial?: any }): any
---@return any
function T.cumulative_prod(x, axis, dtype, include_initial) end

---running sums along an axis; with `include_initial` from 0 on
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@param include_initial? any
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype, include_initial?: any }): any
---@return any
function T.cumulative_sum(x, axis, dtype, include_initial) end

---x, or the other value where x is nil.
---@param x any
---@param default any
---@return any
function T.default(x, default) end

---`delete(x, positions, axis)`: a copy without them: an integer, several, a mask, or a slice such as "1:3";
---without an axis x is flattened.
---@param x any
---@param at any
---@param axis theano.Axis
---@return any
function T.delete(x, at, axis) end

---`diag_indices(n, ndim)`: the positions of a diagonal, a vector for each dimension (2).
---@param n any
---@param ndim integer
---@return any
function T.diag_indices(n, ndim) end

---The positions of the diagonal of something whose lengths are equal, a vector for each dimension.
---@param x any
---@return any
function T.diag_indices_from(x) end

---A matrix with the elements in order on diagonal k.
---@param v any
---@param k? any
---@overload fun(v: any, keywords: { k?: any }): any
---@return any
function T.diagflat(v, k) end

---`digitize(x, bins, right)`: which bin each element falls into; the edges increase or decrease.
---@param x any
---@param bins any
---@param right any
---@return any
function T.digitize(x, bins, right) end

---x / y as config.int_division says of two integers: "int" rounds down, "raise" refuses, "floatX" divides.
---@param x any
---@param y any
---@return any
function T.div_proxy(x, y) end

---The same along the third axis.
---@param x any
---@param at any
---@return any
function T.dsplit(x, at) end

---Arrays behind each other: along the third axis.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.dstack(arrays, dtype) end

---`ediff1d(x, to_end, to_begin)`: differences of neighbours, of all elements in order, between what is given.
---@param x any
---@param to_end any
---@param to_begin any
---@return any
function T.ediff1d(x, to_end, to_begin) end

---Not filled; in graphs zeros, since what is not filled is no function of the inputs.
---@param shape any
---@param dtype? theano.Dtype
---@overload fun(shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.empty(shape, dtype) end

---`empty_like(x, dtype, shape)`: the same in the shape and dtype of x, or in those that are given.
---@param x any
---@param dtype? theano.Dtype
---@param shape? any
---@overload fun(x: any, keywords: { dtype?: theano.Dtype, shape?: any }): any
---@return any
function T.empty_like(x, dtype, shape) end

---A new dimension of length 1 at a position, or at each of a sequence of positions.
---@param x any
---@param axis theano.Axis
---@return any
function T.expand_dims(x, axis) end

---The elements where a condition holds, as a vector.
---@param condition any
---@param x any
---@return any
function T.extract(condition, x) end

---The value of v as a Lua number where it is a constant scalar, else v.
---@param v any
---@return any
function T.extract_constant(v) end

---What a float dtype holds: `eps`, `max`, `min`, `tiny` (`smallest_normal`), `bits`, `dtype`; of complex dtypes
---what their parts hold.
---@param dtype theano.Dtype
---@return any
function T.finfo(dtype) end

---The elements in reverse along an axis, a sequence of axes, or all.
---@param x any
---@param axis theano.Axis
---@return any
function T.flip(x, axis) end

---Columns in reverse.
---@param x any
---@return any
function T.fliplr(x) end

---Rows in reverse.
---@param x any
---@return any
function T.flipud(x) end

---`fromfunction(fn, shape, dtype)`: what fn makes of the positions along each axis, of the dtype (float64).
---@param fn function
---@param shape any
---@param dtype? theano.Dtype
---@overload fun(fn: function, shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.fromfunction(fn, shape, dtype) end

---An array of a shape filled with a value, of the value's dtype unless one is given.
---@param shape any
---@param value any
---@param dtype? theano.Dtype
---@overload fun(shape: any, value: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.full(shape, value, dtype) end

---`full_like(x, value, dtype, shape)`: the value in the shape and dtype of x, or in those that are given.
---@param x any
---@param value any
---@param ... any
---@return any
function T.full_like(x, value, ...) end

---`geomspace(start, stop, num, endpoint, dtype, axis)`: values (50) with one ratio between neighbours, both
---ends included. start and stop may be tensors, the values stand along a new axis then.
---@param start any
---@param stop? any
---@param num? any
---@param endpoint? any
---@param dtype? theano.Dtype
---@param axis? theano.Axis
---@overload fun(start: any, keywords: { stop?: any, num?: any, endpoint?: any, dtype?: theano.Dtype, axis?: theano.Axis }): any
---@return any
function T.geomspace(start, stop, num, endpoint, dtype, axis) end

---The one value that all elements of v have whatever the inputs are, as a Lua number: of constants, of what
---`fill`, `alloc`, `dimshuffle` and checks made of them, of lengths that are known, of parts of stacks and
---joins. Of other variables a ValueError.
---@param v any
---@return any
function T.get_scalar_constant_value(v) end

---The length of a vector as a Lua integer, where it is known while building, as of stacks, shapes, joins and
---parts of them; else a ValueError.
---@param v any
---@return any
function T.get_vector_length(v) end

---Gradient of a scalar with respect to a variable or a list of them (then a list comes back). Options:
---consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return theano.Variable|theano.Variable[]
function T.grad(cost, wrt, options) end

---The Hamming window of n points.
---@param n any
---@return any
function T.hamming(n) end

---The Hann window of n points.
---@param n any
---@return any
function T.hanning(n) end

---Hessian of a scalar: for each vector of wrt the matrix of second derivatives.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return any
function T.hessian(cost, wrt, options) end

---`histogram(x, bins, range, weights, density)`: counts (10 bins), and the edges; the last bin has its right
---edge, too. bins: a number, or the edges; of arrays also "auto", "fd", "doane", "scott", "stone", "rice",
---"sturges" or "sqrt".
---@param x any
---@param ... any
---@return any
function T.histogram(x, ...) end

---`histogram2d(x, y, bins, range, density, weights)`: counts of pairs, and the edges of both; bins: a number,
---or `{of x, of y}`; range: `{{from, to}, {from, to}}`.
---@param x any
---@param y any
---@param ... any
---@return any
function T.histogram2d(x, y, ...) end

---`histogram_bin_edges(x, bins, range, weights)`: the edges of the bins of `histogram`; no number of bins
---follows from weighted elements.
---@param x any
---@param bins any
---@param range any
---@param weights any
---@return any
function T.histogram_bin_edges(x, bins, range, weights) end

---`histogramdd(sample, bins, range, density, weights)`: counts of points in so many dimensions, and the
---sequence of the edges of each. sample: a row for each point, or a sequence of vectors; bins: a number, or one
---(or edges) for each; range: `{{from, to}, ..}`.
---@param sample any
---@param ... any
---@return any
function T.histogramdd(sample, ...) end

---The same along the second axis, of vectors along the first.
---@param x any
---@param at any
---@return any
function T.hsplit(x, at) end

---`hstack(arrays, dtype)`: arrays side by side, along the second axis, vectors along the first.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.hstack(arrays, dtype) end

---The identity matrix.
---@param n any
---@param dtype? theano.Dtype
---@overload fun(n: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.identity(n, dtype) end

---What an integer dtype holds: `min`, `max` (of uint64 the bit pattern, as everywhere), `bits`, `dtype`.
---@param dtype theano.Dtype
---@return any
function T.iinfo(dtype) end

---`isin(x, set, assume_unique, invert, kind)`: whether each element of x is one of those of `set`, or (invert)
---is none. That elements occur once, and NumPy's ways to look for them, change nothing.
---@param x any
---@param set any
---@param assume_unique any
---@param invert any
---@param kind any
---@return any
function T.in1d(x, set, assume_unique, invert, kind) end

---`indices(shape, dtype, sparse)`: the position along each axis, for every element; sparse: as many results as
---axes, each of length 1 along the others.
---@param shape any
---@param dtype? theano.Dtype
---@param sparse? any
---@overload fun(shape: any, keywords: { dtype?: theano.Dtype, sparse?: any }): any
---@return any
function T.indices(shape, dtype, sparse) end

---Sums of products over the last axes of both.
---@param a any
---@param b any
---@return any
function T.inner(a, b) end

---`insert(x, position, values, axis)`: a copy with the values before a position, or before each of several, of
---a slice such as "1:3" or of a mask, all of them places in x; without an axis x is flattened.
---@param x any
---@param at any
---@param values any
---@param axis theano.Axis
---@return any
function T.insert(x, at, values, axis) end

---`interp(x, xp, fp, left, right, period)`: linear interpolation through points with increasing xp; beyond them
---the end values, or what is given; with a period through points in any order that come again.
---@param x any
---@param xp any
---@param fp any
---@param ... any
---@return any
function T.interp(x, xp, fp, ...) end

---`intersect1d(x, y, assume_unique, return_indices)`: the sorted elements that are in both; with return_indices
---also their first positions in x and in y.
---@param x any
---@param y any
---@param assume_unique any
---@param return_indices any
---@return any
function T.intersect1d(x, y, assume_unique, return_indices) end

---Whether var has ndim (1) dimensions.
---@param var any
---@param ndim integer
---@param outdim any
---@return any
function T.is_flat(var, ndim, outdim) end

---Whether the dtype is complex.
---@param x any
---@return any
function T.iscomplexobj(x) end

---Whether a dtype is of a kind: a dtype, "bool", "signed integer", "unsigned integer", "integral", "real
---floating", "complex floating", "numeric", or a sequence of such.
---@param dtype theano.Dtype
---@param kind any
---@return any
function T.isdtype(dtype, kind) end

---`isin(x, set, assume_unique, invert, kind)`: whether each element of x is one of those of `set`, or (invert)
---is none. That elements occur once, and NumPy's ways to look for them, change nothing.
---@param x any
---@param set any
---@param assume_unique any
---@param invert any
---@param kind any
---@return any
function T.isin(x, set, assume_unique, invert, kind) end

---Whether the dtype is not complex.
---@param x any
---@return any
function T.isrealobj(x) end

---Whether a value is no array but a number, a boolean or a text.
---@param x any
---@return any
function T.isscalar(x) end

---Whether a dtype is another, or of a class of NumPy's: "integer", "floating", "inexact", "number", "generic",
---..
---@param arg1 any
---@param arg2 any
---@return any
function T.issubdtype(arg1, arg2) end

---`ix_(x, y, ..)`: vectors that as subscripts `a[{ix_(..)}]` take each with each.
---@param ... any
---@return any
function T.ix_(...) end

---Jacobian of a vector (or gradient of a scalar): one matrix, a row for each element, for each wrt. The rows
---are computed together (`T.vmap` of the gradient over the rows of an identity matrix).
---@param expression any
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return any
function T.jacobian(expression, wrt, options) end

---The Kaiser window of n points: beta is 0 for a rectangle, larger for a narrower one.
---@param n any
---@param beta any
---@return any
function T.kaiser(n, beta) end

---The Kronecker product.
---@param a any
---@param b any
---@return any
function T.kron(a, b) end

---`lexsort(keys, axis)`: positions that sort by several keys along an axis (the last), the last key first of
---all.
---@param keys any
---@param axis theano.Axis
---@return any
function T.lexsort(keys, axis) end

---`linspace(start, stop, num, {endpoint = true, dtype, retstep = false, axis = 0})`: num (50) evenly spaced
---values from start to stop, both included, or without stop for `endpoint = false`; with retstep also the step.
---Of tensors the values stand along a new axis. In graphs start, stop and num may be Variables, and of integers
---the result is floatX.
---@param ... any
---@return any
function T.linspace(...) end

---`logspace(start, stop, num, endpoint, base, dtype, axis)`: powers of a base (10), evenly spaced in the
---exponent; start, stop and the base may be tensors, the values stand along a new axis then.
---@param start any
---@param stop? any
---@param num? any
---@param endpoint? any
---@param base? any
---@param dtype? theano.Dtype
---@param axis? theano.Axis
---@overload fun(start: any, keywords: { stop?: any, num?: any, endpoint?: any, base?: any, dtype?: theano.Dtype, axis?: theano.Axis }): any
---@return any
function T.logspace(start, stop, num, endpoint, base, dtype, axis) end

---y, which is x reduced over `axis`, with the reduced dimensions of length 1 again.
---@param x any
---@param y any
---@param axis theano.Axis
---@return any
function T.makeKeepDims(x, y, axis) end

---`mask_indices(n, mask_func, k)`: the positions that a function such as `triu` leaves of an n by n matrix.
---@param n any
---@param mask_func any
---@param k? any
---@overload fun(n: any, mask_func: any, keywords: { k?: any }): any
---@return any
function T.mask_indices(n, mask_func, k) end

---The last two axes exchanged.
---@param x any
---@return any
function T.matrix_transpose(x) end

---Matrices by vectors, over all axes in front.
---@param x1 any
---@param x2 any
---@return any
function T.matvec(x1, x2) end

---`median(x, axis, keepdims)`: the middle element, or the mean of the two.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.median(x, axis, keepdims) end

---`meshgrid(x, y, .., {indexing = "xy", sparse = false})`: coordinates of a grid, one result for each vector;
---sparse: each with length 1 along the other axes.
---@param ... any
---@return any
function T.meshgrid(...) end

---coordinates of a grid, each a full tensor: `T.mgrid["0:3, 0:1:0.25"]`
---@param ... any
---@return any
function T.mgrid(...) end

---The smallest dtype that holds a number; the dtype of an array.
---@param x any
---@return any
function T.min_scalar_type(x) end

---`T.mod`, which refuses complex numbers
---@param x any
---@param y any
---@return any
function T.mod_check(x, y) end

---NaN as 0 and infinities as the largest numbers, or what is given.
---@param x any
---@param ... any
---@return any
function T.nan_to_num(x, ...) end

---position of the largest element that is not NaN
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.nanargmax(x, axis, keepdims) end

---position of the smallest element that is not NaN
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.nanargmin(x, axis, keepdims) end

---`nancumprod(x, axis, dtype)`: running products along an axis (None: flattened), over NaN as over 1.
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.nancumprod(x, axis, dtype) end

---`nancumsum(x, axis, dtype)`: running sums along an axis (None: flattened), over NaN as over 0.
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.nancumsum(x, axis, dtype) end

---largest of what is not NaN; NaN where there is nothing else
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param initial any
---@param where any
---@return any
function T.nanmax(x, axis, keepdims, initial, where) end

---`nanmean(x, axis, keepdims, dtype, where)`: the mean of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, where?: any }): any
---@return any
function T.nanmean(x, axis, keepdims, dtype, where) end

---`nanmedian(x, axis, keepdims)`: the median of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.nanmedian(x, axis, keepdims) end

---smallest of what is not NaN; NaN where there is nothing else
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function T.nanmin(x, axis, keepdims) end

---`nanpercentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
---@param x any
---@param q any
---@param ... any
---@return any
function T.nanpercentile(x, q, ...) end

---`nanprod(x, axis, keepdims, dtype, initial, where)`: the product of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param initial? any
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, initial?: any, where?: any }): any
---@return any
function T.nanprod(x, axis, keepdims, dtype, initial, where) end

---`nanquantile(x, q, axis, keepdims, method)`: quantiles of what is not NaN.
---@param x any
---@param q any
---@param ... any
---@return any
function T.nanquantile(x, q, ...) end

---`nanstd(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the standard deviation of what is not NaN.
---@param x any
---@param ... any
---@return any
function T.nanstd(x, ...) end

---`nansum(x, axis, keepdims, dtype, initial, where)`: the sum of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param initial? any
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, initial?: any, where?: any }): any
---@return any
function T.nansum(x, axis, keepdims, dtype, initial, where) end

---`nanvar(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the variance of what is not NaN; mean is
---one that is known, correction another name of ddof.
---@param x any
---@param ... any
---@return any
function T.nanvar(x, ...) end

---How many dimensions.
---@param x any
---@return any
function T.ndim(x) end

---the same with each tensor along its own dimension only
---@param ... any
---@return any
function T.ogrid(...) end

---`packbits(x, axis, bitorder)`: eight elements that are or are not 0 as the bits of one uint8.
---@param x any
---@param axis theano.Axis
---@param bitorder any
---@return any
function T.packbits(x, axis, bitorder) end

---`pad(array, pad_width, {mode = "constant", constant_values = 0, end_values = 0, stat_length, reflect_type})`:
---more elements before and behind each axis. pad_width, and the values: one for all, `{before, after}`, or
---`{{before, after}, ..}` for each axis. Modes: "constant", "edge" (the last one again), "reflect" and
---"symmetric" (mirrored, without and with the edge; with `reflect_type = "odd"` turned about its value), "wrap"
---(from the other side), "linear_ramp" (to the end values), "maximum", "minimum", "mean", "median" (of the
---axis, or of `stat_length` elements at its end), "empty" (zeros).
---@param ... any
---@return any
function T.pad(...) end

---Along an axis (the last) the element of position kth where a sort puts it, none larger before it, none
---smaller behind it; the order of these says nothing.
---@param x any
---@param kth any
---@param axis theano.Axis
---@param kind any
---@return any
function T.partition(x, kth, axis, kind) end

---`percentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
---@param x any
---@param q any
---@param ... any
---@return any
function T.percentile(x, q, ...) end

---the same as `T.transpose`
---@param x any
---@param axes? theano.Axis
---@overload fun(x: any, keywords: { axes?: theano.Axis }): any
---@return any
function T.permute_dims(x, axes) end

---`piecewise(x, condlist, funclist)`: what the function (or number) of the last condition that holds makes of
---the elements; one function more is for where none holds. In graphs every function gets all elements.
---@param x any
---@param condlist any
---@param funclist any
---@return any
function T.piecewise(x, condlist, funclist) end

---`place(a, mask, vals)`: a with the values in order, again and again, where the mask holds.
---@param a any
---@param mask any
---@param vals any
---@return any
function T.place(a, mask, vals) end

---The polynomial with these zeros, or of arrays the characteristic polynomial of a matrix. In graphs their
---number is known.
---@param zeros any
---@return any
function T.poly(zeros) end

---The sum of two polynomials.
---@param a1 any
---@param a2 any
---@return any
function T.polyadd(a1, a2) end

---The m-th derivative (the first) of a polynomial.
---@param p any
---@param m? any
---@overload fun(p: any, keywords: { m?: any }): any
---@return any
function T.polyder(p, m) end

---`polydiv(u, v)`: quotient and remainder of two polynomials. In graphs both lengths are known, and zeros in
---front stay.
---@param u any
---@param v any
---@return any
function T.polydiv(u, v) end

---`polyfit(x, y, deg, rcond, full, w, cov)`: the polynomial of that degree with the least squared distance from
---the points (weighted); of columns of y one each. full: also what is left, rank, singular values and rcond of
---the least squares; cov: also the covariance of the coefficients (true, or "unscaled").
---@param x any
---@param y any
---@param deg any
---@param rcond any
---@param full any
---@param w any
---@param cov any
---@return any
function T.polyfit(x, y, deg, rcond, full, w, cov) end

---`polyint(p, m, k)`: the m-th integral (the first) of a polynomial, with the constants k.
---@param ... any
---@return any
function T.polyint(...) end

---The product of two polynomials; one without coefficients is 0. In graphs zeros in front stay.
---@param a1 any
---@param a2 any
---@return any
function T.polymul(a1, a2) end

---The difference of two polynomials.
---@param a1 any
---@param a2 any
---@return any
function T.polysub(a1, a2) end

---The value of a polynomial, highest power first. In graphs the number of coefficients is known.
---@param p any
---@param x any
---@return any
function T.polyval(p, x) end

---the same as `T.prod`
---@param x any
---@param axis theano.Axis
---@return any
function T.product(x, axis) end

---The dtype that holds two dtypes.
---@param type1 any
---@param type2 any
---@return any
function T.promote_types(type1, type2) end

---`put(a, ind, v, mode)`: a with v (its elements again and again) at positions of the elements in order;
---positions beyond the end raise, or count from the other one (mode "wrap"), or are the last ("clip").
---@param a any
---@param ind any
---@param v any
---@param mode string
---@return any
function T.put(a, ind, v, mode) end

---`put_along_axis(a, indices, values, axis)`: a with values where `take_along_axis` would take.
---@param a any
---@param indices any
---@param values any
---@param axis theano.Axis
---@return any
function T.put_along_axis(a, indices, values, axis) end

---`putmask(a, mask, values)`: a with what stands at the same place of the values (again and again) where the
---mask holds.
---@param a any
---@param mask any
---@param values any
---@return any
function T.putmask(a, mask, values) end

---`quantile(x, q, axis, keepdims, method, weights)`: the element, or what lies between the two nearest, below
---which a part q in 0 .. 1 stands; of a sequence of q one row each. Methods are NumPy's: "linear" (the
---default), "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
---"closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased";
---weights are for "inverted_cdf".
---@param x any
---@param q any
---@param ... any
---@return any
function T.quantile(x, q, ...) end

---The elements in order, again and again, until the shape is full.
---@param x any
---@param new_shape any
---@return any
function T.resize(x, new_shape) end

---`result_type(..)`: the dtype of arithmetic on arrays, dtypes and numbers; numbers yield to arrays of their
---kind.
---@param ... any
---@return any
function T.result_type(...) end

---Nearest whole number, halves to even: floats, also of integers.
---@param x any
---@return any
function T.rint(x) end

---An axis moved before another one (the first).
---@param x any
---@param axis theano.Axis
---@param start any
---@return any
function T.rollaxis(x, axis, start) end

---The zeros of a polynomial: eigenvalues of its companion matrix. In graphs they are complex, and the first
---coefficient is not 0.
---@param p any
---@return any
function T.roots(p) end

---`rot90(x, k, axes)`: turned by 90 degrees k times (1) in the plane of two axes, the first two.
---@param x any
---@param ... any
---@return any
function T.rot90(x, ...) end

---The same.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.row_stack(arrays, dtype) end

---`select(condlist, choicelist, otherwise)`: from the choice whose condition holds first; 0 where none does.
---@param condlist any
---@param choicelist any
---@param otherwise any
---@return any
function T.select(condlist, choicelist, otherwise) end

---`setdiff1d(x, y, assume_unique)`: the sorted elements of x that are not in y; in their order in x where
---assume_unique says that each occurs once.
---@param x any
---@param y any
---@param assume_unique any
---@return any
function T.setdiff1d(x, y, assume_unique) end

---`setxor1d(x, y, assume_unique)`: the sorted elements that are in one of the two only.
---@param x any
---@param y any
---@param assume_unique any
---@return any
function T.setxor1d(x, y, assume_unique) end

---A slice for a table subscript: `x[{T.slice(a, b), 0}]`; `T.slice()` is `:`.
---@param start any
---@param stop? any
---@param step? any
---@overload fun(start: any, keywords: { stop?: any, step?: any }): any
---@return any
function T.slice(start, stop, step) end

---`sliding_window_view(x, window_shape, axis)`: every window of that length, or of these lengths, along the
---axes (all), as new dimensions at the end. A copy.
---@param x any
---@param window_shape any
---@param axis theano.Axis
---@return any
function T.sliding_window_view(x, window_shape, axis) end

---Sorted along the last axis by the real parts and then the imaginary ones, as complex numbers; those with NaN
---stand last.
---@param x any
---@return any
function T.sort_complex(x) end

---`take_along_axis(x, indices, axis)`: what argsort and argmax along that axis (the last) point to.
---@param x any
---@param indices any
---@param axis theano.Axis
---@return any
function T.take_along_axis(x, indices, axis) end

---`tensor(dtype, {broadcastable..}, name)`
---@param ... any
---@return theano.Variable
function T.tensor(...) end

---`trapezoid(y, x, dx, axis)`: the integral along an axis (the last) by trapezoids, between places x or steps
---dx.
---@param y any
---@param x any
---@param dx any
---@param axis theano.Axis
---@return any
function T.trapezoid(y, x, dx, axis) end

---`trapezoid(y, x, dx, axis)`: the integral along an axis (the last) by trapezoids, between places x or steps
---dx.
---@param y any
---@param x any
---@param dx any
---@param axis theano.Axis
---@return any
function T.trapz(y, x, dx, axis) end

---Rows and columns of the lower triangle of an n by m matrix, up to diagonal k.
---@param n any
---@param k? any
---@param m? any
---@overload fun(n: any, keywords: { k?: any, m?: any }): any
---@return any
function T.tril_indices(n, k, m) end

---The same for a matrix.
---@param matrix any
---@param k? any
---@overload fun(matrix: any, keywords: { k?: any }): any
---@return any
function T.tril_indices_from(matrix, k) end

---Without the zeros at the front ("f"), the back ("b") or both ("fb") of every axis, or of the axis given.
---@param filt any
---@param trim any
---@param axis theano.Axis
---@return any
function T.trim_zeros(filt, trim, axis) end

---Rows and columns of the upper triangle of an n by m matrix, from diagonal k.
---@param n any
---@param k? any
---@param m? any
---@overload fun(n: any, keywords: { k?: any, m?: any }): any
---@return any
function T.triu_indices(n, k, m) end

---The same for a matrix.
---@param matrix any
---@param k? any
---@overload fun(matrix: any, keywords: { k?: any }): any
---@return any
function T.triu_indices_from(matrix, k) end

---The sorted elements that are in either.
---@param x any
---@param y any
---@return any
function T.union1d(x, y) end

---The distinct elements, their first positions in the flattened x, the position of each element's value among
---them, and how often each occurs; NaN equals none.
---@param x any
---@return any
function T.unique_all(x) end

---The distinct elements and how often each occurs; NaN equals none.
---@param x any
---@return any
function T.unique_counts(x) end

---The distinct elements, and for each element of x the position of its value among them; NaN equals none.
---@param x any
---@return any
function T.unique_inverse(x) end

---The distinct elements in ascending order; NaN equals none.
---@param x any
---@return any
function T.unique_values(x) end

---`unpackbits(x, axis, count, bitorder)`: the bits of uint8 elements; the first `count` of them, zeros behind
---where there are not so many, or without the last ones where count is negative.
---@param x any
---@param axis theano.Axis
---@param count any
---@param bitorder any
---@return any
function T.unpackbits(x, axis, count, bitorder) end

---The parts along an axis, each without it: a sequence. In graphs the length must be known while they are built.
---@param x any
---@param axis theano.Axis
---@return any
function T.unstack(x, axis) end

---Angles without jumps: neighbours along an axis (the last) differ by half a period at most.
---@param p any
---@param discont any
---@param axis theano.Axis
---@param period any
---@return any
function T.unwrap(p, discont, axis, period) end

---The powers x^(n-1) .. x^0 of a vector, as columns; in increasing order when asked.
---@param x any
---@param n? any
---@param increasing? any
---@overload fun(x: any, keywords: { n?: any, increasing?: any }): any
---@return any
function T.vander(x, n, increasing) end

---The sum of products of all elements, the first conjugated.
---@param a any
---@param b any
---@return any
function T.vdot(a, b) end

---Sums of conj(x1) * x2 along an axis, the last: of each operand's own, which has one length in both.
---@param x1 any
---@param x2 any
---@param axis theano.Axis
---@return any
function T.vecdot(x1, x2, axis) end

---Vectors (their conjugates) by matrices, over all axes in front.
---@param x1 any
---@param x2 any
---@return any
function T.vecmat(x1, x2) end

---Checks the symbolic gradient of `fun` (which takes variables, gives one) at the arrays `pt` against one-sided
---finite differences of a random projection. Raises GradientError when both the absolute and the relative error
---are too large. Options: n_tests (2), rng, eps, abs_tol, rel_tol, mode; out_type: the dtype whose tolerances
---count; the projection is in float64 unless cast_to_output_type is true.
---@param fun function
---@param pt any
---@param options? table
---@return any
function T.verify_grad(fun, pt, options) end

---The function `fn` of Variables, applied to every element along one axis of its arguments at once. The graph
---that fn builds is rewritten, operation by operation; there is no loop.
---@param fn function
---@param axes? theano.Axis
---@overload fun(fn: function, keywords: { axes?: theano.Axis }): any
---@return any
function T.vmap(fn, axes) end

---Equal parts, or parts cut before positions, along the first axis.
---@param x any
---@param at any
---@return any
function T.vsplit(x, at) end

---`vstack(arrays, dtype)`: arrays on top of each other, vectors as rows.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function T.vstack(arrays, dtype) end

return T
