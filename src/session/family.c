/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/session/family.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define LOOK_EVERY_NS (50 * NS_PER_MS)

enum {
	PATIENCE = 20, /* the pause is this many times as long as the last look */
};

struct family {
	struct family_members members;
	pthread_t thread;
	struct idmap refused; /* children that cannot be attached to */
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool quit;
};

/* A new child may have children itself, so repeat until there is no new one. */
static void look(struct family *family)
{
	const struct family_members *members = &family->members;
	struct children known = {0};
	members->list(members->context, &known);
	struct idmap seen = {0};
	vec_each (&known.list, pid)
		idmap_put(&seen, (uint64_t)*pid, 0, 0);
	for (size_t i = 0; i < known.list.len; i++) {
		struct children children = {0};
		children_read(&children, known.list.data[i], 0);
		vec_each (&children.list, child) {
			if (idmap_get(&seen, (uint64_t)*child, 0) ||
				idmap_get(&family->refused, (uint64_t)*child, 0))
				continue;
			idmap_put(&seen, (uint64_t)*child, 0, 0);
			if (members->add(members->context, *child))
				vec_push(&known.list, *child);
			else
				idmap_put(&family->refused, (uint64_t)*child, 0, 0);
		}
		vec_free(&children.list);
	}
	vec_free(&known.list);
	idmap_finish(&seen);
	members->tidy(members->context);
}

static bool wait_for(struct family *family, uint64_t ns)
{
	struct timespec until = clock_deadline(ns);
	pthread_mutex_lock(&family->mutex);
	if (!family->quit)
		pthread_cond_timedwait(&family->wake, &family->mutex, &until);
	bool quit = family->quit;
	pthread_mutex_unlock(&family->mutex);
	return !quit;
}

static void *family_main(void *argument)
{
	struct family *family = argument;
	prctl(PR_SET_NAME, "family");
	uint64_t pause_ns = 0;
	while (wait_for(family, pause_ns)) {
		uint64_t began_ns = clock_monotonic_ns();
		look(family);
		pause_ns = (clock_monotonic_ns() - began_ns) * PATIENCE;
		pause_ns = pause_ns < LOOK_EVERY_NS ? LOOK_EVERY_NS : pause_ns;
	}
	return NULL;
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
