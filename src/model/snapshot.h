/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot: what the sampler tells the analyst, one record at a time, in order.
 *
 * Most records are samples: one thread as it was at one instant, raw - registers and the
 * live part of its stack - with the CPU time it is charged for. The others are the few
 * facts the analyst needs between samples. A record is plain data: no pointers, no
 * meaning that dies with the target. It lives in a slot of a ring (src/model/ring.h),
 * whose size decides how much stack fits.
 */
#ifndef CPROFTOP_SNAPSHOT_H
#define CPROFTOP_SNAPSHOT_H

#include "src/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum snapshot_kind {
	SNAPSHOT_SAMPLE,      /* a thread: registers, stack, weight, name */
	SNAPSHOT_WAIT,	      /* a thread, without a stack: blocked_ns, runq_ns, cpu_ns */
	SNAPSHOT_THREAD,      /* a thread was found, at from_ns: tid, name */
	SNAPSHOT_THREAD_EXIT, /* it is gone: tid; cpu_ns: charged but never sampled */
	SNAPSHOT_ACCOUNT,     /* what a thread was charged: from_ns, cpu_ns, runq_ns */
	SNAPSHOT_SURVEY,      /* of every thread the account was told up to from_ns */
	SNAPSHOT_EXEC,	      /* the process runs another program: forget every mapping */
	SNAPSHOT_MAPS,	      /* what it has mapped: stack[] is /proc/PID/maps */
	SNAPSHOT_TICK, /* cpu_ns the kernel had charged to the process at from_ns */
	SNAPSHOT_END,  /* the last record: the target is gone or sampling stopped */
};

enum thread_state { /* of a sample */
	THREAD_RUNNING,
	THREAD_RUNNABLE, /* waits for a CPU */
	THREAD_BLOCKED,	 /* waits for something else */
};

/* How far the place of a running thread's sample can be trusted. */
enum snapshot_place {
	PLACE_EXACT, /* where it was when the instant came */
	PLACE_LATE,  /* the tick came late: where it gave way, or was preempted later */
	PLACE_ELSEWHERE, /* stopped from another CPU: it ran on until it could stop */
};

enum {
	SNAPSHOT_NAME_BYTES = 16, /* TASK_COMM_LEN, with NUL */
	SNAPSHOT_WCHAN_BYTES = 32,
};

/* What a sleeping thread sleeps in. */
struct snapshot_call {
	int nr; /* of the system call; -1: none, as in a page fault */
	uint64_t args[6];
	char task_state;		  /* S D T t, as in /proc/TID/stat */
	char wchan[SNAPSHOT_WCHAN_BYTES]; /* the kernel's function, where NR does not
					     tell; raw, "" if not known */
};

struct snapshot {
	enum snapshot_kind kind;
	enum thread_state state;
	pid_t tid;
	char name[SNAPSHOT_NAME_BYTES]; /* raw; not cleaned */
	uint64_t time_ns;		/* monotonic, when the record was made */
	uint64_t cpu_ns;		/* charged to the thread since its last sample */
	uint64_t from_ns; /* ACCOUNT: what it tells passed since then; see the kinds */
	/* It waited for a CPU that long: an ACCOUNT since FROM_NS; others, if wall clock
	   is sampled, since the thread's last record of those. */
	uint64_t runq_ns;
	/* Wall clock is sampled: the time on a CPU is what samples weigh, and BLOCKED_NS
	   what the thread was blocked since it was told last: where this record says, if
	   it is of a thread that is THREAD_BLOCKED, else where it was last seen blocked.
	   LOOKS looks found it so. */
	bool is_wall;
	uint64_t blocked_ns;
	uint32_t looks;
	enum snapshot_place place; /* of a SAMPLE that is THREAD_RUNNING */
	uint64_t stop_ns;	   /* how long this sample kept the thread from running */
	struct snapshot_call call; /* of a SAMPLE that is THREAD_BLOCKED */
	struct arch_regset regset; /* as the kernel gave it (SAMPLE) */
	struct arch_registers known; /* used instead if regset.size is 0: a thread that
					was not stopped, with PC and SP only */
	uint64_t stack_address; /* of stack[0]: the stack pointer, less the red zone */
	uint32_t stack_length;	/* bytes valid in stack[] */
	bool stack_cut;		/* the copy ended before the stack did */
	/* If the thread is in a signal handler on a stack of its own (sigaltstack): the
	   same of the stack that it interrupted, whose bytes follow in stack[] from
	   stack_length on. Else other_length is 0. */
	bool other_cut;
	uint32_t other_length;
	uint64_t other_address;
	unsigned char stack[];
};

/* The registers of a sample, whichever way they were got. False for a foreign task. */
bool snapshot_registers(const struct snapshot *snapshot, struct arch_registers *out);

/* The bytes at ADDRESS of the copied stacks, or NULL if [address, +length) is not
   in one. */
const void *snapshot_stack_at(
	const struct snapshot *snapshot, uint64_t address, size_t length);

/* Would they be there if the copy had been longer? *LIMIT is where the copy ended. */
bool snapshot_is_cut_at(const struct snapshot *snapshot, uint64_t address, size_t length,
	uint64_t *limit);

#endif
