/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/locks/holding.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* A moment as the stretch of time that it stands for. */
struct stretch {
	uint64_t from_ns, to_ns;
	uint32_t stack; /* index in the report */
};

/* The stretches of one thread, in the order of time. */
struct life {
	struct stretch *data;
	size_t len, cap;
	uint64_t longest_ns;
};

struct lives {
	VEC(struct life) list;
	struct idmap places; /* (tid, 0) -> index */
};

static struct life *life_of(const struct lives *lives, pid_t tid)
{
	uint32_t *place = idmap_get(&lives->places, (uint64_t)tid, 0);
	return place ? &lives->list.data[*place] : NULL;
}

static void add_stretch(struct lives *lives, pid_t tid, const struct stretch *stretch)
{
	struct life *life = life_of(lives, tid);
	if (!life) {
		idmap_put(&lives->places, (uint64_t)tid, 0, (uint32_t)lives->list.len);
		vec_push(&lives->list, (struct life){0});
		life = &lives->list.data[lives->list.len - 1];
	}
	uint64_t length_ns = stretch->to_ns - stretch->from_ns;
	if (length_ns > life->longest_ns)
		life->longest_ns = length_ns;
	vec_push(life, *stretch);
}

static void live(struct lives *lives, const struct report *report)
{
	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		uint64_t from_ns = moment->weight_ns < moment->time_ns
					   ? moment->time_ns - moment->weight_ns
					   : 0;
		uint32_t thread = report->stacks[moment->stack].thread;
		add_stretch(lives, profile_thread(report->profile, thread)->tid,
			&(struct stretch){from_ns, moment->time_ns, moment->stack});
	}
}

/* The first stretch of LIFE that may reach beyond FROM_NS: they are in the order of their
   ends. */
static size_t first_after(const struct life *life, uint64_t from_ns)
{
	size_t low = 0, high = life->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (life->data[middle].to_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Share WAIT, for lock INDEX, among what HOLDER did in that time. Who holds a lock does not
   wait for it: such a stretch is of just before or after. */
static void share(struct locks *locks, const struct report *report,
	const struct wait_of_stack *waits, uint32_t index, const struct life *holder,
	const struct stretch *wait)
{
	for (size_t i = first_after(holder, wait->from_ns); i < holder->len; i++) {
		const struct stretch *other = &holder->data[i];
		if (other->to_ns >= wait->to_ns + holder->longest_ns)
			break;
		uint64_t from_ns =
			other->from_ns > wait->from_ns ? other->from_ns : wait->from_ns;
		uint64_t to_ns = other->to_ns < wait->to_ns ? other->to_ns : wait->to_ns;
		if (from_ns < to_ns && waits[other->stack].lock != index)
			lock_parts_add(&locks->list.data[index].stacks,
				report->stacks[other->stack].stack, NULL,
				to_ns - from_ns);
	}
}

void holding_add(struct locks *locks, const struct report *report,
	const struct wait_of_stack *waits)
{
	struct lives lives = {.list = {0}};
	live(&lives, report);
	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		const struct wait_of_stack *wait = &waits[moment->stack];
		const struct life *holder =
			wait->holder ? life_of(&lives, wait->holder) : NULL;
		if (!holder || wait->lock == LOCK_NONE)
			continue;
		uint64_t from_ns = moment->weight_ns < moment->time_ns
					   ? moment->time_ns - moment->weight_ns
					   : 0;
		share(locks, report, waits, wait->lock, holder,
			&(struct stretch){from_ns, moment->time_ns, moment->stack});
	}
	vec_each (&lives.list, life)
		vec_free(life);
	vec_free(&lives.list);
	idmap_finish(&lives.places);
}
