/* rules_useless.h -- operations that do nothing, and folding. These also run under fast_compile. */
/* clang-format off */
REWRITE(constant_folding,        USELESS|CANON|STAB|SPEC|FC, "*", 1, rw_constant_folding)
REWRITE(local_useless_fill,      USELESS|CANON|FC,           "second",   1, rw_useless_fill)
REWRITE(local_useless_elemwise,  USELESS|CANON|SPEC|FC,      "Elemwise", 1, rw_useless_elemwise)
REWRITE(local_useless_switch,    USELESS|CANON|SPEC|FC,      "switch",   1, rw_useless_switch)
REWRITE(local_useless_reduce,    USELESS|CANON|FC,           "Sum",      1, rw_useless_reduce)
REWRITE(local_useless_reduce,    USELESS|CANON|FC,           "Prod",     1, rw_useless_reduce)
REWRITE(local_useless_reduce,    USELESS|CANON|FC,           "Max",      1, rw_useless_reduce)
REWRITE(local_useless_reduce,    USELESS|CANON|FC,           "Min",      1, rw_useless_reduce)
