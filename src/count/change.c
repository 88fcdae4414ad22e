/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/change.h"

const char *normalization_name(enum normalization normalization)
{
	static const char *const names[NORMALIZATIONS] = {
		[NORMALIZE_CPU] = "cpu",
		[NORMALIZE_TIME] = "time",
		[NORMALIZE_NONE] = "none",
	};
	return names[normalization];
}
