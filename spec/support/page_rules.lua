--- What is done with the shell commands of pages, where it is not simply running them: those that a spec does not run,
-- by name and with the reason, and those that it runs with less of everything. A rule holds for the commands of its
-- page that begin with its text, the longest one; one that no command needs is a mistake.
-- @module spec.support.page_rules
local M = {}

local first, self = "scripts/test begins with it", "it is what runs this"
local alone = " --programs 0 --convs 0 --no-files"
local writes = "it writes into the tree; spec/docs_spec.lua compares what it would write"
local minutes, system, network = "it takes minutes", "it changes the system", "it needs the network"
local gpu, asan, packages = "it needs a GPU", "it needs build/asan", "spec/packages_spec.lua does, in a folder"

--- By page: {text, reason =}: not run, but its words are looked at (programs and files of the tree, options, packages).
-- {text, from =, to =}: run with another text. {text, says =}: what comes out. seldom: of these one a day, and all
-- where TH_ALL is set.
M.rules = {
  ["CONTRIBUTING.md"] = {
    { "scripts/setup && scripts/build", reason = first },
    { "scripts/test", reason = self },
  },
  ["README.md"] = {
    { "scripts/demo", reason = minutes .. "; spec/training_examples_spec.lua has its program" },
    { "scripts/test", reason = self },
  },
  ["docs/architecture.md"] = {
    { "scripts/build && build/theano scripts/make-reference", reason = writes },
    { "scripts/check && scripts/test", reason = self },
  },
  ["docs/config.md"] = { { "THEANO_FLAGS=", says = "float32\tfast_compile\n" } },
  ["docs/cuda.md"] = {
    { "scripts/gpu-bundle", reason = minutes .. "; spec/gpu_bundle_spec.lua makes a part" },
    { "tar xf theano-gpu.tar.xz", reason = gpu .. ": it is of the other machine" },
    { "scripts/gpu-test", reason = gpu },
    { "build/theano scripts/gpu-bench", reason = gpu },
  },
  ["docs/embedding.md"] = { { "./host", says = "14, 2 4 6\n" } },
  ["docs/experiments.md"] = {
    { "theano sweep", from = "seed=1:5", to = "seed=1" },
    { "theano doctor", from = "; theano bench", to = "" }, -- which takes seconds
  },
  ["docs/install.md"] = {
    { "apt-get", reason = system },
    { "cmake -S", reason = minutes .. "; spec/packages_spec.lua installs this build" },
    { "ninja", reason = minutes },
    { "cmake --install", reason = packages },
    { "/opt/theano/bin/theano", reason = packages },
    { "export PKG_CONFIG_PATH", reason = packages },
    { "cc game.c", reason = packages },
    { "scripts/package", reason = "spec/packages_spec.lua installs and moves the same" },
    { "luarocks", reason = minutes },
    { "dpkg-buildpackage", reason = minutes },
    { "podman", reason = network .. ", and programs that build images" },
  },
  ["docs/jupyter.md"] = {
    { "pip", reason = network },
    { "python3 editor/jupyter/theano_kernel.py install",
      reason = "it needs ipykernel; spec/jupyter_spec.lua asks what the kernel asks" },
    { "jupyter", reason = "it serves a browser" },
  },
  ["docs/repl.md"] = { { "$ build/theano -i", reason = "spec/repl_spec.lua types it and compares" } },
  ["docs/testing.md"] = {
    { "scripts/test", reason = self },
    { "scripts/matrix", reason = "it is many times scripts/test" },
    { "scripts/check", reason = "it is the first stage of scripts/test" },
    { "build/theano /usr/bin/busted", from = "spec/grad_spec.lua", to = "spec/nothing_spec.lua" },
    { "build/theano scripts/golden", reason = "spec/golden_spec.lua does, and writes nothing" },
    { "build/theano scripts/golden --units", reason = "spec/units_spec.lua does" },
    { "build/theano scripts/golden --unit ", seldom = true },
    { "scripts/coverage", reason = "it needs a build of its own" },
    { "scripts/setup --gpu-tests", reason = network },
    { "build/theano scripts/gpu-proof", reason = minutes .. "; spec/cuda_proof_spec.lua tries a part" },
    { "build/theano scripts/fuzz --seed", from = "2000", to = "2" .. alone, seldom = true },
    { "build/asan/theano", reason = asan },
    { "build/theano scripts/fuzz --graphs", from = "1000", to = "2" .. alone, seldom = true },
    { "build/theano scripts/fuzz --programs", from = "200", to = "2 --graphs 1 --convs 0 --no-files", seldom = true },
    { "build/theano scripts/fuzz --device", reason = "it takes hours" },
    { "build/theano scripts/fuzz --api 20000", from = "20000", to = "20", seldom = true },
    { "build/theano scripts/fuzz --api 1 ", seldom = true },
    { "scripts/fuzz-api", reason = asan },
    { "build/spec/kills", from = "1000 1000", to = "2 2", seldom = true },
    { "build/spec/alloc_failures", reason = minutes .. "; scripts/test runs a part" },
    { "scripts/fuzz-files", from = "2000000", to = "2000", seldom = true },
    { "scripts/fuzz-models", reason = asan },
    { "build/theano scripts/make-reference", reason = writes },
  },
  ["examples/README.md"] = {
    { "build/theano examples/game/train.lua", from = "policy.thn", to = "policy.thn 3" },
    { "build/examples/game/game policy.thn --frames", from = "240", to = "30" },
    { "build/examples/game/game policy.thn", reason = "it opens a window" },
    { "build/examples/service/service", from = "b.thn 8", to = "b.thn 8 2000" },
  },
}

--- Programs that a command of a page may begin with, beside the tree's: what brings them.
M.programs = {
  ["/opt/theano/bin/theano"] = "what the page installs", export = "the shell",
  ["apt-get"] = "Debian", tar = "Debian", cd = "the shell", cmake = "cmake", ninja = "ninja-build", podman = "podman",
  luarocks = "luarocks", ["dpkg-buildpackage"] = "debhelper", pip = "python3-pip", python3 = "python3",
  jupyter = "notebook", theano = "theano-lua", gcc = "gcc", cc = "gcc",
}

return M
