/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family: a thread that looks for new children of some processes and hands them over.
 *
 * It reads the lists that the kernel keeps (src/target/children.h) some times a second. A
 * child that lives shorter than that is not seen. Nothing is asked of the kernel by
 * ptrace: to be told of a fork means a stop of the parent and one of the child.
 */
#ifndef CPROFTOP_FAMILY_H
#define CPROFTOP_FAMILY_H

#include "src/base/error.h"
#include "src/target/children.h"

#include <stdbool.h>
#include <sys/types.h>

/* All are called on the family's thread. */
struct family_members {
	void *context;
	/* Whose children are wanted now: add their PIDs to LIST. */
	void (*list)(void *context, struct children *list);
	/* A new one; true if its children are wanted, too. Not asked again otherwise. */
	bool (*add)(void *context, pid_t pid);
	/* After each look. */
	void (*tidy)(void *context);
};

struct family;

/* NULL and ERR if the kernel does not tell of children. MEMBERS is copied. */
struct family *family_create(const struct family_members *members, struct error *err);
void family_destroy(struct family *family); /* NULL is fine; waits for the thread */

#endif
