/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/late-names.h"

#include "src/base/clock.h"
#include "src/read/names/line-names.h"

#define TAKE_EVERY_NS (500 * NS_PER_MS)

enum {
	WORN_BYTES = 4 << 20,
};

void late_names_follow(struct late_names *late, uint64_t now_ns)
{
	if (late->lines_at_once)
		line_resolver_start(late->lines);
	else
		line_resolver_advance(late->lines);
	if (now_ns - late->taken_ns >= TAKE_EVERY_NS || intakes_are_behind(late->intakes))
		late_names_take(late);
}

void late_names_take(struct late_names *late)
{
	struct idmap renamed = {0};
	line_names_take(late->lines, late->teller->profile, &renamed);
	intakes_rename(late->intakes, &renamed);
	if (renamed.len > 0)
		teller_renamed(late->teller, &renamed);
	idmap_finish(&renamed);
	late->taken_ns = clock_monotonic_ns();
}

static bool awaits_answers(const struct late_names *late)
{
	return !line_resolver_is_done(late->lines) || intakes_await_files(late->intakes);
}

bool late_names_are_complete(const struct late_names *late)
{
	return !awaits_answers(late) && !intakes_are_behind(late->intakes);
}

bool late_names_renew(struct late_names *late, bool is_wanted)
{
	struct renewal renewal;
	size_t most = late->worn_bytes ? late->worn_bytes : WORN_BYTES;
	if ((!is_wanted && profile_bytes(late->teller->profile) <= most) ||
		awaits_answers(late))
		return false;
	late_names_take(late);
	renewal_init(&renewal, late->teller->profile);
	intakes_carry(late->intakes, &renewal);
	line_resolver_carry(late->lines, &renewal);
	intakes_renew(late->intakes, &renewal);
	line_resolver_renew(late->lines, &renewal);
	teller_renew(late->teller, &renewal);
	vec_each (&late->intakes->list, intake)
		intake_introduce(*intake);
	renewal_finish(&renewal);
	size_t left = profile_bytes(late->teller->profile);
	late->worn_bytes = left * 2 > WORN_BYTES ? left * 2 : WORN_BYTES;
	return true;
}
