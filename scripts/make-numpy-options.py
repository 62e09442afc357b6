#!/usr/bin/env python3
"""NumPy's keywords: writes spec/data/numpy_options.json, which spec/numpy_spec.lua runs.

    python3 scripts/make-numpy-options.py       (NumPy 2; what is committed comes from 2.4.6)

Each line below is a call of a function by its keywords, the arrays by the names of make-numpy-data.py (`@m_int8`), `$`
for each dtype of the line. The form of the file is that of numpy.json.
"""
import importlib
import json
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
base = importlib.import_module("make-numpy-data")
X = base.X
FLOAT, REAL, INT = ["float32", "float64"], ["int8", "int64", "float32", "float64"], ["int64"]
X["b_bool"] = (np.arange(24) % 3 != 1).reshape(2, 3, 4)
X["b1_bool"] = np.array([True, False, True, True])
X["e2_float64"] = np.zeros((0, 2))
X["r_float64"] = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 4.0]])
X["r_float32"] = X["r_float64"].astype("float32")
X["l_float64"] = np.array([0.0, 1, 2, 3, 4, 5, 6])
X["y_float64"] = np.array([1.0, 3, 2, 5, 4, 8, 7])
X["h_float64"] = np.array([[1.0, 0.5, 0.25, 2], [2.0, 1, 3, 1.5], [0.5, 1, 1, 4]])
X["f_float64"] = np.array([[3.0, 1, 2, -1], [2.0, 7, 5, 1], [9.0, 1, -2, 4]])
X["i_int64"] = np.array([[3, 1, 2, 3], [2, 7, 5, 1], [3, 1, 2, 3]])
X["w1_int64"] = np.array([1, 2, 3, 1])
X["w1_float64"] = np.array([0.5, 2, 3, 1])
X["z_complex128"] = np.array([1 + 1j, -2, 3j, -1 - 1j])

TABLE = """
FLOAT 0 max(@m_$,initial=3.0) max(@m_$,axis=0,initial=-0.5) min(@m_$,axis=1,initial=-2.0) min(@m_$,initial=0.0)
FLOAT 0 max(@m_$,where=@b_bool,initial=-9.0) min(@m_$,where=@b_bool,initial=9.0,axis=2,keepdims=True)
FLOAT 0 max(@e_$,initial=2.0) min(@e_$,axis=0,initial=2.0) max(@e_$,axis=0) max(@m_$,where=@b_bool)
FLOAT 64 nanmax(@r_$,axis=1,initial=2.0) nanmin(@r_$,axis=0,initial=2.0) nanmax(@r_$,initial=0.0,where=@b3_bool)
REAL 64 sum(@m_$,initial=3,axis=0) prod(@m_$,initial=2,axis=1) sum(@m_$,where=@b_bool) prod(@m_$,where=@b_bool,axis=0)
REAL 64 sum(@m_$,where=@b1_bool,axis=2,initial=1) sum(@m_$,where=@m_$) sum(@m_$,where=@b_bool,dtype='float32',axis=1)
REAL 64 mean(@m_$,where=@b_bool) mean(@m_$,where=@b_bool,axis=0) var(@m_$,where=@b_bool,axis=1,ddof=1)
REAL 64 std(@m_$,where=@b1_bool,axis=0,keepdims=True) any(@m_$,where=@b_bool,axis=2) all(@m_$,where=@b_bool,axis=0)
REAL 64 mean(@m_$,where=@b_bool,dtype='float32',axis=2) var(@m_$,dtype='float64',axis=0) std(@m_$,correction=1,axis=1)
FLOAT 64 var(@m_$,mean=@h3_$,axis=0) std(@m_$,mean=@h3_$,axis=0,ddof=1) std(@m_$,dtype='float32',axis=1)
REAL 0 cumsum(@m_$,dtype='float64',axis=1) cumprod(@q_$,dtype='float64') size(@m_$,axis=1) size(@m_$,1)
REAL 0 unique(@m_$,sorted=True)
FLOAT 64 nansum(@r_$,axis=0,initial=5.0) nansum(@r_$) nanprod(@r_$,axis=1,initial=2.0) nanmean(@r_$)
FLOAT 64 nanmean(@r_$,axis=0)
FLOAT 64 nansum(@r_$,where=@b3_bool,axis=1) nanmean(@r_$,where=@b3_bool,axis=1) nanmean(@r_$,dtype='float64',axis=1)
FLOAT 64 nanvar(@r_$,axis=1,correction=1) nanstd(@r_$,axis=1,ddof=0,dtype='float64')
FLOAT 64 nancumsum(@r_$,axis=1,dtype='float64')
FLOAT 64 nanvar(@r_$,where=@b3_bool,axis=1) nanquantile(@e2_float64,0.5,axis=1) nanmedian(@e_$,axis=0)
FLOAT 64 average(@m_$,returned=True) average(@m_$,axis=2,weights=@w1_float64,returned=True)
FLOAT 64 average(@m_$,axis=1,keepdims=True)
FLOAT 0 clip(@v_$,min=0.5) clip(@v_$,max=0.5) clip(@v_$,a_min=-1.0,a_max=1.0) angle(@v_$,deg=True)
ALL 0 concatenate([@m_$,@m_$],axis=1,dtype='complex128') stack([@q_$,@q_$],dtype='complex128')
ALL 0 vstack([@q_$,@q_$],dtype='complex128')
ALL 0 hstack([@q_$,@q_$],dtype='complex128') zeros_like(@m_$,shape=[2]) ones_like(@m_$,shape=[2],dtype='int8')
ALL 0 full_like(@m_$,1,shape=[2,2])
ALL 0 array(@q_$,ndmin=4)
REAL 64 corrcoef(@f_float64,rowvar=False) corrcoef(@f_float64,@h_float64) cov(@w1_$) cov(@f_float64,bias=True)
INT 64 cov(@y_float64) cov(@y_float64,@l_float64) cov(@y_float64,ddof=0) corrcoef(@y_float64,@l_float64)
INT 64 cov(@f_float64,fweights=@w1_int64) cov(@f_float64,aweights=@w1_float64)
INT 64 cov(@f_float64,fweights=@w1_int64,aweights=@w1_float64,ddof=0)
INT 0 cross(@f_float64,@h_float64,axis=0) cross(@f_float64,@c43_float64,axisa=0,axisb=1,axisc=0)
INT 0 ediff1d(@y_float64,to_end=99.0) ediff1d(@y_float64,to_end=[1.0,2.0],to_begin=3.0)
INT 0 trace(@m_int64,axis1=0,axis2=2,offset=1)
INT 64 geomspace(1,16,4,endpoint=False) geomspace(1,16,5,dtype='int64') geomspace([1.0,2.0],[16.0,32.0],3,axis=1)
INT 64 geomspace([-1.0,2.0],[-16.0,32.0],4) logspace(0,2,4,endpoint=False) logspace(0,2,3,dtype='int64')
INT 64 logspace([0,1],[2,3],4,axis=1)
INT 64 logspace(0,2,4,base=[2.0,3.0]) logspace(0,2,4,True,2.0) linspace([0.0,1.0],[2.0,3.0],4,axis=1) eye(3,M=5)
INT 64 eye(2,k=1,dtype='int32')
INT 0 histogram_bin_edges(@y_float64,bins=3,weights=@l_float64) histogram(@y_float64,'stone')
INT 0 histogram2d(@y_float64,@l_float64,bins=[2,3],range=[[0,9],[1,5]])
FLOAT 0 histogram2d(@c_$,@c_$,bins=2) indices([2,3],dtype='int32') indices([2,3],sparse=True)
FLOAT 0 interp([0.5,5.5,-1.0],[0.0,1.0,2.0],[3.0,5.0,4.0],period=3.0)
INT 0 interp([0.5,1.0,1.5,2.0],[0.0,1.0,2.0],[3.0,inf,4.0]) interp([0.5,1.0,2.0],[0.0,1.0,2.0],[3.0,4.0,nan])
INT 0 intersect1d(@i_int64,[1,2,9],return_indices=True) intersect1d([3,1,2],[2,3,7],assume_unique=True)
INT 0 setdiff1d([3,1,2],[2,7],assume_unique=True)
INT 0 setxor1d([3,1,2],[2,7],assume_unique=True) isin(@i_int64,[1,7],invert=True)
INT 0 isin(@i_int64,[1,7],assume_unique=True,kind='sort')
INT 0 lexsort(@i_int64) lexsort(@i_int64,axis=0) lexsort([@w1_int64,@w1_float64]) unique(@i_int64,return_inverse=True)
INT 0 unique(@i_int64,axis=0,return_inverse=True)
FLOAT 0 quantile(@f_float64,0.4,axis=1,weights=@w1_int64,method='inverted_cdf')
FLOAT 0 percentile(@y_float64,[20.0,70.0],weights=@l_float64,method='inverted_cdf')
FLOAT 0 quantile(@f_float64,0.5,weights=@h_float64,method='inverted_cdf')
REAL 16 pad(@c_$,3,mode='reflect',reflect_type='odd') pad(@c_$,7,mode='symmetric',reflect_type='odd')
REAL 16 pad(@q_$,2,mode='reflect',reflect_type='even')
REAL 16 pad(@m_$,1,mode='median') pad(@c_$,[2,3],mode='linear_ramp',end_values=[5,-4])
REAL 16 pad(@c_$,2,mode='mean',stat_length=2) pad(@c_$,2,mode='maximum',stat_length=[1,3])
INT 4096 polyfit(@l_float64,@y_float64,2,cov=True) polyfit(@l_float64,@y_float64,1,cov='unscaled')
INT 4096 polyfit(@l_float64,@y_float64,2,rcond=0.001) polyfit(@l_float64,@y_float64,2,full=True)
INT 0 polyint(@w1_int64,0) polyint(@w1_int64,2,k=[1,2]) vander([1,2,3],N=2) vander([1,2,3],4,increasing=True)
INT 0 partition([3,1,2],1,kind='introselect') rot90(@m_int64,axes=[0,2]) rot90(@m_int64,3,[1,2])
INT 0 select([@b1_bool],[@w1_int64],default=7)
INT 0 ravel(@m_int64,order='F') reshape(@m_int64,[4,6],order='F')
INT 0 ravel_multi_index([[0,9],[1,-2]],[2,3],mode=['clip','wrap']) atleast_2d(@w1_int64,3.0)
INT 0 atleast_3d(@q_int64,@m_int64) angle(@z_complex128,deg=True) rint(@m_int16) argwhere(@m_int64) count_nonzero(3)
INT 0 nan_to_num(3.5)
INT 64 linalg.matrix_rank(@f_float64,rtol=0.3) linalg.matrix_rank(@f_float64,tol=0.3)
INT 64 linalg.trace(@i_int64,dtype='float32') linalg.cross(@f_float64,@h_float64,axis=0)
INT 65536 linalg.pinv(@f_float64,rtol=0.4)
REAL 16 select([@b1_bool],[@w1_$],default=2.5) select([@b1_bool],[@b1_bool]) select([@b1_bool],[@w1_$])
REAL 64 quantile(@m_$,[[0.1,0.9],[0.4,0.5]],axis=1) nanquantile(@m_$,[],axis=0) percentile(@c_$,[],keepdims=True)
FLOAT 64 nanquantile(@t_$,[0.0,0.4,1.0],method='nearest') nanpercentile(@t_$,100.0,method='lower')
REAL 64 cov(@row_$) corrcoef(@row_$) cov(@none_$) average(@m_$,axis=2,weights=@w1_float32,returned=True)
REAL 64 average(@m_$,axis=0,weights=[0,0]) prod(@m_$,dtype='float32') sum(@big_int64,dtype='float64')
ALL 0 concatenate([@m_$],axis=3) concatenate([@m_$,@c_$]) stack([@m_$,@c_$]) vstack([@m_$,@q_$]) hstack([@m_$,@c_$])
ALL 0 broadcast_to(@u_$,[3,1]) broadcast_to(@row_$,[3]) resize(@c_$,[2,-1]) vsplit(@c_$,1) dsplit(@q_$,1)
ALL 16 tensordot(@q_$,@four_$) tensordot(@t23_$,@t32_$) tensordot(@t23_$,@t32_$,axes=1)
ALL 64 fft.fft(@m_$) polymul(@z3_$,@c_$) polymul(@c_$,@z3_$)
INT 4096 polydiv(@z_complex128,[1.0,2.0]) polydiv([1.0,2.0,3.0,4.0],[1j,2])
INT 0 ediff1d(@w1_int64,to_end=2.5) ediff1d(@w1_int64,to_begin=7) ediff1d(@w1_float32,to_end=2.5)
INT 0 bincount([1,-3]) bincount([1,3],minlength=-1) bincount(@q_int64) digitize(@c_float64,@two_bool)
INT 16 max(@e_float64,axis=0,initial=2.0) max(@e_float64,initial=2.0,keepdims=True) min(@e_int64,axis=1,initial=-1)
INT 64 linalg.norm(@e_float64,ord=2) linalg.norm(@e_float64,ord='nuc') linalg.norm(@e_float64,ord=inf,keepdims=True)
INT 64 linalg.norm(@e_float64,ord=-2) linalg.matrix_rank(@e_float64) linalg.matrix_rank(@ee_float64)
INT 0 linalg.matrix_power(@e_float64,1) linalg.matrix_power(@c_float64,2)
INT 0 clip(@u8_uint8,-500,500) clip(@u8_uint8,3,1000) clip(@w1_int64,nan,1) clip(@w1_float64,0.0,nan)
INT 8 spacing(@h_float16) angle(@u8_uint8) angle(@w1_int16) angle(@b1_bool) gcd(@b1_bool,6) lcm(@w1_int64,@b1_bool)
INT 8 gcd(@b1_bool,@b1_bool) histogram(@b1_bool,'sturges') interp(@w1_int64,[1.0,2.0,3.0],@h3_float16)
INT 0 unpackbits(@u8_uint8,count=-99) round(@z_complex128) rint(@z_complex128) round(@z3_complex128,1)
INT 0 bitwise_and(@z_complex128,1) cbrt(@z_complex128) left_shift(@z_complex128,1)
INT 0 cumulative_sum(@none1_uint8,axis=0,dtype='uint8',include_initial=True)
INT 8 cumulative_sum(@u8_uint8,dtype='uint8',include_initial=True)
INT 64 var(@h3_float16,dtype='float32') cumsum(@h3_float16,dtype='float32') prod(@h3_float16,dtype='float64')
INT 64 sum(@h3_float16,dtype='float64') mean(@h3_float16,dtype='float32') std(@h3_float16) cumprod(@h3_float16)
INT 64 interp([0.5,1.5,9.0],[0.0,1.0,2.0],@zi_complex128) interp([0.5,9.0],[0.0,1.0,2.0],@zi_complex128,right=7.0)
INT 64 pad(@z_complex128,2,mode='linear_ramp')
INT 0 matvec(@w1_int64,@w1_int64) vecmat(@w1_int64,@w1_int64) take(@w1_int64,[])
INT 0 bincount(@b1_bool) choose([0,-1],[[1,2],[3,4]]) choose([0,2],[[1,2],[3,4]]) choose([0,1],[[1,2],[3,4]])
INT 0 nan_to_num(@zn_complex128) nan_to_num(@zn_complex64) nan_to_num(@zn_complex128,nan=2.0,posinf=5.0)
INT 0 quantile(@z_complex128,0.5) nanpercentile(@z_complex128,50.0,method='lower') nanmedian(@z_complex128)
"""
X["b3_bool"] = np.array([[True, True, False], [False, True, True]])
X["c43_float64"] = X["f_float64"].T.copy()
X["h_float16"] = np.array([1.12, 3.99, 0, -2, np.inf, 6e-8, 65504, -0.0], "float16")
X["h3_float16"] = np.array([0.3, -1.7, 0.1], "float16")
X["u8_uint8"] = np.array([1, 200, 255, 0], "uint8")
X["zi_complex128"] = np.array([1 + 1j, -2, complex(0, np.inf)])
X["zn_complex128"] = np.array([complex(np.nan, 1), complex(-np.inf, np.nan), complex(2, np.inf), 1 - 1j])
X["zn_complex64"] = X["zn_complex128"].astype("complex64")
X["w1_int16"] = X["w1_int64"].astype("int16")
X["two_bool"] = np.array([False, True])
X["none1_uint8"] = np.zeros(0, "uint8")
X["ee_float64"] = np.zeros((2, 0, 3))
X["big_int64"] = np.full(4, 2**62)
X["z3_complex128"] = np.array([0, 1.256 + 2.5j, -1])
for d in base.DTYPES:
    X["row_" + d] = X["c_" + d][:4].reshape(1, 4)
    X["none_" + d] = np.zeros((3, 0), d)
    X["four_" + d] = X["m_" + d].ravel()[4:8].reshape(2, 2)
    X["t23_" + d] = X["m_" + d].ravel()[:6].reshape(2, 3)
    X["t32_" + d] = X["m_" + d].ravel()[6:12].reshape(3, 2)
    if d != "complex128":
        X["z3_" + d] = np.array([0, 0, 3], d)
for d in FLOAT:
    X["t_" + d] = np.array([1.0, np.inf, -np.inf, np.nan, 2.0, -np.inf], d)
    X["h3_" + d] = X["m_" + d].mean(axis=0, keepdims=True)
for d in ("int8", "float32"):
    X["w1_" + d] = X["w1_int64"].astype(d)
GROUPS = {"ALL": ["bool", "int8", "int64", "float32", "float64", "complex128"], "REAL": REAL, "FLOAT": FLOAT,
          "INT": INT}


def call(name, args, words, ulps):
    f = np
    for part in name.split("."):
        f = getattr(f, part)
    table = "{" + ", ".join("%s = %s" % (k, base.lua(v)) for k, v in words.items()) + "}" if words else None
    text = "nd.%s(%s)" % (name, ", ".join([base.lua(a) for a in args] + ([table] if table else [])))
    py = {k: base.python(v) for k, v in words.items()}
    base.add(text, lambda: as_results(f(*[base.python(a) for a in args], **py)), ulps)


def as_results(r):
    if isinstance(r, (tuple, list)) and any(isinstance(v, (tuple, list)) for v in r):
        return tuple(w for v in r for w in (v if isinstance(v, (tuple, list)) else (v,)))
    return tuple(r) if isinstance(r, (tuple, list)) else r


def main():
    base.cases.clear()
    base.seen.clear()
    for line in TABLE.strip().splitlines():
        group, ulps, *calls = line.split()
        for text in calls:
            for d in GROUPS[group] if "$" in text else ["int64"]:
                name, inside = re.match(r"([\w.]+)\((.*)\)$", text.replace("$", d)).groups()
                inside = re.sub(r"@\w+", lambda m: repr(m.group()), inside)
                scope = {"take": lambda *a, **k: (a, k), "nan": float("nan"), "inf": float("inf")}
                args, words = eval("take(%s)" % inside, scope)
                call(name, args, words, int(ulps))
    used = set(re.findall(r"\b[a-z]+\d*_(?:bool|u?int\d+|float\d+|complex\d+)", json.dumps(base.cases)))
    inputs = {k: [str(X[k].dtype), list(X[k].shape), base.short(X[k])] for k in sorted(used)}
    with open(os.path.join(base.ROOT, "numpy_options.json"), "w") as f:
        rows = [json.dumps(inputs)] + [json.dumps(c, separators=(",", ":")) for c in base.cases]
        f.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(base.cases), "results")


if __name__ == "__main__":
    main()
