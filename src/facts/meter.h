/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meter: what sampling costs and achieves, counted by the tracer, read by anyone.
 *
 * One writer at a time (the tracer's threads, with their mutex) and any number of readers, without locks: every field
 * is a relaxed atomic of its own. Two fields that a reader sees may differ by one sample,
 * but no field is ever half written. Counts are totals since sampling began; for a rate,
 * subtract two readings.
 */
#ifndef CPROFTOP_METER_H
#define CPROFTOP_METER_H

#include "src/facts/recipe.h"

#include <stdatomic.h>
#include <stdint.h>

/* Stop times are counted in classes of 1/8 of a power of two nanoseconds, so a class is
   at most 12.5 % wide. */
enum {
	METER_CLASSES = 8 * 40
};

/* Why the sampling rate is lower than was asked for. */
enum meter_held {
	METER_FREE, /* it is not lower */
	/* by --max-overhead: the target would be stopped for too long */
	METER_HELD_OVERHEAD,
	METER_HELD_CPU, /* by --max-cpu: cproftop would use too much CPU time */
	METER_HELD_COUNT,
};

struct meter {
	_Atomic uint64_t began_ns;  /* monotonic; 0 until sampling began */
	_Atomic uint64_t ended_ns;  /* monotonic; 0 while sampling */
	_Atomic uint64_t engine;    /* enum engine */
	_Atomic uint64_t unwind_by; /* enum unwind_by */
	_Atomic uint64_t user_only; /* 1: no sample shows time in the kernel */
	/* Of an event: how many there were, what samples weigh of them, for how long it was looked for,
	   of how long; how often the kernel made pauses; why it is not looked for now (errno). */
	_Atomic uint64_t event_counted, event_sampled;
	_Atomic uint64_t event_running_ns, event_enabled_ns;
	_Atomic uint64_t event_throttled;
	_Atomic uint64_t event_errnum;
	_Atomic uint64_t frequency_hz; /* asked */
	/* of the target's time, millionths: it may be stopped for so long; 0: no limit */
	_Atomic uint64_t granted_ppm;
	_Atomic uint64_t paused_ns;	 /* in pauses, which have ended */
	_Atomic uint64_t paused_from_ns; /* monotonic; 0: no pause now */
	_Atomic uint64_t periods;	 /* periods that were sampled */
	/* instants of a CPU that the sampler missed (woke too late) and gave up */
	_Atomic uint64_t instants_late;
	_Atomic uint64_t samples; /* handed to the analyst */
	/* of these: sleeping threads, copied without a stop */
	_Atomic uint64_t asleep_copied;
	/* samples taken, but dropped because the ring was full */
	_Atomic uint64_t lost;
	_Atomic uint64_t stops;	     /* threads stopped */
	_Atomic uint64_t stopped_ns; /* sum of the stop times */
	_Atomic uint64_t stop_max_ns;
	_Atomic uint64_t stop_classes[METER_CLASSES];
	/* Samples with a second stack, by what became of it; and the parts of the stop times
	   that these took. */
	_Atomic uint64_t second_results[RECIPE_RESULTS];
	_Atomic uint64_t second_classes[METER_CLASSES];
	_Atomic uint64_t samples_late;	    /* samples with PLACE_LATE */
	_Atomic uint64_t samples_elsewhere; /* samples with PLACE_ELSEWHERE */
	_Atomic uint64_t restarts; /* system calls started again (the EINTR fix-up) */
	/* system calls that a stop cut short and that were completed */
	_Atomic uint64_t completed;
	_Atomic uint64_t signals; /* signals delivered with a detach */
	_Atomic uint64_t deaths;  /* tracers that died and were replaced */
	_Atomic uint64_t gave_up; /* 1: tracers died too often, and sampling ended */
	/* another tracer of the process; 0: none */
	_Atomic uint64_t tracer_pid;
	_Atomic uint64_t refused; /* samples not taken because of another tracer */
	/* sum of the weights of the samples handed over */
	_Atomic uint64_t cpu_sampled_ns;
	_Atomic uint64_t cpu_base_ns;	/* charged to the process before sampling began */
	_Atomic uint64_t cpu_kernel_ns; /* charged to it since then, but not in pauses */
	/* part of cpu_kernel_ns that no sample will ever weigh: of a time with too few
	   samples */
	_Atomic uint64_t cpu_unsampled_ns;
	/* part of cpu_sampled_ns that others have used, whom no meter knows: ptrace/threads/pot.h */
	_Atomic uint64_t cpu_adopted_ns;
	/* CPU time of children that ended before they were found; only in the sum of
	   session_meter */
	_Atomic uint64_t children_unseen_ns;
	_Atomic uint64_t threads_seen; /* distinct threads since sampling began */
	_Atomic uint64_t threads_now;
	_Atomic uint64_t threads_running; /* as of the last round of the lookout */
	/* 1 while in a group-stop (kill -STOP, Ctrl-Z) */
	_Atomic uint64_t target_stopped;
	_Atomic uint64_t target_exited;
	_Atomic uint64_t over;	  /* 1 once the ring has its last record */
	_Atomic uint64_t held_by; /* enum meter_held: what keeps the rate low now */
	/* periods, by cause */
	_Atomic uint64_t periods_held[METER_HELD_COUNT];
	/* of a sum */
	_Atomic uint64_t processes_seen;
	_Atomic uint64_t processes_sampled; /* of a sum: those with samples */
	/* children that were found, and ended before sampling of them began */
	_Atomic uint64_t processes_missed;
	_Atomic uint64_t processes_now; /* of a sum: those that have not ended */
};

static inline void meter_add(_Atomic uint64_t *counter, uint64_t amount)
{
	atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static inline void meter_sub(_Atomic uint64_t *counter, uint64_t amount)
{
	atomic_fetch_sub_explicit(counter, amount, memory_order_relaxed);
}

static inline void meter_set(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t meter_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* What the kernel charged to the process since sampling began. The process's clock is
   read less often than the threads' accounts, so it is at least what they add up to. */
uint64_t meter_own_ns(const struct meter *meter);

/* The same, and what its samples have adopted of others. */
uint64_t meter_charged_ns(const struct meter *meter);

/* How long sampling was paused until NOW_NS, or until it ended. */
uint64_t meter_paused_ns(const struct meter *meter, uint64_t now_ns);

/* How long was sampled: from the beginning to NOW_NS, or to the end, but for pauses. */
uint64_t meter_sampled_for_ns(const struct meter *meter, uint64_t now_ns);

/* Copy all counters. */
void meter_copy(const struct meter *meter, struct meter *out);

/* What was counted between two readings. Fields that are no counts are as in NOW; the
   longest stop is the upper end of its class. */
void meter_between(
	const struct meter *before, const struct meter *now, struct meter *out);

/* Add METER, of another process, to SUM, which is zeroed or already a sum. The sum began
   when the first process began, and it has ended (or is stopped) when all have (or
   are). All processes are paused together. */
void meter_sum(struct meter *sum, const struct meter *meter);

/* Count one stop of STOP_NS. */
void meter_count_stop(struct meter *meter, uint64_t stop_ns);

/* The stop time in ns that PER_MILLE of 1000 stops did not exceed (500: the median, 990:
   p99), as the middle of its class, but never above stop_max_ns. 0 if there were no
   stops. */
uint64_t meter_stop_percentile(const struct meter *meter, unsigned per_mille);

/* The same of second stacks. SECOND_NS is 0 if it took no stop. */
void meter_count_second(
	struct meter *meter, enum recipe_result result, uint64_t second_ns);
uint64_t meter_second_percentile(const struct meter *meter, unsigned per_mille);

#endif
