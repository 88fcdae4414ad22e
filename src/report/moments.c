/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/moments.h"

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/report/selection.h"

static uint64_t who(uint32_t thread, uint32_t state)
{
	return (uint64_t)state << 32 | thread;
}

/* A sample that was not counted has no stack in the report, unless another one of the same
   stack was counted; so what was selected is asked again. */
void moments_build(struct report *report, const struct sample_log *samples)
{
	struct selection selection;
	struct idmap places = {0}; /* (who, stack) -> index of stacks */
	VEC(struct report_moment) moments = {0};

	if (samples->merged)
		return;
	selection_init(&selection, report);
	for (size_t i = 0; i < report->n_stacks; i++) {
		const struct report_stack *stack = &report->stacks[i];
		idmap_put(&places, who(stack->thread, stack->state), stack->stack,
			(uint32_t)i);
	}
	for (size_t i = sample_log_search(samples, report->start_ns); i < samples->len;
		i++) {
		const struct sample *sample = sample_log_at(samples, i);
		if (sample->time_ns >= report->end_ns)
			break;
		const uint32_t *place = idmap_get(
			&places, who(sample->thread, sample->state), sample->stack);
		if (!place || !selection_has(&selection, sample))
			continue;
		bool wall = report->request.wall || report->origin;
		vec_push(&moments,
			(struct report_moment){
				.time_ns = sample->time_ns,
				.stack = *place,
				.samples = sample->count,
				.weight_ns = wall ? sample->wall_ns : sample->cpu_ns,
			});
	}
	report->moments = moments.data;
	report->n_moments = moments.len;
	selection_finish(&selection);
	idmap_finish(&places);
}
