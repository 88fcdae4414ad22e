/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin: what the file that a profile was read from says, and a report has no place for.
 *
 * A report counts one kind of value and knows threads by name and number. A file may have
 * several kinds of values (allocated objects, allocated bytes), any labels, a comment, and
 * flags of mappings and locations. All of that is kept here, so that a format which has
 * these things too can write them again. What was sampled by us has no origin.
 *
 * Who reads the file fills it; after that nobody changes it, and any thread may read it.
 * Reference-counted. Its strings are the profile's and live as long as that.
 */
#ifndef CPROFTOP_ORIGIN_H
#define CPROFTOP_ORIGIN_H

#include "src/base/idmap.h"
#include "src/base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a number counts, as pprof has it: "cpu" in "nanoseconds". */
struct value_type {
	const char *type, *unit;
};

/* How a value is shown, and what makes it ns or bytes. */
enum value_kind {
	VALUE_COUNT, /* also of a unit that is not known here */
	VALUE_TIME,
	VALUE_BYTES,
};

enum value_kind value_kind(const struct value_type *type, uint64_t *scale);

/* A text, or if that is "" a number in a unit. */
struct label {
	const char *key, *text, *unit;
	int64_t number;
};

enum location_flags {
	LOCATION_FOLDED = 1, /* one of several functions with the same code */
	LOCATION_NAMELESS =
		2, /* the file has no name for it: that in the profile is ours */
};

/* What the file promises of all locations in a mapping (src/base/proto/profile.proto). */
struct mapping_claims {
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct label_range {
	uint32_t first, count; /* in labels */
};

struct origin_moment {
	uint64_t time_ns;   /* in reports: ORIGIN_START_NS and later */
	uint64_t weight_ns; /* by which values were shared */
	uint32_t row;
	uint32_t place; /* of its values, in moment_values */
	uint32_t count; /* samples: fewer than they stand for; 0: not known */
};

enum {
	ORIGIN_START_NS = 1 /* of time_ns below */
};

struct origin {
	_Atomic unsigned references;
	VEC(struct value_type) types;
	const char *default_type; /* the type to show first; "": the file does not say */
	struct value_type period_type;
	bool has_period_type;
	int64_t period, time_ns, duration_ns;		 /* 0: not said. time_ns: UTC */
	const char *drop_frames, *keep_frames, *doc_url; /* "": none */
	const char *title;   /* what the file calls itself; "": nothing */
	const char *command; /* what was sampled; "": the file does not say */
	int64_t pid;	     /* the same; 0: not said */
	VEC(const char *) comments;

	VEC(struct label) labels;
	VEC(struct label_range) of_thread; /* by the profile's ids */
	VEC(struct mapping_claims) of_mapping;
	struct idmap location_flags; /* (location, 0) -> enum location_flags */
	struct idmap columns;	     /* (location, index of the line) -> column */

	struct idmap rows; /* (thread, stack) -> row of values */
	VEC(int64_t) values;

	/* When the samples were taken, if the file says so: all values of a row are shared
	   among its moments. */
	VEC(struct origin_moment) moments; /* by time */
	VEC(int64_t) moment_values;	   /* one for each type and moment */
	uint64_t tick_ns, weight_ns; /* what their times and weights are multiples of */
};

struct origin *origin_create(void);			/* one reference */
struct origin *origin_ref(const struct origin *origin); /* NULL is fine, also below */
void origin_unref(const struct origin *origin);

/* A copy of all that ORIGIN says, without its rows of values. The caller adds those and may
   change the labels before anybody else sees it. */
struct origin *origin_copy_facts(const struct origin *origin);

/* The place of TYPE among the types; false: ORIGIN has no such values. */
bool origin_find_type(const struct origin *origin, const char *type, uint32_t *found);

/* How often it was sampled; 0: not known. */
unsigned origin_frequency_hz(const struct origin *origin);

/* The label KEY of THREAD; NULL: it has none, or there is no ORIGIN. */
const struct label *origin_label(
	const struct origin *origin, uint32_t thread, const char *key);

/* Is this the label that says the thread's name? */
bool origin_label_names_thread(const struct label *label);

/* Add VALUES, one for each type, to the row of THREAD and STACK. */
void origin_add_values(
	struct origin *origin, uint32_t thread, uint32_t stack, const int64_t *values);

/* The values of all rows, summed over the moments with FROM_NS <= time < TO_NS; NULL: that
   is all there are. The caller frees it. */
int64_t *origin_part(const struct origin *origin, uint64_t from_ns, uint64_t to_ns);

/* The samples with this THREAD and STACK are one row: its number, in the order in which
   the file has them; and their values together, one for each type. PART, from above: only
   in that range of time, which every export of a report has to ask for; NULL: all. */
uint32_t origin_row(const struct origin *origin, uint32_t thread, uint32_t stack);
const int64_t *origin_values(const struct origin *origin, const int64_t *part,
	uint32_t thread, uint32_t stack);

/* Of line INDEX of LOCATION; 0: not said. */
uint32_t origin_column(const struct origin *origin, uint32_t location, uint32_t index);

/* enum location_flags; 0 also without ORIGIN. */
unsigned origin_location_flags(const struct origin *origin, uint32_t location);

#endif
