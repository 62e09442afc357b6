# What `cmake --install` puts where: programs and libraries, headers, what finds them (pkg-config, CMake), Lua's modules,
# the licence, the manual page, words for the shell. Nothing of it names the tree or the prefix, so it can be moved
# (scripts/package makes an archive of it). With TH_ROCK only what LuaRocks keeps.
include(CMakePackageConfigHelpers)

# ---- Lua's modules and the runner
if(TARGET theano_core)
  install(TARGETS theano_core LIBRARY DESTINATION ${TH_LUA_C_DIR}/theano)
  install(DIRECTORY lua/theano DESTINATION ${TH_LUA_DIR} FILES_MATCHING PATTERN "*.lua")
endif()
if(TARGET runner)
  install(TARGETS runner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lua/compiled/ DESTINATION ${TH_LUA_DIR}/theano/compiled
    FILES_MATCHING PATTERN "*.luac")
endif()
if(TH_ROCK)
  return()
endif()

# ---- the libraries
set(targets theano_static theano_deps)
if(TARGET theano)
  list(APPEND targets theano)
endif()
install(TARGETS ${targets} EXPORT theanoTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/theano*.h)
install(FILES ${headers} lua/theano_lua.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ---- find_package(theano)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/theano)
configure_package_config_file(cmake/theanoConfig.cmake.in ${PROJECT_BINARY_DIR}/theanoConfig.cmake
  INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/theanoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/theanoConfig.cmake ${PROJECT_BINARY_DIR}/theanoConfigVersion.cmake
  DESTINATION ${folder})
install(EXPORT theanoTargets NAMESPACE theano:: DESTINATION ${folder})

# ---- pkg-config theano: paths from where the file lies
file(RELATIVE_PATH TH_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" TH_UP "${TH_UP}")
set(TH_PRIVATE "-lm -ldl -lpthread")
set(TH_REQUIRES "")
if(TH_ZIP)
  set(TH_REQUIRES zlib)
endif()
configure_file(cmake/theano.pc.in ${PROJECT_BINARY_DIR}/theano.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/theano.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- what an editor and Jupyter read (docs/editor.md, docs/jupyter.md)
install(DIRECTORY editor/ DESTINATION ${CMAKE_INSTALL_DATADIR}/theano/editor
  FILES_MATCHING PATTERN "*.lua" PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

# ---- the licence, the manual page, words for the shell
install(FILES LICENSE THIRD_PARTY.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/theano.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET runner)
  set(words ${PROJECT_BINARY_DIR}/bash-completion/theano)
  add_custom_command(OUTPUT ${words}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bash-completion
    COMMAND runner -e "assert(io.open(arg[1], 'w')):write(require('theano.runner.completion').bash)" ${words}
    DEPENDS runner ${PROJECT_SOURCE_DIR}/lua/theano/runner/completion.lua VERBATIM)
  add_custom_target(bash_completion ALL DEPENDS ${words})
  install(FILES ${words} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
