/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merging: one stack of locations, leaf first, from the native frames of a sample and the
 * functions of a script.
 *
 * Native code that calls the script's functions, or is called by them, stays where it is, but
 * for the runtime's own: its frames say how a function is run, and not what the program does.
 * The stack begins with the first function of the program; what the runtime and the C library
 * do to start it is left out, too. All this is so of NATIVE_MERGED. The reader's thread.
 */
#ifndef CPROFTOP_MERGING_H
#define CPROFTOP_MERGING_H

#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/snapshot.h"
#include "src/read/names/symbolizer.h"
#include "src/read/reader/reader-options.h"
#include "src/read/reader/script-names.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum merging_code {
	MERGING_OTHER,
	MERGING_LOOP,	  /* the interpreter's loop: its frame is a call of it */
	MERGING_COMPILED, /* what runs in its place */
	MERGING_LEAVING, /* what the loop calls when its function is not in place, or no longer */
};

struct merging {
	struct script_names *names;
	struct symbolizer *symbolizer;
	const struct runtime *runtime; /* NULL: none, or it is not known */
	void *self;		       /* the runtime's object */
	struct region_file file;       /* the runtime's own */
	enum native_frames native;
	const struct snapshot *record;
	const struct callchain *chain;
	uint32_t *locations;
	size_t length, most;
	bool *is_own;	      /* of the locations so far: code that may be left out */
	unsigned char *codes; /* of the frames: enum merging_code; for SCRIPT_MARK_CALL */
	bool has_gone;	      /* a function could not be named any more */
};

/* The native frames alone. */
void merging_put_native(struct merging *merging);

/* The native frames, with the segments of STACK in the place of the interpreter's calls. False:
   the marks are not in the order of the frames. */
bool merging_put_segments(struct merging *merging, const struct script_stack *stack);

/* The native frames, with names for those that are compiled functions of a script. */
void merging_put_compiled(struct merging *merging);

/* Methods of Java have names already (src/read/names/java-names.h). */
void merging_take_methods(struct merging *merging);

/* One more caller of all: [TEXT]. */
void merging_put_label(struct merging *merging, const char *text);

/* Is frame I code of the runtime's file? */
bool merging_is_runtimes(const struct merging *merging, uint32_t i);

#endif
