/*
 * option.h -- rules of operations that a small library may lack (CMake's options). Nothing refers to such a rule then,
 * so that it is left out; who makes the nodes, or compiles them, is refused before.
 */
#ifndef TH_OPS_OPTION_H
#define TH_OPS_OPTION_H

#define OP_IF(option, rule) ((option) ? (rule) : NULL)

#endif
