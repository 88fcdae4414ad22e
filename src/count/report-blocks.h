/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report-blocks: when each stack of a report was sampled, and what it weighs in equal parts of
 * the range of time.
 *
 * From how much that varies, src/count/difference/significance.h says how much chance there is in
 * it. Whoever builds reports.
 */
#ifndef CPROFTOP_REPORT_BLOCKS_H
#define CPROFTOP_REPORT_BLOCKS_H

#include "src/count/report.h"
#include "src/keep/sample-log.h"

/* The samples of a report's range, and what each is counted for. */
struct report_range {
	const struct sample_log *samples;
	size_t first, n;
	uint64_t *evened; /* the CPU time of each (src/keep/evened.h); or NULL */
};

/* The range of REPORT. CPU time is evened out if EVENS, or if the request asks for
   blocks of time, which are to be compared. */
struct report_range report_range_of(
	const struct report *report, const struct sample_log *samples, bool evens);
void report_range_finish(struct report_range *range);

static inline uint64_t report_range_cpu_ns(const struct report_range *range, size_t i)
{
	return range->evened ? range->evened[i]
			     : sample_log_at(range->samples, range->first + i)->cpu_ns;
}

/* Fill in REPORT's pieces, blocks and n_blocks, if its request asks for them and the samples
   of RANGE, of which its stacks were made, have times: if all are of one instant, they have
   none. */
void report_cut_blocks(struct report *report, const struct report_range *range);

/* Sort N pieces and add up those of one stack and block; returns how many are left. */
size_t report_merge_pieces(struct report_piece *pieces, size_t n);

/* Fill in REPORT's moments, from the samples that its stacks were counted from. */
void report_list_moments(struct report *report, const struct report_range *range);

#endif
