/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * births: processes that targets have started lately.
 *
 * The kernel numbers processes and threads in turn, and /proc/loadavg ends with the last number that
 * it gave (proc(5)): so all numbers since the last look are read, and those that name a process
 * whose parent is ours, or was born of ours, are remembered. That takes no right and no list of
 * children, and costs by what begins on this machine. Of many beginnings the newest are looked at;
 * where the last number cannot be read, nobody is found.
 *
 * Plain reads of /proc/PID/stat and sched. Whoever holds the mutex of struct tracing's births.
 */
#ifndef CPROFTOP_PTRACE_BIRTHS_H
#define CPROFTOP_PTRACE_BIRTHS_H

#include "src/process/task.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	BIRTHS_KNOWN = 256, /* the latest births */
};

struct birth {
	pid_t pid;
	uint64_t
		start_ticks; /* as in its stat: with this, a number is of one process only */
	bool is_waiting;     /* it is not sampled yet */
};

/* A zeroed struct has not begun. */
struct births {
	int fd;	    /* of /proc/loadavg; 0: not open */
	pid_t last; /* the last number that was looked at; 0: none */
	struct birth list[BIRTHS_KNOWN];
	size_t total; /* with those that made room for newer ones */
	uint64_t
		missed; /* those that ended without being sampled; whoever tells it sets it to 0 */
	uint64_t looked_ns, took_ns;
};

/* Asks whether PID is sampled. */
typedef bool births_ask(void *context, pid_t pid);

/* From now on processes are found. */
void births_begin(struct births *births);
void births_finish(struct births *births);

/* Look at what has begun since the last look. Not more often than a twentieth of the time allows,
   by how long the last look took. */
void births_look(
	struct births *births, births_ask *is_sampled, void *context, uint64_t now_ns);

/* Forget who has ended or is sampled; ON_CPU is called for each other one that runs, or wants to. */
void births_tend(struct births *births, births_ask *is_sampled,
	void (*on_cpu)(void *context, const struct task_stat *stat), void *context);

/* Who waits to be sampled, and had CPU until the instant EXEC_START_NS of its clock
   (ptrace/tracer/preempted.c)? 0: nobody. */
pid_t births_preempted(
	struct births *births, int cpu, uint64_t exec_start_ns, struct task_stat *stat);

/* PID is sampled now, or cannot be. */
void births_drop(struct births *births, pid_t pid);

#endif
