/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/lookout.h"

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
	LOOK_HZ = 100,	  /* at least, and at most if wall clock is not sampled; */
	LOOKS_HZ = 1000,  /* and of all processes that rest, together, */
	LEAST_HZ = 10,	  /* but each so often */
	FEW_THREADS = 16, /* of all processes together: none rests */
	SCAN_EVERY_MS = 1000,
	SCANS_SHARE = 10, /* of the time, one part: listing thousands takes long */
	MARK_EVERY_MS = 100,
	WAIT_COPIES = 32,  /* stacks of sleepers in one tick (about 10 us each) */
	CLOCK_SHARE = 200, /* of the time, one part for the clock of the process */
	REFUSED_EVERY_MS = 250,
};

/* --- threads that come and go ------------------------------------------------------ */

static void thread_ended(struct sampling *sampling, struct thread *thread)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t unsampled_ns = thread_unsampled_ns(thread, &thread->seen.account);
	thread->seen.state = 'X'; /* all that it was blocked is told now */
	struct snapshot record = {
		.kind = SNAPSHOT_THREAD_EXIT,
		.tid = thread->tid,
		.state = THREAD_BLOCKED,
		.cpu_ns = unsampled_ns,
	};
	sampling_tell_account(sampling, thread, now_ns);
	sampling_wait_charge(sampling, thread, &record, now_ns);
	sampling_put(sampling, &record);
	meter_add(&sampling->meter->cpu_unsampled_ns, unsampled_ns);
	threads_remove(&sampling->threads, thread);
}

/* With the mutex. False if the process has no thread any more. */
static bool scan(struct sampling *sampling, bool start)
{
	struct threads *threads = &sampling->threads;
	uint64_t began_ns = clock_monotonic_ns();
	if (!threads_list(threads, &sampling->target))
		return false;
	vec_each (&threads->list, tid) {
		if (threads_find(threads, *tid))
			continue;
		struct thread *thread =
			threads_add(threads, &sampling->target, *tid, start, began_ns);
		tracing_breathe(sampling->tracing);
		if (!thread)
			continue;
		meter_add(&sampling->meter->threads_seen, 1);
		sampling_introduce(sampling, thread);
		if (thread->seen.state == 'R')
			samplers_want(sampling->tracing, thread->seen.cpu, began_ns);
	}
	struct thread *ended;
	while ((ended = threads_ended(threads, &sampling->target)))
		thread_ended(sampling, ended);
	meter_set(&sampling->meter->threads_now, threads->len);
	sampling->scanned_ns = clock_monotonic_ns();
	sampling->scan_due_ns =
		sampling->scanned_ns + SCANS_SHARE * (sampling->scanned_ns - began_ns);
	return threads->len > 0;
}

/* A change of the number of threads is seen at once. If one thread replaces another the
   number stays the same; the periodic scan finds that. */
static bool scan_is_due(const struct sampling *sampling, uint64_t now_ns)
{
	return now_ns >= sampling->scan_due_ns &&
	       (now_ns - sampling->scanned_ns > SCAN_EVERY_MS * NS_PER_MS ||
		       threads_changed(&sampling->threads, &sampling->target));
}

/* --- looking ------------------------------------------------------------------------ */

/* What it does now, as far as /proc tells cheaply. False if it is gone. */
static bool see(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	struct thread_seen *seen = &thread->seen;
	struct task_account account;
	if (!thread_read_account(&sampling->threads, thread, &sampling->target, &account))
		return false;
	bool ran = account.cpu_ns != seen->account.cpu_ns;
	bool changed = ran || account.slices != seen->account.slices;
	if (ran)
		seen->changed_ns = now_ns;
	seen->account = account;
	seen->time_ns = now_ns;
	/* Who sleeps and has got no CPU since sleeps still. */
	struct task_stat stat;
	if (!changed && seen->state != 'R')
		return true;
	if (!thread_read_stat(&sampling->threads, thread, &sampling->target, &stat))
		return false;
	memcpy(thread->name, stat.name, sizeof(thread->name));
	if (stat.state == 'R' && seen->state != 'R')
		seen->runnable_ns = now_ns;
	seen->state = stat.state;
	seen->cpu = stat.cpu;
	samplers_want(sampling->tracing, stat.cpu, now_ns);
	return true;
}

static void look_at(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	if (!see(sampling, thread, now_ns)) {
		sampling->scanned_ns = 0; /* it is gone; another may have come */
		return;
	}
	sampling->n_running += thread->seen.state == 'R';
	sampling->n_stopped += thread->seen.state == 'T';
	rota_looked(&sampling->rota, &sampling->threads, thread, now_ns);
	if (sampling->is_wall)
		sampling_wait_look(sampling, thread, sampling->tracing->slot, now_ns);
	tracing_breathe(sampling->tracing);
}

/* The clock of the process adds up all its threads: with ten thousand that takes half a
   millisecond. */
static void begin_rota(struct sampling *sampling, uint64_t now_ns)
{
	bool some_rest = sampling->threads.awake.len < sampling->threads.len;
	if (now_ns < sampling->clock_due_ns)
		return;
	rota_begin(&sampling->rota,
		some_rest ? clock_read_ns(sampling->target.cpu_clock) : 0);
	sampling->clock_due_ns = now_ns + CLOCK_SHARE * (clock_monotonic_ns() - now_ns);
}

static void look(struct sampling *sampling, uint64_t now_ns)
{
	struct threads *threads = &sampling->threads;
	sampling->n_running = sampling->n_stopped = 0;
	sampling->wait_copies = WAIT_COPIES;
	sampling->rota.by_slices = sampling->is_wall;
	sampling->rota.few = FEW_THREADS / sampling->tracing->samplings.len;
	begin_rota(sampling, clock_monotonic_ns());
	/* A look may wake threads, but these are awake. Which is first takes turns, as
	   not all may have their stacks copied. */
	size_t awake = threads->awake.len;
	for (size_t i = 0; i < awake; i++)
		look_at(sampling,
			threads->awake.data[(sampling->wait_cursor + i) % awake], now_ns);
	sampling->wait_cursor += WAIT_COPIES;
	size_t resting = threads->len - threads->awake.len;
	size_t due = sampling_survey_is_due(sampling, now_ns)
			     ? resting
			     : rota_due(&sampling->rota, threads);
	for (size_t left = due; left > 0; left--) {
		struct thread *thread = rota_next(&sampling->rota, threads, now_ns);
		if (!thread)
			break;
		look_at(sampling, thread, now_ns);
	}
	if (due == resting)
		rota_complete(&sampling->rota);
	rota_end(&sampling->rota, threads, now_ns);
	meter_set(&sampling->meter->threads_running, sampling->n_running);
	if (awake > 0 || sampling->n_stopped > 0)
		meter_set(&sampling->meter->target_stopped, sampling->n_stopped > 0);
}

/* What the analyst has found out since. */
static void take_advice(struct sampling *sampling)
{
	struct advice advice;
	while (advice_take(ring_advice(sampling->ring), &advice)) {
		struct thread *thread = threads_find(&sampling->threads, advice.tid);
		if (!thread)
			continue;
		thread->sampled.advice = advice;
		thread->sampled.is_advised = true;
	}
}

/* Who traces the process, if our samples were refused because of that. */
static void look_for_tracer(struct sampling *sampling, uint64_t now_ns)
{
	uint64_t refused = meter_get(&sampling->meter->refused);
	if (refused == sampling->refused_known ||
		now_ns - sampling->refused_ns < REFUSED_EVERY_MS * NS_PER_MS) {
		if (now_ns - sampling->refused_ns > 2 * REFUSED_EVERY_MS * NS_PER_MS)
			meter_set(&sampling->meter->tracer_pid, 0);
		return;
	}
	sampling->refused_known = refused;
	sampling->refused_ns = now_ns;
	meter_set(
		&sampling->meter->tracer_pid, (uint64_t)target_tracer(&sampling->target));
}

/* --- periods and budget --------------------------------------------------------------
 */

static void count_periods(struct sampling *sampling, uint64_t now_ns)
{
	struct meter *meter = sampling->meter;
	double seconds = (double)(now_ns - sampling->ticked_ns) / NS_PER_SEC;
	double periods = sampling->tick_part + seconds * sampling->budget.rate_hz;
	uint64_t whole = (uint64_t)periods;
	sampling->tick_part = periods - (double)whole;
	sampling->ticked_ns = now_ns;
	meter_add(&meter->ticks, whole);
	meter_add(&meter->ticks_held[sampling->budget.held], whole);
}

static struct budget_reading read_costs(const struct sampling *sampling, uint64_t now_ns)
{
	return (struct budget_reading){
		.time_ns = now_ns,
		.ticks = meter_get(&sampling->meter->ticks),
		.stops = sampling->asked_stops,
		.stopped_ns = sampling->asked_stopped_ns,
		.ran_ns = clock_read_ns(sampling->target.cpu_clock),
		.sampler_cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
		.self_cpu_ns = own_cpu_ns(),
	};
}

static void keep_budget(struct sampling *sampling, uint64_t now_ns)
{
	if (!budget_is_due(&sampling->budget, now_ns))
		return;
	struct budget_reading costs = read_costs(sampling, now_ns);
	budget_update(&sampling->budget, &costs);
	meter_set(&sampling->meter->held_by, sampling->budget.held);
}

static uint64_t look_period_ns(const struct sampling *sampling)
{
	double rate_hz = sampling->budget.rate_hz;
	if (!sampling->is_wall || rate_hz < LOOK_HZ)
		rate_hz = LOOK_HZ;
	double most_hz =
		(double)LOOKS_HZ / (double)(sampling->tracing->samplings.len + 1);
	if (sampling->threads.awake.len == 0 && rate_hz > most_hz)
		rate_hz = most_hz > LEAST_HZ ? most_hz : LEAST_HZ;
	return (uint64_t)((double)NS_PER_SEC / rate_hz);
}

static void begin_sampling(struct sampling *sampling, unsigned hz, uint64_t now_ns)
{
	struct tracing *tracing = sampling->tracing;
	struct budget_reading costs = read_costs(sampling, now_ns);
	budget_init(&sampling->budget, tracing->options->limits, hz, &costs);
	sampling->ticked_ns = now_ns;
	schedule_start(&sampling->looks, look_period_ns(sampling), now_ns,
		tracing->options->seed + (uint64_t)sampling->target.pid);
}

/* What the threads did up to now and no sample has weighed is nobody's. */
static void rebase(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; i < sampling->threads.len; i++) {
		struct thread *thread = sampling->threads.data[i];
		struct task_account *account = &thread->seen.account;
		if (!thread_read_account(
			    &sampling->threads, thread, &sampling->target, account))
			continue;
		meter_add(&sampling->meter->cpu_unsampled_ns,
			thread_unsampled_ns(thread, account));
		thread->sampled.cpu_ns = account->cpu_ns;
	}
	sampling_wait_rebase(sampling, now_ns);
}

static void follow_wishes(struct sampling *sampling, uint64_t now_ns)
{
	const struct tracer_control *control = sampling->tracing->control;
	unsigned hz = sampling->is_held ? 0 : control->frequency_hz;
	bool wall = control->wall;
	if (wall != sampling->is_wall) {
		sampling_wait_flush(sampling, now_ns);
		sampling->is_wall = wall;
		sampling_wait_rebase(sampling, now_ns);
	}
	if (hz == sampling->hz)
		return;
	if (!hz)
		sampling_wait_flush(sampling, now_ns);
	if (hz && !sampling->hz)
		rebase(sampling, now_ns);
	if (hz)
		begin_sampling(sampling, hz, now_ns);
	sampling->hz = hz;
	if (!sampling->is_held)
		meter_set(&sampling->meter->frequency_hz, hz);
}

/* --- one process ----------------------------------------------------------------------
 */

static bool has_ended(const struct sampling *sampling)
{
	struct pollfd ended = {.fd = sampling->pidfd, .events = POLLIN};
	return sampling->pidfd >= 0 && poll(&ended, 1, 0) == 1;
}

/* Nobody knows any more what the threads did since their last samples. */
static void count_unknown(struct sampling *sampling)
{
	struct meter *meter = sampling->meter;
	uint64_t charged_ns =
		clock_read_ns(sampling->target.cpu_clock) - sampling->cpu_base_ns;
	uint64_t sampled_ns = meter_get(&meter->cpu_sampled_ns);
	if (charged_ns > sampled_ns)
		meter_set(&meter->cpu_unsampled_ns, charged_ns - sampled_ns);
}

struct sampling *lookout_add(struct tracing *tracing, pid_t pid, struct ring *ring,
	const int fds[TRACER_FDS], bool is_again)
{
	struct sampling *sampling = mem_zalloc(sizeof(*sampling));
	uint64_t now_ns = clock_monotonic_ns();
	*sampling = (struct sampling){
		.tracing = tracing,
		.target = {.pid = pid,
			.proc_fd = fds[0],
			.task_dir_fd = fds[1],
			.mem_fd = fds[2]},
		.pidfd = pidfd_open(pid, 0),
		.ring = ring,
		.meter = ring_meter(ring),
		.is_wall = tracing->control->wall,
	};
	if (is_again) /* it may run another program since */
		target_open_memory(&sampling->target);
	threads_init(&sampling->threads);
	clock_getcpuclockid(pid, &sampling->target.cpu_clock);
	struct meter *meter = sampling->meter;
	if (!is_again)
		meter_set(&meter->cpu_base_ns, clock_read_ns(sampling->target.cpu_clock));
	sampling->cpu_base_ns = meter_get(&meter->cpu_base_ns);
	if (is_again)
		count_unknown(sampling);
	tracing_lock(tracing);
	bool any = scan(sampling, true);
	if (any) {
		if (!is_again)
			meter_set(&meter->began_ns, now_ns);
		sampling_wait_rebase(sampling, now_ns);
		sampling_mark(sampling, now_ns);
		sampling->survey_ns = now_ns;
		sampling->hz = tracing->control->frequency_hz;
		meter_set(&meter->frequency_hz, sampling->hz);
		if (sampling->hz)
			begin_sampling(sampling, sampling->hz, now_ns);
		vec_push(&tracing->samplings, sampling);
	}
	tracing_unlock(tracing);
	if (any)
		return sampling;
	lookout_forget(sampling);
	errno = ESRCH;
	return NULL;
}

uint64_t lookout_round(struct sampling *sampling, uint64_t now_ns)
{
	struct tracing *tracing = sampling->tracing;
	if (sampling->is_leaving)
		return now_ns + NS_PER_MS;
	if (has_ended(sampling)) {
		lookout_leave(sampling, true);
		return now_ns;
	}
	tracing_lock(tracing);
	follow_wishes(sampling, now_ns);
	bool is_due = sampling->hz && now_ns >= sampling->looks.next_ns;
	bool is_empty = false;
	if (is_due) {
		count_periods(sampling, now_ns);
		if (scan_is_due(sampling, now_ns))
			is_empty = !scan(sampling, false);
		look(sampling, now_ns);
		sampling_survey(sampling, now_ns);
		if (now_ns - sampling->marked_ns >= MARK_EVERY_MS * NS_PER_MS)
			sampling_mark(sampling, now_ns);
		take_advice(sampling);
		look_for_tracer(sampling, now_ns);
		keep_budget(sampling, now_ns);
		schedule_set_period(&sampling->looks, look_period_ns(sampling));
		schedule_advance(&sampling->looks, clock_monotonic_ns());
	}
	tracing_unlock(tracing);
	if (is_empty)
		lookout_leave(sampling, true);
	else if (sampling->exec_seen)
		sampling_renew(sampling);
	else if (is_due && sampling->maps_untold)
		sampling_tell_maps(sampling);
	return sampling->hz ? sampling->looks.next_ns : now_ns + NS_PER_SEC;
}

void lookout_hold(struct sampling *sampling)
{
	tracing_lock(sampling->tracing);
	sampling->is_held = true;
	uint64_t now_ns = clock_monotonic_ns();
	follow_wishes(sampling, now_ns);
	rebase(sampling, now_ns);
	sampling_mark(sampling, now_ns);
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
	tracing_lock(sampling->tracing);
	uint64_t now_ns = clock_monotonic_ns();
	if (!sampling->is_leaving) {
		/* Its clock can be read until its parent has waited for it. */
		sampling_mark(sampling, now_ns);
		sampling->is_leaving = true;
		sampling->is_gone = ended;
		sampling->ended_ns = clock_monotonic_ns();
		meter_set(&sampling->meter->ended_ns, sampling->ended_ns);
		meter_set(&sampling->meter->target_exited, ended);
		meter_set(&sampling->meter->threads_running, 0);
	}
	tracing_unlock(sampling->tracing);
}

static bool is_claimed(const struct sampling *sampling)
{
	bool claimed = false;
	for (size_t i = 0; i < sampling->threads.len; i++)
		claimed |= sampling->threads.data[i]->sampled.is_claimed;
	return claimed;
}

/* With the mutex: what is left to be told of a process that has ended. */
static void bury(struct sampling *sampling)
{
	while (sampling->threads.len > 0)
		thread_ended(sampling, sampling->threads.data[sampling->threads.len - 1]);
	uint64_t known_ns = meter_get(&sampling->meter->cpu_sampled_ns) +
			    meter_get(&sampling->meter->cpu_unsampled_ns);
	uint64_t charged_ns = meter_get(&sampling->meter->cpu_kernel_ns);
	if (charged_ns > known_ns)
		meter_add(&sampling->meter->cpu_unsampled_ns, charged_ns - known_ns);
	meter_set(&sampling->meter->threads_now, 0);
}

static bool tell_end(struct sampling *sampling)
{
	struct snapshot record = {.kind = SNAPSHOT_END};
	if (!sampling_put(sampling, &record))
		return false;
	meter_set(&sampling->meter->over, 1);
	return true;
}

bool lookout_say_goodbye(struct sampling *sampling)
{
	struct tracing *tracing = sampling->tracing;
	tracing_lock(tracing);
	tracing->must_wake = true;
	if (!sampling->is_over && !is_claimed(sampling)) {
		uint64_t ended_ns = sampling->ended_ns;
		if (sampling->is_gone)
			bury(sampling);
		sampling->is_over =
			(sampling->is_gone ||
				(sampling_wait_flush(sampling, ended_ns) &&
					sampling_survey_last(sampling, ended_ns))) &&
			tell_end(sampling);
	}
	tracing_unlock(tracing);
	return sampling->is_over;
}

void lookout_forget(struct sampling *sampling)
{
	threads_finish(&sampling->threads);
	target_close(&sampling->target);
	if (sampling->pidfd >= 0)
		close(sampling->pidfd);
	free(sampling);
}
