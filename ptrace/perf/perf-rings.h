/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-rings: the memory that the kernel writes its records into, a ring for each CPU, and
 * the records in it, in order of time.
 *
 * The rings are those of events of our own thread that never happen; the events of
 * perf-events.h are directed into them. So they stay when a target ends, and any number of
 * targets needs no more. What the kernel lets a user lock (kernel.perf_event_mlock_kb for each
 * CPU, and RLIMIT_MEMLOCK) limits them: they are as large as is granted. Owned by the
 * caller; one thread.
 */
#ifndef CPROFTOP_PTRACE_PERF_RINGS_H
#define CPROFTOP_PTRACE_PERF_RINGS_H

#include "ptrace/perf/perf-record.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_ring {
	int cpu, fd;
	void *map; /* the page of its counts, and behind it BYTES of records */
	size_t bytes;
	uint64_t head; /* up to where perf_rings_look has seen it */
	/* The caller's: samples that were lost, and that the next one stands for; what the last one
	   was a period of. */
	uint64_t owed, last_period;
};

/* A record that was seen. */
struct perf_seen {
	uint64_t time_ns, at;
	uint32_t ring, length;
	enum perf_kind kind;
	pid_t pid, tid;
	uint64_t lost;
};

struct perf_rings {
	VEC(struct perf_ring) rings;
	VEC(struct perf_seen) seen; /* by perf_rings_look, in order of time */
	int epoll_fd;		    /* readable when a ring is filling */
	unsigned char
		*joined; /* one record that lay at the end and the beginning of a ring */
};

/* False and errno, and nothing is left open. */
bool perf_rings_open(struct perf_rings *rings);
void perf_rings_close(struct perf_rings *rings); /* all 0 is fine */

/* Fill rings->seen with what has come. */
void perf_rings_look(struct perf_rings *rings);

/* One of those; what OUT points to lives until the next call. */
void perf_rings_read(
	struct perf_rings *rings, const struct perf_seen *seen, struct perf_record *out);

/* Give back the first COUNT of rings->seen; the others are seen again. */
void perf_rings_done(struct perf_rings *rings, size_t count);

#endif
