/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/groups.h"

#include "src/count/calltree.h"
#include "src/count/stack-frames.h"
#include "src/count/tags.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_KEY "tag="

/* --- names ------------------------------------------------------------------------- */

static void put_value(const struct label *label, FILE *out)
{
	if (label->text[0])
		fputs(label->text, out);
	else
		fprintf(out, "%" PRId64 "%s", label->number, label->unit);
}

static const struct label *find_tag(const struct tags *tags, const char *key)
{
	vec_each (tags, label)
		if (strcmp(label->key, key) == 0)
			return label;
	return NULL;
}

static void put_process(const struct tags *tags, FILE *out)
{
	const struct label *name = find_tag(tags, "process"),
			   *pid = find_tag(tags, "pid");
	if (name)
		put_value(name, out);
	if (pid)
		fprintf(out, "%s%" PRId64 "%s", name ? " (" : "", pid->number,
			name ? ")" : "");
}

static void put_name(
	const struct report *report, uint32_t thread, const char *by, FILE *out)
{
	struct tags tags = {0};
	tags_of(report, thread, &tags);
	if (strcmp(by, "thread") == 0) {
		fputs(profile_thread(report->profile, thread)->name, out);
	} else if (strcmp(by, "process") == 0) {
		put_process(&tags, out);
	} else if (strcmp(by, "tag") == 0) {
		vec_each (&tags, label) {
			fprintf(out, "%s%s=", label == tags.data ? "" : " ", label->key);
			put_value(label, out);
		}
	} else {
		const struct label *label = find_tag(&tags, by + strlen(TAG_KEY));
		if (label)
			put_value(label, out);
	}
	vec_free(&tags);
}

static uint32_t group_called(struct groups *groups, const char *text)
{
	const char *name = strpool_intern(&groups->names, text);
	uint64_t key = (uint64_t)(uintptr_t)name;
	uint32_t *known = idmap_get(&groups->of_name, key, 0);
	if (known)
		return *known;
	uint32_t index = (uint32_t)groups->list.len;
	vec_push(&groups->list, (struct group){.name = name});
	idmap_put(&groups->of_name, key, 0, index);
	return index;
}

static uint32_t group_of(struct groups *groups, const struct report *report,
	uint32_t thread, const char *by)
{
	uint32_t *known = idmap_get(&groups->of_thread, thread, 0);
	if (known)
		return *known;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out) {
		put_name(report, thread, by, out);
		fclose(out);
	}
	uint32_t index = group_called(groups, text ? text : "");
	free(text);
	idmap_put(&groups->of_thread, thread, 0, index);
	return index;
}

/* --- counting ---------------------------------------------------------------------- */

static struct report_function *row_of(
	struct groups *groups, uint32_t index, uint32_t function)
{
	struct group *group = &groups->list.data[index];
	uint32_t *place = idmap_get(&groups->places, index, function);
	if (place)
		return &group->rows.data[*place];
	idmap_put(&groups->places, index, function, (uint32_t)group->rows.len);
	vec_push(&group->rows, (struct report_function){.function = function});
	return &group->rows.data[group->rows.len - 1];
}

/* SEEN has (function, 0) -> the last stack, plus 1, that it was counted for. */
static void count_stack(struct groups *groups, const struct report *report, size_t at,
	uint32_t group, struct stack_frames *frames, struct idmap *seen)
{
	const struct report_stack *stack = &report->stacks[at];
	stack_frames_of(report, stack->stack, frames);
	weight_add(&groups->list.data[group].weight, &stack->weight);
	for (size_t i = 0; i < frames->len; i++) {
		uint32_t function = frames->data[i].function;
		struct report_function *row = row_of(groups, group, function);
		uint32_t *last = idmap_get(seen, function, 0);
		if (i == 0)
			weight_add(&row->self, &stack->weight);
		if (last && *last == (uint32_t)at + 1)
			continue;
		weight_add(&row->total, &stack->weight);
		idmap_put(seen, function, 0, (uint32_t)at + 1);
	}
}

static int compare_groups(const void *a, const void *b, void *metric)
{
	const struct group *x = a, *y = b;
	uint64_t weight_x = ((const struct file_metric *)metric)->of(&x->weight),
		 weight_y = ((const struct file_metric *)metric)->of(&y->weight);
	if (weight_x != weight_y)
		return weight_x < weight_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The order of equal rows must not depend on that of the samples. */
static int compare_rows(const void *a, const void *b, void *profile)
{
	const struct report_function *x = a, *y = b;
	int order = strcmp(profile_function(profile, x->function)->name,
		profile_function(profile, y->function)->name);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

void groups_init(struct groups *groups, const struct report *report, const char *by)
{
	struct file_metric metric = file_metric_of(report);
	struct stack_frames frames = {0};
	struct idmap seen = {0};
	*groups = (struct groups){.list = {0}};
	for (size_t i = 0; i < report->n_stacks; i++)
		count_stack(groups, report, i,
			group_of(groups, report, report->stacks[i].thread, by), &frames,
			&seen);
	vec_free(&frames);
	idmap_finish(&seen);
	vec_each (&groups->list, group)
		if (group->rows.len)
			qsort_r(group->rows.data, group->rows.len,
				sizeof(*group->rows.data), compare_rows,
				(void *)report->profile);
	if (groups->list.len)
		qsort_r(groups->list.data, groups->list.len, sizeof(*groups->list.data),
			compare_groups, &metric);
}

void groups_finish(struct groups *groups)
{
	vec_each (&groups->list, group)
		vec_free(&group->rows);
	vec_free(&groups->list);
	strpool_finish(&groups->names);
	idmap_finish(&groups->of_name);
	idmap_finish(&groups->of_thread);
	idmap_finish(&groups->places);
}
