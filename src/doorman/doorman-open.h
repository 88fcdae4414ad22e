/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-open: openat(2), done by the doorman if a rule grants it.
 */
#ifndef CPROFTOP_DOORMAN_OPEN_H
#define CPROFTOP_DOORMAN_OPEN_H

#include "src/doorman/asked.h"
#include "src/doorman/doorman-rules.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct doorman {
	struct doorman_rules rules;
	int listener;
	pid_t main;	 /* whom it serves */
	int main_fd;	 /* the same, as a pidfd */
	bool stays_user; /* main is the user that we are: what no rule grants is refused */
};

/* False: no rule grants it, and it is not answered. */
bool doorman_open(struct doorman *doorman, struct asked *asked);

/* What is asked for, if it is in a folder of rule 6: O_PATH; -1, and errno is ENOENT if nothing is
   there. */
int doorman_below_folder(const struct doorman *doorman, const struct asked *asked);

/* Where descriptor NUMBER of process PID leads, if that is a pipe or a socket: rule 9. -1 and
   errno 0: it is not. */
ssize_t doorman_peer_link(long pid, long number, char link[PATH_MAX]);

#endif
