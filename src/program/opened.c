/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/program/opened.h"

#include "src/import/import.h"

#include <stdio.h>
#include <string.h>

static bool no_such_type(const struct origin *origin, const char *type, struct error *err)
{
	char known[256] = "";
	size_t used = 0;
	for (size_t i = 0; i < origin->types.len && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
			i ? ", " : "", origin->types.data[i].type);
	return error_set(err, "no values of type '%s' are in it, but: %s", type, known);
}

static bool choose_type(struct recording *recording, const char *type, struct error *err)
{
	const struct origin *origin = recording->origin;
	uint32_t chosen = recording_default_type(recording);
	if (type) {
		for (chosen = 0; chosen < origin->types.len; chosen++)
			if (strcmp(origin->types.data[chosen].type, type) == 0)
				break;
		if (chosen == origin->types.len)
			return no_such_type(origin, type, err);
	}
	recording_show(recording, chosen);
	return true;
}

bool opened_read(struct recording *recording, char *const *files, size_t n_files,
	const char *type, struct error *err)
{
	recording_init(recording);
	for (size_t i = 0; i < n_files; i++)
		if (!import_file(recording, files[i], err))
			return false;
	return choose_type(recording, type, err);
}
