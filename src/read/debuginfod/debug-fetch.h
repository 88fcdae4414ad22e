/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug-fetch: fetch debug and source files by build id from the servers in $DEBUGINFOD_URLS.
 *
 * Only with --debuginfod, because it sends the build ids of what the target runs over the
 * network. libdebuginfod asks the servers (debuginfod_find_debuginfo(3)) and keeps what
 * it gets in the user's cache; it is in a process of its own (fetcher.h). A thread waits for
 * that, one file at a time, so that no other thread has to. A file that was not found is not
 * asked for again. If a server does not answer for half a minute, all servers are given up. A file
 * that grows beyond $DEBUGINFOD_MAXSIZE bytes (2 GiB if that is not set), whatever the
 * server said of its size, is given up and removed; the library tells its size once a
 * second.
 *
 * Create and destroy are for the main thread; the other functions for any thread in
 * between.
 */
#ifndef CPROFTOP_DEBUG_FETCH_H
#define CPROFTOP_DEBUG_FETCH_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct debug_fetch;

enum debug_fetch_state {
	DEBUG_FETCH_PENDING,
	DEBUG_FETCH_FOUND,
	DEBUG_FETCH_NONE,
};

/* URLS is $DEBUGINFOD_URLS, CACHE the folder for the files, or NULL. NULL and ERR if there is no server, or if the library is not
   installed. */
struct debug_fetch *debug_fetch_create(
	const char *urls, const char *cache, struct error *err);

/* Give up what is being fetched. NULL is fine. */
void debug_fetch_destroy(struct debug_fetch *fetch);

/* Ask for the debug file of BUILD_ID (hex digits), if that was not done yet; MODULE is
   its name in progress messages. If DEBUG_FETCH_FOUND, *PATH is the file; the string
   stays valid. */
enum debug_fetch_state debug_fetch_ask(struct debug_fetch *fetch, const char *build_id,
	const char *module, const char **path);

/* The same for a source file of the program with BUILD_ID, by the path SOURCE that its
   debugging information has. Any thread, as debug_fetch_ask. */
enum debug_fetch_state debug_fetch_ask_source(struct debug_fetch *fetch,
	const char *build_id, const char *source, const char **path);

/* The file that is being fetched, as "libc.so.6 1.2M" (cut to SIZE). False if there is
   none. */
bool debug_fetch_progress(struct debug_fetch *fetch, char *text, size_t size);

/* The result: "debuginfod: 2 files fetched, 1 not found". False if nothing was asked
   for. */
bool debug_fetch_result(struct debug_fetch *fetch, char *text, size_t size);

#endif
