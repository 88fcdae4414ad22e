/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader-options: what a reader (src/read/reader/reader.h) is given when it begins.
 */
#ifndef CPROFTOP_READER_OPTIONS_H
#define CPROFTOP_READER_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct reader_options {
	int orders, facts;	/* sockets to main */
	int opener;		/* the same, to main's opener (src/base/ask-opener.h); */
	int wake;		/* an eventfd: there are records */
	atomic_ulong *pulse;	/* in shared memory; grows while it works */
	bool several;		/* there may be several processes */
	bool with_lines;	/* source lines are wanted, ... */
	bool lines_at_once;	/* ... while sampling; else when they are asked for */
	bool with_code;		/* instructions may be asked for */
	bool fetches;		/* debug files are fetched */
	uint64_t file_bytes;	/* see image_cache_create */
	const char *debug_dirs; /* see address_space_create; or NULL */
};

#endif
