/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/hues.h"

void hues_update(
	struct module_hues *hues, const struct report *report, enum metric metric)
{
	module_hues_clear(hues);
	for (size_t i = 0; i < report->n_functions; i++)
		module_hues_add(hues,
			profile_function(report->profile, report->functions[i].function),
			metric_of(metric, &report->functions[i].total));
	module_hues_settle(hues);
}

enum role hues_cell(const struct module_hues *hues, const struct function *function)
{
	unsigned hue = module_hues_of(hues, function);
	if (hue == MODULE_HUES)
		return ROLE_NO_CODE;
	return (enum role)((module_hues_tone(function) ? ROLE_SHADE : ROLE_HUE) + hue);
}

enum role hues_ink(const struct module_hues *hues, const struct function *function)
{
	unsigned hue = module_hues_of(hues, function);
	return hue == MODULE_HUES ? ROLE_DIM : (enum role)(ROLE_INK + hue);
}
