/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline: all that is kept, in short cells of time.
 *
 * A cell is 20 ms long, or if that would be too many cells, twice as long, and so on. 50
 * cells are a column, so that a column is a second and its cells are fractions of it
 * ("subsecond offset heat map", FlameScope). Columns begin at multiples of their length, so
 * a cell keeps its place while older ones expire.
 *
 * The CPU time of a sample is spread over the time before it: a thread that has used 10 ms
 * since its last sample used them in the 10 ms before this one at the latest. Immutable
 * when it is built. One owner, any thread.
 */
#ifndef CPROFTOP_TIMELINE_H
#define CPROFTOP_TIMELINE_H

#include "src/facts/text/time-mark.h"
#include "src/keep/accounts.h"
#include "src/keep/sample-log.h"
#include "src/keep/strain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_CELL_NS UINT64_C(20000000)

enum {
	TIMELINE_COLUMN = 50,	       /* cells of a column */
	TIMELINE_CELLS_MOST = 1 << 17, /* 43 minutes of 20 ms */
};

struct timeline_cell {
	uint64_t
		value; /* of the counted samples: CPU time, in ns; of a file, what it has */
	uint64_t charged_ns; /* what the kernel charged to all processes */
	uint64_t samples;    /* counted */
};

struct timeline {
	uint64_t start_ns, end_ns; /* monotonic: what is kept */
	uint64_t start_wall_ns;	   /* UTC, since 1970; 0: not known */
	uint64_t cell_ns;	   /* a multiple of TIMELINE_CELL_NS */
	uint64_t first_ns;	   /* of cells[0]; at most start_ns */
	struct timeline_cell *cells;
	size_t n_cells;
	bool is_part;	 /* there are samples that were not counted */
	bool is_charged; /* the kernel's figures are known */
	struct strain *strains;
	size_t n_strains;
	struct time_mark *notes; /* instants that somebody has named, by time */
	size_t n_notes;
};

struct timeline_input {
	uint64_t start_ns, end_ns, start_wall_ns;
	const struct sample_log
		*samples; /* only those of running threads are looked at */
	bool is_time;	  /* their cpu_ns is time, and can be spread */
	/* Is SAMPLE counted? */
	bool (*counts)(void *context, const struct sample *sample);
	void *context;
	const struct cpu_mark *marks; /* oldest first */
	size_t n_marks;
	const struct strains *strains; /* NULL: none */
	const struct time_mark *notes; /* oldest first */
	size_t n_notes;
};

/* NULL if there is no time between start and end. */
struct timeline *timeline_build(const struct timeline_input *input);
void timeline_destroy(struct timeline *timeline); /* NULL is fine */

/* The sum of the cells that begin in [FROM_NS, TO_NS). */
struct timeline_cell timeline_sum(
	const struct timeline *timeline, uint64_t from_ns, uint64_t to_ns);

/* The index of the cell of TIME_NS, which is at most the last one. */
size_t timeline_cell_at(const struct timeline *timeline, uint64_t time_ns);

#endif
