/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/languages.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	MANY_PERCENT = 10,
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Percent of the samples that have a made-up function whose name ends with END. */
static double share_of(const struct report *report, const char *end)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const struct function *function =
			profile_function(report->profile, row->function);
		if (function->is_synthetic && ends_with(function->name, end))
			samples += row->total.samples;
	}
	return samples > 0 ? 100.0 * (double)samples / (double)report->total.samples : 0;
}

bool languages_text(const struct report *report, char *out, size_t size)
{
	double gone = share_of(report, " function that is gone]");
	double unknown = share_of(report, " frames not known]");
	char lacks[2][64] = {"", ""};
	if (gone > 0)
		snprintf(lacks[0], sizeof(lacks[0]),
			"; %.1f %% of samples have one that is gone", gone);
	if (unknown > 0)
		snprintf(lacks[1], sizeof(lacks[1]), "; of %.1f %% they are not known",
			unknown);
	bool is_known = !strstr(report->languages, "not known");
	snprintf(out, size, "%s%s%s%s", report->languages,
		report->languages[0] && is_known ? ": functions named" : "", lacks[0],
		lacks[1]);
	return !is_known || gone >= MANY_PERCENT || unknown >= MANY_PERCENT;
}
