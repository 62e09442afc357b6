/*
 * expr.h -- the tiny expression language shared by value texts, gradients and rewrite rules.
 *
 *   expr  := cond ; cond := or ('?' cond ':' cond)? ; or := and ('||' and)* ; and := cmp ('&&' cmp)*
 *   cmp   := sum (('<' '<=' '>' '>=' '==' '!=') sum)? ; sum := term (('+'|'-') term)* ; term := unary (('*'|'/')
 * unary)* unary := ('-'|'!')* power ; power := atom ('^' unary)? atom  := number | name | name '(' expr, ... ')' | name
 * '{' attrs '}' '(' ... ')' | name ':' '(' expr ')' | '(' expr ')'
 *
 * Value texts use a b c d for the operands and are C expressions as well (no '^'); gradients use x y w for the inputs,
 * z for the result and gz for its gradient; rules use any letters. Parsed once per context, kept flat, children before
 * parents, root last.
 */
#ifndef TH_EXPR_H
#define TH_EXPR_H

#include "base/base.h"

typedef enum { EX_NUM, EX_NAME, EX_CALL, EX_BIND /* f:(e): kid 0 named `name` */ } ExKind;
/* Operators become calls: add sub mul true_div neg pow lt le gt ge eq neq and_ or_ not switch. */
typedef struct ExNode {
    uint8_t kind, nkid;
    int16_t kid[4];
    const char *name;  /* interned: EX_NAME, EX_CALL, EX_BIND */
    const char *attrs; /* interned text between braces, or NULL */
    double num;
    bool integer; /* EX_NUM written without '.' or exponent */
} ExNode;
typedef struct Expr {
    int n;
    ExNode *at;
} Expr; /* at[n - 1] is the root */

/* Allocates from `a`. NULL with ValueError naming the column when the text does not parse. */
Expr *expr_parse(Arena *a, const char *text);
/* Several expressions separated by ';' (empty ones give NULL entries), as in gradient columns. Returns how many, -1
 * error. */
int expr_parse_list(Arena *a, const char *text, Expr **out, int max);

#endif
