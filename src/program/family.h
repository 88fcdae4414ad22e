/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family: a thread that looks for new children of some processes and hands them over.
 *
 * It reads the kernel's lists of children (src/target/children.h) twenty times a second.
 * A child that lives shorter than that may not be seen. ptrace is not used for this:
 * being told of a fork by ptrace stops both the parent and the child.
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
	/* A new child; true if its children are wanted, too. Called once for each. */
	bool (*add)(void *context, pid_t pid);
	/* After each look. */
	void (*tidy)(void *context);
};

struct family;

/* NULL and ERR if the kernel has no lists of children. MEMBERS is copied. */
struct family *family_create(const struct family_members *members, struct error *err);
void family_destroy(struct family *family); /* NULL is fine; waits for the thread */

#endif
