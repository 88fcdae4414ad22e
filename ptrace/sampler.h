/*
 * sampler: the thread that looks at the target, or at several.
 *
 * It makes every ptrace call there is (the kernel takes them only from the thread that
 * seized). At each tick it finds out which threads ran and still run, stops them one at a
 * time for as long as it takes to copy registers and stack, and hands the copies to the
 * ring. It never stops a thread that sleeps, never waits for the analyst, and keeps no
 * thread stopped while it does anything else. When it ends, the kernel detaches every
 * thread without stopping it (an explicit PTRACE_DETACH would need a stop, and leak
 * EINTR).
 *
 * Callers must have SIGCHLD blocked in every thread before sampler_start and its
 * disposition must be SIG_DFL: it is how stops announce themselves.
 */
#ifndef CPROFTOP_PTRACE_SAMPLER_H
#define CPROFTOP_PTRACE_SAMPLER_H

#include "ptrace/sampler-options.h"
#include "ptrace/target.h"
#include "src/base/error.h"
#include "src/model/meter.h"
#include "src/model/ring.h"

struct sampler;

/* Seize every thread of TARGET and begin. TARGET, RING and METER are borrowed until
   sampler_destroy. Returns when the target is attached; NULL and ERR when it cannot be.
 */
struct sampler *sampler_start(struct target *target, struct ring *ring,
	struct meter *meter, const struct sampler_options *options, struct error *err);

/* The same for one more process, with the same options and the same thread: the kernel
   tells a process that traces, not a thread of it, that a tracee has stopped, so two
   threads would take each other's news. Not together with sampler_hold, sampler_stop,
   sampler_destroy or itself. */
bool sampler_add(struct sampler *sampler, struct target *target, struct ring *ring,
	struct meter *meter, struct error *err);

/* Ask it to end; the target runs on. The last record, SNAPSHOT_END, is in the ring (as
   soon as there is room) when sampler_destroy returns. Any thread. */
void sampler_stop(struct sampler *sampler);

/* Stop, if need be, and wait for the thread to end. NULL is fine. */
void sampler_destroy(struct sampler *sampler);

/* Change the rate; 0 pauses. What the target does in a pause counts as
   unsampled.
 */
void sampler_set_frequency(struct sampler *sampler, unsigned hz);

/* Let go of every thread of the target until it is released again: the thread ends, and
   another goes on later. To be held before this process is stopped (Ctrl-Z), because a
   tracee waits for its tracer at every signal it gets, also when nothing is sampled.
   What the target does meanwhile is not charged to anything. Returns when it is done. Not
   together with the other functions; to be released before sampler_destroy. */
void sampler_hold(struct sampler *sampler, bool held);

/* Sample wall clock, or only what runs. Any thread. */
void sampler_set_wall(struct sampler *sampler, bool wall);

#endif
