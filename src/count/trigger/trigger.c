/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/trigger/trigger.h"

#include "src/base/clock.h"
#include "src/base/pattern.h"
#include "src/facts/snapshot.h"

#include <stdio.h>

enum {
	SAMPLES_LEAST = 10 /* for a share of them */
};

struct report_request trigger_request(const struct trigger *trigger, uint64_t until_ns)
{
	struct report_request request = {
		.until_ns = until_ns,
		.window_ns = trigger->window_ns,
		.wall = trigger->kind == TRIGGER_BLOCKED,
	};
	snprintf(request.filter, sizeof(request.filter), "%s", trigger->pattern);
	return request;
}

/* The stacks of REPORT have a function that matches; at the leaf of these it is. */
static uint64_t self_ns(const struct report *report, const char *text)
{
	struct pattern *pattern = pattern_create(text, NULL, NULL, 0);
	uint64_t sum_ns = 0;
	for (size_t i = 0; pattern && i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		if (pattern_matches(pattern,
			    profile_function(report->profile, row->function)->name))
			sum_ns += row->self.cpu_ns;
	}
	pattern_destroy(pattern);
	return sum_ns;
}

static uint64_t blocked_ns(const struct report *report)
{
	uint64_t sum_ns = 0;
	for (size_t i = 0; i < report->n_stacks; i++)
		if (report->stacks[i].state == THREAD_BLOCKED)
			sum_ns += report->stacks[i].weight.wall_ns;
	return sum_ns;
}

double trigger_value(const struct trigger *trigger, const struct report *report)
{
	uint64_t part_ns = 0, whole_ns = trigger->window_ns;
	switch (trigger->kind) {
	case TRIGGER_TOTAL:
	case TRIGGER_SELF:
		part_ns = trigger->kind == TRIGGER_SELF
				  ? self_ns(report, trigger->pattern)
				  : report->total.cpu_ns;
		whole_ns = report->everything.samples < SAMPLES_LEAST
				   ? 0
				   : report->everything.cpu_ns;
		break;
	case TRIGGER_CPU:
		part_ns = report_charged_ns(report);
		break;
	case TRIGGER_RUNQ:
		part_ns = report_process_time(report).runq_ns;
		break;
	case TRIGGER_BLOCKED:
		part_ns = blocked_ns(report);
		break;
	}
	if (trigger->is_time)
		return (double)part_ns / NS_PER_SEC;
	return whole_ns ? (double)part_ns / (double)whole_ns : 0;
}

bool trigger_fires(const struct trigger *trigger, struct trigger_state *state,
	double value, uint64_t now_ns)
{
	bool had_fired = state->has_fired;
	if (value > trigger->limit) {
		state->has_fired = true;
		state->last_over_ns = now_ns;
		return !had_fired;
	}
	if (had_fired && now_ns - state->last_over_ns >= TRIGGER_REST_S * NS_PER_SEC)
		state->has_fired = false;
	return false;
}

bool trigger_quota_allows(
	const struct trigger_quota *quota, uint64_t files, uint64_t bytes)
{
	return files < quota->files && bytes < quota->bytes;
}
