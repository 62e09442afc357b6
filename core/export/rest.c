/* rest.c -- what stands beside the program: a test with recorded arguments and results, CMakeLists.txt. */
#include "runtime/gpu/embed.h"
#include "export.h"

#include <stdio.h>

static int64_t parts(const ThArray *a) { return a->size * export_parts((ThDtype)a->dtype); }

static bool data(Export *x, Text *t) {
    char name[60];
    bool ok = true;
    for (int i = 0; ok && i < x->nin; i++) {
        snprintf(name, sizeof name, "in%d", i);
        ok = export_constant(x, t, name, x->arg[x->in[i].input]);
    }
    for (int n = 0; n < EXPORT_CALLS; n++)
        for (int i = 0; ok && i < x->nout; i++) {
            snprintf(name, sizeof name, "want%d_%d", n, i);
            ok = export_constant(x, t, name, x->recorded[n * x->nout + i]);
        }
    return ok;
}

GPU_EMBED(export_compare_text, "export/runtime/compare.h");

static void arguments(Export *x, Text *t) {
    for (int i = 0; i < x->nin; i++) text_printf(t, x->in[i].moves ? ", arg%d, arg%d_shape" : ", arg%d", i, i);
    for (int i = 0; i < x->nout; i++) text_printf(t, x->out[i].moves ? ", out%d, out%d_shape" : ", out%d", i, i);
}

static void calls(Export *x, Text *t) {
    for (int n = 0; n < EXPORT_CALLS; n++) {
        for (int i = 0; i < x->nin; i++) text_printf(t, "    memcpy(arg%d, in%d, sizeof in%d);\n", i, i, i);
        text_printf(t, "    code = %s_call(&state", x->name);
        arguments(x, t);
        text_printf(t, ");\n    if (code) {\n        printf(\"call %d: error %%d: %%s\\n\", code, %s_error(&state));\n",
                    n + 1, x->name);
        text_put(t, "        return 1;\n    }\n");
        for (int i = 0; i < x->nout; i++) {
            const ThArray *want = x->recorded[n * x->nout + i];
            ThDtype d = x->out[i].dtype;
            int item = (int)th_dtype_bytes(d) / export_parts(d);
            text_printf(t, "    compare(\"call %d, %s\", out%d, want%d_%d, %lld, %d);\n", n + 1, x->out[i].name, i, n,
                        i, (long long)(want->size * (int64_t)th_dtype_bytes(d)), dtype_is_discrete(d) ? -item : item);
            for (int k = 0; x->out[i].moves && k < want->ndim; k++)
                text_printf(t, "    far += out%d_shape[%d] != %lld;\n", i, k, (long long)ARRAY_SHAPE(want)[k]);
        }
    }
}

static void shape(Text *t, const char *name, int number, int ndim, const int64_t *lengths) {
    text_printf(t, "static int64_t %s%d_shape[] = {", name, number);
    for (int d = 0; d < ndim; d++) text_printf(t, d ? ", %lld" : "%lld", (long long)lengths[d]);
    text_put(t, "};\n");
}

bool export_test(Export *x) {
    Text *t = &x->test;
    text_printf(t,
                "/* %s_test.c -- two calls of %s_call, " EXPORT_MARK ", and what they gave then.\n"
                " * `%s_test bits` wants the same bits. */\n",
                x->name, x->name, x->name);
    text_printf(t, "#include \"%s.h\"\n\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n", x->name);
    if (!data(x, t)) return false;
    text_printf(t, "\nstatic %s_state state;\n", x->name);
    for (int i = 0; i < x->nin; i++) {
        int64_t n = parts(x->arg[x->in[i].input]);
        text_printf(t, "static %s arg%d[%lld];\n", export_ctype(x->in[i].dtype), i, (long long)(n ? n : 1));
    }
    for (int i = 0; i < x->nout; i++) {
        int64_t n = parts(x->recorded[i]);
        text_printf(t, "static %s out%d[%lld];\n", export_ctype(x->out[i].dtype), i, (long long)(n ? n : 1));
    }
    for (int i = 0; i < x->nin; i++)
        if (x->in[i].moves) shape(t, "arg", i, x->in[i].ndim, x->in[i].shape);
    for (int i = 0; i < x->nout; i++)
        if (x->out[i].moves) shape(t, "out", i, x->out[i].ndim, x->out[i].shape);
    text_put(t, export_compare_text);
    if (x->how->weights)
        text_printf(t, "static union {\n    double aligned;\n    unsigned char at[%s_WEIGHTS_BYTES];\n} weights;\n",
                    x->upper);
    text_put(t, "int main(int argc, char **argv) {\n    int code, bits = argc > 1 && !strcmp(argv[1], \"bits\");\n");
    if (x->how->weights)
        text_printf(t,
                    "    if (%s_load_file(&state, argc > 2 ? argv[2] : \"%s.weights\", weights.at)) {\n"
                    "        puts(%s_error(&state));\n        return 1;\n    }\n",
                    x->name, x->name, x->name);
    else text_printf(t, "    %s_init(&state);\n", x->name);
    calls(x, t);
    text_put(t, "    printf(\"%s, %d of the results %s\", far ? \"far off\" : \"as recorded\", different,\n"
                "           \"with other bits\\n\");\n");
    text_put(t, "    return far || (bits && different);\n}\n");
    return !failed(x->c) && !t->failed;
}

bool export_cmake(Export *x) {
    Text *t = &x->cmake;
    const char *n = x->name;
    text_printf(t, "# %s.c and its test, " EXPORT_MARK " %s.\n", n, th_version());
    text_printf(t, "cmake_minimum_required(VERSION 3.10)\nproject(%s C)\n", n);
    text_put(t, "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n");
    text_printf(t, "add_library(%s STATIC %s.c)\n", n, n);
    text_printf(t, "set_target_properties(%s PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)\n",
                n);
    text_printf(t, "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n", n);
    text_printf(t,
                "if(NOT MSVC)\n  target_compile_options(%s PRIVATE -O3 -fwrapv -ffp-contract=off -fno-math-errno "
                "-fno-trapping-math)\n  target_link_libraries(%s PUBLIC m)\nendif()\n",
                n, n);
    text_put(t, "option(NATIVE \"for the processor that it is built on\" OFF)\nif(NATIVE)\n");
    text_printf(t, "  target_compile_options(%s PRIVATE -march=native)\nendif()\n", n);
    if (export_products(x)) {
        text_put(t, "option(BLAS \"large products of matrices by a library with cblas.h\" OFF)\nif(BLAS)\n");
        text_printf(t,
                    "  find_package(BLAS REQUIRED)\n  target_compile_definitions(%s PRIVATE THEANO_CBLAS)\n"
                    "  target_link_libraries(%s PUBLIC ${BLAS_LIBRARIES})\nendif()\n",
                    n, n);
    }
    text_printf(t, "add_executable(%s_test %s_test.c)\ntarget_link_libraries(%s_test %s)\n", n, n, n, n);
    if (x->how->lua) {
        text_put(t, "find_package(Lua 5.3)\nif(LUA_FOUND)\n");
        text_printf(t, "  add_library(%s_lua MODULE %s_lua.c)\n  target_link_libraries(%s_lua PRIVATE %s)\n", n, n, n,
                    n);
        text_printf(t, "  target_include_directories(%s_lua PRIVATE ${LUA_INCLUDE_DIR})\n", n);
        text_printf(t, "  set_target_properties(%s_lua PROPERTIES PREFIX \"\" OUTPUT_NAME %s)\nendif()\n", n, n);
    }
    text_printf(
        t, "enable_testing()\nadd_test(NAME %s COMMAND %s_test WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})\n", n, n);
    return !t->failed;
}
