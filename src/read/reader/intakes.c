/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/intakes.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <string.h>

/* How long a process that has ended is kept for its debug files. */
#define LAST_FILES_NS (10 * NS_PER_SEC)

enum {
	LOOK_EVERY_MS = 25,
	CALM_LOOK_EVERY_MS = 100, /* if no more than so many records waited: */
	FEW_RECORDS = 24,
	/* While the sampler waits for advice: each sample until then is a broken stack. */
	LEARNING_LOOK_EVERY_MS = 2,
	RESTLESS_LOOK_EVERY_MS = 4,
	/* Of perf maps, before all have their turn: else main takes the reader for hung on a busy
	   machine, and a large map keeps samples waiting. */
	MAPS_TURN_BYTES = 1 << 20,
};

bool intakes_add(
	struct intakes *intakes, const struct intake_options *options, struct error *err)
{
	struct intake_options all = *options;
	if (!intakes->images)
		intakes->images = image_cache_create(intakes->file_bytes);
	all.images = intakes->images;
	struct intake *intake = intake_create(&all, err);
	if (!intake)
		return false;
	vec_push(&intakes->list, intake);
	return true;
}

/* The accounts of all are complete up to the earliest time of any. */
static void find_surveyed(struct intakes *intakes)
{
	uint64_t least_ns = UINT64_MAX;
	vec_each (&intakes->list, intake)
		if (!intake_ended(*intake) && intake_surveyed_ns(*intake) < least_ns)
			least_ns = intake_surveyed_ns(*intake);
	if (least_ns != UINT64_MAX) {
		intakes->surveyed_ns = least_ns;
		return;
	}
	vec_each (&intakes->list, intake)
		if (intake_surveyed_ns(*intake) > intakes->surveyed_ns)
			intakes->surveyed_ns = intake_surveyed_ns(*intake);
}

/* The intake with the oldest waiting record, or NULL. *NEXT_NS is the time of the oldest
   record of the others. */
static struct intake *find_oldest(const struct intakes *intakes, uint64_t *next_ns)
{
	struct intake *oldest = NULL;
	uint64_t oldest_ns = UINT64_MAX;
	*next_ns = UINT64_MAX;
	vec_each (&intakes->list, intake) {
		uint64_t time_ns = intake_next_ns(*intake);
		if (time_ns < oldest_ns) {
			*next_ns = oldest_ns;
			oldest_ns = time_ns;
			oldest = *intake;
		} else if (time_ns < *next_ns) {
			*next_ns = time_ns;
		}
	}
	return oldest;
}

static size_t count_waiting(const struct intakes *intakes)
{
	size_t waiting = 0;
	vec_each (&intakes->list, intake)
		waiting += ring_waiting(intake_ring(*intake));
	return waiting;
}

void intakes_drain(struct intakes *intakes)
{
	uint64_t begun_ns = clock_monotonic_ns(), next_ns;
	struct intake *oldest;
	image_cache_turn(intakes->images, MAPS_TURN_BYTES);
	intakes->is_calm = count_waiting(intakes) <= FEW_RECORDS;
	intakes->is_restless = false;
	vec_each (&intakes->list, intake) {
		intakes->is_calm &= !intake_asks_owners(*intake);
		intakes->is_restless |=
			!intake_ended_ns(*intake) && intake_watch(*intake);
	}
	while ((oldest = find_oldest(intakes, &next_ns))) {
		/* What comes in meanwhile waits for what others' rings get meanwhile. */
		uint64_t first_ns = intake_next_ns(oldest);
		uint64_t most_ns = begun_ns > first_ns ? begun_ns : first_ns;
		intake_take(
			oldest, next_ns < most_ns ? next_ns : most_ns, intakes->pulse);
	}
	find_surveyed(intakes);
}

int intakes_patience_ms(const struct intakes *intakes)
{
	uint64_t now_ns = clock_monotonic_ns();
	vec_each (&intakes->list, intake)
		if (intake_is_learning(*intake, now_ns) || intake_is_behind(*intake))
			return LEARNING_LOOK_EVERY_MS;
	return intakes->is_restless ? RESTLESS_LOOK_EVERY_MS
	       : intakes->is_calm   ? CALM_LOOK_EVERY_MS
				    : LOOK_EVERY_MS;
}

void intakes_refresh(struct intakes *intakes, uint64_t now_ns)
{
	vec_each (&intakes->list, intake)
		intake_refresh(*intake, now_ns);
}

const char *intakes_refusal(const struct intakes *intakes, pid_t *pid)
{
	vec_each (&intakes->list, intake) {
		*pid = intake_pid(*intake);
		if (intake_refusal(*intake))
			return intake_refusal(*intake);
	}
	*pid = intakes->last_refused;
	return intakes->last_refusal;
}

const char *intakes_places(const struct intakes *intakes)
{
	return intakes->list.len > 0 ? intake_places(intakes->list.data[0]) : "";
}

const char *intakes_too_large(const struct intakes *intakes)
{
	const char *refusal = intakes->images ? image_cache_refusal(intakes->images) : "";
	for (size_t i = 0; i < intakes->list.len && !refusal[0]; i++)
		refusal = intake_map_refusal(intakes->list.data[i]);
	return refusal;
}

bool intakes_await_files(const struct intakes *intakes)
{
	bool await = false;
	vec_each (&intakes->list, intake)
		await |= intake_awaits_files(*intake);
	return await;
}

bool intakes_are_behind(const struct intakes *intakes)
{
	bool are_behind = false;
	vec_each (&intakes->list, intake)
		are_behind |= intake_is_behind(*intake);
	return are_behind;
}

void intakes_rename(struct intakes *intakes, struct idmap *renamed)
{
	vec_each (&intakes->list, intake)
		intake_rename(*intake, renamed);
}

void intakes_languages(const struct intakes *intakes, char *out, size_t size)
{
	size_t length = 0;
	out[0] = '\0';
	vec_each (&intakes->list, intake) {
		const char *language = intake_language(*intake);
		if (!language[0] || strstr(out, language))
			continue;
		int more = snprintf(out + length, size - length, "%s%s",
			length > 0 ? ", " : "", language);
		length += (size_t)more < size - length ? (size_t)more : 0;
		out[length] = '\0';
	}
}

static bool may_retire(const struct intake *intake, uint64_t now_ns)
{
	uint64_t ended_ns = intake_ended_ns(intake);
	return intake_is_one_of_several(intake) && ended_ns &&
	       ((!intake_awaits_files(intake) && !intake_is_behind(intake)) ||
		       now_ns - ended_ns > LAST_FILES_NS);
}

static void keep_refusal(struct intakes *intakes, const struct intake *intake)
{
	if (intakes->last_refusal)
		return;
	intakes->last_refusal = intake_refusal(intake);
	intakes->last_refused = intake_pid(intake);
}

bool intakes_retire(struct intakes *intakes, uint64_t now_ns, struct idmap *renamed)
{
	size_t kept = 0, len = intakes->list.len;
	for (size_t i = 0; i < len; i++) {
		struct intake *intake = intakes->list.data[i];
		if (may_retire(intake, now_ns)) {
			struct fact retired = {.kind = FACT_RETIRED,
				.subject = {.subject = intake_subject(intake)}};
			intake_rename(intake, renamed);
			keep_refusal(intakes, intake);
			teller_tell(intake_teller(intake), &retired, NULL);
			intake_destroy(intake);
		} else {
			intakes->list.data[kept++] = intake;
		}
	}
	intakes->list.len = kept;
	return kept < len;
}

void intakes_carry(struct intakes *intakes, struct renewal *renewal)
{
	vec_each (&intakes->list, intake)
		intake_carry(*intake, renewal);
}

void intakes_renew(struct intakes *intakes, struct renewal *renewal)
{
	vec_each (&intakes->list, intake)
		intake_renew(*intake, renewal);
}
