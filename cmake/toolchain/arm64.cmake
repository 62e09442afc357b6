# 64-bit ARM with glibc, by Debian's cross compiler; tests run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# Not qemu's -L: with it "/" is another folder than its files' paths say to the compiler that generated C is given to.
set(root /usr/aarch64-linux-gnu/lib)
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,--dynamic-linker=${root}/ld-linux-aarch64.so.1 -Wl,-rpath,${root} -Wl,--disable-new-dtags")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
# Lua, which the cross compiler does not bring (scripts/platforms --setup).
get_filename_component(unpacked ${CMAKE_CURRENT_LIST_DIR}/../../build/platforms/root-arm64 ABSOLUTE)
if(EXISTS ${unpacked}/usr/include)
  list(APPEND CMAKE_FIND_ROOT_PATH ${unpacked})
  set(ENV{PKG_CONFIG_LIBDIR} ${unpacked}/usr/lib/aarch64-linux-gnu/pkgconfig)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${unpacked})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
