/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/session/family.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define LOOK_EVERY_NS (50 * NS_PER_MS)
#define PAUSE_MOST_NS NS_PER_SEC

enum {
	PATIENCE = 20, /* the pause is this many times as long as reading took */
};

struct family {
	struct family_members members;
	pthread_t thread;
	/* Children that stay out, by number and the time of their start; those of them that are
	   still listed, after each look. */
	struct idmap refused;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool quit, is_woken;
};

/* What one look has found. */
struct round {
	struct children known; /* whose children are wanted */
	struct idmap seen, refused;
	uint64_t added_ns; /* how long it took to ask for new ones */
	bool has_added;
};

static void consider(struct family *family, struct round *round, pid_t child)
{
	if (idmap_get(&round->seen, (uint64_t)child, 0))
		return;
	idmap_put(&round->seen, (uint64_t)child, 0, 0);
	uint64_t started = children_started(child), began_ns = clock_monotonic_ns();
	bool is_refused = idmap_get(&family->refused, (uint64_t)child, started);
	enum family_answer answer =
		is_refused ? FAMILY_STAYS_OUT
			   : family->members.add(family->members.context, child);
	if (answer == FAMILY_JOINS)
		vec_push(&round->known.list, child);
	else if (answer == FAMILY_STAYS_OUT)
		idmap_put(&round->refused, (uint64_t)child, started, 0);
	if (is_refused)
		return;
	round->added_ns += clock_monotonic_ns() - began_ns;
	round->has_added |= answer == FAMILY_JOINS;
}

/* To attach to one child may take as long as it takes to an answer of the tracer. */
static bool is_at_end(struct family *family)
{
	pthread_mutex_lock(&family->mutex);
	bool quit = family->quit;
	pthread_mutex_unlock(&family->mutex);
	return quit;
}

/* A new child may have children itself, so repeat until there is no new one. Returns how long to
   wait before the next look. */
static uint64_t look(struct family *family)
{
	const struct family_members *members = &family->members;
	uint64_t began_ns = clock_monotonic_ns();
	struct round round = {.has_added = false};
	members->list(members->context, &round.known);
	vec_each (&round.known.list, pid)
		idmap_put(&round.seen, (uint64_t)*pid, 0, 0);
	for (size_t i = 0; i < round.known.list.len && !is_at_end(family); i++) {
		struct children children = {0};
		children_read(&children, round.known.list.data[i], 0);
		vec_each (&children.list, child)
			if (!is_at_end(family))
				consider(family, &round, *child);
		vec_free(&children.list);
	}
	vec_free(&round.known.list);
	idmap_finish(&round.seen);
	idmap_finish(&family->refused);
	family->refused = round.refused;
	uint64_t read_ns = clock_monotonic_ns() - began_ns - round.added_ns;
	members->tidy(members->context);
	uint64_t pause_ns = round.has_added ? 0 : read_ns * PATIENCE;
	if (pause_ns > PAUSE_MOST_NS)
		pause_ns = PAUSE_MOST_NS;
	return pause_ns < LOOK_EVERY_NS ? LOOK_EVERY_NS : pause_ns;
}

/* Returns when it is UNTIL_NS, or when it is woken. False at the end. */
static bool wait_until(struct family *family, uint64_t until_ns)
{
	struct timespec until = clock_to_timespec(until_ns);
	int errnum = 0;
	pthread_mutex_lock(&family->mutex);
	while (!family->quit && !family->is_woken && errnum == 0)
		errnum = pthread_cond_timedwait(&family->wake, &family->mutex, &until);
	bool quit = family->quit;
	family->is_woken = false;
	pthread_mutex_unlock(&family->mutex);
	return !quit;
}

static void *family_main(void *argument)
{
	struct family *family = argument;
	prctl(PR_SET_NAME, "family");
	uint64_t look_ns = clock_monotonic_ns();
	while (wait_until(family, look_ns)) {
		family->members.welcome(family->members.context);
		if (clock_monotonic_ns() >= look_ns)
			look_ns = clock_monotonic_ns() + look(family);
	}
	return NULL;
}

void family_wake(struct family *family)
{
	pthread_mutex_lock(&family->mutex);
	family->is_woken = true;
	pthread_cond_signal(&family->wake);
	pthread_mutex_unlock(&family->mutex);
}

static void release(struct family *family)
{
	pthread_cond_destroy(&family->wake);
	pthread_mutex_destroy(&family->mutex);
	idmap_finish(&family->refused);
	free(family);
}

struct family *family_create(const struct family_members *members, struct error *err)
{
	if (!children_are_told()) {
		error_set(err, "--children: this kernel does not list the children of a "
			       "process (CONFIG_PROC_CHILDREN)");
		return NULL;
	}
	struct family *family = mem_zalloc(sizeof(*family));
	family->members = *members;
	pthread_mutex_init(&family->mutex, NULL);
	clock_condition_init(&family->wake);
	int errnum = pthread_create(&family->thread, NULL, family_main, family);
	if (!errnum)
		return family;
	error_errno(err, errnum, "cannot start a thread to look for children");
	release(family);
	return NULL;
}

void family_destroy(struct family *family)
{
	if (!family)
		return;
	pthread_mutex_lock(&family->mutex);
	family->quit = true;
	pthread_cond_signal(&family->wake);
	pthread_mutex_unlock(&family->mutex);
	pthread_join(family->thread, NULL);
	release(family);
}
