"""Calls written in Python as the same calls in Lua, by their syntax tree: keywords become a table behind the arguments,
lists and tuples tables. What the make-*-data.py scripts share."""
import ast
import json

MODULES = ("special", "signal", "integrate", "interpolate", "optimize", "linalg", "fft")


def lua(text):
    return Lua().visit(ast.parse(text, mode="eval"))


class Lua(ast.NodeVisitor):
    def visit_Expression(self, e):
        return self.visit(e.body)

    def visit_Call(self, e):
        args = [self.visit(a) for a in e.args]
        if isinstance(e.func, ast.Name) and e.func.id == "dict":
            return "{%s}" % ", ".join("%s = %s" % (k.arg, self.visit(k.value)) for k in e.keywords)
        if e.keywords:
            args.append("{%s}" % ", ".join(self.keyword(k) for k in e.keywords))
        method = isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Call)
        name = "%s:%s" % (self.visit(e.func.value), e.func.attr) if method else self.visit(e.func)
        return "%s(%s)" % (name, ", ".join(args))

    def keyword(self, k):
        none = k.arg == "boundary" and isinstance(k.value, ast.Constant) and k.value.value is None
        return "%s = %s" % (k.arg, "false" if none else self.visit(k.value))

    def visit_Attribute(self, e):
        if e.attr == "shape":
            return "shape(%s)" % self.visit(e.value)
        return "%s.%s" % (self.visit(e.value), e.attr)

    def visit_Name(self, e):
        return "nd." + e.id if e.id in MODULES + ("nan", "inf") else e.id

    def visit_Constant(self, e):
        names = {None: "nil", True: "true", False: "false"}
        if isinstance(e.value, complex):
            return "nd.complex(0, %r)" % e.value.imag
        return names[e.value] if e.value is None or isinstance(e.value, bool) else json.dumps(e.value)

    def visit_List(self, e):
        return "{%s}" % ", ".join(self.visit(v) for v in e.elts)

    visit_Tuple = visit_List

    def visit_Subscript(self, e):
        if isinstance(e.value, ast.Name):  # of an array
            text = ast.unparse(e.slice).strip("()").replace(" ", "")
            return "%s[%s]" % (e.value.id, text if text.isdigit() else json.dumps(text))
        return "(select(%d, %s))" % (e.slice.value + 1, self.visit(e.value))

    def visit_UnaryOp(self, e):
        return "-" + self.visit(e.operand)

    def visit_BinOp(self, e):
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
                ast.Pow: "^"}[type(e.op)]
        return "(%s %s %s)" % (self.visit(e.left), sign, self.visit(e.right))

    def generic_visit(self, e):
        raise TypeError("no Lua for %s" % ast.dump(e))
