/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart: profiles are read by a process of their own, which has no rights.
 *
 * A profile may have come from anybody, and what reads it may be taken over by it, or never come
 * to an end. So main opens each file and looks at nothing in it; a child (as src/read/reader/reader.h)
 * reads what is open, and adds up what it is told to. In the end main takes over what has come
 * of it as checked data (src/count/import/recording-stream.h). What the child can do at worst is to tell lies
 * about the files. If it dies, what was to be read cannot be read.
 *
 * Main thread; waits for the child.
 */
#ifndef CPROFTOP_APART_H
#define CPROFTOP_APART_H

#include "src/base/error.h"
#include "src/count/import/recording.h"
#include "src/run/profiles/apart-child.h"

#include <stdbool.h>
#include <sys/types.h>

struct apart {
	size_t most_bytes; /* of what it adds up, and of reports of that */
	int socket;	   /* -1: there is none, or no longer */
	pid_t child;
	const char *name; /* of what it has read last: borrowed */
};

/* Begin it. MOST_BYTES: of a recording (src/count/import/recording.h). Call apart_end in any
   case. */
bool apart_begin(struct apart *apart, size_t most_bytes, struct error *err);
void apart_end(struct apart *apart);

/* Have it add what PATH has ("-": standard input). ERR names the file. */
bool apart_add(struct apart *apart, const char *path, struct error *err);

/* The same with a file that nobody named, because it is in a folder: if all of it can be read, and it
   counts what the files before it do. */
enum apart_added apart_add_found(
	struct apart *apart, const char *path, struct error *err);

/* Does PATH, of a folder, begin as a profile? */
bool apart_is_profile(struct apart *apart, const char *path);

/* Take what all files have together into RECORDING, which the caller finishes in any case. The next
   files are another one's. */
bool apart_take(struct apart *apart, struct recording *recording, struct error *err);

#endif
