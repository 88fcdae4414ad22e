/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/hues.h"

#include "src/base/mem.h"
#include "src/base/strpool.h"

#include <stdlib.h>
#include <string.h>

/* "" if FUNCTION is of no module. */
static const char *module_of(const struct function *function)
{
	if (function->is_process)
		return function->name;
	return function->is_synthetic ? "" : function->module;
}

static struct hue_holder *holder_of(const struct hues *hues, const char *module)
{
	const uint32_t *place =
		idmap_get(&hues->places, strpool_hash(module, strlen(module)), 0);
	return place ? &hues->holders.data[*place] : NULL;
}

static struct hue_holder *holder_add(struct hues *hues, const char *module)
{
	struct hue_holder holder = {mem_strdup(module), 0, THEME_HUES};

	idmap_put(&hues->places, strpool_hash(module, strlen(module)), 0,
		(uint32_t)hues->holders.len);
	vec_push(&hues->holders, holder);
	return &hues->holders.data[hues->holders.len - 1];
}

void hues_begin(struct hues *hues, const char *module)
{
	if (module[0] != '\0')
		holder_add(hues, module)->hue = 0;
}

static void measure(struct hues *hues, const struct report *report, enum metric metric)
{
	vec_each (&hues->holders, holder)
		holder->area = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const char *module = module_of(
			profile_function(report->profile, report->functions[i].function));
		if (module[0] == '\0')
			continue;
		struct hue_holder *holder = holder_of(hues, module);
		if (!holder)
			holder = holder_add(hues, module);
		holder->area += metric_of(metric, &report->functions[i].total);
	}
}

/* The holder without a hue that has the most area, or NULL. */
static struct hue_holder *next_without(const struct hues *hues)
{
	struct hue_holder *next = NULL;

	vec_each (&hues->holders, holder)
		if (holder->hue == THEME_HUES && (!next || holder->area > next->area))
			next = holder;
	return next;
}

/* The first that nobody has, else the one whose holders have the least area. */
static unsigned freest_hue(const struct hues *hues)
{
	uint64_t areas[THEME_HUES] = {0};
	bool is_held[THEME_HUES] = {false};
	unsigned freest = 0;

	vec_each (&hues->holders, holder) {
		if (holder->hue == THEME_HUES)
			continue;
		areas[holder->hue] += holder->area;
		is_held[holder->hue] = true;
	}
	for (unsigned hue = 0; hue < THEME_HUES; hue++) {
		if (!is_held[hue])
			return hue;
		if (areas[hue] < areas[freest])
			freest = hue;
	}
	return freest;
}

void hues_update(struct hues *hues, const struct report *report, enum metric metric)
{
	struct hue_holder *next;

	measure(hues, report, metric);
	while ((next = next_without(hues)))
		next->hue = freest_hue(hues);
}

void hues_finish(struct hues *hues)
{
	vec_each (&hues->holders, holder)
		free(holder->module);
	vec_free(&hues->holders);
	idmap_finish(&hues->places);
}

enum role hues_cell(const struct hues *hues, const struct function *function)
{
	const char *module = module_of(function);
	const struct hue_holder *holder =
		module[0] != '\0' ? holder_of(hues, module) : NULL;
	uint32_t hash = 0;

	if (!holder)
		return ROLE_NO_CODE;
	for (const char *c = function->name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return (enum role)(
		((hash ^ hash >> 7) & 1 ? ROLE_SHADE : ROLE_HUE) + holder->hue);
}

enum role hues_ink(const struct hues *hues, const struct function *function)
{
	const char *module = module_of(function);
	const struct hue_holder *holder =
		module[0] != '\0' ? holder_of(hues, module) : NULL;

	return holder ? (enum role)(ROLE_INK + holder->hue) : ROLE_DIM;
}
