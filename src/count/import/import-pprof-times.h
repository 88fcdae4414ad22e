/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import-pprof-times: when the samples of a pprof file were taken, if it is one of ours
 * that says so (message Times in src/base/proto/profile.proto), in either form.
 *
 * Used by import-pprof.c only.
 */
#ifndef CPROFTOP_IMPORT_PPROF_TIMES_H
#define CPROFTOP_IMPORT_PPROF_TIMES_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/count/import/import-pprof-tables.h"

#include <stdbool.h>
#include <stdint.h>

/* What all entries of a sample say together, and those so far. */
struct pprof_times_sample {
	uint32_t row;
	uint64_t count, weight, count_before, weight_before;
	bool is_begun; /* an entry of it was read */
};

struct pprof_times {
	PB(Times) * message; /* NULL: the file has none */

	/* Private. */
	VEC(struct pprof_times_sample) samples;
	VEC(int64_t) values;
};

/* After the strings, before the samples: look for them. */
bool pprof_times_find(
	struct pprof_times *times, struct pprof_file *file, struct error *err);

/* The next sample became ROW of the recording. */
void pprof_times_add_sample(struct pprof_times *times, const struct pprof_file *file,
	uint32_t row, const int64_t *values);

/* After the samples: give the recording their moments. */
bool pprof_times_read(
	struct pprof_times *times, struct pprof_file *file, struct error *err);

void pprof_times_finish(struct pprof_times *times);

#endif
