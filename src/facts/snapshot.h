/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot: one record of what the tracer tells the analyst. Records come in order.
 *
 * Most records are samples: the registers of one thread at one instant, the live part of
 * its stack, and the CPU time it was charged. The other kinds are facts that the analyst
 * needs between samples. A record is plain data without pointers and stays meaningful
 * after the target has ended. It lies in a slot of a ring (src/facts/ring.h), whose size
 * limits how much stack fits.
 */
#ifndef CPROFTOP_SNAPSHOT_H
#define CPROFTOP_SNAPSHOT_H

#include "src/arch/arch.h"
#include "src/facts/callchain.h"
#include "src/facts/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum snapshot_kind {
	SNAPSHOT_SAMPLE, /* a thread: registers, stack, weight, name */
	/* times of a thread, without a stack: blocked_ns, runq_ns, cpu_ns */
	SNAPSHOT_WAIT,
	SNAPSHOT_THREAD, /* a thread was found, at from_ns: tid, name */
	/* a thread has ended: tid; cpu_ns: charged but never sampled */
	SNAPSHOT_THREAD_EXIT,
	/* what a thread was charged since from_ns: cpu_ns, runq_ns */
	SNAPSHOT_ACCOUNT,
	SNAPSHOT_SURVEY, /* the accounts of all threads are complete up to from_ns */
	SNAPSHOT_EXEC,	 /* the process has called exec: all its mappings are gone */
	SNAPSHOT_MAPS,	 /* its mappings: stack[] is the text of /proc/PID/maps */
	SNAPSHOT_MARK, /* a mark: the kernel had charged the process cpu_ns at from_ns */
	/* the last record: the target is gone or sampling stopped; cpu_ns: for the last sample
	   that is pooled */
	SNAPSHOT_END,
};

enum thread_state { /* of a sample */
	THREAD_RUNNING,
	THREAD_RUNNABLE, /* waits for a CPU */
	THREAD_BLOCKED,	 /* waits for something else */
};

/* How close to its instant the sample of a running thread was taken. */
enum snapshot_place {
	PLACE_EXACT, /* where the thread was at the instant */
	PLACE_LATE,  /* the sampler woke late: where the thread was then */
	/* stopped from another CPU: the thread ran on until it stopped */
	PLACE_ELSEWHERE,
};

enum {
	SNAPSHOT_NAME_BYTES = 16, /* TASK_COMM_LEN, with NUL */
	SNAPSHOT_WCHAN_BYTES = 32,
	SNAPSHOT_LOCK_BYTES = 40, /* a pthread_mutex_t */
	SNAPSHOT_WATCHED = 8,	  /* locks that are read with each sample */
	SNAPSHOT_MAPPED = 4,	  /* as STACK_LINK_PLACES */
	SNAPSHOT_PIECES = 63,	  /* of 32 KiB, GHC's: a copy of 2 MiB is full of them */
};

/* What a blocked thread waits in. */
struct snapshot_call {
	int nr; /* number of the system call; -1: none, as in a page fault */
	uint64_t args[6];
	char task_state; /* S D T t, as in /proc/TID/stat */
	/* the kernel function, if NR does not say enough; not cleaned; "": not known */
	char wchan[SNAPSHOT_WCHAN_BYTES];
	/* If it is a futex that may be a lock: the memory from its word on, as it was while
	   the thread slept. LOCK_LENGTH is how much could be read, 0: nothing. */
	uint32_t lock_length;
	unsigned char lock[SNAPSHOT_LOCK_BYTES];
};

/* The memory of a lock for which threads were seen to wait lately. */
struct snapshot_watched {
	uint64_t address;
	unsigned char lock[SNAPSHOT_LOCK_BYTES];
};

/* The code of a file that was mapped at one of the places where libraries come and go, as a
   line of /proc/PID/maps says it. */
struct snapshot_mapped {
	uint64_t start, limit, file_offset, inode;
	uint32_t dev_major, dev_minor;
};

struct snapshot {
	enum snapshot_kind kind;
	enum thread_state state;
	pid_t tid;
	char name[SNAPSHOT_NAME_BYTES]; /* raw; not cleaned */
	uint64_t time_ns;		/* monotonic, when the record was made */
	/* Of a SAMPLE, what it weighs: what its thread was charged since its last sample; if
	   IS_POOLED, its part of what the rarely sampled threads of the process used together.
	   See also the kinds. */
	uint64_t cpu_ns;
	bool is_pooled;
	uint8_t odds; /* then: it stands for so many samples, as one in so many of such
			 threads was looked at */
	uint64_t
		ran_ns; /* of a SAMPLE: what its own thread was charged since its last one */
	uint64_t from_ns; /* see the kinds */
	/* How long the thread waited for a CPU: in an ACCOUNT since FROM_NS; in a SAMPLE
	   or WAIT, if wall clock is sampled, since its last SAMPLE or WAIT. */
	uint64_t runq_ns;
	/* Wall clock is sampled. Then BLOCKED_NS is how long the thread was blocked since
	   the last record that reported blocked time, and LOOKS how many looks found it
	   blocked. In a sample that is THREAD_BLOCKED this time belongs to the stack of
	   the sample; in any other record to the stack at which the thread was last seen
	   blocked. */
	bool is_wall;
	uint64_t blocked_ns;
	uint32_t looks;
	enum snapshot_place place; /* of a SAMPLE of a running thread */
	bool is_event;		   /* of a SAMPLE: the kernel took it, without a stop */
	uint64_t stop_ns;	   /* how long the stop for this sample lasted */
	/* Of a SAMPLE that is THREAD_BLOCKED; else a WAIT that is, if its FROM_NS is not 0, says
	   that the thread slept until then. Of a WAIT only if lock_length is not 0: what
	   the thread waits for was found in other hands, and not at the look before, which
	   was at FROM_NS. */
	struct snapshot_call call;
	/* Of a SAMPLE, if wall clock is sampled: locks as they were when it was taken. The
	   thread may hold one. */
	uint32_t n_watched;
	struct snapshot_watched watched[SNAPSHOT_WATCHED];
	/* Of a SAMPLE that was taken in a stop: at these places, that was mapped then. */
	uint32_t n_mapped;
	struct snapshot_mapped mapped[SNAPSHOT_MAPPED];
	struct arch_regset regset; /* as the kernel gave it (SAMPLE) */
	/* used if regset.size is 0: only PC and SP, of a thread that was not stopped */
	struct arch_registers known;
	/* address of stack[0]: the stack pointer less the red zone */
	uint64_t stack_address;
	uint32_t stack_length; /* bytes valid in stack[] */
	bool stack_cut;	       /* the copy ended before the stack did */
	bool is_not_read;      /* nothing was copied, as it took too long */
	/* If the thread is in a signal handler on an alternate stack (sigaltstack), these
	   describe the interrupted stack, whose bytes follow in stack[] from stack_length
	   on; if it has left a stack for one of its runtime's, that stack; or a part of
	   its stack that is far from the leaf (src/facts/advice.h). Else other_length is
	   0. */
	bool other_cut;
	uint32_t other_length;
	/* Behind both, of a thread that sleeps, if that was asked for: the text of its
	   /proc/TID/stack (proc(5)), not cleaned. Else 0. */
	uint32_t kernel_length;
	uint64_t other_address;
	/* What was saved when the other stack was left, if that was found by loads
	   (src/facts/stack-link.h), whether it could be copied or not; else 0. Or the
	   loads have said that there is none, because the thread works for nobody. */
	struct snapshot_link {
		uint64_t sp, pc, fp;
		bool is_none;
		bool is_away; /* left for a moment; FP is not known */
	} link;
	/* The other stack of a thread that runs may lie in several pieces. The bytes of those
	   after the first follow it, in the order in which the stack goes through them. */
	uint32_t n_pieces;
	struct snapshot_piece {
		uint64_t address;
		uint32_t length;
	} pieces[SNAPSHOT_PIECES];
	/* Memory of a runtime as it was in the stop (src/facts/recipe.h): blocks of
	   RECIPE_BLOCK bytes, which follow the rest in stack[] from SECOND_AT on. */
	enum recipe_result second_result;
	uint32_t second_ns;	/* how much of stop_ns that took */
	uint64_t second_thread; /* the thread pointer, 0 if it is not known */
	uint32_t second_at, second_blocks;
	uint64_t second_addresses[RECIPE_BLOCKS];
	unsigned char stack[];
};

/* The registers of a sample: regset, or known. False for a task of another
   architecture. */
bool snapshot_registers(const struct snapshot *snapshot, struct arch_registers *out);

/* How many bytes of stack[] are in use, without the second stack; and with it. */
static inline size_t snapshot_native(const struct snapshot *snapshot)
{
	size_t bytes = (size_t)snapshot->stack_length + snapshot->other_length +
		       snapshot->kernel_length;
	for (uint32_t i = 0; i < snapshot->n_pieces; i++)
		bytes += snapshot->pieces[i].length;
	return bytes;
}

static inline size_t snapshot_used(const struct snapshot *snapshot)
{
	return snapshot->second_blocks > 0
		       ? snapshot->second_at +
				 (size_t)snapshot->second_blocks * RECIPE_BLOCK
		       : snapshot_native(snapshot);
}

/* The bytes at ADDRESS of the copied stacks, or NULL if [address, +length) is not
   in one. */
const void *snapshot_stack_at(
	const struct snapshot *snapshot, uint64_t address, size_t length);

/* Copy to OUT what was at [address, +length) at the instant: of the copied stacks, or of the
   second one. False if not all of it was copied. */
bool snapshot_read(
	const struct snapshot *snapshot, uint64_t address, void *out, size_t length);

/* Are bytes of [address, +length) missing only because the copy was cut? *LIMIT is where
   the copy ended. */
bool snapshot_is_cut_at(const struct snapshot *snapshot, uint64_t address, size_t length,
	uint64_t *limit);

#endif
