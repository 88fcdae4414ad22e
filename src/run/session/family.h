/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family: a thread that finds new children of the target processes and reports them to
 * the session.
 *
 * It reads the kernel's lists of children (src/process/list/children.h) twenty times a second,
 * or less often, but once a second, if that would take more than a twentieth of its time. Who
 * lives shorter than that is found by the tracer, if it uses a CPU (ptrace/tracer/newborn.c). ptrace is not used, because its fork
 * events stop both the parent and the child.
 */
#ifndef CPROFTOP_FAMILY_H
#define CPROFTOP_FAMILY_H

#include "src/base/error.h"
#include "src/process/list/children.h"

#include <stdbool.h>
#include <sys/types.h>

enum family_answer {
	FAMILY_JOINS, /* its children are wanted, too */
	FAMILY_STAYS_OUT,
	FAMILY_LATER, /* there is no room now: ask again */
};

/* Callbacks, on the family's thread. */
struct family_members {
	void *context;
	/* Add the PIDs of all processes whose children are wanted to LIST. */
	void (*list)(void *context, struct children *list);
	/* PID is a new child. Called once for each child that is not to be asked for later. */
	enum family_answer (*add)(void *context, pid_t pid);
	/* Called before that, and after family_wake. */
	void (*welcome)(void *context);
	/* Called after each reading of the lists. */
	void (*tidy)(void *context);
};

struct family;

/* NULL and ERR if the kernel has no lists of children. MEMBERS is copied. */
struct family *family_create(const struct family_members *members, struct error *err);
/* Have it call welcome soon. Any thread. */
void family_wake(struct family *family);
void family_destroy(struct family *family); /* NULL is fine; waits for the thread */

#endif
