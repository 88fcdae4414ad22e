/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-place: the files and processes with which unit-doorman.c tries what a doorman grants.
 */
#ifndef CPROFTOP_TESTS_DOORMAN_PLACE_H
#define CPROFTOP_TESTS_DOORMAN_PLACE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A profile that is a descriptor of the caller's. */
#define INPUT_FD   60
#define INPUT_NAME "/dev/fd/60"

/* A user who has called root. */
#define PERSON 64998

/* In a function that returns nothing and is told WRONG, where what does not hold is written: of a
   process that has no rights, in memory that it shares with the test. */
#define CHECK(condition)                                                          \
	do {                                                                      \
		if (!(condition)) {                                               \
			snprintf(wrong, 256, "%s (errno %d)", #condition, errno); \
			return;                                                   \
		}                                                                 \
	} while (0)

struct place {
	char folder[32], output[64], pipe[64], input[64];
	char parts[64];		/* a folder for many files */
	char debug[64];		/* of debug files */
	char perf_maps[64];	/* as a target's /tmp */
	char sources[64];	/* a folder that only PERSON may enter */
	pid_t target, stranger; /* both of root; the rules name the first */
	pid_t child;		/* of the process that tries */
	/* Of the target, by way of one that nobody asked for. */
	pid_t middle, grandchild;
};

/* Can the kernel ask a doorman? */
bool place_can_notify(void);

/* 0, or why opening PATH below DIR with FLAGS is refused. */
int place_opening(int dir, const char *path, int flags);

/* The name of the NUMBER-th temporary file that process WRITER makes: until the next call. */
const char *place_temporary(pid_t writer, int number);

/* A process that waits; and its end, if it is a child of ours. */
pid_t place_start_process(void);
void place_end_process(pid_t pid);

/* In a new folder, which is then the current one; and the processes. */
void place_make(struct place *place);

/* Fails if anything else is in it. */
void place_remove(const struct place *place);

#endif
