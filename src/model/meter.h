/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meter: what sampling costs and achieves, counted by the sampler, read by anyone.
 *
 * One writer (the sampler thread) and any number of readers, without locks: every field
 * is a relaxed atomic of its own, so a reader may see counts that are one sample apart,
 * never torn ones. All are totals since sampling began; whoever wants a rate subtracts
 * two readings.
 */
#ifndef CPROFTOP_METER_H
#define CPROFTOP_METER_H

#include <stdatomic.h>
#include <stdint.h>

/* Stop times in classes of 1/8 of a power of two nanoseconds: at most 12.5 % wide. */
enum {
	METER_CLASSES = 8 * 40
};

/* Why the rate is lower than asked. */
enum meter_held {
	METER_FREE,	     /* it is not */
	METER_HELD_OVERHEAD, /* --max-overhead: the target would be stopped for too long */
	METER_HELD_CPU,	     /* --max-cpu: we would use too much CPU time */
	METER_HELD_COUNT,
};

struct meter {
	_Atomic uint64_t began_ns;     /* monotonic; 0 until sampling began */
	_Atomic uint64_t ended_ns;     /* monotonic; 0 while sampling */
	_Atomic uint64_t frequency_hz; /* asked */
	_Atomic uint64_t ticks;	       /* periods that were sampled */
	_Atomic uint64_t ticks_late;   /* instants of one CPU that came too late, and that
					  were given up */
	_Atomic uint64_t samples;      /* handed to the analyst */
	_Atomic uint64_t asleep_copied; /* of them: stacks of sleeping threads */
	_Atomic uint64_t lost;		/* taken, but the ring was full */
	_Atomic uint64_t stops;		/* threads stopped */
	_Atomic uint64_t stopped_ns;	/* sum of the stop times */
	_Atomic uint64_t stop_max_ns;
	_Atomic uint64_t stop_classes[METER_CLASSES];
	_Atomic uint64_t samples_late;	    /* of the samples: PLACE_LATE */
	_Atomic uint64_t samples_elsewhere; /* PLACE_ELSEWHERE */
	_Atomic uint64_t restarts;   /* system calls started again (the EINTR fix-up) */
	_Atomic uint64_t completed;  /* calls that were cut short and made whole */
	_Atomic uint64_t signals;    /* signals passed on */
	_Atomic uint64_t deaths;     /* of tracers, that were replaced */
	_Atomic uint64_t tracer_pid; /* who else traces the process now; 0: nobody */
	_Atomic uint64_t refused;    /* samples that were not taken because of that */
	/* sum of the weights of the samples handed over */
	_Atomic uint64_t cpu_sampled_ns;
	_Atomic uint64_t cpu_base_ns;	/* charged to the process before sampling began */
	_Atomic uint64_t cpu_kernel_ns; /* and since */
	/* of it: to threads gone without being sampled */
	_Atomic uint64_t cpu_unsampled_ns;
	_Atomic uint64_t children_unseen_ns; /* of a sum: see session_meter */
	_Atomic uint64_t threads_seen;	     /* distinct threads since sampling began */
	_Atomic uint64_t threads_now;
	_Atomic uint64_t threads_running; /* at the last tick */
	/* 1 while in a group-stop (kill -STOP, Ctrl-Z) */
	_Atomic uint64_t target_stopped;
	_Atomic uint64_t target_exited;
	_Atomic uint64_t over;	  /* 1 once the ring has its last record */
	_Atomic uint64_t held_by; /* enum meter_held: what holds the rate down now */
	_Atomic uint64_t ticks_held[METER_HELD_COUNT]; /* ticks done while it was held */
	_Atomic uint64_t processes_seen;	       /* of a sum: how many it is of, */
	_Atomic uint64_t processes_now; /* and of them those that have not ended */
};

static inline void meter_add(_Atomic uint64_t *counter, uint64_t amount)
{
	atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static inline void meter_set(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t meter_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* What the kernel charged to the process: at least what it charged to its threads, some
   of it after the last look at the process as a whole. */
uint64_t meter_charged_ns(const struct meter *meter);

/* A reading. */
void meter_copy(const struct meter *meter, struct meter *out);

/* What was counted between two readings. What is no count is as in NOW; the longest stop
   is known to its class. */
void meter_between(
	const struct meter *before, const struct meter *now, struct meter *out);

/* Add METER, of another process, to SUM, which is zeroed or such a sum. It has begun with
   the first of them, and ended, or is stopped, when all are. */
void meter_sum(struct meter *sum, const struct meter *meter);

/* Count one stop of STOP_NS. */
void meter_count_stop(struct meter *meter, uint64_t stop_ns);

/* The stop time, in ns, that PER_MILLE of 1000 stops did not exceed (500 is the median,
   990 is p99); the middle of its class. 0 if there were none. */
uint64_t meter_stop_percentile(const struct meter *meter, unsigned per_mille);

#endif
