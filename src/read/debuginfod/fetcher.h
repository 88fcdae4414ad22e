/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetcher: a process that asks the servers in $DEBUGINFOD_URLS, by libdebuginfod.
 *
 * A server is not trusted, and neither is who reads hostile files: so the network is not in
 * the same process as these. The fetcher (src/base/worker/own-process.h) has nothing of main's. It
 * keeps the user who called us, because the cache of files is theirs, but no capabilities; where
 * the kernel has Landlock, it reads and writes the cache, reads what TLS and the search for
 * addresses need of the system, and no other file; it reaches no other process. The library is
 * loaded at run time, in the fetcher: to link it would load curl and TLS at every start.
 *
 * One order at a time. It ends with the socket, and is killed with the thread that began it.
 */
#ifndef CPROFTOP_FETCHER_H
#define CPROFTOP_FETCHER_H

#include "src/base/error.h"
#include "src/base/worker/own-process.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	FETCHER_ID_MAX = 256,
};

/* One packet each. */
struct fetcher_order {
	char build_id[FETCHER_ID_MAX]; /* hex digits */
	char source[PATH_MAX]; /* the source file that is wanted; "": the debug file */
};

struct fetcher_news {
	int32_t is_over; /* else it is progress */
	int32_t errnum; /* 0; ENOENT: the servers do not have it; ETIMEDOUT: they say nothing */
	int64_t bytes;	     /* received so far */
	char path[PATH_MAX]; /* of what was found; "" */
};

struct fetcher {
	pid_t pid;
	int socket;
};

extern const struct own_process_kind fetcher_kind;

/* Begin it. CACHE, or NULL, is where it may write. False and ERR: the library is not
   installed. */
bool fetcher_start(struct fetcher *fetcher, const char *cache, struct error *err);

/* Order a file. False: the fetcher has ended. */
bool fetcher_send(const struct fetcher *fetcher, const struct fetcher_order *order);

/* Wait for what it says next. False: it has ended, or talks nonsense. */
bool fetcher_receive(const struct fetcher *fetcher, struct fetcher_news *news);

/* Have it give up what it does: fetcher_receive returns, also in another thread. */
void fetcher_hang_up(const struct fetcher *fetcher);

/* After that: wait a limited time for it, then kill it. */
void fetcher_end(struct fetcher *fetcher);

#endif
