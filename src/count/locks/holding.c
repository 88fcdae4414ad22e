/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/locks/holding.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <stdlib.h>

/* A moment as the stretch of time that it stands for. */
struct stretch {
	uint64_t from_ns, to_ns;
	uint64_t time_ns; /* of the moment: TO_NS, or there were others at that time */
	uint64_t weight_ns;
	uint32_t stack; /* index in the report */
	bool is_sampled; /* else it is CPU time that was given to the stack of the sample before */
};

/* The stretches of one thread, in the order of time. */
struct life {
	struct stretch *data;
	size_t len, cap;
	size_t first; /* among those of all threads */
	uint64_t longest_ns;
};

struct holding {
	struct locks *locks;
	const struct report *report;
	const struct wait_of_stack *waits;
	VEC(struct life) lives;
	struct idmap places; /* (tid, 0) -> index */
	struct idmap seen;   /* (lock and holder, time) -> 1: it had the lock then */
	struct idmap held;   /* (lock, place of a stretch) -> 1: it is of the hold */
	uint64_t *sums;	     /* by lock: of its stacks */
};

/* --- the lives of the threads --------------------------------------------------------- */

static struct life *life_of(const struct holding *holding, pid_t tid)
{
	uint32_t *place = idmap_get(&holding->places, (uint64_t)tid, 0);
	return place ? &holding->lives.data[*place] : NULL;
}

/* What is told at the same time followed one another; the last of them is what the thread
   did at that time. */
static void add_stretch(struct life *life, struct stretch stretch)
{
	for (size_t i = life->len; i > 0; i--) {
		struct stretch *before = &life->data[i - 1];
		if (before->time_ns != stretch.time_ns)
			break;
		before->from_ns -= before->from_ns < stretch.weight_ns
					   ? before->from_ns
					   : stretch.weight_ns;
		before->to_ns -= before->to_ns < stretch.weight_ns ? before->to_ns
								   : stretch.weight_ns;
	}
	if (stretch.weight_ns > life->longest_ns)
		life->longest_ns = stretch.weight_ns;
	vec_push(life, stretch);
}

static struct stretch stretch_of(const struct report_moment *moment)
{
	return (struct stretch){
		.from_ns = moment->weight_ns < moment->time_ns
				   ? moment->time_ns - moment->weight_ns
				   : 0,
		.to_ns = moment->time_ns,
		.time_ns = moment->time_ns,
		.weight_ns = moment->weight_ns,
		.stack = moment->stack,
		.is_sampled = moment->samples > 0,
	};
}

static void live(struct holding *holding)
{
	const struct report *report = holding->report;
	for (size_t i = 0; i < report->n_moments; i++) {
		const struct report_moment *moment = &report->moments[i];
		uint32_t thread = report->stacks[moment->stack].thread;
		pid_t tid = profile_thread(report->profile, thread)->tid;
		if (moment->weight_ns == 0)
			continue;
		if (!life_of(holding, tid)) {
			idmap_put(&holding->places, (uint64_t)tid, 0,
				(uint32_t)holding->lives.len);
			vec_push(&holding->lives, (struct life){0});
		}
		add_stretch(life_of(holding, tid), stretch_of(moment));
	}
	size_t n = 0;
	vec_each (&holding->lives, life) {
		life->first = n;
		n += life->len;
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

static uint64_t overlap_ns(const struct stretch *a, const struct stretch *b)
{
	uint64_t from_ns = a->from_ns > b->from_ns ? a->from_ns : b->from_ns;
	uint64_t to_ns = a->to_ns < b->to_ns ? a->to_ns : b->to_ns;
	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/* --- what is of the hold -------------------------------------------------------------- */

static uint64_t key_of(const struct wait_of_stack *wait)
{
	return (uint64_t)wait->lock << 32 | (uint32_t)wait->holder;
}

static void add(struct holding *holding, uint32_t lock, uint32_t stack, uint64_t ns)
{
	if (ns == 0)
		return;
	lock_parts_add(&holding->locks->list.data[lock].stacks,
		holding->report->stacks[stack].stack, NULL, ns);
	holding->sums[lock] += ns;
}

static bool is_held(
	const struct holding *holding, uint32_t lock, const struct life *life, size_t i)
{
	return idmap_get(&holding->held, lock, life->first + i) != NULL;
}

/* Who holds a lock does not wait for it: such a stretch is of just before or after. */
static void count_seen(struct holding *holding, const struct wait_of_stack *wait,
	const struct stretch *waited, const struct life *holder, size_t i)
{
	const struct stretch *did = &holder->data[i];
	const struct wait_of_stack *what = &holding->waits[did->stack];
	if (what->waits_for_cpu || (what->runs && !did->is_sampled) ||
		!idmap_get(&holding->seen, key_of(wait), did->time_ns))
		return;
	bool was_waited = did->time_ns > waited->from_ns && did->time_ns <= waited->to_ns;
	uint64_t ns = !what->runs  ? overlap_ns(did, waited)
		      : was_waited ? did->weight_ns
				   : 0;
	if (ns && !is_held(holding, wait->lock, holder, i))
		idmap_put(&holding->held, wait->lock, holder->first + i, 1);
	add(holding, wait->lock, did->stack, ns);
}

static void count_all(struct holding *holding, const struct wait_of_stack *wait,
	const struct stretch *waited, const struct life *holder, size_t i)
{
	add(holding, wait->lock, holder->data[i].stack,
		overlap_ns(&holder->data[i], waited));
}

enum {
	NEAR = 64 /* stretches in which to look for one of the hold */
};

/* The stretch of HOLDER next to I that is of the hold, the one before first; its length:
   there is none. */
static size_t held_near(
	const struct holding *holding, uint32_t lock, const struct life *holder, size_t i)
{
	for (size_t k = i; k-- > 0 && k + NEAR > i;)
		if (is_held(holding, lock, holder, k))
			return k;
	for (size_t k = i; k < holder->len && k < i + NEAR; k++)
		if (is_held(holding, lock, holder, k))
			return k;
	return holder->len;
}

static void count_cpu_waits(struct holding *holding, const struct wait_of_stack *wait,
	const struct stretch *waited, const struct life *holder, size_t i)
{
	const struct report *report = holding->report;
	const struct stretch *did = &holder->data[i];
	if (!holding->waits[did->stack].waits_for_cpu)
		return;
	size_t near = held_near(holding, wait->lock, holder, i);
	if (near == holder->len)
		return;
	/* It is at the place of the sample before, which may be from before the hold. */
	uint32_t place = holder->data[near].stack;
	uint32_t above = report->stacks[did->stack].stack;
	bool is_there = !stacktab_is_root(above) &&
			stacktab_node(report->stacktab, above)->parent ==
				report->stacks[place].stack;
	add(holding, wait->lock, is_there ? did->stack : place, overlap_ns(did, waited));
}

/* Call COUNT for stretch I of all that holders did while others waited; only for locks of
   which nothing is known yet, if UNKNOWN. */
static void count_each(struct holding *holding,
	void (*count)(struct holding *holding, const struct wait_of_stack *wait,
		const struct stretch *waited, const struct life *holder, size_t i),
	const bool *unknown)
{
	const struct report *report = holding->report;
	for (size_t m = 0; m < report->n_moments; m++) {
		const struct stretch waited = stretch_of(&report->moments[m]);
		const struct wait_of_stack *wait = &holding->waits[waited.stack];
		const struct life *holder =
			wait->holder ? life_of(holding, wait->holder) : NULL;
		if (!holder || wait->lock == LOCK_NONE || !waited.weight_ns ||
			(unknown && !unknown[wait->lock]))
			continue;
		for (size_t i = first_after(holder, waited.from_ns); i < holder->len;
			i++) {
			const struct stretch *did = &holder->data[i];
			if (did->to_ns >= waited.to_ns + 2 * holder->longest_ns)
				break;
			if (holding->waits[did->stack].lock != wait->lock)
				count(holding, wait, &waited, holder, i);
		}
	}
}

/* Nobody is known to have waited just then, as where locks are held for a short time only:
   who waits is looked at now and then. */
static void count_unwaited(struct holding *holding)
{
	const struct report *report = holding->report;
	for (size_t m = 0; m < report->n_moments; m++) {
		const struct report_moment *moment = &report->moments[m];
		const struct wait_of_stack *wait = &holding->waits[moment->stack];
		const struct life *holder =
			wait->holder ? life_of(holding, wait->holder) : NULL;
		if (!holder || wait->lock == LOCK_NONE)
			continue;
		size_t i = first_after(holder, moment->time_ns - 1);
		while (i > 0 && holder->data[i - 1].time_ns == moment->time_ns)
			i--;
		for (; i < holder->len && holder->data[i].time_ns == moment->time_ns;
			i++) {
			const struct stretch *did = &holder->data[i];
			const struct wait_of_stack *what = &holding->waits[did->stack];
			if (what->waits_for_cpu || (what->runs && !did->is_sampled) ||
				what->lock == wait->lock ||
				is_held(holding, wait->lock, holder, i))
				continue;
			idmap_put(&holding->held, wait->lock, holder->first + i, 1);
			add(holding, wait->lock, did->stack, did->weight_ns);
		}
	}
}

/* Share the time that was waited for a lock by what was counted; also while nobody had it, or
   while it is not known who had it. */
static void share(struct holding *holding)
{
	for (size_t l = 0; l < holding->locks->list.len; l++) {
		struct lock *lock = &holding->locks->list.data[l];
		uint64_t done = 0, given = 0;
		vec_each (&lock->stacks, part) {
			done += part->ns;
			uint64_t upto = (uint64_t)((long double)lock->ns * done /
						   holding->sums[l]);
			part->ns = upto - given;
			given = upto;
		}
	}
}

void holding_add(struct locks *locks, const struct report *report,
	const struct wait_of_stack *waits)
{
	struct holding holding = {.locks = locks, .report = report, .waits = waits};
	bool *unknown = mem_zalloc(locks->list.len + 1);
	holding.sums = mem_zalloc((locks->list.len + 1) * sizeof(*holding.sums));
	live(&holding);
	for (size_t m = 0; m < report->n_moments; m++) {
		const struct report_moment *moment = &report->moments[m];
		const struct wait_of_stack *wait = &waits[moment->stack];
		if (wait->holder && wait->lock != LOCK_NONE &&
			!idmap_get(&holding.seen, key_of(wait), moment->time_ns))
			idmap_put(&holding.seen, key_of(wait), moment->time_ns, 1);
	}
	count_each(&holding, count_seen, NULL);
	count_unwaited(&holding);
	for (size_t l = 0; l < locks->list.len; l++)
		unknown[l] = holding.sums[l] == 0;
	count_each(&holding, count_cpu_waits, NULL);
	count_each(&holding, count_all, unknown);
	share(&holding);
	vec_each (&holding.lives, life)
		vec_free(life);
	vec_free(&holding.lives);
	idmap_finish(&holding.places);
	idmap_finish(&holding.seen);
	idmap_finish(&holding.held);
	free(holding.sums);
	free(unknown);
}
