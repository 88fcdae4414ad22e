/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/sampler.h"

#include "ptrace/asleep.h"
#include "ptrace/tracer/prompt-thread.h"
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
	/* So long a CPU is sat on after a thread of a target was seen there last. */
	SIT_MS = 1000,
	/* A tick that comes later did not come by its timer alone; also where the timer
	   had to wait for the kernel, which is never preempted, but cannot be told from
	   a thread that ran on. */
	LATE_US = 100,
	/* A stop that is owed is given up after so long; and if the thread could run. */
	PATIENCE_MS = 15,
	LONG_PATIENCE_MS = 2000,
	TOUCHED_BYTES = 64 * 1024,
	REDRAW_LEAST_US = 200,
	BEGIN_MS = 20, /* for the copier to begin on a busy machine */
};

/* --- its thread -------------------------------------------------------------------- */

static bool sit(struct seat *seat)
{
	if (seat->cpu == OUTSIDE)
		return true;
	size_t bytes = CPU_ALLOC_SIZE(seat->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(seat->cpu + 1);
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(seat->cpu, bytes, set);
	bool sits = sched_setaffinity(0, bytes, set) == 0;
	CPU_FREE(set);
	seat->cannot_sit = !sits;
	return sits;
}

static void unclaim_and_tell(struct sampler *sampler, struct preempted *preempted,
	const struct stop *stop, enum stop_result result)
{
	tracing_lock(sampler->tracing);
	handover_sample(sampler, preempted, stop, result);
	tracing_unlock(sampler->tracing);
}

static void take_stop(struct sampler *sampler, struct preempted *found, uint64_t woke_ns)
{
	struct stop stop = {
		.thread = found->thread,
		.sampling = found->sampling,
		.spins = sampler->seat->cpu == OUTSIDE,
		.began_ns = woke_ns,
	};
	enum stop_result result = stop_thread(sampler, &stop);
	unclaim_and_tell(sampler, found, &stop, result);
}

/* It went to sleep just as its instant came: its call has said where it is, and it sleeps
   on. */
static void take_asleep(struct sampler *sampler, struct preempted *found)
{
	struct sampling *sampling = found->sampling;
	bool close_it;
	tracing_lock(sampler->tracing);
	int fd = thread_open_syscall(
		&sampling->threads, found->thread, &sampling->target, &close_it);
	tracing_unlock(sampler->tracing);
	struct thread_sampled *sampled = &found->thread->sampled;
	struct capture_memory memory =
		copier_memory(sampler->copier, &sampling->target, &sampled->bounds);
	size_t reach =
		advice_bytes(sampled->habit.reach, ring_stack_bytes(sampling->ring));
	copier_prepare(sampler->copier);
	bool copied = fd >= 0 &&
		      asleep_copy(&sampling->target, &memory, found->thread->tid, fd,
			      found->stat.state, reach, sampler->slot) == ASLEEP_COPIED;
	if (fd >= 0 && close_it)
		close(fd);
	tracing_lock(sampler->tracing);
	handover_asleep(sampler, found, copied);
	tracing_unlock(sampler->tracing);
}

/* Who was here, at most one. */
static void look_here(struct sampler *sampler, uint64_t woke_ns, bool late)
{
	struct preempted found = {0};
	tracing_lock(sampler->tracing);
	if (!sampler->tracing->is_ending)
		found = preempted_find(sampler, late);
	tracing_unlock(sampler->tracing);
	if (!found.thread)
		return;
	if (found.fell_asleep)
		take_asleep(sampler, &found);
	else
		take_stop(sampler, &found, woke_ns);
}

/* Of every CPU where nobody sits, one. */
static void look_outside(struct sampler *sampler)
{
	struct tracing *tracing = sampler->tracing;
	for (size_t cpu = 0; cpu < tracing->n_cpus; cpu++) {
		const struct seat *seat = tracing->seats[cpu];
		struct preempted found = {0};
		if (!seat || !seat->cannot_sit)
			continue;
		tracing_lock(tracing);
		if (!tracing->is_ending)
			found = preempted_outside(sampler, (int)cpu);
		tracing_unlock(tracing);
		if (found.thread)
			take_stop(sampler, &found, clock_monotonic_ns());
	}
}

/* Until DEADLINE_NS; false if somebody woke us before. */
static bool sleep_until(struct sampler *sampler, uint64_t deadline_ns)
{
	struct timespec deadline = clock_to_timespec(deadline_ns);
	while (sem_clockwait(&sampler->wake, CLOCK_MONOTONIC, &deadline) != 0)
		if (errno == ETIMEDOUT)
			return true;
	return false;
}

static bool is_wanted(const struct seat *seat, uint64_t now_ns)
{
	return now_ns < seat->wanted_ns + SIT_MS * NS_PER_MS;
}

/* The next instant that nobody has. False if none is wanted. */
static bool take_instant(struct sampler *sampler, uint64_t now_ns)
{
	struct tracing *tracing = sampler->tracing;
	struct seat *seat = sampler->seat;
	struct schedule *schedule = &seat->schedule;
	tracing_lock(tracing);
	uint64_t period_ns = is_wanted(seat, now_ns) ? tracing->period_ns : 0;
	if (period_ns && !seat->period_ns)
		schedule_start(schedule, period_ns, now_ns,
			tracing->options->seed + (uint64_t)seat->cpu);
	else if (period_ns) {
		schedule_set_period(schedule, period_ns);
		seat->is_short |= schedule_advance(schedule, now_ns) > 0;
	}
	seat->period_ns = period_ns;
	sampler->instant_ns = schedule->next_ns;
	sampler->period_end_ns = schedule->period_start_ns + schedule->period_ns;
	tracing_unlock(tracing);
	return period_ns != 0;
}

static bool is_late(const struct sampler *sampler, uint64_t woke_ns)
{
	return !sampler->is_prompt && woke_ns - sampler->instant_ns > LATE_US * NS_PER_US;
}

/* The instant came too late: its period gets another one, if there is time. */
static bool draw_again(struct sampler *sampler, uint64_t now_ns)
{
	if (now_ns + REDRAW_LEAST_US * NS_PER_US >= sampler->period_end_ns)
		return false;
	struct schedule again = {.random = sampler->random};
	schedule_draw(&again, now_ns, sampler->period_end_ns);
	sampler->random = again.random;
	sampler->instant_ns = again.next_ns;
	return true;
}

/* The instant that was given to us, or those that are drawn for it. False if the rate has
   changed. */
static bool serve(struct sampler *sampler)
{
	bool late;
	/* An instant that passed while we were busy here found nobody but us. */
	if (clock_monotonic_ns() >= sampler->instant_ns && sampler->seat->cpu != OUTSIDE)
		return true;
	do {
		if (!sleep_until(sampler, sampler->instant_ns))
			return false;
		uint64_t woke_ns = clock_monotonic_ns();
		late = is_late(sampler, woke_ns);
		if (sampler->seat->cpu == OUTSIDE)
			look_outside(sampler);
		else
			look_here(sampler, woke_ns, late);
	} while (late && draw_again(sampler, clock_monotonic_ns()));
	return true;
}

static void prepare(struct sampler *sampler)
{
	char name[16];
	int cpu = sampler->seat->cpu;
	snprintf(name, sizeof(name), cpu == OUTSIDE ? "outsider" : "sampler/%d", cpu);
	prctl(PR_SET_NAME, name);
	sampler->sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	sampler->random = sampler->tracing->options->seed ^ (uint64_t)gettid();
	sampler->is_prompt = prompt_thread();
	copier_prepare(sampler->copier);
	for (int i = 0; i < BEGIN_MS && !copier_is_ready(sampler->copier); i++)
		usleep(1000);
	/* No fault for what the first copies write while a thread stands. */
	size_t room = sampler->tracing->stack_bytes;
	memset(sampler->slot, 0,
		sizeof(*sampler->slot) + (room < TOUCHED_BYTES ? room : TOUCHED_BYTES));
}

static void leave(struct sampler *sampler)
{
	if (sampler->sched_fd >= 0)
		close(sampler->sched_fd);
	deadman_finish(&sampler->deadman);
	sampler->has_left = true;
}

static void *sampler_main(void *argument)
{
	struct sampler *sampler = argument;
	prepare(sampler);
	/* A target may move to a CPU that we may not use, and our cpuset may change. */
	while (!sampler->is_replaced) {
		uint64_t now_ns = clock_monotonic_ns();
		if (!take_instant(sampler, now_ns) || !sit(sampler->seat))
			sleep_until(sampler, now_ns + SIT_MS * NS_PER_MS);
		else
			serve(sampler);
	}
	leave(sampler);
	return NULL;
}

/* --- the lookout's side --------------------------------------------------------------
 */

static struct whole_call *take_call(struct tracer_control *control)
{
	for (size_t i = 0; i < TRACER_CALLS; i++)
		if (!atomic_exchange(&control->call_is_taken[i], true))
			return &control->calls[i];
	return NULL;
}

static void give_call(struct tracer_control *control, const struct whole_call *call)
{
	if (call)
		control->call_is_taken[call - control->calls] = false;
}

static struct sampler *create_sampler(struct tracing *tracing, struct seat *seat)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));
	sampler->tracing = tracing;
	sampler->seat = seat;
	sampler->sched_fd = -1;
	sampler->slot = mem_alloc(sizeof(struct snapshot) + tracing->stack_bytes);
	sampler->copier = copier_create();
	sampler->call = take_call(tracing->control);
	sem_init(&sampler->wake, 0, 0);
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	bool made = deadman_init(&sampler->deadman, DEADMAN_MS, NULL) &&
		    pthread_create(&sampler->thread, &small, sampler_main, sampler) == 0;
	pthread_attr_destroy(&small);
	if (made)
		return sampler;
	deadman_finish(&sampler->deadman);
	sampler->has_left = true;
	return sampler;
}

static void destroy_sampler(struct sampler *sampler)
{
	give_call(sampler->tracing->control, sampler->call);
	copier_destroy(sampler->copier);
	sem_destroy(&sampler->wake);
	free(sampler->slot);
	free(sampler);
}

static void wake_seat(struct seat *seat)
{
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		sem_post(&seat->samplers[i]->wake);
}

static void want(struct seat *seat, uint64_t now_ns)
{
	bool slept = !is_wanted(seat, now_ns);
	seat->wanted_ns = now_ns;
	if (slept)
		wake_seat(seat);
}

static struct seat *create_seat(struct tracing *tracing, int cpu)
{
	struct seat *seat = mem_zalloc(sizeof(*seat));
	seat->cpu = cpu;
	seat->samplers[seat->n_samplers++] = create_sampler(tracing, seat);
	return seat;
}

void samplers_want(struct tracing *tracing, int cpu, uint64_t now_ns)
{
	if (cpu < 0 || (size_t)cpu >= tracing->n_cpus)
		return;
	struct seat **at = &tracing->seats[cpu];
	if (!*at)
		*at = create_seat(tracing, cpu);
	want(*at, now_ns);
	if (!(*at)->cannot_sit)
		return;
	if (!tracing->outside)
		tracing->outside = create_seat(tracing, OUTSIDE);
	want(tracing->outside, now_ns);
}

void samplers_wake(struct tracing *tracing)
{
	for (size_t i = 0; i < tracing->n_cpus; i++)
		wake_seat(tracing->seats[i]);
	wake_seat(tracing->outside);
}

/* The state of TID, which is of some process of ours; 0 if it is gone. */
static char state_of(pid_t tid)
{
	char path[32];
	struct task_stat stat = {0};
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		task_read_stat(fd, &stat);
		close(fd);
	}
	return stat.state;
}

/* Free those that were replaced and have left meanwhile. */
static void sweep(struct tracing *tracing)
{
	size_t kept = 0;
	for (size_t i = 0; i < tracing->replaced.len; i++) {
		struct sampler *sampler = tracing->replaced.data[i];
		if (sampler->has_left)
			destroy_sampler(sampler);
		else
			tracing->replaced.data[kept++] = sampler;
	}
	tracing->replaced.len = kept;
}

/* Out of its wait, unless it waits for the end of a call. */
static void replace_sampler(struct tracing *tracing, struct sampler **at)
{
	struct sampler *sampler = *at;
	sampler->is_replaced = true;
	if (!sampler->is_in_call)
		pthread_kill(sampler->thread, SIGUSR1);
	vec_push(&tracing->replaced, sampler);
	*at = create_sampler(tracing, sampler->seat);
}

/* SAMPLER waits for its thread to stop. One that waits for a CPU, or runs in the kernel,
   is waited for: it has not run since its instant. Nor does the dead-man mean that. One
   that the kernel holds (state D) is let go, which only the end of its tracer does. */
static void tend_sampler(struct tracing *tracing, struct sampler **at, uint64_t now_ns)
{
	struct sampler *sampler = *at;
	uint64_t asked_ns = sampler->asked_ns;
	if (!asked_ns || now_ns < asked_ns + PATIENCE_MS * NS_PER_MS)
		return;
	char state = sampler->is_in_call ? 'C' : state_of(sampler->asked_tid);
	if (state == 't')
		return;
	if (!sampler->is_in_call)
		deadman_arm(&sampler->deadman);
	bool runs = state == 'R' || state == 'C';
	if (runs && now_ns < asked_ns + LONG_PATIENCE_MS * NS_PER_MS)
		return;
	replace_sampler(tracing, at);
}

static void tend_seat(struct tracing *tracing, struct seat *seat, uint64_t now_ns)
{
	for (size_t i = 0; i < seat->n_samplers; i++)
		tend_sampler(tracing, &seat->samplers[i], now_ns);
	if (!seat->is_short)
		return;
	seat->is_short = false;
	if (seat->n_samplers < SEAT_SAMPLERS)
		seat->samplers[seat->n_samplers++] = create_sampler(tracing, seat);
}

void samplers_tend(struct tracing *tracing, uint64_t now_ns)
{
	tracing_lock(tracing);
	sweep(tracing);
	for (size_t i = 0; i < tracing->n_cpus; i++)
		if (tracing->seats[i])
			tend_seat(tracing, tracing->seats[i], now_ns);
	if (tracing->outside)
		tend_seat(tracing, tracing->outside, now_ns);
	tracing_unlock(tracing);
}

static void release_seat(struct tracing *tracing, struct seat *seat)
{
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		if (seat->samplers[i]->asked_ns)
			replace_sampler(tracing, &seat->samplers[i]);
}

void samplers_abandon(struct tracing *tracing)
{
	vec_each (&tracing->replaced, at) {
		struct sampler *sampler = *at;
		if (!sampler->is_in_call)
			continue;
		sampler->must_abandon = true;
		pthread_kill(sampler->thread, SIGUSR1);
	}
}

void samplers_release(struct tracing *tracing)
{
	tracing_lock(tracing);
	for (size_t i = 0; i < tracing->n_cpus; i++)
		release_seat(tracing, tracing->seats[i]);
	release_seat(tracing, tracing->outside);
	tracing_unlock(tracing);
}

static bool is_busy(const struct seat *seat)
{
	bool busy = false;
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		busy |= seat->samplers[i]->asked_ns != 0;
	return busy;
}

bool samplers_are_at_rest(const struct tracing *tracing)
{
	bool busy = is_busy(tracing->outside) || tracing->replaced.len > 0;
	for (size_t i = 0; i < tracing->n_cpus; i++)
		busy |= is_busy(tracing->seats[i]);
	return !busy;
}
