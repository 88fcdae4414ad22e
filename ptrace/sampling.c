/* One process, from attach to goodbye. The sampler's thread does this for each in turn.
 */

#include "ptrace/sampling.h"

#include "ptrace/explain.h"
#include "src/base/clock.h"
#include "src/base/own-cpu.h"

#include <errno.h>

enum {
	LONGEST_SLEEP_NS =
		50 * 1000 * 1000, /* so that the dead-man is fed while stops are owed */
	SEIZE_LOOKS = 10,
	ATTACH_TRIES = 20, /* a millisecond apart */
};

/* Threads that are not traced yet make threads while we seize: look until a look finds
   none that is new. A target that never ceases is looked at again at every tick. */
static bool seize_found(struct sampling *s, int *errnum)
{
	size_t before;
	int looks = 0;
	do
		before = s->tracees.len;
	while (sampling_scan(s, true, errnum) && s->tracees.len != before &&
		++looks < SEIZE_LOOKS);
	return s->tracees.len > 0;
}

/* In the midst of an exec no thread that was listed can be seized: the one that makes it
   has changed its number, the others are ending. So a first failure may mean nothing. */
static bool seize_all(struct sampling *s, int *errnum)
{
	for (int try = 0; !seize_found(s, errnum); try++) {
		if (try == ATTACH_TRIES)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
	}
	return true;
}

bool sampling_attach(struct sampling *s, struct error *err)
{
	int errnum = 0;
	tracees_init(&s->tracees);
	s->owed = s->group_stopped = 0;
	s->deadman_armed = false;
	s->running.own_sched_fd = -1;
	s->hz = 0;
	if (!deadman_init(&s->deadman, err) ||
		!seizer_init(&s->tracees.seizer, tracees_reap, &s->tracees, err))
		return false;
	if (!seize_all(s, &errnum)) {
		s->target_gone = errnum == 0 || errnum == ESRCH;
		return explain_refusal(s->target->pid, errnum ? errnum : ESRCH, err);
	}
	s->deadman.armed_ns = s->guardian->armed_ns;
	running_init(&s->running);
	uint64_t cpu_ns = clock_read_ns(s->target->cpu_clock);
	if (s->cpu_base_ns == 0)
		s->cpu_base_ns = cpu_ns;
	else if (cpu_ns > s->cpu_last_ns) /* it ran while it was let go */
		meter_add(&s->meter->cpu_unsampled_ns, cpu_ns - s->cpu_last_ns);
	s->cpu_last_ns = cpu_ns;
	uint64_t began_ns = clock_monotonic_ns();
	if (meter_get(&s->meter->began_ns) == 0)
		meter_set(&s->meter->began_ns, began_ns);
	sampling_mark(s, began_ns);
	return true;
}

void sampling_feed_deadman(struct sampling *s)
{
	if (s->owed)
		deadman_arm(&s->deadman);
	else if (s->deadman_armed)
		deadman_disarm(&s->deadman);
	s->deadman_armed = s->owed > 0;
}

static void set_wall(struct sampling *s, bool wall)
{
	uint64_t now_ns = clock_monotonic_ns();
	sampling_wait_flush(s, now_ns);
	s->wall = wall;
	sampling_wait_rebase(s, now_ns);
}

static struct budget_reading read_costs(const struct sampling *s, uint64_t now_ns)
{
	return (struct budget_reading){
		.time_ns = now_ns,
		.ticks = meter_get(&s->meter->ticks),
		.stops = s->asked_stops,
		.stopped_ns = s->asked_stopped_ns,
		.ran_ns = clock_read_ns(s->target->cpu_clock),
		.sampler_cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID),
		.self_cpu_ns = own_cpu_ns(),
	};
}

/* Sample as often as asked, or as the budget allows. */
static void keep_budget(struct sampling *s)
{
	schedule_set_period(
		&s->schedule, (uint64_t)((double)NS_PER_SEC / s->budget.rate_hz));
	meter_set(&s->meter->held_by, s->budget.held);
}

static void begin_schedule(struct sampling *s, unsigned hz)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct budget_reading costs = read_costs(s, now_ns);
	schedule_init(&s->schedule, hz, now_ns, s->options.seed);
	budget_init(&s->budget, s->options.limits, hz, &costs);
	keep_budget(s);
}

static void do_tick(struct sampling *s, uint64_t now_ns)
{
	uint64_t late_ns = now_ns - s->schedule.next_ns;
	sampling_tick(s, now_ns, late_ns);
	if (budget_is_due(&s->budget, now_ns)) {
		struct budget_reading costs = read_costs(s, now_ns);
		budget_update(&s->budget, &costs);
		keep_budget(s);
	}
	uint64_t skipped = schedule_advance(&s->schedule, clock_monotonic_ns());
	bool late = late_ns > s->schedule.period_ns / 2;
	meter_add(&s->meter->ticks_late, skipped + late);
}

static void set_frequency(struct sampling *s, unsigned hz)
{
	if (!hz)
		sampling_wait_flush(s, clock_monotonic_ns());
	if (hz && !s->hz)
		sampling_rebase(s);
	if (hz)
		begin_schedule(s, hz);
	s->hz = hz;
	meter_set(&s->meter->frequency_hz, hz);
}

uint64_t sampling_round(struct sampling *s, uint64_t now_ns, unsigned hz, bool wall)
{
	if (wall != s->wall)
		set_wall(s, wall);
	if (hz != s->hz)
		set_frequency(s, hz);
	uint64_t next_ns = now_ns + LONGEST_SLEEP_NS;
	if (hz) {
		if (now_ns >= s->schedule.next_ns)
			do_tick(s, now_ns);
		if (s->schedule.next_ns < next_ns)
			next_ns = s->schedule.next_ns;
	}
	sampling_feed_deadman(s);
	return next_ns;
}

bool sampling_is_owed_for_want_of_cpu(const struct sampling *s)
{
	for (size_t i = 0; i < s->tracees.len; i++) {
		struct tracee *tracee = s->tracees.data[i];
		struct task_stat stat;
		if (tracee->interrupted_ns &&
			tracee_read_stat(tracee, s->target, &stat) && stat.state == 'R')
			return true;
	}
	return false;
}

void sampling_let_go(struct sampling *s)
{
	sampling_wait_flush(s, clock_monotonic_ns());
	sampling_rebase(s);
	sampling_mark(s, clock_monotonic_ns());
}

static bool tell_end(struct sampling *s)
{
	struct snapshot *slot = ring_reserve(s->ring);
	if (!slot)
		return false;
	slot->kind = SNAPSHOT_END;
	slot->time_ns = s->ended_ns;
	ring_commit(s->ring);
	s->options.wake(s->options.wake_context);
	return true;
}

bool sampling_say_goodbye(struct sampling *s)
{
	if (!s->ended_ns) {
		s->ended_ns = clock_monotonic_ns();
		if (!s->target_gone)
			sampling_mark(s, s->ended_ns);
		meter_set(&s->meter->ended_ns, s->ended_ns);
		meter_set(&s->meter->target_exited, s->target_gone);
	}
	if (!s->is_over)
		s->is_over = (s->target_gone ||
				     (sampling_wait_flush(s, s->ended_ns) &&
					     sampling_survey_last(s, s->ended_ns))) &&
			     tell_end(s);
	if (!s->is_over)
		s->options.wake(s->options.wake_context);
	return s->is_over;
}

void sampling_finish(struct sampling *s)
{
	running_finish(&s->running);
	seizer_finish(&s->tracees.seizer);
	deadman_finish(&s->deadman);
}

void sampling_forget(struct sampling *s)
{
	tracees_finish(&s->tracees);
}
