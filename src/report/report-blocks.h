/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report-blocks: when each stack of a report was sampled, and what it weighs in equal parts of
 * the range of time.
 *
 * From how much that varies, src/difference/significance.h says how much chance there is in
 * it. Whoever builds reports.
 */
#ifndef CPROFTOP_REPORT_BLOCKS_H
#define CPROFTOP_REPORT_BLOCKS_H

#include "src/history/sample-log.h"
#include "src/report/report.h"

/* Fill in REPORT's pieces, blocks and n_blocks, if its request asks for them and SAMPLES,
   of which its stacks were made, have times: if all are of one instant, they have none. */
void report_cut_blocks(struct report *report, const struct sample_log *samples);

/* Sort N pieces and add up those of one stack and block; returns how many are left. */
size_t report_merge_pieces(struct report_piece *pieces, size_t n);

/* Fill in REPORT's moments, from the samples that its stacks were counted from. */
void report_list_moments(struct report *report, const struct sample_log *samples);

#endif
