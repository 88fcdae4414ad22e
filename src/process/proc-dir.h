/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc-dir: the /proc/PID directory of the target, and where in it files can be read.
 *
 * An open directory stands for this process and never for a later one with the same
 * number. When the first thread of a process exits before the others, the files of PID
 * itself are empty while those of task/TID are not: proc_dir.task says where to read. The
 * memory file belongs to the program that ran when it was opened, so it must be opened
 * again after exec. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_PROC_DIR_H
#define CPROFTOP_PROC_DIR_H

#include <stddef.h>
#include <stdint.h>

enum {
	PROC_DIR_TASK_BYTES = 32
};

struct proc_dir {
	int fd;
	int memory;			/* see src/process/memory.h; -1: not open */
	char task[PROC_DIR_TASK_BYTES]; /* "" or "task/TID/" */
};

/* FD is taken over. */
void proc_dir_init(struct proc_dir *dir, int fd);
void proc_dir_finish(struct proc_dir *dir);

/* The text of maps, to be freed by the caller; sets TASK to where it was read. NULL if
   the process has no memory any more or we may not look. */
char *proc_dir_read_maps(struct proc_dir *dir, size_t *length);

/* Open the memory of the program that runs now. */
void proc_dir_open_memory(struct proc_dir *dir);

/* Returns the bytes read, 0 on failure. */
size_t proc_dir_read_memory(
	const struct proc_dir *dir, uint64_t address, void *out, size_t length);

#endif
