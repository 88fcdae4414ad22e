/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target: one process: its descriptors in /proc and its description. It is not attached
 * to.
 *
 * Holds directory descriptors in /proc, so that a PID that the kernel uses again cannot
 * lead to another process. The memory descriptor belongs to the address space it was
 * opened on: after an exec a read of it gives 0 bytes. That is how exec is noticed,
 * without an extra stop.
 */
#ifndef CPROFTOP_PTRACE_TARGET_H
#define CPROFTOP_PTRACE_TARGET_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct target {
	pid_t pid;
	int proc_fd;	 /* /proc/PID */
	int task_dir_fd; /* /proc/PID/task */
	/* /proc/PID/mem, or that of a live thread. If MEMORY_TID is set, it is maps, and
	   only tells whether the address space is still the same. */
	int mem_fd;
	int maps_fd; /* /proc/PID/maps of the same memory; 0, -1: nobody has asked */
	/* 0, or the thread by whose number memory is read, because the mode of mem
	   forbids to open it (src/process/memory.h) */
	_Atomic pid_t memory_tid;
	/* When that was opened it had not called exec since it was forked: it may have been the memory
	   of its parent (vfork(2)). */
	bool is_forked;
	clockid_t cpu_clock; /* the CPU time of all its threads, ended ones included */
	char *command; /* arguments joined by spaces, cleaned, at most 4 KiB; owned */
	char *path;    /* of the executable, cleaned, "" if not readable; owned */
};

/* Open process PID. On failure nothing stays open, and ERR says why (ptrace/explain.h).
   Never blocks. Any thread. */
bool target_open(struct target *target, pid_t pid, struct error *err);

/* Only the folders and the memory of TARGET, of which nothing but PID is set. False and errno. Calls
   nothing that allocates, unless its first thread has ended. */
bool target_open_folders(struct target *target);
/* Has it been forked, and not called exec yet? False also if that cannot be read. */
bool target_is_forked(const struct target *target);

/* Read command and path again, after an exec. */
void target_describe(struct target *target);

/* An address that is mapped as long as this program runs; 0: not known. */
uint64_t target_mapped_address(const struct target *target);

void target_close(struct target *target); /* may be zeroed or closed already */

/* Open the memory again, after an exec, through any live thread. False, with errno, if
   the process has ended or it is not permitted; what was open stays open then. */
bool target_open_memory(struct target *target);

/* Open MAPS_FD; again, under the same number, if it is open: there may have been an exec. */
void target_open_maps(struct target *target);

/* See src/process/memory.h. */
int target_memory(const struct target *target);

/* Has the process called exec, or ended, since its memory was opened? A read of mem tells
   that by itself, so this is asked only if memory was read by calls, at ADDRESS among others.
   May wait for the target's mmap_lock, so no thread may be stopped. */
bool target_memory_is_gone(const struct target *target, uint64_t address);

/* May the stacks of threads that sleep be read, which must not be stopped for that? If
   not, ERR names the capability that is missing. */
bool target_shows_sleepers(const struct target *target, struct error *err);

/* Does the kernel show us where threads are in it? ERR says what is missing. */
bool target_shows_kernel_stacks(struct error *err);

/* The thread that traces the process (TracerPid); 0: none, or one of ours. */
pid_t target_tracer(const struct target *target);

#endif
