# What only the project itself needs, not one that takes it in: the runner, the mutation check, the emulated CUDA driver,
# C tests, host examples, benchmarks. Installing is cmake/install.cmake.

# The runner holds the engine, the Lua module and the whole of Lua, and exports lua_* to C modules that scripts load. It
# enters luaopen_theano_core into package.preload, so core.so is never loaded beside it.
function(th_runner name objects)
  add_executable(${name} ${TH_RUNNER} $<TARGET_OBJECTS:theano_lua> $<TARGET_OBJECTS:theano_objects> ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME theano ENABLE_EXPORTS ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/core ${LUA_INCLUDE_DIRS})
  get_filename_component(installed ${TH_LUA_DIR} ABSOLUTE BASE_DIR ${CMAKE_INSTALL_PREFIX})
  target_compile_definitions(${name} PRIVATE
    TH_INSTALLED_LUA="${installed}")
  if(LIBEDIT_FOUND) # line editing of `theano -i`: opened when it is wanted; without it lines are read plainly
    target_include_directories(${name} PRIVATE ${LIBEDIT_INCLUDE_DIRS})
    target_compile_definitions(${name} PRIVATE TH_HAVE_LIBEDIT=1)
  endif()
  find_library(LUA_STATIC NAMES liblua5.4.a HINTS ${LUA_LIBRARY_DIRS})
  if(LUA_STATIC)
    target_link_libraries(${name} PRIVATE theano_deps -Wl,--whole-archive ${LUA_STATIC} -Wl,--no-whole-archive)
  else()
    target_link_libraries(${name} PRIVATE theano_deps PkgConfig::LUA)
  endif()
endfunction()

if(TH_LUA AND EXISTS ${PROJECT_SOURCE_DIR}/lua/main.c)
  th_runner(runner "${TH_COMMON_OBJECTS}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lua/tree CONTENT "${PROJECT_SOURCE_DIR}/lua") # (lua/modules.c)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mutants/lua/tree CONTENT "${PROJECT_SOURCE_DIR}/lua")
endif()
if(TH_COMMON)
  include(cmake/common.cmake)
endif()

# Our modules as Lua's code: `require "theano"` in a third of the time (lua/modules.c).
if(TARGET runner)
  file(GLOB TH_MODULES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lua/theano/*.lua)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/lua/compiled/made
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lua/compiled
    COMMAND runner ${PROJECT_SOURCE_DIR}/scripts/precompile ${PROJECT_BINARY_DIR}/lua/compiled ${TH_MODULES}
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/lua/compiled/made
    DEPENDS runner scripts/precompile ${TH_MODULES})
  add_custom_target(compiled_modules ALL DEPENDS ${PROJECT_BINARY_DIR}/lua/compiled/made)
endif()

# The mutation check's runner (ninja mutants): the engine's objects, but for the two files that hold the tables, which are
# built once more with a hook that breaks the line that the environment variable THEANO_MUTANT names.
if(TARGET runner)
  set(TH_HOOKED ${PROJECT_SOURCE_DIR}/core/ops/table/scalar.c ${PROJECT_SOURCE_DIR}/core/opt/rules/rules.c)
  get_target_property(sources runner SOURCES)
  list(REMOVE_ITEM sources "$<TARGET_OBJECTS:theano_objects>" ${TH_COMMON_OBJECTS})
  add_executable(mutants EXCLUDE_FROM_ALL ${sources} ${TH_HOOKED} spec/mutants/mutants.c
    "$<FILTER:$<TARGET_OBJECTS:theano_objects>,EXCLUDE,/core/(ops/table/scalar|opt/rules/rules)[.]c[.]o$>")
  set_target_properties(mutants PROPERTIES OUTPUT_NAME theano ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/mutants)
  target_include_directories(mutants PRIVATE ${PROJECT_SOURCE_DIR}/core ${LUA_INCLUDE_DIRS})
  target_compile_options(mutants PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/spec/mutants/mutants.h")
  get_target_property(definitions runner COMPILE_DEFINITIONS)
  target_compile_definitions(mutants PRIVATE ${definitions} TH_MUTANTS TH_TABLE=)
  get_target_property(libraries runner LINK_LIBRARIES)
  target_link_libraries(mutants PRIVATE ${libraries})
endif()

# ---- the CUDA driver without a GPU: device=cuda-emulated finds it beside the program ---------------------------------
if(TH_CUDA)
  file(GLOB TH_EMULATED CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/emulated/*.c)
  add_library(cuda_emulated MODULE ${TH_EMULATED})
  set_target_properties(cuda_emulated PROPERTIES OUTPUT_NAME cuda-emulated)
  target_compile_options(cuda_emulated PRIVATE -Wno-missing-prototypes)
  target_link_libraries(cuda_emulated PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
endif()

# ---- tests and host examples ---------------------------------------------------------------------------------------
# What this build or system has not got and a C test includes: its text is asked, so that a new test needs no line here.
function(th_test_lacks out file)
  get_filename_component(name ${file} NAME_WE)
  file(GLOB parts ${PROJECT_SOURCE_DIR}/spec/c/${name}/*.[ch])
  set(lacks "")
  foreach(part IN ITEMS ${file} ${parts})
    file(STRINGS ${part} lines REGEX "^#include|backend_c\\.build|\"(build|backend_c|text|schedule|runtime/factor)/|(setenv|symlink|mkdtemp|aligned_alloc|getpid)[(]")
    if(NOT TH_LUA AND lines MATCHES "<lua")
      set(lacks "TH_LUA is off")
    elseif(NOT TH_CUDA AND (lines MATCHES "\"(backend_cuda|runtime/(device|gpu))/"))
      set(lacks "TH_CUDA is off")
    elseif(NOT TH_COMPILER AND (lines MATCHES "\"(build|backend_c|text)/|\"build_test.h|backend_c[.]build|runtime/tune.h"))
      set(lacks "TH_COMPILER is off")
    elseif(NOT TH_COMPILER AND NOT TH_CUDA AND lines MATCHES "\"schedule/")
      set(lacks "TH_COMPILER and TH_CUDA are off")
    elseif(NOT TH_ZIP AND lines MATCHES "<zlib.h>")
      set(lacks "TH_ZIP is off")
    elseif(NOT TH_RANDOM AND name MATCHES "random")
      set(lacks "TH_RANDOM is off")
    elseif(NOT TH_LINALG AND (name MATCHES "^(alloc_failures|host_calls)$" OR lines MATCHES "\"runtime/factor/"))
      set(lacks "TH_LINALG is off")
    elseif(NOT TH_OS_POSIX AND lines MATCHES "<(sys/wait|sys/resource|dlfcn)[.]h>")
      set(lacks "this system has no processes")
    elseif(WIN32 AND lines MATCHES "(setenv|symlink|mkdtemp|aligned_alloc)[(]")
      set(lacks "it calls what POSIX has")
    elseif(TH_OS_WASI AND lines MATCHES "(getpid|symlink|mkdtemp)[(]")
      set(lacks "it calls what POSIX has")
    elseif(TH_OS_WASI AND lines MATCHES "<pthread[.]h>")
      set(lacks "this system has no threads")
    endif()
  endforeach()
  set(${out} "${lacks}" PARENT_SCOPE)
endfunction()

if(TH_TESTS)
  enable_testing()
  set(seconds 300)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set(seconds 1800)
  endif()
  file(GLOB TH_SPECS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/c/*.c)
  foreach(file IN LISTS TH_SPECS)
    get_filename_component(name ${file} NAME_WE)
    th_test_lacks(lacks ${file})
    if(lacks)
      message(STATUS "spec/c/${name}.c is left out: ${lacks}")
      continue()
    endif()
    file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/c/${name}/*.c) # more of a large one
    add_executable(spec_${name} ${file} ${parts})
    set_target_properties(spec_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/spec)
    if(name MATCHES "lua") # a program around Lua: the shared library, which the module brings too
      target_link_libraries(spec_${name} PRIVATE theano PkgConfig::LUA Threads::Threads m)
      target_include_directories(spec_${name} PRIVATE ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR}/lua)
      target_compile_definitions(spec_${name} PRIVATE
        TH_TREE_LUA="${PROJECT_SOURCE_DIR}/lua" TH_BUILD_LUA="${PROJECT_BINARY_DIR}/lua")
      add_dependencies(spec_${name} theano_core)
    else()
      target_link_libraries(spec_${name} PRIVATE theano_internal)
    endif()
    add_test(NAME ${name} COMMAND spec_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds} SKIP_RETURN_CODE 77)
    if(name MATCHES "^(backend_cuda|gemm|schedule_nest)$") # the longest start first
      set_tests_properties(${name} PROPERTIES COST 100)
    endif()
  endforeach()

  if(TH_CUDA)
    foreach(name IN ITEMS device backend_cuda dlpack alloc_failures threads_device)
      if(NOT TARGET spec_${name})
        continue()
      endif()
      target_compile_definitions(spec_${name} PRIVATE TH_EMULATED="$<TARGET_FILE:cuda_emulated>")
      add_dependencies(spec_${name} cuda_emulated)
    endforeach()

    # Kernels' texts through NVRTC, for spec/cuda_proof_spec.lua.
    add_executable(cuda_assemble ${PROJECT_SOURCE_DIR}/spec/gpu/assemble.c)
    set_target_properties(cuda_assemble PROPERTIES OUTPUT_NAME cuda-assemble)
    target_link_libraries(cuda_assemble PRIVATE theano_internal)
  endif()

  # Hosts link the shared library; those whose name says lua also link Lua.
  file(GLOB TH_HOSTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/host/*.c)
  foreach(file IN LISTS TH_HOSTS)
    get_filename_component(name ${file} NAME_WE)
    if(NOT TARGET theano OR (name MATCHES "lua" AND NOT TARGET theano_core))
      continue()
    endif()
    add_executable(host_${name} ${file})
    set_target_properties(host_${name} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples/host)
    target_link_libraries(host_${name} PRIVATE theano Threads::Threads m)
    if(name MATCHES "lua")
      target_link_libraries(host_${name} PRIVATE PkgConfig::LUA)
      target_include_directories(host_${name} PRIVATE ${PROJECT_SOURCE_DIR}/lua)
      target_compile_definitions(host_${name} PRIVATE
        TH_TREE_LUA="${PROJECT_SOURCE_DIR}/lua"  # for package.path: this folder's ?.lua and ?/init.lua
        TH_BUILD_LUA="${PROJECT_BINARY_DIR}/lua") # for package.cpath: this folder's ?.so
      add_dependencies(host_${name} theano_core)
    endif()
  endforeach()
endif()

# Programs around a saved model. The game needs Lua, and SDL2 for its window.
if(TH_TESTS AND TARGET theano AND TH_OS_POSIX)
  add_executable(service ${PROJECT_SOURCE_DIR}/examples/service/service.c)
  set_target_properties(service PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples/service)
  target_link_libraries(service PRIVATE theano Threads::Threads m)
  if(TH_LUA)
    pkg_check_modules(SDL2 IMPORTED_TARGET sdl2)
    file(GLOB TH_GAME CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/game/*.c)
    add_executable(game ${TH_GAME})
    set_target_properties(game PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples/game)
    target_compile_definitions(game PRIVATE GAME_RULES="${PROJECT_SOURCE_DIR}/examples/game/rules.lua")
    target_link_libraries(game PRIVATE theano PkgConfig::LUA m)
    if(SDL2_FOUND)
      target_link_libraries(game PRIVATE PkgConfig::SDL2)
      target_compile_definitions(game PRIVATE GAME_SDL)
    endif()
  endif()
endif()

# C benchmarks see internals like the tests; `ninja benches` (bench/run) builds them.
file(GLOB TH_BENCHES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
add_custom_target(benches)
set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/hostcalls.c PROPERTIES COMPILE_OPTIONS "-O3;-march=native")
set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/limits.c PROPERTIES COMPILE_OPTIONS
  "-O3;-march=native;-mprefer-vector-width=512;-ffp-contract=fast;-fno-math-errno") # what this very machine can do
foreach(file IN LISTS TH_BENCHES)
  get_filename_component(name ${file} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${file})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_link_libraries(bench_${name} PRIVATE theano_internal)
  add_dependencies(benches bench_${name})
endforeach()

include(cmake/install.cmake)
