/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/picture-hues.h"

#include <string.h>

/* What was sampled, of a file it is not known. */
static const char *program_of(const struct report *report)
{
	if (report->origin || report->main_mapping == PROFILE_NONE)
		return "";
	const char *path = profile_mapping(report->profile, report->main_mapping)->path;
	const char *program = strrchr(path, '/');
	return program ? program + 1 : "";
}

struct module_hues picture_hues(
	const struct report *report, const struct file_metric *metric)
{
	struct module_hues hues = {0};

	module_hues_begin(&hues, program_of(report));
	for (size_t i = 0; i < report->n_functions; i++)
		module_hues_add(&hues,
			profile_function(report->profile, report->functions[i].function),
			metric->of(&report->functions[i].total));
	module_hues_settle(&hues);
	return hues;
}
