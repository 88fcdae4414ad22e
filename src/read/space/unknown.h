/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unknown: places of which the last reading of maps did not know when a sample needed them.
 *
 * A compiler maps memory all the time, and a reading of a thousand mappings takes a millisecond. So
 * the kernel is asked for the one mapping of each such address (src/process/map-query.h). What
 * it says holds for all samples that were taken before. Places are only noted while regions are in
 * use, and asked for when they are not. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_UNKNOWN_H
#define CPROFTOP_UNKNOWN_H

#include "src/process/map-query.h"
#include "src/process/proc-dir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNKNOWN_PLACES = 16,  /* that are asked for together */
	UNKNOWN_NOTHINGS = 32 /* of which it is remembered that nothing is there */
};

struct unknown {
	int maps_fd; /* -1: no questions are answered */
	uint64_t
		read_ns; /* when the last reading of maps began; monotonic, as all here; 0: not known */
	uint32_t n;
	uint64_t places[UNKNOWN_PLACES], sample_ns; /* of whose sample */
	uint32_t n_nothings;			    /* ever; the oldest is overwritten */
	struct nothing {
		uint64_t start, limit, since_ns;
	} nothings[UNKNOWN_NOTHINGS];
};

/* Begin, for the program that runs now in DIR. */
void unknown_begin(struct unknown *unknown, const struct proc_dir *dir);
void unknown_finish(struct unknown *unknown);

/* A reading of maps began at NOW_NS. */
void unknown_read(struct unknown *unknown, uint64_t now_ns);

/* A sample of SAMPLE_NS (0: it is not known when) has ADDRESS, where maps shows nothing, or
   memory that is only reserved. */
void unknown_note(struct unknown *unknown, uint64_t address, uint64_t sample_ns);

/* The answer for the next place that was noted; false if there is none. */
bool unknown_ask(struct unknown *unknown, struct map_query *answer);

#endif
