/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: what was sampled in a range of time, counted. Immutable.
 *
 * A report is a pure function of the samples in a range, the filters and the naming
 * rules. The live screen, its views, `cproftop record` and every exporter read reports.
 * It counts exactly the samples with start_ns <= time < end_ns; nothing decays.
 *
 * A report owns its arrays and holds references to the stack table, the profile and the
 * derived names. The analyst thread builds it. After that it belongs to another thread:
 * one thread at a time may read it, and the last one destroys it.
 */
#ifndef CPROFTOP_REPORT_H
#define CPROFTOP_REPORT_H

#include "src/count/change.h"
#include "src/facts/callchain.h"
#include "src/facts/event.h"
#include "src/facts/naming.h"
#include "src/facts/origin.h"
#include "src/facts/profile.h"
#include "src/facts/text/time-mark.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"
#include "src/keep/timeline.h"
#include "src/process/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct weight {
	uint64_t samples; /* count */
	/* For which these stand: one of many threads of which not all were looked at stands for
	   several. What is exported as their number; how certain they are says their count. */
	uint64_t instants;
	/* Of a file: the values of the type that is shown; of an event: how many there were. */
	uint64_t cpu_ns;
	uint64_t wall_ns; /* 0 unless wall clock was sampled */
};

enum {
	REPORT_TEXT_MAX = 256,
	REPORT_FETCHING_MAX = 64,
	REPORT_TOO_LARGE_MAX = 200,
	REPORT_REFUSAL_MAX = 128,
	REPORT_LANGUAGES_MAX = 128,
	REPORT_PLACES_MAX = 256,
	REPORT_TIDS_MAX = 64,
	REPORT_ZOOM_MAX = 512,
	REPORT_TIMELINE = 120
};

/* Is the timeline of all that is kept built, too, or nothing else? */
enum report_timeline {
	TIMELINE_NONE,
	TIMELINE_TOO,
	TIMELINE_ONLY,
};

/* A place in the call tree: only stacks that begin with these functions are counted. The
   ids mean something only with the names that they are of: with another profile (NAMES is
   compared, never followed) all stacks are counted. */
struct report_zoom {
	const struct profile *names;
	uint32_t length; /* 0: the whole tree */
	uint32_t
		path[REPORT_ZOOM_MAX]; /* function ids, from below the root of the tree */
};

/* What to count. Zeroed: everything there is. Plain data, so it can be handed between
   threads by copying. */
struct report_request {
	uint64_t serial;    /* chosen by the caller; the report returns it */
	uint64_t window_ns; /* length of the range; 0: all the history */
	uint64_t until_ns;  /* monotonic end of the range; 0: now */
	uint64_t since_ns;  /* no range that ends later begins earlier; 0: no limit */

	/* Which samples to count; "" and no tids: all. FILTER is a PCRE2 pattern that
	   selects stacks with a matching frame, or, after a leading '!', stacks without
	   one. */
	char filter[REPORT_TEXT_MAX];
	char ignore[REPORT_TEXT_MAX];	      /* PCRE2: not stacks with such a frame */
	char module[REPORT_TEXT_MAX];	      /* stacks with a frame of this module */
	char thread_pattern[REPORT_TEXT_MAX]; /* PCRE2 on thread names */
	pid_t tids[REPORT_TIDS_MAX];	      /* these threads */
	uint32_t n_tids;
	struct report_zoom zoom;
	struct naming_rules naming; /* names, and what is counted as one row */
	uint32_t
		sample_type; /* of a file: which values, an index into the origin's types */
	bool wall;	     /* also count wall-clock time and threads that did not run */
	bool thread_states; /* also look up the state of threads that do not run */
	/* wait at most this long for source lines and inlined functions */
	uint64_t lines_wait_ns;
	enum report_timeline timeline;
	bool moments; /* also say when each stack was sampled */
	/* Forget the samples before until_ns afterwards: the next report begins there. */
	bool forget;
	/* also say what each stack weighs in this many equal parts of the range; 0: not */
	uint32_t blocks;
	bool earlier; /* of the first of two files that are compared, not of the second */
};

/* One function. Recursion is counted once: total is the weight of the samples with the
   function anywhere on the stack, self of those with it at the leaf. */
struct report_function {
	uint32_t function; /* in the profile */
	struct weight self, total;
};

/* One node of the call tree by function: nodes[0] is the root of the whole tree, with the
   function PROFILE_NONE. The children of a node are nodes[first_child .. first_child +
   n_children), sorted by name then module, so that a flame graph keeps its order from one
   report to the next. A broken stack was interned with a synthetic outermost location
   ("[truncated stack]"), so it hangs under that. */
struct report_node {
	uint32_t function;
	uint32_t parent;      /* index; nodes[0] is its own parent */
	uint32_t first_child; /* index */
	uint32_t n_children;
	uint32_t depth; /* 0 for nodes[0] */
	struct weight self, total;
};

/* One thread that was sampled in the range or is alive. Sorted by CPU, then tid. */
struct report_thread {
	uint32_t thread; /* in the profile: its newest name */
	struct weight weight;
	/* Of a thread that was not chosen (tids, thread_pattern, tags): what would count if
	   it were. Else all 0; its weight and its top_function say it. */
	bool is_outside;
	struct weight outside;
	/* the one with the most self weight; PROFILE_NONE: no sample */
	uint32_t top_function;
	char state; /* as in /proc/TID/stat (R S D T Z), 'X' gone, '?' not known */
	enum task_wait wait; /* when the report was made; of the first hundred or so */
	/* Where its time in the range went, independent of filters: as the kernel accounts
	   for it (src/keep/accounts.h), or if wall clock is counted, by all samples, so
	   that rows of waiting add up to it. All 0 if not known. */
	uint64_t cpu_ns, runq_ns, blocked_ns;
};

/* One distinct (thread, stack, state). Sorted by thread id, stack id, state. */
struct report_stack {
	uint32_t thread; /* in the profile */
	uint32_t stack;	 /* in the stack table */
	uint32_t state;	 /* enum thread_state */
	struct weight weight;
};

/* A counted sample of stacks[STACK]. A recording that has merged equal samples, to stay
   small, has none any more. */
struct report_moment {
	uint64_t time_ns; /* monotonic */
	uint32_t stack;	  /* index */
	uint32_t samples;
	/* Its CPU time, or wall clock if that was sampled. Of a file: how the values of its
	   stack are shared among its moments. */
	uint64_t weight_ns;
};

/* What a stack weighs in one block of time. Sorted by stack, then block; only blocks in
   which it was seen. */
struct report_piece {
	uint32_t stack; /* index of the report's stacks */
	uint32_t block;
	struct weight weight;
};

/* The CPU time of one slice of the range, for a sparkline; unfiltered. */
struct report_slice {
	uint64_t kernel_cpu_ns;	 /* charged by the kernel to the process */
	uint64_t sampled_cpu_ns; /* weights of the samples */
};

struct report {
	const struct profile *profile;
	const struct stacktab *stacktab;
	/* functions of the profile that may be read; the analyst may be adding more */
	uint32_t n_profile_functions;
	struct naming *naming_owner; /* owns the tables below; or NULL */
	struct naming_tables naming; /* for request.naming */
	const struct origin *origin; /* of what was read from a file; NULL: sampled */
	uint32_t shown_type;	     /* of the origin */
	struct event event;	     /* which was counted; EVENT_CPU_TIME: CPU time */
	struct report_request request;
	uint64_t start_ns, end_ns; /* monotonic */
	uint64_t start_wall_ns;	   /* UTC, since 1970 */
	uint64_t data_ns; /* of the range: for how long what is counted was sampled */
	/* several processes: each stack begins with a frame that names its process */
	bool several;
	uint32_t main_mapping; /* the main executable's newest; or PROFILE_NONE */
	struct weight total;   /* of the counted samples */
	struct weight around;  /* with a zoom: of the samples that would count without */
	struct weight everything;	 /* of the range, before any filter */
	uint64_t ends[UNWIND_END_COUNT]; /* counted samples by how their stack ended */

	struct report_function *functions; /* by self CPU, largest first; ties by name */
	size_t n_functions;
	struct report_node *nodes; /* at least one */
	size_t n_nodes;
	struct report_thread *threads;
	size_t n_threads;
	struct report_stack *stacks;
	size_t n_stacks;

	struct report_moment *moments; /* by time; if they were requested and are known */
	size_t n_moments;

	/* If the request asked for blocks and the samples have times; else n_blocks is 0. */
	struct report_piece *pieces;
	size_t n_pieces;
	struct weight *blocks; /* what `everything` is, in each block */
	uint32_t n_blocks;
	/* So many samples of the same weight would be as certain as those in the blocks. */
	double worth_samples;

	/* This report is two, and their difference (src/count/difference/difference.h); else NULL. */
	struct difference *difference;
	unsigned shared; /* how often report_destroy is to be called besides */

	struct report_slice timeline[REPORT_TIMELINE]; /* the range in equal slices */
	struct timeline *kept; /* of all that is kept, if it was requested; or NULL */
	uint64_t oldest_ns;    /* monotonic; samples are kept since then */
	uint64_t history_ns;   /* from oldest_ns until this was built */
	size_t history_bytes;  /* memory of the samples kept */
	char refusal[REPORT_REFUSAL_MAX];     /* why JIT code has no names; "" */
	pid_t refusal_pid;		      /* the process that this is about */
	char too_large[REPORT_TOO_LARGE_MAX]; /* see image_cache_refusal; "" */
	/* whose functions run beside native ones, "Python 3.11"; "" if none do, or nobody knows */
	char languages[REPORT_LANGUAGES_MAX];
	/* of which functions calls are counted, or why of none; "": no calls are */
	char places[REPORT_PLACES_MAX];
	struct time_mark *time_marks; /* of the range, oldest first */
	size_t n_time_marks;
	char fetching[REPORT_FETCHING_MAX]; /* the debug file that is being fetched; "" */
	unsigned
		reader_deaths; /* readers that ended before their time (src/read/reader/reader.h) */
	unsigned lines_deaths; /* files without lines: see line_resolver_deaths */
	size_t memory_bytes;   /* of samples, stacks and names together, roughly */
	/* While sampling: how often names have come late. Where it differs from that of an
	   earlier report, the same range may have other names now. */
	uint64_t renamings;
};

void report_destroy(struct report *report); /* NULL is fine */

/* For qsort: the order of the stacks. */
int report_compare_stacks(const void *a, const void *b);

/* All ids of REPORT's stacks in the table of stacks, and of their callers, are smaller. */
uint32_t report_stack_ids(const struct report *report);

/* The place of such a stack among REPORT's, or n_stacks. */
size_t report_find_stack(
	const struct report *report, uint32_t thread, uint32_t stack, uint32_t state);

/* The indices of all stacks: in the order of the file that the report was read from, so that
   it is the same file again when it is written once more; else as they are. The caller frees
   it. */
uint32_t *report_stack_order(const struct report *report);

/* REPORT has one more owner, on the same thread. */
struct report *report_share(struct report *report);

/* What a file that is written counts the times of the moments from: the begin of the range,
   or of the whole file that the report was read from, which keeps its date. */
uint64_t report_begin_ns(const struct report *report);

/* The counted samples, and those that a zoom leaves out besides. */
static inline const struct weight *report_around(const struct report *report)
{
	return report->request.zoom.length > 0 ? &report->around : &report->total;
}

/* Do A and B select the same stacks? */
bool report_zoom_same(const struct report_zoom *a, const struct report_zoom *b);

/* The process of THREAD, if the report is of several processes; else NULL. */
const struct profile_process *report_process(
	const struct report *report, uint32_t thread);

/* Is cpu_ns, that was sampled, a number of events? */
static inline bool report_counts_event(const struct report *report)
{
	return report->event.kind != EVENT_CPU_TIME;
}

/* What the weights' cpu_ns are: "cpu", VALUE_TIME, in ns, unless the report is of a file
   or counts an event. */
const char *report_value_name(const struct report *report);
enum value_kind report_value_kind(const struct report *report);

/* Do both count the same samples, but for their times, and by the same names? */
bool report_request_alike(const struct report_request *a, const struct report_request *b);

/* Is TEXT a valid pattern? If not, WHY says what is wrong and OFFSET where. A leading '!'
   is allowed. */
bool report_pattern_valid(const char *text, size_t *offset, char *why, size_t why_size);

/* What the kernel charged to the process in the range: the sum of the timeline. */
uint64_t report_charged_ns(const struct report *report);

/* The sums of cpu_ns, runq_ns and blocked_ns over all listed threads; the other fields
   are 0. */
struct report_thread report_process_time(const struct report *report);

/* Location ID by the report's naming: nodes and functions are made of its lines.
   report_described returns the functions, whatever the granularity is. */
static inline const struct location *report_counted(
	const struct report *report, uint32_t id)
{
	return naming_location(report->profile, report->naming.counted, id);
}

static inline const struct location *report_described(
	const struct report *report, uint32_t id)
{
	return naming_location(report->profile, report->naming.described, id);
}

/* Are CALLER and CALLEE shown as one frame? By module, calls within a module are not
   shown. */
static inline bool report_joins(
	const struct report *report, uint32_t caller, uint32_t callee)
{
	return caller == callee && caller != PROFILE_NONE &&
	       report->request.naming.granularity == NAMING_MODULE;
}

/* The share of the counted samples whose stack is complete; 1 if there are no samples. */
double report_complete_share(const struct report *report);

#endif
