/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/moments.h"

#include "src/base/vec.h"

/* Whether a sample is counted depends on its thread, its stack and its state, so it is if
   and only if the report has such a stack. */
void moments_build(struct report *report, const struct sample_log *samples)
{
	bool wall = report->request.wall || report->origin;
	VEC(struct report_moment) moments = {0};

	if (samples->merged)
		return;
	for (size_t i = sample_log_search(samples, report->start_ns); i < samples->len;
		i++) {
		const struct sample *sample = sample_log_at(samples, i);
		if (sample->time_ns >= report->end_ns)
			break;
		size_t stack = report_find_stack(
			report, sample->thread, sample->stack, sample->state);
		if (stack == report->n_stacks)
			continue;
		vec_push(&moments,
			(struct report_moment){
				.time_ns = sample->time_ns,
				.stack = (uint32_t)stack,
				.samples = sample->count,
				.weight_ns = wall ? sample->wall_ns : sample->cpu_ns,
			});
	}
	report->moments = moments.data;
	report->n_moments = moments.len;
}
