/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/lookout.h"

#include "ptrace/threads/schedule.h"
#include "ptrace/tracer/look.h"
#include "ptrace/tracer/perf-engine.h"
#include "ptrace/tracer/sampler.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

enum {
	EXEC_SOON_MS = 2000, /* in which a forked process is looked at in every round */
	LOOK_HZ = 50,	     /* least looks a second, and most without wall clock; */
	SETTLED_HZ = 20,     /* the same while samplers sit where the threads run; */
	CHANGES_HZ = 100,    /* while threads come and go */
	CHANGES_MS = 1000,   /* so long after a change */
	MANY = 24,	     /* with more threads awake, all of these are less, */
	MANY_HZ = 3,	     /* but at least so many */
	LOOKS_HZ = 1000,     /* most looks a second at all idle processes together, */
	LEAST_HZ = 10,	     /* but at least so many at each */
};

/* --- periods and budget ------------------------------------------------------------ */

static void count_periods(struct sampling *sampling, uint64_t now_ns)
{
	struct meter *meter = sampling->meter;
	double seconds = (double)(now_ns - sampling->periods_ns) / NS_PER_SEC;
	double periods = sampling->period_part + seconds * sampling->budget.rate_hz;
	uint64_t whole = (uint64_t)periods;
	sampling->period_part = periods - (double)whole;
	sampling->periods_ns = now_ns;
	meter_add(&meter->periods, whole);
	meter_add(&meter->periods_held[sampling->budget.held], whole);
}

static struct budget_reading read_costs(const struct sampling *sampling, uint64_t now_ns)
{
	uint64_t tracer_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	return (struct budget_reading){
		.time_ns = now_ns,
		.periods = meter_get(&sampling->meter->periods),
		.stops = sampling->asked_stops,
		.stopped_ns = sampling->asked_stopped_ns,
		.ran_ns = sampling->cpu_last_ns,
		.sampler_cpu_ns = tracer_ns,
		.own_cpu_ns = own_cpu_ns() + tracer_ns - sampling->tracing->told_cpu_ns,
	};
}

static void begin_budget(struct sampling *sampling, uint64_t now_ns)
{
	struct budget_reading costs = read_costs(sampling, now_ns);
	const struct tracing *tracing = sampling->tracing;
	budget_init(&sampling->budget, tracing->options->limits, sampling->hz,
		tracing->stop_ns / NS_PER_SEC, &costs);
}

void lookout_keep_brief(struct tracing *tracing, uint64_t now_ns)
{
	unsigned hz = tracer_control_hz(tracing->control);
	struct budget *brief = &tracing->brief;
	bool is_new = (unsigned)brief->asked_hz != hz;
	if (tracing->births.fd <= 0 || !hz || (!is_new && !budget_is_due(brief, now_ns)))
		return;
	tracing_lock(tracing);
	struct budget_reading *costs = &tracing->brief_costs;
	double passed_s = (double)(now_ns - costs->time_ns) / NS_PER_SEC;
	costs->periods += is_new ? 0 : (uint64_t)(passed_s * brief->rate_hz);
	costs->time_ns = now_ns;
	costs->sampler_cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	costs->own_cpu_ns = own_cpu_ns() + costs->sampler_cpu_ns - tracing->told_cpu_ns;
	if (is_new)
		budget_init(brief, tracing->options->limits, hz,
			tracing->stop_ns / NS_PER_SEC, costs);
	else
		budget_update(brief, costs);
	tracing_unlock(tracing);
}

/* What it costs to find thousands of threads says nothing about the cost of sampling. */
static void keep_budget(struct sampling *sampling, uint64_t now_ns)
{
	if (sampling->rota.is_beginning)
		begin_budget(sampling, now_ns);
	if (!budget_is_due(&sampling->budget, now_ns))
		return;
	struct budget_reading costs = read_costs(sampling, now_ns);
	budget_update(&sampling->budget, &costs);
	meter_set(&sampling->meter->held_by, sampling->budget.held);
}

static bool threads_come_and_go(const struct sampling *sampling, uint64_t now_ns)
{
	return sampling->changed_ns > now_ns - CHANGES_MS * NS_PER_MS;
}

/* Samplers find what the threads do that run where they sit. As long as all threads stay
   there, the lookout has little to find. */
static double least_look_hz(const struct sampling *sampling, uint64_t now_ns)
{
	uint64_t lately_ns = now_ns - CHANGES_MS * NS_PER_MS;
	bool is_settled = sampling->moved_ns < lately_ns && sampling->ran_ns > lately_ns;
	double hz = threads_come_and_go(sampling, now_ns) ? CHANGES_HZ
		    : is_settled			  ? SETTLED_HZ
							  : LOOK_HZ;
	size_t awake = sampling->threads.awake.len;
	if (awake > MANY && !sampling->is_wall && !sampling->rota.is_beginning &&
		hz * MANY / (double)awake < hz)
		hz = hz * MANY / (double)awake;
	/* Who uses much is known after two looks. */
	double floor_hz = sampling->threads.is_judged ? MANY_HZ : LEAST_HZ;
	return hz > floor_hz ? hz : floor_hz;
}

static uint64_t look_period_ns(const struct sampling *sampling, uint64_t now_ns)
{
	double rate_hz = sampling->budget.rate_hz;
	double least_hz = least_look_hz(sampling, now_ns);
	if (!sampling->is_wall || rate_hz < least_hz)
		rate_hz = least_hz;
	double most_hz =
		(double)LOOKS_HZ / (double)(sampling->tracing->samplings.len + 1);
	if (sampling->threads.awake.len == 0 && rate_hz > most_hz)
		rate_hz = most_hz > LEAST_HZ ? most_hz : LEAST_HZ;
	return (uint64_t)((double)NS_PER_SEC / rate_hz);
}

/* The next look comes a period after this one, more or less a quarter, so that looks do
   not fall into step with the target. */
static void plan_look(struct sampling *sampling, uint64_t now_ns)
{
	uint64_t period_ns = look_period_ns(sampling, now_ns);
	sampling->look_ns = schedule_draw(&sampling->look_random,
		now_ns + period_ns * 3 / 4, now_ns + period_ns * 5 / 4);
}

static void begin_sampling(struct sampling *sampling, unsigned hz, uint64_t now_ns)
{
	const struct tracing *tracing = sampling->tracing;
	sampling->hz = hz;
	sampling_count_pause(sampling, now_ns);
	begin_budget(sampling, now_ns);
	sampling->periods_ns = now_ns;
	sampling->look_random = tracing->options->seed + (uint64_t)sampling->target.pid;
	plan_look(sampling, now_ns);
}

static void follow_wishes(struct sampling *sampling, uint64_t now_ns)
{
	const struct tracer_control *control = sampling->tracing->control;
	unsigned hz = sampling->is_held ? 0 : tracer_control_hz(control);
	bool wall = tracer_control_wall(control);
	if (wall != sampling->is_wall) {
		sampling_wait_flush(sampling, now_ns);
		sampling->is_wall = wall;
		/* What threads have used that was weighed together (pool.h), no thread has left. */
		sampling_rebase(sampling, now_ns);
	}
	if (hz == sampling->hz)
		return;
	if (!hz)
		sampling_begin_pause(sampling, now_ns);
	if (hz && !sampling->hz) {
		look_for_threads(sampling, true);
		sampling_rebase(sampling, now_ns);
	}
	if (hz)
		begin_sampling(sampling, hz, now_ns);
	if (!sampling->is_held)
		meter_set(&sampling->meter->frequency_hz, hz);
}

/* --- one process ------------------------------------------------------------------- */

bool lookout_has_ended(const struct sampling *sampling)
{
	struct pollfd ended = {.fd = sampling->pidfd, .events = POLLIN};
	return sampling->pidfd >= 0 && poll(&ended, 1, 0) == 1;
}

/* A listing may be incomplete, and a thread end before it is looked at, so that no living one is
   known. Without a pidfd nothing else tells. */
static bool is_alive(const struct sampling *sampling)
{
	return sampling->pidfd >= 0 && !lookout_has_ended(sampling);
}

/* False if it has ended already. With the mutex. */
static bool join(
	struct sampling *sampling, bool at_start, bool is_forked, uint64_t now_ns)
{
	struct tracing *tracing = sampling->tracing;
	/* Before the threads are listed, which takes a while for ten thousand, so that
	   threads are sampled as soon as they are found. */
	if (!sampling->is_newborn)
		vec_push(&tracing->samplings, sampling);
	sampling->is_newborn = false;
	samplers_set_period(tracing);
	sampling->anywhere = target_mapped_address(&sampling->target);
	sampling_take_advice(sampling); /* of the process, for the first sample */
	sampling->exec_look_ns = is_forked ? now_ns : UINT64_MAX;
	sampling->exec_often_ns = now_ns + EXEC_SOON_MS * NS_PER_MS;
	if (!look_for_threads(sampling, at_start) && !is_alive(sampling))
		return false;
	sampling_mark(sampling, now_ns);
	rota_search_unmet(&sampling->rota, &sampling->threads);
	/* Do not count the cost of the start. */
	if (sampling->hz && !sampling->is_born)
		begin_budget(sampling, clock_monotonic_ns());
	return true;
}

void lookout_adopt(struct sampling *sampling)
{
	uint64_t now_ns = clock_monotonic_ns();
	tracing_lock(sampling->tracing);
	sampling->survey_ns = now_ns;
	begin_sampling(sampling, sampling->hz, now_ns);
	struct budget_reading costs = sampling->budget.last;
	sampling->budget = sampling->tracing->brief;
	sampling->budget.last = costs;
	bool any = join(sampling, false, target_is_forked(&sampling->target), now_ns);
	tracing_unlock(sampling->tracing);
	if (!any)
		lookout_leave(sampling, true);
}

struct sampling *lookout_add(struct tracing *tracing,
	const struct tracer_message *addition, const int fds[TRACER_FDS])
{
	pid_t pid = addition->pid;
	struct ring *ring = addition->ring;
	bool is_again = addition->is_again;
	struct sampling *sampling = mem_zalloc(sizeof(*sampling));
	uint64_t now_ns = clock_monotonic_ns();
	*sampling = (struct sampling){
		.tracing = tracing,
		.target = {.pid = pid,
			.proc_fd = fds[0],
			.task_dir_fd = fds[1],
			.mem_fd = fds[2],
			.memory_tid = addition->memory_tid},
		.pidfd = pidfd_open(pid, 0),
		.ring = ring,
		.meter = ring_meter(ring),
		.is_wall = tracer_control_wall(tracing->control),
		.is_again = is_again,
	};
	if (is_again) {
		target_open_memory(
			&sampling->target); /* it may have called exec meanwhile */
		sampling_note_contention(sampling);
	}
	threads_init(&sampling->threads);
	if (clock_getcpuclockid(pid, &sampling->target.cpu_clock) != 0) {
		lookout_forget(sampling); /* it has ended, and was waited for */
		errno = ESRCH;
		return NULL;
	}
	struct meter *meter = sampling->meter;
	if (!is_again)
		meter_set(&meter->cpu_base_ns, clock_read_ns(sampling->target.cpu_clock));
	sampling->cpu_base_ns = meter_get(&meter->cpu_base_ns);
	if (is_again)
		sampling_take_over(sampling);
	sampling->cpu_last_ns = clock_read_ns(sampling->target.cpu_clock);
	sampling->hz = tracer_control_hz(tracing->control);
	/* Before the threads are listed: those that come later inherit. */
	if (!perf_engine_add(sampling)) {
		int errnum = errno;
		lookout_forget(sampling);
		errno = errnum;
		return NULL;
	}
	tracing_lock(tracing);
	if (!is_again)
		meter_set(&meter->began_ns, now_ns);
	sampling->survey_ns = now_ns;
	meter_set(&meter->engine, tracing->options->engine);
	meter_set(
		&meter->user_only, tracing->perf && !tracing->options->grant.with_kernel);
	meter_set(&meter->unwind_by, tracing->options->unwind_by);
	meter_set(&meter->frequency_hz, sampling->hz);
	meter_set(&meter->granted_ppm, (uint64_t)(tracing->options->limits.paused * 1e6));
	if (!sampling->hz)
		sampling_count_pause(sampling, now_ns);
	else
		begin_sampling(sampling, sampling->hz, now_ns);
	bool any = join(sampling, true, addition->is_forked, now_ns);
	tracing_unlock(tracing);
	/* It has ended just now. It has begun, though, and may have samples, so it ends as others
	   do: whoever adds up meters takes one that never ends for a process that lives. */
	if (!any)
		lookout_leave(sampling, true);
	return sampling;
}

uint64_t lookout_round(struct sampling *sampling, uint64_t now_ns)
{
	struct tracing *tracing = sampling->tracing;
	if (sampling->is_leaving)
		return now_ns + NS_PER_MS;
	perf_engine_follow(sampling);
	tracing_lock(tracing);
	follow_wishes(sampling, now_ns);
	tracing_breathe(tracing);
	bool is_due = sampling->hz && now_ns >= sampling->look_ns;
	bool is_empty = false;
	if (is_due) {
		count_periods(sampling, now_ns);
		if (look_for_threads_is_due(sampling, now_ns))
			is_empty = !look_for_threads(sampling, false);
		look_around(sampling, now_ns);
		sampling_judge(sampling, now_ns);
		tracing_breathe(tracing);
		sampling_survey(sampling, now_ns);
		tracing_breathe(tracing);
		sampling_take_advice(sampling);
		look_for_tracer(sampling, now_ns);
		keep_budget(sampling, now_ns);
		plan_look(sampling, clock_monotonic_ns());
	}
	tracing_unlock(tracing);
	if (is_due)
		sampling_await_exec(sampling, now_ns);
	if (is_empty && is_alive(sampling))
		sampling->must_scan = true;
	else if (is_empty)
		lookout_leave(sampling, true);
	else if (sampling->exec_seen)
		sampling_exec(sampling);
	else if (is_due && sampling->maps_untold)
		sampling_tell_maps(sampling);
	return sampling->hz ? sampling->look_ns : now_ns + NS_PER_SEC;
}

void lookout_hold(struct sampling *sampling)
{
	perf_engine_take(sampling->tracing);
	tracing_lock(sampling->tracing);
	sampling->is_held = true;
	uint64_t now_ns = clock_monotonic_ns();
	follow_wishes(sampling, now_ns);
	sampling_rebase(sampling, now_ns);
	tracing_unlock(sampling->tracing);
}

void lookout_go_on(struct sampling *sampling)
{
	tracing_lock(sampling->tracing);
	sampling->is_held = false;
	follow_wishes(sampling, clock_monotonic_ns());
	tracing_unlock(sampling->tracing);
}

void lookout_leave(struct sampling *sampling, bool ended)
{
	perf_engine_take(sampling->tracing);
	tracing_lock(sampling->tracing);
	uint64_t now_ns = clock_monotonic_ns();
	if (!sampling->is_leaving) {
		/* The accounts before the clock, so that they are not more. */
		if (!ended)
			sampling_refresh_last(sampling);
		/* The process clock can be read until the parent has waited for the
		   process. */
		sampling_mark(sampling, now_ns);
		sampling->is_leaving = true;
		sampling->is_gone = ended;
		sampling->rest_ns = sampling_pool_rest(sampling);
		sampling->ended_ns = clock_monotonic_ns();
		meter_set(&sampling->meter->ended_ns, sampling->ended_ns);
		meter_set(&sampling->meter->target_exited, ended);
		meter_set(&sampling->meter->threads_running, 0);
	}
	tracing_unlock(sampling->tracing);
	perf_engine_leave(sampling);
}

void lookout_forget(struct sampling *sampling)
{
	perf_events_close(&sampling->events);
	threads_finish(&sampling->threads);
	target_close(&sampling->target);
	if (sampling->pidfd >= 0)
		close(sampling->pidfd);
	free(sampling->recipe);
	free(sampling);
}
