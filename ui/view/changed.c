/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/changed.h"

#include "src/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum role changed_role(const struct change *change)
{
	if (!change->real)
		return ROLE_DIM;
	return change_of(change) > 0 ? ROLE_MORE : ROLE_LESS;
}

enum role changed_cell_role(const struct change *change)
{
	if (!change->real)
		return ROLE_SAME_CELL;
	return change_of(change) > 0 ? ROLE_MORE_CELL : ROLE_LESS_CELL;
}

static struct format per_second(enum value_kind kind, double value)
{
	double ms = value / NS_PER_MS;
	struct format format;
	if (kind != VALUE_TIME)
		snprintf(format.text, sizeof(format.text), "%.24s/s",
			format_value(kind, (uint64_t)(value + 0.5)).text);
	else if (ms < 9999.5)
		snprintf(format.text, sizeof(format.text), "%.*fms/s", ms < 99.95, ms);
	else
		snprintf(format.text, sizeof(format.text), "%.1fs/s", ms / 1000);
	return format;
}

struct format changed_value(const struct report *report, double value)
{
	const struct difference *difference = report->difference;
	enum value_kind kind = report_value_kind(report);
	struct format format;
	if (difference->normalization == NORMALIZE_NONE)
		return format_value(kind, (uint64_t)(value + 0.5));
	if (difference->normalization == NORMALIZE_TIME)
		return per_second(kind, value / difference->per[1]);
	snprintf(format.text, sizeof(format.text), "%.2f%%",
		difference->whole > 0 ? 100 * value / difference->whole : 0);
	return format;
}

struct format changed_by(const struct report *report, const struct change *change)
{
	double by = change_of(change);
	struct format format = {""};
	struct format size = changed_value(report, fabs(by));
	if (strpbrk(size.text, "123456789"))
		snprintf(format.text, sizeof(format.text), "%c%.20s%c",
			by > 0 ? '+' : '-', size.text, change->real ? '*' : ' ');
	return format;
}

void changed_describe(
	const struct report *report, const struct change *change, char *text, size_t size)
{
	struct format by = changed_by(report, change);
	const char *verdict = change->real ? ", more than noise"
			      : by.text[0] ? ", may be noise"
					   : "no change";
	size_t length = strlen(by.text);
	if (length && (by.text[length - 1] == '*' || by.text[length - 1] == ' '))
		by.text[length - 1] = '\0';
	snprintf(text, size, "%s before, %s now: %s%s",
		changed_value(report, change->before).text,
		changed_value(report, change->after).text, by.text, verdict);
}
