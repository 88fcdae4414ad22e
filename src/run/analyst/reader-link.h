/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader-link: the analyst's side of the reader (src/read/reader/reader.h): it begins one, tells it what
 * to read, receives its bytes, and begins another one when it has died, hangs, or has said
 * something that no reader says.
 *
 * What it had told before stays. Lost is what it had taken out of the rings and not told yet, a
 * few hundredths of a second. If one dies soon after the one before, each ring's oldest record is
 * left out, because it may be of that.
 *
 * Analyst thread, but for reader_link_wake.
 */
#ifndef CPROFTOP_READER_LINK_H
#define CPROFTOP_READER_LINK_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/facts/ring.h"
#include "src/keep/strain.h"
#include "src/read/reader/order.h"
#include "src/read/reader/reader-options.h"
#include "src/run/opener/opener.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One process that is read. */
struct reader_subject {
	uint32_t number;
	pid_t pid;
	struct ring *ring; /* borrowed */
	int proc_fd;	   /* owned; -1: it has ended */
	bool is_met;	   /* see struct analyst_process */
	bool was_told;	   /* of it, by FACT_ADDED */
	bool has_ended;	   /* FACT_ENDED has come */
	struct strain_reading strain_reading;
};

struct reader_link {
	struct reader_options options; /* of the next reader */
	struct opener *opener;	       /* what the reader asks */
	pid_t pid;		       /* 0: there is none, and will be none */
	int orders, facts;	       /* ours; -1: none */
	int wake, pulse_file;
	atomic_ulong *pulse;
	unsigned long seen_pulse;
	uint64_t seen_ns; /* when it was first seen */
	/* How long the reader had waited for a CPU, half a second after that; if it is known. */
	uint64_t waited_ns;
	bool knows_wait;
	uint64_t begun_ns; /* of the reader there is */
	unsigned in_a_row, deaths;
	uint32_t next_number;
	VEC(struct reader_subject) subjects;
	VEC(unsigned char) bytes; /* received, and not taken yet */
};

/* False and ERR: no process can be made. Call
   reader_link_finish afterwards, also then. */
bool reader_link_init(struct reader_link *link, const struct reader_options *options,
	struct error *err);
void reader_link_finish(struct reader_link *link);

/* Make it look at the rings now. Any thread. */
void reader_link_wake(const struct reader_link *link);

/* Have RING read, of process PID, whose /proc/PID is open at PROC_FD (-1: it has ended; copied).
   Returns its number. */
uint32_t reader_link_add(
	struct reader_link *link, pid_t pid, struct ring *ring, int proc_fd, bool is_met);
struct reader_subject *reader_link_find(struct reader_link *link, uint32_t number);
void reader_link_remove(struct reader_link *link, uint32_t number);

/* Send ORDER, whose text has TEXT_BYTES. */
void reader_link_send(struct reader_link *link, struct order *order, int fd);

/* Stacks have these native frames from now on, also of the next readers. */
void reader_link_set_native(struct reader_link *link, enum native_frames native);

/* Receive what has come, without waiting. False: the reader has ended. */
bool reader_link_receive(struct reader_link *link);

/* USED of the received bytes were taken. */
void reader_link_used(struct reader_link *link, size_t used);

/* Has it given no sign of work for PATIENCE_NS? */
bool reader_link_is_silent(
	struct reader_link *link, uint64_t patience_ns, uint64_t now_ns);

/* Was it on a CPU or asleep for PATIENCE_NS, without a sign of work? What it waits for a CPU does not
   count: reading a large file takes longer than that where others want the CPUs, too. */
bool reader_link_hangs(struct reader_link *link, uint64_t patience_ns, uint64_t now_ns);

/* Continue it if somebody has stopped it. */
void reader_link_tend(const struct reader_link *link);

/* The reader has ended, or is to end: begin another one, and have it read all that the last one
   did. IN_VAIN: it has told nothing that was sampled. False: none is, because MOST have died one soon after the other. */
bool reader_link_replace(struct reader_link *link, bool in_vain, unsigned most);

#endif
