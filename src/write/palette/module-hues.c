/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/palette/module-hues.h"

#include "src/base/mem.h"
#include "src/base/strpool.h"

#include <stdlib.h>
#include <string.h>

#define NO_MODULE 0x8e929a /* unlike on the screen text is dark on this, too */

/* ui/draw/theme.c makes these from hues and lightness; unit-theme compares. */
static const uint32_t colours[MODULE_HUES][2] = {
	{0xfbb275, 0xef9d57},
	{0x86cdff, 0x5bbdfd},
	{0x8cd99c, 0x71ca86},
	{0xefa9e8, 0xe193da},
	{0xcfc86c, 0xbfb74a},
	{0xbdbcff, 0xaba7ff},
	{0x56dbdb, 0x06cccc},
	{0xffa9af, 0xfa8e98},
	{0xe9bd68, 0xdbaa44},
	{0xa5c5ff, 0x8ab2ff},
	{0x6adcbc, 0x40cdaa},
	{0xfea5cb, 0xf28fbb},
};

/* "" if FUNCTION is of no module. */
static const char *module_of(const struct function *function)
{
	if (function->is_process)
		return function->name;
	return function->is_synthetic ? "" : function->module;
}

static struct hue_holder *holder_of(const struct module_hues *hues, const char *module)
{
	const uint32_t *place =
		idmap_get(&hues->places, strpool_hash(module, strlen(module)), 0);
	return place ? &hues->holders.data[*place] : NULL;
}

static struct hue_holder *holder_add(struct module_hues *hues, const char *module)
{
	struct hue_holder holder = {mem_strdup(module), 0, MODULE_HUES};

	idmap_put(&hues->places, strpool_hash(module, strlen(module)), 0,
		(uint32_t)hues->holders.len);
	vec_push(&hues->holders, holder);
	return &hues->holders.data[hues->holders.len - 1];
}

void module_hues_begin(struct module_hues *hues, const char *module)
{
	if (module[0] != '\0')
		holder_add(hues, module)->hue = 0;
}

void module_hues_clear(struct module_hues *hues)
{
	vec_each (&hues->holders, holder)
		holder->area = 0;
}

void module_hues_add(
	struct module_hues *hues, const struct function *function, uint64_t area)
{
	const char *module = module_of(function);
	struct hue_holder *holder;

	if (module[0] == '\0')
		return;
	holder = holder_of(hues, module);
	if (!holder)
		holder = holder_add(hues, module);
	holder->area += area;
}

/* The holder without a hue that has the most area, or NULL. */
static struct hue_holder *next_without(const struct module_hues *hues)
{
	struct hue_holder *next = NULL;

	vec_each (&hues->holders, holder)
		if (holder->hue == MODULE_HUES && (!next || holder->area > next->area))
			next = holder;
	return next;
}

/* The first that nobody has, else the one whose holders have the least area. */
static unsigned freest_hue(const struct module_hues *hues)
{
	uint64_t areas[MODULE_HUES] = {0};
	bool is_held[MODULE_HUES] = {false};
	unsigned freest = 0;

	vec_each (&hues->holders, holder) {
		if (holder->hue == MODULE_HUES)
			continue;
		areas[holder->hue] += holder->area;
		is_held[holder->hue] = true;
	}
	for (unsigned hue = 0; hue < MODULE_HUES; hue++) {
		if (!is_held[hue])
			return hue;
		if (areas[hue] < areas[freest])
			freest = hue;
	}
	return freest;
}

void module_hues_settle(struct module_hues *hues)
{
	struct hue_holder *next;

	while ((next = next_without(hues)))
		next->hue = freest_hue(hues);
}

void module_hues_finish(struct module_hues *hues)
{
	vec_each (&hues->holders, holder)
		free(holder->module);
	vec_free(&hues->holders);
	idmap_finish(&hues->places);
}

unsigned module_hues_of(const struct module_hues *hues, const struct function *function)
{
	const char *module = module_of(function);
	const struct hue_holder *holder =
		module[0] != '\0' ? holder_of(hues, module) : NULL;

	return holder ? holder->hue : MODULE_HUES;
}

unsigned module_hues_tone(const struct function *function)
{
	uint32_t hash = 0;

	for (const char *c = function->name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return (hash ^ hash >> 7) & 1;
}

uint32_t module_hues_rgb(const struct module_hues *hues, const struct function *function)
{
	unsigned hue = module_hues_of(hues, function);
	return hue == MODULE_HUES ? NO_MODULE : colours[hue][module_hues_tone(function)];
}
