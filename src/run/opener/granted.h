/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * granted: which processes and files a process without rights may ask for.
 *
 * A process is known by an open folder of /proc, which never stands for a later one with
 * the same number; who asks names that by device and inode, and can so name none but these.
 * Any thread.
 */
#ifndef CPROFTOP_GRANTED_H
#define CPROFTOP_GRANTED_H

#include "src/base/vec.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	GRANTED_PATHS_MAX = 4096,
};

struct granted_process {
	int proc_fd;
	uint64_t device, folder;
};

struct granted {
	pthread_mutex_t lock;
	VEC(struct granted_process) processes;
	VEC(char *)
	paths; /* of files that were opened because a process had them mapped */
};

void granted_init(struct granted *granted);
void granted_finish(struct granted *granted);

/* PROC_FD is copied. False and errno if it cannot be. */
bool granted_add(struct granted *granted, int proc_fd);
void granted_remove(struct granted *granted, int proc_fd);

/* A copy of the descriptor of a process, to be closed; -1: it is none of these. */
int granted_process(struct granted *granted, uint64_t device, uint64_t folder);

void granted_add_path(struct granted *granted, const char *path);
bool granted_has_path(struct granted *granted, const char *path);

#endif
