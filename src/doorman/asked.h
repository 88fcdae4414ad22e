/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asked: one system call that the kernel has stopped for the doorman: what is asked, and the
 * answer (seccomp_unotify(2)). The doorman's process.
 */
#ifndef CPROFTOP_ASKED_H
#define CPROFTOP_ASKED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct asked {
	int listener;
	uint64_t id;
	pid_t tid; /* who calls */
	int mem;   /* its memory, whoever has its number later; -1: it cannot be read */
	bool *may_wait; /* an answer takes as long as the caller waits */
	uint64_t args[6];
	int dir;	     /* a copy of the directory's descriptor, O_PATH; -1: none */
	char path[PATH_MAX]; /* a copy; it is judged and used, never read again */
	char directory[NAME_MAX]; /* where DIR leads, as the kernel says it; "" if not */
};

/* Open the caller's memory. Before asked_is_valid, which says that it was the caller's. */
void asked_look_at(struct asked *asked);

/* Copy the path at ADDRESS of the caller. False: it cannot be read, or is too long. */
bool asked_read_path(const struct asked *asked, uint64_t address, char out[PATH_MAX]);

/* Copy LENGTH bytes to ADDRESS of the caller. */
bool asked_write(
	const struct asked *asked, uint64_t address, const void *bytes, size_t length);

/* What descriptor FD of the caller stands for, without opening it anew: O_PATH; -1. */
int asked_descriptor(const struct asked *asked, int fd);

/* Set DIR and DIRECTORY for the caller's descriptor FD. */
void asked_look_at_directory(struct asked *asked, int fd);

/* Is the call still being made, by the process that was looked at? */
bool asked_is_valid(const struct asked *asked);

/* The answer: the caller goes on with its own rights; or the call returns RESULT, or if that
   is negative errno; or FD, which is closed here. */
void asked_go_on(const struct asked *asked);
void asked_answer(const struct asked *asked, int64_t result);
void asked_hand_over(const struct asked *asked, int fd);

#endif
