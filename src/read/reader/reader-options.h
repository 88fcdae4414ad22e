/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader-options: what a reader (src/read/reader/reader.h) is given when it begins: these
 * descriptors, and by the first packet of its orders a struct of options, with the text behind it.
 */
#ifndef CPROFTOP_READER_OPTIONS_H
#define CPROFTOP_READER_OPTIONS_H

#include "src/base/worker/own-process.h"
#include "src/facts/engine.h"
#include "src/facts/event.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	READER_ORDERS = OWN_PROCESS_SOCKET, /* sockets to main: */
	READER_FACTS,
	READER_OPENER, /* and to its opener (src/base/ask-opener.h) */
	READER_WAKE,   /* an eventfd: there are records */
	READER_PULSE,  /* shared memory: an atomic_ulong, which grows while it works */
	READER_FDS_END
};

/* Which native frames stacks have, beside the functions of a script. */
enum native_frames {
	NATIVE_MERGED, /* those that are not the interpreter's own */
	NATIVE_FULL,
	NATIVE_NONE, /* none, if there are such functions */
};

struct reader_options {
	bool several;	    /* there may be several processes */
	bool with_lines;    /* source lines are wanted, ... */
	bool lines_at_once; /* ... while sampling; else when they are asked for */
	bool with_code;	    /* instructions may be asked for */
	bool fetches;	    /* debug files are fetched */
	enum native_frames native;
	bool source_maps; /* files and lines of scripts are those of what they were made of */
	struct event event; /* what is counted */
	enum unwind_by unwind_by;
	uint64_t file_bytes;	/* see image_cache_create */
	uint64_t ring_bytes;	/* so much address space may the rings take */
	const char *debug_dirs; /* see address_space_create; or NULL */
};

#endif
