/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the samples of one or several files, and reports of them.
 *
 * A reader (src/count/import/import-NAME.c) says which types its values have, makes locations
 * and threads, and adds samples. What several files say of one stack is added up. Texts
 * from a file are cleaned here. All that is hostile about a file ends here, too: tables,
 * stacks and sums have limits, and a file that goes beyond one is refused. Memory has a limit
 * for all of it, also for the reports that will be made of it: what is new beyond that is not
 * kept, and a sample of it counts under RECORDING_LEFT_OUT instead of its stack. One thread at a
 * time; the reports are like any others.
 */
#ifndef CPROFTOP_RECORDING_H
#define CPROFTOP_RECORDING_H

#include "src/base/error.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/facts/naming.h"
#include "src/facts/origin.h"
#include "src/facts/profile.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RECORDING_STACK_MAX = 64 << 10,	 /* frames of one stack */
	RECORDING_FRAMES_MAX = 16 << 20, /* of all different stacks together */
	RECORDING_ENTRIES_MAX = 16
				<< 20, /* locations, functions, threads, samples: each */
	RECORDING_LINES_MAX = 4096,    /* functions inlined at one location */
	RECORDING_TYPES_MAX = 64,
	RECORDING_BYTES_MAX = 340 << 20, /* of it and its reports, together */
	RECORDING_READ_MAX = 288 << 20,	 /* of it and its reader, while files are read */
	RECORDING_THREADS_FULL = 64 << 10, /* so many may be there then */
	RECORDING_TEXT_MAX = 1 << 20,	   /* bytes of a name */
};

#define RECORDING_LEFT_OUT "[left out: no more room]"

/* Ids of what stands for the rest, once the recording is full. */
struct recording_substitutes {
	const char *text;
	uint32_t function, location, stack, thread;
};

struct recording {
	struct profile *profile;
	struct naming *naming;
	struct stacktab *stacktab;
	struct origin *origin;
	struct sample_log samples; /* of the type that is shown */
	uint32_t shown;		   /* index of the type */
	uint32_t last_row;	   /* of the origin: what recording_add added to */
	size_t most_bytes;	   /* RECORDING_BYTES_MAX, or less */
	size_t most_read_bytes;	   /* RECORDING_READ_MAX, or less */
	size_t beside_bytes; /* what the reader holds itself meanwhile: it sets this */
	struct recording_substitutes substitutes; /* once it is full */

	/* Private: what is there already. */
	struct idmap pairs, functions, kin, paths, lines, names, thread_names;
	uint64_t frames;
	bool are_times_settled, is_full;
	bool has_lost_times; /* there was no room for the times of its samples */
	VEC(uint64_t) sums;  /* of the absolute values, by type */
	VEC(char) buffer;
};

void recording_init(struct recording *recording);
void recording_finish(struct recording *recording);

/* Has it all the memory that it may have? Then the functions below that make something new
   return what stands for it, and it has substitutes. */
bool recording_is_full(struct recording *recording);

/* Is there room for so many BYTES beside it, while it is read? */
bool recording_has_room(const struct recording *recording, size_t bytes);

/* Memory, roughly: of all there is; and of what is told of it, with two reports of that, as a
   screen has one while it waits for the next. */
size_t recording_bytes(const struct recording *recording);
size_t recording_shown_bytes(const struct recording *recording);

/* After the last sample: free what only adding has needed. */
void recording_close(struct recording *recording);

/* Which part of the values of TYPE counts under RECORDING_LEFT_OUT: 0 to 1. */
double recording_part_left_out(const struct recording *recording, uint32_t type);

/* LENGTH bytes of TEXT as a string of the profile: cleaned. */
const char *recording_text(struct recording *recording, const char *text, size_t length);

/* A comment of the file, a string of the profile; of several files' equal ones, one. */
void recording_comment(struct recording *recording, const char *text);

/* What the values of the samples that follow are. The second file must have the same as
   the first. */
bool recording_types(struct recording *recording, const struct value_type *types,
	size_t n_types, struct error *err);

/* A function by its name and place, whose strings are the profile's (recording_text). */
uint32_t recording_function(struct recording *recording, const struct function *function);
/* The same for a format that keeps functions of one name in two files apart, where no module
   tells them apart already. */
uint32_t recording_function_of_file(
	struct recording *recording, const struct function *function);

/* What tables show of the file PATH: its last component. */
const char *recording_module(const char *path);

/* A location that has a name and nothing else but the PATH of the file that its code is
   in, "" if that is not known; the same for the same two. */
uint32_t recording_named_location(
	struct recording *recording, const char *name, const char *path);

/* The same of LINE in FUNCTION, an id; 0: it is not known. */
uint32_t recording_line_location(
	struct recording *recording, uint32_t function, uint32_t line, const char *path);

/* A thread called NAME; TID 0: it has no number, and gets one of its own below 0. NAME ""
   and TID 0: the file has no threads. */
uint32_t recording_thread(struct recording *recording, const char *name, int64_t tid);
/* The same with LABELS, which must tell it from all others. */
uint32_t recording_labelled_thread(struct recording *recording, const char *name,
	int64_t tid, const struct label *labels, size_t n_labels);

/* A mapping; CLAIMS may be NULL. */
uint32_t recording_mapping(struct recording *recording, const struct mapping *mapping,
	const struct mapping_claims *claims);

/* Add a sample: LENGTH locations, leaf first, and a value for each type. */
bool recording_add(struct recording *recording, uint32_t thread,
	const uint32_t *locations, size_t length, const int64_t *values,
	struct error *err);

/* The same once more: of ROW, which recording_add has said to be last_row. */
bool recording_add_again(struct recording *recording, uint32_t row, const int64_t *values,
	struct error *err);

/* A sample at a time: TICK times TICK_NS after BEGIN_NS, in UTC, with WEIGHT times UNIT_NS
   of the weight of the values of ROW. */
struct recording_moment {
	int64_t begin_ns;
	uint64_t tick, tick_ns, weight, unit_ns;
	uint32_t row;
	uint32_t count; /* of samples taken; 0: not known */
};

/* Say that VALUES, a part of those of its row, were sampled then. If this is not said of
   all values in the end, the recording has no times at all. */
bool recording_add_moment(struct recording *recording,
	const struct recording_moment *moment, const int64_t *values, struct error *err);

/* What the next PART of WHOLE have of VALUE, after those BEFORE: all parts add up to it. */
int64_t recording_share(int64_t value, uint64_t before, uint64_t part, uint64_t whole);

/* After the last sample, before a report: what there is of times is in the origin. */
void recording_settle_times(struct recording *recording);

/* Too many of anything? Then false. */
bool recording_check(const struct recording *recording, struct error *err);

/* The type that the file wants to be shown, an index. */
uint32_t recording_default_type(const struct recording *recording);

/* How long it lasted, at least 1. */
uint64_t recording_length_ns(struct recording *recording);

/* After the last sample: a report of all or some of them, with the values of the type that
   REQUEST names. The caller owns it. Values below 0 count as 0 in it. */
struct report *recording_report(
	struct recording *recording, const struct report_request *request);

#endif
