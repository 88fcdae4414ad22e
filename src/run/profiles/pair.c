/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/pair.h"

#include "src/run/profiles/opened.h"

#include <string.h>

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
	struct apart apart;
	bool done = apart_begin(&apart, PAIR_BYTES_MAX, err);
	for (int side = 0; side < 2 && done; side++)
		done = opened_read_by(&apart, &sides[side], &names[side], 1, type,
			&pair->types[side], &pair->left_out, err);
	apart_end(&apart);
	if (!done)
		return false;
	const struct value_type *old = type_at(&sides[0], pair->types[0]);
	if (!origin_find_type(sides[1].origin, old->type, &pair->types[1]) ||
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

struct report *pair_side(
	struct pair *pair, int side, const struct report_request *request)
{
	struct report_request own = *request;
	uint32_t type = request->sample_type;
	bool in_both = type < pair->sides[1].origin->types.len &&
		       origin_find_type(pair->sides[0].origin,
			       type_at(&pair->sides[1], type)->type, &own.sample_type);
	if (!in_both)
		own.sample_type = pair->types[side];
	else if (side == 1)
		own.sample_type = type;
	own.blocks = DIFFERENCE_BLOCKS;
	struct report *report = recording_report(&pair->sides[side], &own);
	report->request.sample_type = request->sample_type;
	return report;
}

struct report *pair_report(struct pair *pair, const struct report_request *request,
	enum normalization normalization)
{
	struct report *before = pair_side(pair, 0, request);
	struct report *after = pair_side(pair, 1, request);
	struct report *both = difference_build(before, after, normalization, false);
	report_destroy(before);
	report_destroy(after);
	return both;
}
