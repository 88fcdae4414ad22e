/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/quantity.h"

#include <inttypes.h>
#include <stdio.h>

struct unit {
	const char *name;
	double size;
};

static const struct unit times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
static const struct unit sizes[] = {
	{"B", 1}, {"kB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}};

struct quantity quantity_say(enum value_kind kind, uint64_t value)
{
	const struct unit *units = kind == VALUE_TIME ? times : sizes;
	struct quantity out;
	size_t unit = 0;

	if (kind == VALUE_COUNT || value == 0) {
		snprintf(out.text, sizeof(out.text), "%" PRIu64, value);
		return out;
	}
	while (unit < 3 && (double)value >= 999.5 * units[unit].size)
		unit++;
	double part = (double)value / units[unit].size;
	int decimals = unit == 0 ? 0 : part < 9.995 ? 2 : part < 99.95 ? 1 : 0;
	snprintf(out.text, sizeof(out.text), "%.*f%s", decimals, part, units[unit].name);
	return out;
}
