/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task: the files of one thread in /proc, read often, so quickly.
 *
 * Each file is read by pread on a descriptor that stays open; docs/lab/PERFORMANCE.md says
 * what that costs. Parsing is pure. May be called by any thread, but never while a thread
 * of the target is stopped.
 */
#ifndef CPROFTOP_TASK_H
#define CPROFTOP_TASK_H

#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* /proc/TID/stat (proc(5)), the few fields that matter here. */
struct task_stat {
	char state;			/* R S D T t Z X I */
	char name[SNAPSHOT_NAME_BYTES]; /* comm, raw: may hold anything, also ')' */
	pid_t parent;
	unsigned flags; /* PF_... of include/linux/sched.h: below */
	uint64_t start_ticks;
	int cpu;	      /* where it runs, or ran last */
	unsigned rt_priority; /* 1..99; 0: none */
	uint64_t
		stack_start; /* of the first thread; 0: it has no memory, or we no right */
};

enum {
	TASK_FLAG_EXITING = 0x00000004,
	TASK_FLAG_FORKED =
		0x00000040, /* PF_FORKNOEXEC: forked, and has not called exec */
	TASK_FLAG_KTHREAD = 0x00200000
};

bool task_parse_stat(const char *text, size_t length, struct task_stat *out);

/* /proc/TID/schedstat (Documentation/scheduler/sched-stats.rst). */
struct task_account {
	/* time on a CPU; updated when it leaves the CPU and at the scheduler's tick */
	uint64_t cpu_ns;
	uint64_t delay_ns; /* time it waited for a CPU; updated when it gets one */
	uint64_t slices;   /* how often it got a CPU; updated at once */
};

bool task_parse_account(const char *text, size_t length, struct task_account *out);

/* A line of /proc/TID/syscall (proc(5)): "NR ARG*6 SP PC", or "-1 SP PC" outside a system
   call; the rest of CALL is left as it is. False for "running". */
bool task_parse_syscall(
	const char *text, struct snapshot_call *call, uint64_t *sp, uint64_t *pc);

/* The value of "se.exec_start" in /proc/TID/sched, milliseconds with six decimals,
   in ns: the CPU's clock when the scheduler last accounted for the thread. 0 if
   there is none. */
uint64_t task_parse_exec_start(const char *sched);

/* Read and parse; FD is open on the file. False when the thread is gone. */
bool task_read_stat(int fd, struct task_stat *out);
bool task_read_account(int fd, struct task_account *out);
uint64_t task_read_exec_start(int fd);

/* The same for the stat that PATH is below DIR_FD, as openat(2) has it. */
bool task_stat_at(int dir_fd, const char *path, struct task_stat *out);

/* What a thread sleeps for, as the kernel function tells in which it does, and of a futex the
   operation: glibc's conditions and semaphores, where threads wait for work, have another one
   than its mutexes. */
enum task_wait {
	TASK_RUNS,	    /* or it is not known */
	TASK_WAITS_NETWORK, /* also epoll and poll: of most servers that is the network */
	TASK_WAITS_DISK,
	TASK_WAITS_LOCK,
	TASK_WAITS_WORK,
	TASK_WAITS_PIPE,
	TASK_SLEEPS,
	TASK_WAITS_CHILD,
	TASK_WAITS_OTHER,
	TASK_WAITS,
};

/* WCHAN is what proc(5) has in /proc/TID/wchan. */
enum task_wait task_parse_wait(const char *wchan);
/* The same of thread TID of the process whose folder in /proc DIR_FD is open on. */
enum task_wait task_wait_at(int dir_fd, pid_t tid);

/* The state of thread TID, as in its stat; 0 when it is gone. */
char task_state(pid_t tid);

/* List the threads of a process: the names of its task directory. TASK_DIR_FD is open on
   it; the list is the caller's to free. False when the process is gone. */
struct task_list {
	pid_t *data;
	size_t len, cap;
};
bool task_list_read(int task_dir_fd, struct task_list *list);

/* The number of threads, by the link count of the task directory (0.2 us). 0 when the
   process is gone. */
unsigned task_count(int task_dir_fd);

#endif
