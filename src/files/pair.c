/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/files/pair.h"

#include "src/files/opened.h"

#include <string.h>

static bool find_type(
	const struct recording *recording, const char *type, uint32_t *found)
{
	const struct origin *origin = recording->origin;
	for (uint32_t i = 0; i < origin->types.len; i++)
		if (strcmp(origin->types.data[i].type, type) == 0) {
			*found = i;
			return true;
		}
	return false;
}

static const struct value_type *type_at(const struct recording *recording, uint32_t index)
{
	return &recording->origin->types.data[index];
}

bool pair_read(struct pair *pair, const char *before, const char *after, const char *type,
	struct error *err)
{
	struct recording *sides = pair->sides;
	char *names[] = {(char *)before, (char *)after};
	*pair = (struct pair){.types = {0}};
	for (int side = 0; side < 2; side++)
		if (!opened_read(
			    &sides[side], &names[side], 1, type, &pair->types[side], err))
			return false;
	const struct value_type *old = type_at(&sides[0], pair->types[0]);
	if (!find_type(&sides[1], old->type, &pair->types[1]) ||
		strcmp(type_at(&sides[1], pair->types[1])->unit, old->unit) != 0)
		return error_set(err,
			"%s counts %s in %s, which %s does not: --type says what to "
			"compare",
			before, old->type, old->unit, after);
	return true;
}

void pair_finish(struct pair *pair)
{
	for (int side = 0; side < 2; side++)
		recording_finish(&pair->sides[side]);
}

struct report *pair_report(struct pair *pair, const struct report_request *request,
	enum normalization normalization)
{
	struct report_request requests[2] = {*request, *request};
	uint32_t type = request->sample_type;
	if (type >= pair->sides[1].origin->types.len ||
		!find_type(&pair->sides[0], type_at(&pair->sides[1], type)->type,
			&requests[0].sample_type)) {
		requests[0].sample_type = pair->types[0];
		requests[1].sample_type = pair->types[1];
	}
	struct report *sides[2];
	for (int side = 0; side < 2; side++) {
		requests[side].blocks = DIFFERENCE_BLOCKS;
		sides[side] = recording_report(&pair->sides[side], &requests[side]);
	}
	struct report *both = difference_build(sides[0], sides[1], normalization, false);
	both->request = *request;
	both->request.serial = sides[1]->request.serial;
	report_destroy(sides[0]);
	report_destroy(sides[1]);
	return both;
}
