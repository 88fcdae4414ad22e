/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/late-names.h"

#include "src/base/clock.h"
#include "src/history/retention.h"
#include "src/names/line-names.h"

#define TAKE_EVERY_NS (500 * NS_PER_MS)

void late_names_follow(struct late_names *late, uint64_t now_ns)
{
	if (late->lines_at_once)
		line_resolver_start(late->lines);
	else
		line_resolver_advance(late->lines);
	if (now_ns - late->taken_ns >= TAKE_EVERY_NS)
		late_names_take(late);
}

void late_names_take(struct late_names *late)
{
	struct idmap renamed = {0};
	line_names_take(late->lines, late->history->profile, &renamed);
	intakes_rename(late->intakes, &renamed);
	if (renamed.len > 0)
		history_move_stacks(late->history, &renamed, NULL);
	idmap_finish(&renamed);
	late->taken_ns = clock_monotonic_ns();
}

bool late_names_are_complete(const struct late_names *late)
{
	return line_resolver_is_done(late->lines) && !intakes_await_files(late->intakes);
}

static void renew(struct late_names *late)
{
	struct renewal renewal;
	renewal_init(&renewal, late->history->profile);
	retention_renew(late->history, &renewal);
	intakes_renew(late->intakes, &renewal);
	line_resolver_renew(late->lines, &renewal);
	renewal_finish(&renewal);
}

void late_names_renew_worn(struct late_names *late)
{
	if (!retention_wants_renewal(late->history) || !late_names_are_complete(late))
		return;
	late_names_take(late);
	renew(late);
}

void late_names_condense_full(struct late_names *late)
{
	if (!retention_wants_condensing(late->history) || !late_names_are_complete(late))
		return;
	late_names_take(late);
	retention_condense(late->history);
	renew(late);
}
