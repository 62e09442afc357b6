# Kernels that many programs share, compiled with the library (core/build/common.c). A runner without them writes the
# texts of the functions of scripts/common, for each width of vectors; common_kernels makes C files of these, which are
# compiled as units are (fixed_flags of core/build/build.c) and linked into everything that holds the engine.
set(TH_COMMON_FILES 64) # functions at most
set(widths 16)
if(TH_WIDE)
  set(widths 16 32 64)
endif()
set(folder ${PROJECT_BINARY_DIR}/common)
file(MAKE_DIRECTORY ${folder})
set(sources ${folder}/common_sets.c)
foreach(width IN LISTS widths)
  set(isa "")
  if(width EQUAL 32)
    set(isa ${TH_ISA_avx2})
  elseif(width EQUAL 64)
    set(isa ${TH_ISA_avx512})
  endif()
  math(EXPR last "${TH_COMMON_FILES} - 1")
  foreach(i RANGE ${last})
    list(APPEND sources ${folder}/common_${width}_${i}.c)
    set_source_files_properties(${folder}/common_${width}_${i}.c PROPERTIES COMPILE_OPTIONS
      "-O2;-fno-math-errno;-fno-trapping-math;-w;-g0;${isa}")
  endforeach()
endforeach()

th_runner(common_runner "")
set_target_properties(common_runner PROPERTIES EXCLUDE_FROM_ALL ON)
add_executable(common_kernels EXCLUDE_FROM_ALL cmake/common.c)
target_link_libraries(common_kernels PRIVATE theano_internal)
set_target_properties(common_runner common_kernels PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${folder})
file(CONFIGURE OUTPUT ${folder}/lua/tree CONTENT "${PROJECT_SOURCE_DIR}/lua") # (lua/modules.c)

add_custom_command(OUTPUT ${sources}
  COMMAND common_runner ${PROJECT_SOURCE_DIR}/scripts/common ${folder} ${widths}
  COMMAND common_kernels ${folder} ${TH_COMMON_FILES} ${widths}
  DEPENDS common_runner common_kernels scripts/common
  VERBATIM COMMENT "kernels that many programs share")
add_library(theano_common OBJECT ${sources})
target_include_directories(theano_common PRIVATE ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(theano_common PRIVATE theano_deps)
