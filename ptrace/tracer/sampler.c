/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/sampler.h"

#include "ptrace/asleep.h"
#include "ptrace/prompt-thread.h"
#include "ptrace/second-stack.h"
#include "ptrace/tracer/sampler-private.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	/* How long a CPU is sampled after a thread of a target was last seen there. */
	SIT_MS = 1000,
	/* An instant that comes later than this is late: the sampler did not preempt the
	   thread at its timer. (Or the timer had to wait for the kernel, which does not
	   let itself be preempted; these cases look the same.) */
	LATE_US = 100,
	/* How long a CPU counts as shared after a thread of a target had to wait for it. */
	SHARED_MS = 1000,
	TOUCHED_BYTES = 64 * 1024,
	REDRAW_LEAST_US = 200,
	BEGIN_MS = 20, /* to wait for the copier's thread to start */
	/* How long to wait for a stop before a look whether the thread stands. */
	WARNING_MS = 15,
};

/* Does this thread run on the CPU of its seat? Known without a system call (rseq). */
static bool is_seated(const struct sampler *sampler)
{
	return sampler->sits && sched_getcpu() == sampler->seat->cpu;
}

/* Bind this thread to the CPU of its seat, unless it is. If our cpuset changes, the kernel
   moves it elsewhere. */
static bool sit(struct sampler *sampler)
{
	struct seat *seat = sampler->seat;
	if (seat->cpu == OUTSIDE || is_seated(sampler))
		return true;
	size_t bytes = CPU_ALLOC_SIZE(seat->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(seat->cpu + 1);
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(seat->cpu, bytes, set);
	sampler->sits = sched_setaffinity(0, bytes, set) == 0;
	CPU_FREE(set);
	seat->cannot_sit = !sampler->sits;
	return sampler->sits;
}

static void unclaim_and_tell(struct sampler *sampler, struct preempted *preempted,
	const struct stop *stop, enum stop_result result)
{
	tracing_lock(sampler->tracing);
	handover_sample(sampler, preempted, stop, result);
	tracing_unlock(sampler->tracing);
}

/* Read what locks are held by. Where that has to wait for a copier the thread runs on meanwhile;
   but a lock may lie in a file whose server does not answer (copier.h). */
static void read_watched(struct sampler *sampler, const struct preempted *found)
{
	if (sampler->slot->n_watched == 0)
		return;
	struct capture_memory memory = copier_memory(sampler->copier,
		&found->sampling->target, &found->thread->sampled, &sampler->link);
	copier_prepare(sampler->copier);
	watched_locks_read(&memory, sampler->slot);
}

/* With the mutex. */
static void note_claim(struct sampler *sampler, const struct preempted *found)
{
	sampler->has_claimed = found->thread != NULL;
	sampler->slot->n_watched = sampler->slot->n_mapped = 0;
	if (found->thread && found->sampling->is_wall)
		watched_locks_list(
			&found->sampling->watched, sampler->woke_ns, sampler->slot);
}

static void take_stop(struct sampler *sampler, struct preempted *found)
{
	struct stop stop = {
		.thread = found->thread,
		.sampling = found->sampling,
		.spins = sampler->seat->cpu == OUTSIDE,
		.is_alone = found->is_alone,
	};
	enum stop_result result = stop_thread(sampler, &stop);
	/* The sampler still has the CPU, so the thread has hardly run on. */
	if (result == STOP_COPIED)
		read_watched(sampler, found);
	if (result == STOP_COPIED && stop.by_call &&
		target_memory_is_gone(
			&found->sampling->target, sampler->slot->stack_address))
		result = STOP_NO_MEMORY;
	unclaim_and_tell(sampler, found, &stop, result);
}

/* Nothing keeps the thread asleep: what was copied while it may have run is not used. */
static void second_stack_asleep(struct sampler *sampler, const struct preempted *found,
	const struct capture_memory *memory)
{
	struct sampling *sampling = found->sampling;
	struct task_account now;
	if (sampler->recipe_number == 0)
		return;
	second_stack_copy(sampler->recipe, memory->memory, sampling->target.maps_fd,
		asleep_thread_pointer(memory, found->thread->tid),
		ring_stack_bytes(sampling->ring), sampler->slot);
	tracing_lock(sampler->tracing);
	if (!thread_read_account(
		    &sampling->threads, found->thread, &sampling->target, &now) ||
		now.slices != found->account.slices) {
		sampler->slot->second_blocks = 0;
		sampler->slot->second_result = RECIPE_UNREADABLE;
	}
	tracing_unlock(sampler->tracing);
}

/* The thread went to sleep at its instant: copy its stack while it sleeps, by its system
   call, without a stop. */
static void take_asleep(struct sampler *sampler, struct preempted *found)
{
	struct sampling *sampling = found->sampling;
	bool close_it;
	tracing_lock(sampler->tracing);
	int fd = thread_open_syscall(
		&sampling->threads, found->thread, &sampling->target, &close_it);
	tracing_unlock(sampler->tracing);
	struct thread_sampled *sampled = &found->thread->sampled;
	struct capture_memory memory = copier_memory(
		sampler->copier, &sampling->target, sampled, &sampler->link);
	copier_prepare(sampler->copier);
	bool copied = fd >= 0 && asleep_glimpse(&memory, fd, found->stat.state,
					 ring_stack_bytes(sampling->ring),
					 &sampled->habit, sampler->slot) == ASLEEP_COPIED;
	if (copied) {
		read_watched(sampler, found);
		second_stack_asleep(sampler, found, &memory);
	}
	if (fd >= 0 && close_it)
		close(fd);
	tracing_lock(sampler->tracing);
	handover_asleep(sampler, found, copied);
	tracing_unlock(sampler->tracing);
}

static void take(struct sampler *sampler, struct preempted *found)
{
	if (found->thread && found->fell_asleep)
		take_asleep(sampler, found);
	else if (found->thread)
		take_stop(sampler, found);
	sampler->has_claimed = false;
}

/* Sample the thread that was on this CPU, if it belongs to a target. */
static void look_here(struct sampler *sampler, bool late)
{
	struct preempted found = {0};
	if (!is_seated(sampler))
		return;
	tracing_lock_at_once(sampler->tracing);
	bool looks_on = !sampler->tracing->is_ending && !late;
	if (!sampler->tracing->is_ending)
		found = preempted_find(sampler, late);
	looks_on &= !found.sampling;
	note_claim(sampler, &found);
	sampler->has_claimed |= looks_on;
	tracing_unlock(sampler->tracing);
	if (looks_on)
		newborn_find(sampler, &found);
	take(sampler, &found);
}

/* Sample one thread on each CPU where no sampler can sit. */
static void look_outside(struct sampler *sampler)
{
	struct tracing *tracing = sampler->tracing;
	for (size_t cpu = 0; cpu < tracing->n_cpus; cpu++) {
		const struct seat *seat = tracing->seats[cpu];
		struct preempted found = {0};
		if (!seat || !seat_is_out_of_reach(seat, sampler->woke_ns))
			continue;
		tracing_lock(tracing);
		if (!tracing->is_ending)
			found = preempted_outside(sampler, (int)cpu);
		note_claim(sampler, &found);
		tracing_unlock(tracing);
		take(sampler, &found);
		if (sampler->is_replaced) /* it may hold a thread, which its end lets go */
			break;
	}
}

/* Sleep until DEADLINE_NS; false if woken before. */
static bool sleep_until(struct sampler *sampler, uint64_t deadline_ns)
{
	struct timespec deadline = clock_to_timespec(deadline_ns);
	deadman_hush(&sampler->deadman, deadline_ns);
	while (sem_clockwait(&sampler->wake, CLOCK_MONOTONIC, &deadline) != 0)
		if (errno == ETIMEDOUT)
			return true;
	return false;
}

bool seat_is_wanted(const struct seat *seat, uint64_t now_ns)
{
	return now_ns < seat->wanted_ns + SIT_MS * NS_PER_MS;
}

bool seat_is_out_of_reach(const struct seat *seat, uint64_t now_ns)
{
	return seat->cannot_sit ||
	       (seat->outranked_ns && now_ns < seat->outranked_ns + SIT_MS * NS_PER_MS);
}

/* Returns how many instants have passed without a sampler. */
static uint64_t advance(struct seat *seat, uint64_t now_ns)
{
	bool is_shared = now_ns < seat->shared_ns + SHARED_MS * NS_PER_MS;
	return is_shared ? schedule_advance_memoryless(&seat->schedule, now_ns)
			 : schedule_advance(&seat->schedule, now_ns);
}

/* INSTANTS have passed without a sampler: there should be another one. */
static void note_shortage(struct sampler *sampler, uint64_t instants)
{
	struct seat *seat = sampler->seat;
	if (instants == 0 || seat->is_short || seat->n_samplers == SEAT_SAMPLERS)
		return;
	seat->is_short = true;
	tracing_poke(sampler->tracing);
}

/* Take the next instant of the seat that no other sampler has. False if none is
   wanted. */
static bool take_instant(struct sampler *sampler, uint64_t now_ns)
{
	struct tracing *tracing = sampler->tracing;
	struct seat *seat = sampler->seat;
	struct schedule *schedule = &seat->schedule;
	tracing_lock(tracing);
	uint64_t period_ns = seat_is_wanted(seat, now_ns) ? tracing->period_ns : 0;
	if (period_ns && !seat->period_ns)
		schedule_start(schedule, period_ns, now_ns,
			tracing->options->seed + (uint64_t)seat->cpu);
	else if (period_ns) {
		schedule_set_period(schedule, period_ns);
		note_shortage(sampler, advance(seat, now_ns));
	}
	seat->period_ns = period_ns;
	sampler->instant_ns = schedule->next_ns;
	sampler->period_end_ns = schedule->period_start_ns + schedule->period_ns;
	tracing_unlock(tracing);
	return period_ns != 0;
}

static bool is_late(const struct sampler *sampler)
{
	bool may_wait = !sampler->is_prompt ||
			seat_is_out_of_reach(sampler->seat, sampler->woke_ns);
	return may_wait && sampler->seat->cpu != OUTSIDE &&
	       sampler->woke_ns - sampler->instant_ns > LATE_US * NS_PER_US;
}

/* The instant came too late: draw another one in its period, if there is time left. */
static bool draw_again(struct sampler *sampler, uint64_t now_ns)
{
	if (now_ns + REDRAW_LEAST_US * NS_PER_US >= sampler->period_end_ns)
		return false;
	sampler->instant_ns =
		schedule_draw(&sampler->random, now_ns, sampler->period_end_ns);
	return true;
}

/* Serve the instant that this sampler took, or others drawn in its place. False if the
   rate has changed. */
static bool serve(struct sampler *sampler)
{
	bool late;
	/* At an instant that passed while this sampler was busy on the CPU, it would have
	   found only itself. */
	if (clock_monotonic_ns() >= sampler->instant_ns && sampler->seat->cpu != OUTSIDE)
		return true;
	do {
		if (!sleep_until(sampler, sampler->instant_ns))
			return false;
		sampler->woke_ns = clock_monotonic_ns();
		late = is_late(sampler);
		if (sampler->seat->cpu == OUTSIDE)
			look_outside(sampler);
		else
			look_here(sampler, late);
	} while (late && !sampler->is_replaced &&
		 draw_again(sampler, clock_monotonic_ns()));
	return true;
}

/* False if it cannot sample. */
static bool prepare(struct sampler *sampler)
{
	char name[16];
	int cpu = sampler->seat->cpu;
	snprintf(name, sizeof(name), cpu == OUTSIDE ? "outsider" : "sampler/%d", cpu);
	prctl(PR_SET_NAME, name);
	sampler->sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	sampler->random = sampler->tracing->options->seed ^ (uint64_t)gettid();
	sampler->is_prompt = cpu == OUTSIDE ? prompt_outsider() : prompt_thread();
	if (!deadman_warn(&sampler->deadman, WARNING_MS, SIGUSR1, NULL))
		return false;
	copier_prepare(sampler->copier);
	for (int i = 0; i < BEGIN_MS && !copier_is_ready(sampler->copier); i++)
		usleep(1000);
	/* Touch the memory now, so that the first copies cause no page faults while a
	   thread is stopped. */
	size_t room = sampler->tracing->stack_bytes;
	memset(sampler->slot, 0,
		sizeof(*sampler->slot) + (room < TOUCHED_BYTES ? room : TOUCHED_BYTES));
	return true;
}

static void leave(struct sampler *sampler)
{
	if (sampler->sched_fd >= 0)
		close(sampler->sched_fd);
	deadman_finish(&sampler->deadman);
	sampler->has_left = true;
}

void *sampler_main(void *argument)
{
	struct sampler *sampler = argument;
	bool is_ready = prepare(sampler);
	while (is_ready && !sampler->is_replaced) {
		uint64_t now_ns = clock_monotonic_ns();
		if (!take_instant(sampler, now_ns) || !sit(sampler))
			sleep_until(sampler, now_ns + SIT_MS * NS_PER_MS);
		else
			serve(sampler);
	}
	leave(sampler);
	return NULL;
}
