/*
 * paths.h -- the part of os.h about files that take another one's place.
 */
#ifndef TH_BASE_PATHS_H
#define TH_BASE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* The path becomes the one that its links lead to, also where nothing stands yet; false with errno: they lead nowhere.
   Links of /proc and /dev/fd stay: they stand for what is open, which no path may lead to. */
bool os_follow(char *path, size_t room);
/* A new file gets the owner and rights of what stands at a path, if anything does; false: that may not be written. */
bool os_inherit(int fd, const char *path);

#endif
