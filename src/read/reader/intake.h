/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake: take the records of one process, and tell what they say.
 *
 * It has all parts of the reader that belong to one process: its ring, its address
 * space, the unwinder and the symbolizer. Makes no ptrace call; reads files that a
 * hostile target made. The reader's only thread.
 */
#ifndef CPROFTOP_INTAKE_H
#define CPROFTOP_INTAKE_H

#include "src/base/error.h"
#include "src/base/idmap.h"
#include "src/facts/ring.h"
#include "src/read/assembly/code-source.h"
#include "src/read/elf/image-cache.h"
#include "src/read/names/line-resolver.h"
#include "src/read/reader/reader-options.h"
#include "src/read/tell/teller.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct intake_options {
	pid_t pid;
	bool several;			/* the process is one of several */
	struct line_resolver *resolver; /* shared by all processes; borrowed */
	uint32_t subject;		/* main's number for it */
	struct ring *ring; /* taken over, also by a failure; the intake is its reader */
	int proc_fd;	   /* an open /proc/PID; borrowed for the call */
	bool is_again;	   /* main was told of it before, by another reader */
	bool is_met;
	struct teller *teller; /* borrowed */
	const char
		*debug_dirs; /* see address_space_create; borrowed until intake_destroy */
	const enum native_frames *native; /* as it is now; borrowed likewise */
	bool source_maps;		  /* see struct reader_options */
	const struct event *event;	  /* what is counted; likewise */
	enum unwind_by unwind_by;
	struct image_cache *images; /* borrowed likewise; NULL: nothing is shared */
	struct wanted_files
		*wanted; /* borrowed likewise; see symbolizer_fetch; or NULL */
};

struct intake;

/* NULL and ERR if the mappings of the process cannot be read. */
struct intake *intake_create(const struct intake_options *options, struct error *err);
void intake_destroy(struct intake *intake); /* NULL is fine */

/* The time of the oldest waiting record; UINT64_MAX if none waits. */
uint64_t intake_next_ns(const struct intake *intake);

/* Where libraries come and go, check the code now, also if no record waits. True if they do, or
   if functions of scripts were gone before their samples were taken: look again soon. */
bool intake_watch(struct intake *intake);

/* Are there threads that wait for locks of which the owner is read with each record? Then records
   should not wait long. */
bool intake_asks_owners(const struct intake *intake);

/* Take the waiting records that are not later than UNTIL_NS, and add to *PULSE at each. */
void intake_take(struct intake *intake, uint64_t until_ns, atomic_ulong *pulse);

/* Were the copies of a stack too short just now, or are there no samples yet? Then the
   records of the next moments should be taken soon, so that few samples are made before
   the sampler has the advice. */
bool intake_is_learning(const struct intake *intake, uint64_t now_ns);

struct ring *intake_ring(const struct intake *intake);
pid_t intake_pid(const struct intake *intake);
uint32_t intake_subject(const struct intake *intake);
struct teller *intake_teller(const struct intake *intake);
bool intake_is_one_of_several(const struct intake *intake);

/* Tell the mapping of its program, which comes first in every file. */
void intake_introduce(const struct intake *intake);

/* When the process ended, monotonic; 0: it has not. */
uint64_t intake_ended_ns(const struct intake *intake);

/* Copy into RENEWAL what may still get another name. */
void intake_carry(struct intake *intake, struct renewal *renewal);

/* Move to the new profile of RENEWAL; see symbolizer_renew. */
void intake_renew(struct intake *intake, struct renewal *renewal);

/* Has SNAPSHOT_END been taken, so that no more records will come? */
static inline bool intake_ended(const struct intake *intake)
{
	return intake_ended_ns(intake) != 0;
}

/* Up to this time the accounts of all its threads are complete. */
uint64_t intake_surveyed_ns(const struct intake *intake);

/* Check the mappings for changes. Called now and then. */
void intake_refresh(struct intake *intake, uint64_t now_ns);

/* See the symbolizer's functions of the same names. */
bool intake_awaits_files(const struct intake *intake);
bool intake_is_behind(const struct intake *intake);
void intake_rename(struct intake *intake, struct idmap *renamed);

/* See code_source_of_process. */
bool intake_find_code(struct intake *intake, const struct assembly_request *request,
	struct code_source *source);

/* See scripts_language. */
const char *intake_language(const struct intake *intake);

/* Of which functions the calls are counted, or why of none; "" if that is not counted. */
const char *intake_places(const struct intake *intake);

/* See symbolizer_refusal. */
const char *intake_refusal(const struct intake *intake);

/* See scripts_refusal. */
const char *intake_map_refusal(const struct intake *intake);

#endif
