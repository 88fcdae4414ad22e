/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod: the cache of the user's debuginfod client.
 *
 * gdb, perf and others fetch debugging information by build id from servers that the user
 * chose, and keep it in one cache (debuginfod_find_debuginfo(3)). Files in it can be used
 * without a network, like those in a --debug-dir. Any thread.
 */
#ifndef CPROFTOP_DEBUGINFOD_H
#define CPROFTOP_DEBUGINFOD_H

/* The directories GIVEN (--debug-dir; NULL: none), followed by the cache if there is one.
   To be freed by the caller. LOOK_UP is getenv, or a test's own function. */
char *debuginfod_dirs(const char *given, char *(*look_up)(const char *name));

/* The folder that the client would use, made if it is not there; NULL if it cannot be. To be
   freed. */
char *debuginfod_make_cache(char *(*look_up)(const char *name));

#endif
