/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake: from the records of one process to the history.
 *
 * What of the analyst is one process's: its ring, its address space, the unwinder and the
 * symbolizer behind that. Makes no ptrace call; reads files that a hostile target made.
 * Analyst thread only, but for intake_create and intake_destroy, which are for whoever
 * has made sure that the analyst is not there yet, or no longer.
 */
#ifndef CPROFTOP_INTAKE_H
#define CPROFTOP_INTAKE_H

#include "src/base/error.h"
#include "src/base/map.h"
#include "src/history/history.h"
#include "src/model/ring.h"
#include "src/names/line-resolver.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct intake_options {
	pid_t pid;
	bool several;			/* it is one of several processes */
	struct line_resolver *resolver; /* of all processes together; borrowed */
	struct ring *ring;		/* borrowed; this is its reader */
	int proc_fd;			/* an open /proc/PID; borrowed for the call */
	struct history *history;	/* borrowed */
	const char *
		debug_dirs; /* see address_space_create; borrowed until it is destroyed */
	struct debug_fetch *fetch; /* the same; see symbolizer_fetch; NULL */
};

struct intake;

/* NULL and ERR if the mappings cannot be read. */
struct intake *intake_create(const struct intake_options *options, struct error *err);
void intake_destroy(struct intake *intake); /* NULL is fine */

/* The time of the oldest record that waits; UINT64_MAX if none does. */
uint64_t intake_next_ns(const struct intake *intake);

/* Take the records that wait, up to the first one later than UNTIL_NS. */
void intake_take(struct intake *intake, uint64_t until_ns);

struct ring *intake_ring(const struct intake *intake);
pid_t intake_pid(const struct intake *intake);
bool intake_is_one_of_several(const struct intake *intake);

/* When it has ended, monotonic; 0: it has not. */
uint64_t intake_ended_ns(const struct intake *intake);

/* Go on in the profile that RENEWAL leads to; see symbolizer_renew. */
void intake_renew(struct intake *intake, struct renewal *renewal);

/* Has SNAPSHOT_END been seen: will no record come any more? */
bool intake_ended(const struct intake *intake);

/* Its threads' accounts are complete up to here. */
uint64_t intake_surveyed_ns(const struct intake *intake);

/* What is to be done now and then: the mappings. */
void intake_refresh(struct intake *intake, uint64_t now_ns);

/* The state of thread TID now, a letter of /proc/TID/stat; '?' if it is gone. */
char intake_thread_state(const struct intake *intake, pid_t tid);

/* Lines, as the symbolizer's functions of the same names. */
void intake_ask_lines(struct intake *intake);
bool intake_wait_lines(struct intake *intake, uint64_t limit_ns);
void intake_take_lines(struct intake *intake, struct map *renamed);

/* As symbolizer_refusal. */
const char *intake_refusal(const struct intake *intake);

#endif
