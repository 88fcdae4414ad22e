/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/print/contention.h"

#include "src/count/locks/locks.h"
#include "src/facts/text/quantity.h"

#include <inttypes.h>
#include <string.h>

enum {
	PARTS_MOST = 5, /* of each kind, under one lock */
	LINE_MAX_BYTES = 512,
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* One line: the share and the time of PART, and what it is. */
static void write_part(const char *title, const struct lock_part *part, uint64_t whole,
	const char *text, FILE *out)
{
	fprintf(out, "  %-10s %7.2f%% %9s  %s\n", title, percent(part->ns, whole),
		quantity_say(VALUE_TIME, part->ns).text, text);
}

static void write_threads(
	const char *title, const struct lock_parts *parts, uint64_t whole, FILE *out)
{
	char text[LINE_MAX_BYTES];
	for (size_t i = 0; i < parts->len && i < PARTS_MOST; i++) {
		const struct lock_part *part = &parts->data[i];
		snprintf(text, sizeof(text), "%s (%" PRIu64 ")",
			part->name && part->name[0] ? part->name : "?", part->id);
		write_part(i ? "" : title, part, whole, text, out);
	}
	if (parts->len > PARTS_MOST)
		fprintf(out, "%33s%zu more\n", "", parts->len - PARTS_MOST);
}

/* What the holders did; the last line has the rest, so that all add up. */
static void write_stacks(const struct report *report, const struct lock *lock, FILE *out)
{
	struct stack_frames frames = {0};
	struct lock_part rest = {0};
	char text[LINE_MAX_BYTES];
	for (size_t i = 0; i < lock->stacks.len; i++) {
		const struct lock_part *part = &lock->stacks.data[i];
		rest.ns += i < PARTS_MOST ? 0 : part->ns;
		if (i >= PARTS_MOST)
			continue;
		locks_say_stack(report, (uint32_t)part->id, &frames, text, sizeof(text));
		write_part(i ? "" : "holder in", part, lock->ns, text, out);
	}
	if (lock->stacks.len > PARTS_MOST) {
		snprintf(text, sizeof(text), "%zu more", lock->stacks.len - PARTS_MOST);
		write_part("", &rest, lock->ns, text, out);
	}
	vec_free(&frames);
}

static void write_lock(const struct report *report, const struct locks *locks,
	const struct lock *lock, FILE *out)
{
	fprintf(out, "\n%9s %6.2f%%  %s%s%s, %zu waiting\n",
		quantity_say(VALUE_TIME, lock->ns).text, percent(lock->ns, locks->ns),
		wait_kind_names[lock->kind], lock->object[0] ? " " : "", lock->object,
		lock->waiters.len);
	write_threads("held by", &lock->holders, lock->ns, out);
	write_stacks(report, lock, out);
	for (size_t i = 0; i < lock->codes.len && i < PARTS_MOST; i++) {
		const struct lock_part *part = &lock->codes.data[i];
		write_part(i ? "" : "waits in", part, lock->ns,
			profile_function(report->profile, (uint32_t)part->id)->name, out);
	}
	write_threads("waiting", &lock->waiters, lock->ns, out);
}

void contention_write(const struct report *report, size_t most, FILE *out)
{
	struct locks locks;
	locks_build(&locks, report);
	if (locks.list.len == 0)
		fputs("No waiting for locks, pipes, sockets or events was recorded: that "
		      "needs -m wall.\n",
			out);
	else
		fprintf(out, "Waited:   %s for %zu objects\n",
			quantity_say(VALUE_TIME, locks.ns).text, locks.list.len);
	for (size_t i = 0; i < locks.list.len && i < most; i++)
		write_lock(report, &locks, &locks.list.data[i], out);
	locks_finish(&locks);
}
