/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_PLACES = 12,
};

void verdict_finish(struct verdict *verdict)
{
	vec_free(&verdict->places);
	idmap_finish(&verdict->seen);
}

static void describe(
	struct tracee *tracee, const struct callchain *chain, char *text, size_t size)
{
	size_t at = 0;
	*text = '\0';
	for (uint32_t i = 0; i < chain->length && i < 9 && at + 1 < size; i++) {
		const char *name = tracee_symbol(tracee, chain->frames[i]);
		int n = strcmp(name, "?") != 0
				? snprintf(text + at, size - at, " %s", name)
				: snprintf(text + at, size - at, " %" PRIx64,
					  chain->frames[i].pc);
		at += n > 0 ? (size_t)n : 0;
	}
}

/* One stack, as it was made out and as it is. */
struct comparison {
	struct tracee *tracee;
	const struct callchain *chain, *truth;
};

/* Remember a failure of kind WHAT at the PC whose step was the bad one. */
static void note(struct verdict *verdict, const struct comparison *of, const char *what,
	uint64_t pc)
{
	uint64_t kind = (uint64_t)what[0] << 8 | (uint64_t)of->chain->end;
	uint32_t *known = idmap_get(&verdict->seen, pc, kind);
	if (known) {
		verdict->places.data[*known].count++;
		return;
	}
	struct place place = {.pc = pc, .count = 1, .what = what};
	char ours[256], truth[256];
	describe(of->tracee, of->chain, ours, sizeof(ours));
	describe(of->tracee, of->truth, truth, sizeof(truth));
	snprintf(place.text, sizeof(place.text), "[%s] %u:%s\n#        true %u:%s",
		unwind_end_name(of->chain->end), of->chain->length, ours,
		of->truth->length, truth);
	idmap_put(&verdict->seen, pc, kind, (uint32_t)verdict->places.len);
	vec_push(&verdict->places, place);
}

/* How many frames of the two are the same, from the leaf on. */
static uint32_t common(const struct callchain *a, const struct callchain *b, bool stock)
{
	uint32_t i = 0;
	while (i < a->length && i < b->length && a->frames[i].pc == b->frames[i].pc &&
		(stock || a->frames[i].is_activation == b->frames[i].is_activation))
		i++;
	return i;
}

void verdict_add(struct verdict *verdict, struct tracee *tracee,
	const struct callchain *chain, const struct callchain *truth, bool stock)
{
	struct comparison of = {tracee, chain, truth};
	uint32_t same = common(chain, truth, stock);
	uint64_t at = chain->frames[same ? same - 1 : 0].pc;
	verdict->steps++;
	verdict->frames += truth->length;
	bool is_right = same == chain->length && same == truth->length;
	if (chain->end == UNWIND_GUESSED) {
		verdict->guessed++;
		verdict->guessed_right += is_right;
		if (!is_right)
			note(verdict, &of, "guessed", at);
	} else if (chain->end != UNWIND_ROOT) {
		verdict->incomplete++;
		bool is_prefix = same == chain->length;
		verdict->bad_prefix += !is_prefix;
		note(verdict, &of, is_prefix ? "incomplete" : "bad prefix", at);
	} else if (is_right) {
		verdict->right++;
	} else {
		verdict->wrong++;
		note(verdict, &of, "wrong", at);
	}
}

static int worst_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(y->what, x->what);
	return order ? order : (x->count < y->count) - (x->count > y->count);
}

bool verdict_print(struct verdict *verdict, bool only_pc_and_sp)
{
	double steps = verdict->steps ? (double)verdict->steps : 1;
	printf("steps %" PRIu64 " right %" PRIu64 " incomplete %" PRIu64 " wrong %" PRIu64
	       " bad_prefix %" PRIu64 " guessed %" PRIu64 " of_them_right %" PRIu64
	       " frames %.1f ns %.0f\n",
		verdict->steps, verdict->right, verdict->incomplete, verdict->wrong,
		verdict->bad_prefix, verdict->guessed, verdict->guessed_right,
		(double)verdict->frames / steps, (double)verdict->unwind_ns / steps);
	if (verdict->places.len > 0)
		qsort(verdict->places.data, verdict->places.len,
			sizeof(*verdict->places.data), worst_first);
	for (size_t i = 0; i < verdict->places.len && i < MAX_PLACES; i++) {
		const struct place *place = &verdict->places.data[i];
		printf("# %6" PRIu64 " %s at %" PRIx64 " %s\n", place->count, place->what,
			place->pc, place->text);
	}
	if (verdict->steps == 0 || verdict->wrong > 0)
		return false;
	if (!only_pc_and_sp)
		return verdict->right * 1000 >= verdict->steps * 999;
	return (verdict->right + verdict->guessed_right) * 100 >= verdict->steps * 95 &&
	       verdict->guessed_right * 100 >= verdict->guessed * 99;
}
