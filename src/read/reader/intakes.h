/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intakes: all processes that the reader takes records from.
 *
 * Their records are taken in the order of time across all rings, because they go into one
 * history of main's. A process that has ended is removed when its debug files are fetched, or
 * after 10 s. The reader's only thread.
 */
#ifndef CPROFTOP_INTAKES_H
#define CPROFTOP_INTAKES_H

#include "src/base/vec.h"
#include "src/read/reader/intake.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A zeroed struct is empty and valid. */
struct intakes {
	VEC(struct intake *) list;
	uint64_t surveyed_ns; /* up to this time the accounts of all are complete */
	bool is_calm;	      /* few records waited at the last look */
	bool is_restless;     /* code comes and goes somewhere (intake_watch) */
	atomic_ulong *pulse;  /* increased at each record: a sign of work; never NULL */
	uint64_t file_bytes;  /* see image_cache_create; to be set before one is added */
	struct image_cache *images; /* those of all; NULL: none was added */
	/* see intakes_refusal: of a process that was retired, the first one's that had one */
	const char *last_refusal;
	pid_t last_refused;
};

bool intakes_add(
	struct intakes *intakes, const struct intake_options *options, struct error *err);

/* Take all records that wait. */
void intakes_drain(struct intakes *intakes);

/* How long to wait, after that, before more are taken. */
int intakes_patience_ms(const struct intakes *intakes);

void intakes_refresh(struct intakes *intakes, uint64_t now_ns);

/* Why the JIT code of process *PID has no names; NULL if nothing is wrong. */
const char *intakes_refusal(const struct intakes *intakes, pid_t *pid);

/* What intake_language says of all processes, each once, with commas between. */
void intakes_languages(const struct intakes *intakes, char *out, size_t size);

/* See intake_places; of the first process that has some. */
const char *intakes_places(const struct intakes *intakes);

/* See image_cache_refusal; else scripts_refusal of the first process where it says something. */
const char *intakes_too_large(const struct intakes *intakes);

/* For all processes: see the symbolizer's functions. */
bool intakes_await_files(const struct intakes *intakes);
bool intakes_are_behind(const struct intakes *intakes);
void intakes_rename(struct intakes *intakes, struct idmap *renamed);

/* See intake_carry. */
void intakes_carry(struct intakes *intakes, struct renewal *renewal);

/* Move all of them to the new profile of RENEWAL. */
void intakes_renew(struct intakes *intakes, struct renewal *renewal);

/* With several processes: remove those that have ended, when no debug file of theirs is
   being fetched, or after 10 s. Locations that got another name are put into RENAMED. True
   if any process was removed. */
bool intakes_retire(struct intakes *intakes, uint64_t now_ns, struct idmap *renamed);

#endif
