/* The configuration table: values, texts, files, mistakes that change nothing. */
#include "base/base.h"
#include "test.h"

#include <unistd.h>

static char path[64];

static void write_rc(const char *text) {
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void values(ThContext *c) {
    CHECK(config_floatX(c) == TH_FLOAT64 && !config_bool(c, "allow_gc") &&
          config_bool(c, "tensor.local_elemwise_fusion"));
    CHECK(config_int(c, "openmp_elemwise_minsize") == 200000);
    CHECK(th_config_set(c, "floatX", "float32") == 0 && config_floatX(c) == TH_FLOAT32);
    CHECK(th_config_set(c, "openmp", "True") == 0 && config_bool(c, "openmp"));
    CHECK_TEXT(th_config_get(c, "openmp"), "true");
    CHECK(th_config_set(c, "linker", "c|py") == 0);
    CHECK_TEXT(config_str(c, "linker"), "c|py");
    CHECK(th_config_set(c, "cxx", "") == 0);
    CHECK_TEXT(th_config_get(c, "cxx"), "");
    CHECK(th_config_set(c, "floatX", "float61") != 0);
    CHECK_ERROR(c, TH_ValueError, "float64,float32,float16,bfloat16");
    CHECK(th_config_set(c, "floatX", "float16") == 0 && config_floatX(c) == TH_FLOAT16);
    CHECK(th_config_set(c, "floatX", "float32") == 0);
    CHECK(th_config_set(c, "mode", "FAST") != 0);
    CHECK_ERROR(c, TH_ValueError,
                "invalid value 'FAST' for config flag mode; allowed: "
                "Mode,FAST_RUN,FAST_COMPILE,DebugMode,DEBUG_MODE,NanGuardMode,None");
    CHECK(th_config_set(c, "device", "") != 0);
    CHECK_ERROR(c, TH_ValueError, "allowed: cpu,cuda,cuda0");
    CHECK(th_config_set(c, "profile", "yes") != 0);
    CHECK_ERROR(c, TH_ValueError, "true,false");
    CHECK(th_config_set(c, "openmp_elemwise_minsize", "1e5") != 0);
    CHECK_ERROR(c, TH_ValueError, "an integer");
    CHECK(th_config_set(c, "floatx", "float32") != 0);
    CHECK_ERROR(c, TH_KeyError, "unknown config flag 'floatx'; did you mean 'floatX'?");
    CHECK(!th_config_get(c, "gcc.cxxflag"));
    CHECK_ERROR(c, TH_KeyError, "did you mean 'gcc.cxxflags'");
    CHECK(!th_config_get(c, "something else entirely"));
    CHECK_ERROR(c, TH_KeyError, "unknown config flag 'something else entirely'");
    const char *doc, *deflt;
    int n = 0;
    while (th_config_name(n, &doc, &deflt)) CHECK(*doc && deflt && th_config_get(c, th_config_name(n++, NULL, NULL)));
    CHECK(n >= 22);
}

static void texts(ThContext *c) {
    CHECK(th_config_parse(c, " floatX = float64 , mode=FAST_RUN,,gcc.cxxflags=-O3 -g=x,") == 0);
    CHECK_TEXT(th_config_get(c, "floatX"), "float64");
    CHECK_TEXT(th_config_get(c, "gcc.cxxflags"), "-O3 -g=x");
    CHECK(th_config_parse(c, "mode=None,floatX=float33") != 0);
    CHECK_ERROR(c, TH_ValueError, "THEANO_FLAGS: invalid value 'float33'");
    CHECK_TEXT(th_config_get(c, "mode"), "FAST_RUN"); /* nothing has changed */
    CHECK(th_config_parse(c, "mode") != 0);
    CHECK_ERROR(c, TH_ValueError, "expected name=value, got 'mode'");
    CHECK(th_config_parse(c, "") == 0 && th_config_parse(c, NULL) == 0);
}

static void files(ThContext *c) {
    CHECK(th_config_read(c, "/nonexistent/.theanorc") == 0);
    write_rc("# mine\n[global]\nfloatX = float32\n  optimizer=fast_compile  \n\n[gcc]\n; flags\ncxxflags = -O1\n"
             "[tensor]\nlocal_elemwise_fusion = 0\n");
    CHECK(th_config_read(c, path) == 0);
    CHECK_TEXT(th_config_get(c, "floatX"), "float32");
    CHECK_TEXT(th_config_get(c, "optimizer"), "fast_compile");
    CHECK_TEXT(th_config_get(c, "gcc.cxxflags"), "-O1");
    CHECK_TEXT(th_config_get(c, "tensor.local_elemwise_fusion"), "false");
    write_rc("[global]\nfloatX = float64\nmod = FAST_RUN\n");
    CHECK(th_config_read(c, path) != 0);
    CHECK_ERROR(c, TH_KeyError, ":3: unknown config flag 'mod'; did you mean 'mode'?");
    CHECK_TEXT(th_config_get(c, "floatX"), "float32");
    write_rc("[global\n");
    CHECK(th_config_read(c, path) != 0);
    CHECK_ERROR(c, TH_ValueError, ":1: a section ends with ']'");
    unlink(path);
}

static int sequence(ThContext *c) {
    int ok = th_config_parse(c, "floatX=float32,mode=FAST_COMPILE,optimizer_including=a:b:c") == 0;
    CHECK(config_floatX(c) == (ok ? TH_FLOAT32 : TH_FLOAT64));
    return ok && th_config_set(c, "gcc.cxxflags", "-march=native") == 0;
}

static void defaults(void) {
    setenv("HOME", "/home/someone", 1);
    ThContext *c = th_context_new(NULL);
    CHECK_TEXT(th_config_get(c, "base_compiledir"), "/home/someone/.theano");
    th_context_release(c);
    unsetenv("HOME");
    setenv("TMPDIR", "/scratch", 1);
    setenv("PATH", "/nowhere::/also/nowhere", 1);
    c = th_context_new(NULL);
    CHECK(!strncmp(th_config_get(c, "base_compiledir"), "/scratch/theano-", 16));
    CHECK_TEXT(th_config_get(c, "cxx"), ""); /* no compiler: the interpreter */
    th_context_release(c);
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/theano-test-%ld.rc", (long)getpid());
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    values(c);
    texts(c);
    files(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(sequence);
    defaults();
    return test_done("base_config");
}
