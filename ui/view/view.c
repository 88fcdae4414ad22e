/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/view.h"

#include "src/base/clock.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void view_state_init(struct view_state *state)
{
	*state = (struct view_state){
		.function = PROFILE_NONE, .reveal = PROFILE_NONE, .follow = true};
}

void view_state_finish(struct view_state *state)
{
	assembly_destroy(state->code.assembly);
	code_lines_destroy(state->code.lines);
	while (view_zoom_pop(state))
		;
	vec_free(&state->zooms);
	search_finish(&state->search);
	module_hues_finish(&state->hues);
}

void view_say(struct view_state *state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->message, sizeof(state->message), format, args);
	va_end(args);
}

bool view_return(struct view_state *state)
{
	state->go_to = state->came_from;
	state->came_from = NULL;
	return state->go_to != NULL;
}

void view_zoom_push(struct view_state *state, const uint32_t *path, size_t length)
{
	struct zoom zoom = {.length = length};

	zoom.path = mem_alloc((length + 1) * sizeof(path[0]));
	if (length > 0)
		memcpy(zoom.path, path, length * sizeof(path[0]));
	vec_push(&state->zooms, zoom);
}

bool view_zoom_pop(struct view_state *state)
{
	if (state->zooms.len == 0)
		return false;
	free(state->zooms.data[--state->zooms.len].path);
	return true;
}

const struct zoom *view_zoom(const struct view_state *state)
{
	return state->zooms.len > 0 ? &state->zooms.data[state->zooms.len - 1] : NULL;
}

uint32_t view_find_path(
	const struct report *report, const uint32_t *path, size_t length, size_t *found)
{
	uint32_t node = 0;
	size_t depth = 0;

	for (; depth < length; depth++) {
		const struct report_node *at = &report->nodes[node];
		uint32_t child = at->first_child, end = at->first_child + at->n_children;

		while (child < end && report->nodes[child].function != path[depth])
			child++;
		if (child == end)
			break;
		node = child;
	}
	if (found)
		*found = depth;
	return node;
}

enum metric view_metric(const struct report *report)
{
	if (report->everything.wall_ns > 0)
		return METRIC_WALL;
	return report->everything.cpu_ns > 0 ? METRIC_CPU : METRIC_SAMPLES;
}

uint64_t view_time_ns(const struct report *report, const struct weight *weight)
{
	return report->request.wall ? weight->wall_ns : weight->cpu_ns;
}

struct format view_value(const struct report *report, const struct weight *weight)
{
	return format_value(report_value_kind(report), view_time_ns(report, weight));
}

enum role view_cursor_role(const struct view_state *state)
{
	return state->is_beside ? ROLE_CURSOR_BESIDE : ROLE_CURSOR;
}

const char *view_module(const struct function *function)
{
	return strcmp(function->name, function->module) == 0 ? "" : function->module;
}

bool view_is_few(const struct report *report)
{
	return report->total.samples < 30 && !report->origin;
}

struct format view_window(const struct report *report)
{
	uint64_t length_ns = report->end_ns - report->start_ns;
	struct format text = format_duration(length_ns);
	/* the last mark is a tenth of a second old */
	if (report->data_ns < length_ns - length_ns / 10 &&
		length_ns - report->data_ns > NS_PER_SEC)
		snprintf(text.text, sizeof(text.text), "%.8s of %.12s",
			format_duration(report->data_ns).text,
			format_duration(length_ns).text);
	return text;
}

static bool is_told(const struct weight *weight)
{
	return weight->samples == 0 && (weight->cpu_ns > 0 || weight->wall_ns > 0);
}

struct format view_samples(const struct weight *weight)
{
	return is_told(weight) ? (struct format){"-"} : format_count(weight->samples);
}

struct format view_samples_told(const struct weight *weight)
{
	struct format told = {"measured"};
	if (!is_told(weight))
		snprintf(told.text, sizeof(told.text), "%.20s sample%s",
			format_count(weight->samples).text,
			weight->samples == 1 ? "" : "s");
	return told;
}

bool view_find_row(const struct view_state *state, enum view_find from, size_t *cursor,
	size_t count, uint32_t (*function_of)(const void *context, size_t row),
	const void *context)
{
	for (size_t step = from == FIND_FROM_HERE ? 0 : 1; count > 0 && step <= count;
		step++) {
		size_t on = from == FIND_PREVIOUS ? count - step % count : step;
		size_t row = (*cursor + on) % count;
		if (search_hit(&state->search, function_of(context, row))) {
			*cursor = row;
			return true;
		}
	}
	return false;
}
