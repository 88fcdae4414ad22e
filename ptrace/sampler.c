#include "ptrace/sampler.h"

#include "ptrace/explain.h"
#include "ptrace/prompt-thread.h"
#include "ptrace/sampling.h"
#include "src/clock.h"
#include "src/mem.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LONGEST_SLEEP_NS =
		50 * 1000 * 1000, /* so that the dead-man is fed while stops are owed */
	SEIZE_LOOKS = 10,
	SETTLE_MS = DEADMAN_MS / 2,
	SETTLE_LONG_MS = 3000,
};

struct sampler {
	struct sampling sampling;
	pthread_t thread;
	_Atomic bool stop;
	_Atomic bool held;
	bool has_thread;	       /* to be joined */
	_Atomic unsigned frequency_hz; /* wanted; 0 is a pause */
	_Atomic bool wall;	       /* wanted */
	sem_t attached;		       /* posted once attaching has succeeded or failed */
	bool failed;
	struct error error;
};

/* Threads that are not traced yet make threads while we seize: look until a look finds
   none that is new. A target that never ceases is looked at again at every tick. */
static bool seize_all(struct sampling *s, int *errnum)
{
	size_t before;
	int looks = 0;
	do
		before = s->tracees.len;
	while (sampling_scan(s, true, errnum) && s->tracees.len != before &&
		++looks < SEIZE_LOOKS);
	return s->tracees.len > 0;
}

static bool attach(struct sampler *sampler)
{
	struct sampling *s = &sampler->sampling;
	int errnum = 0;
	tracees_init(&s->tracees);
	s->owed = s->group_stopped = 0;
	s->deadman_armed = false;
	if (!deadman_init(&s->deadman, &sampler->error) ||
		!guardian_init(&s->guardian, &sampler->error))
		return false;
	if (!seize_all(s, &errnum)) {
		s->target_gone = errnum == 0 || errnum == ESRCH;
		return explain_refusal(
			s->target->pid, errnum ? errnum : ESRCH, &sampler->error);
	}
	s->running = (struct running){0};
	uint64_t cpu_ns = clock_read_ns(s->target->cpu_clock);
	if (s->cpu_base_ns == 0)
		s->cpu_base_ns = cpu_ns;
	else if (cpu_ns > s->cpu_last_ns) /* it ran while it was let go */
		meter_add(&s->meter->cpu_unsampled_ns, cpu_ns - s->cpu_last_ns);
	s->cpu_last_ns = cpu_ns;
	return true;
}

/* Sleep until DEADLINE_NS, or until a traced thread or a command (both are a SIGCHLD)
   wants us. False if nobody does: each stop is announced by a signal, unless one waits to
   be taken already. */
static bool sleep_until(uint64_t deadline_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns >= deadline_ns)
		return true; /* not asked */
	sigset_t wanted;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	struct timespec timeout = clock_to_timespec(deadline_ns - now_ns);
	return sigtimedwait(&wanted, NULL, &timeout) >= 0 || errno != EAGAIN;
}

static void feed_deadman(struct sampling *s)
{
	if (s->owed)
		deadman_arm(&s->deadman);
	else if (s->deadman_armed)
		deadman_disarm(&s->deadman);
	s->deadman_armed = s->owed > 0;
}

/* One round: what is due at this instant, then sleep until the next thing is. */
static void round_of(struct sampling *s, unsigned hz)
{
	uint64_t now_ns = s->woke_ns;
	if (s->heard || s->owed || now_ns - s->polled_ns >= LONGEST_SLEEP_NS) {
		s->heard = !sampling_poll_all(s, now_ns);
		s->polled_ns = now_ns = clock_monotonic_ns();
	}
	uint64_t next_ns = s->heard ? now_ns : now_ns + LONGEST_SLEEP_NS;
	if (hz) {
		if (now_ns >= s->schedule.next_ns) {
			uint64_t late_ns = now_ns - s->schedule.next_ns;
			sampling_tick(s, now_ns, late_ns);
			uint64_t skipped =
				schedule_advance(&s->schedule, clock_monotonic_ns());
			bool late = late_ns > s->schedule.period_ns / 2;
			meter_add(&s->meter->ticks_late, skipped + late);
		}
		if (s->schedule.next_ns < next_ns)
			next_ns = s->schedule.next_ns;
	}
	feed_deadman(s);
	s->heard |= sleep_until(next_ns);
	s->woke_ns = clock_monotonic_ns();
}

static void set_wall(struct sampling *s, bool wall)
{
	uint64_t now_ns = clock_monotonic_ns();
	sampling_wait_flush(s, now_ns);
	s->wall = wall;
	sampling_wait_rebase(s, now_ns);
}

static void run(struct sampler *sampler)
{
	struct sampling *s = &sampler->sampling;
	unsigned hz = 0;
	uint64_t began_ns = clock_monotonic_ns();
	if (meter_get(&s->meter->began_ns) == 0)
		meter_set(&s->meter->began_ns, began_ns);
	sampling_mark(s, began_ns);
	s->heard = true;
	s->woke_ns = began_ns;
	while (!sampler->stop && !sampler->held && !s->target_gone && !s->broken) {
		unsigned wanted = sampler->frequency_hz;
		if (sampler->wall != s->wall)
			set_wall(s, !s->wall);
		if (wanted != hz) {
			if (!wanted)
				sampling_wait_flush(s, clock_monotonic_ns());
			if (wanted && !hz)
				sampling_rebase(s);
			if (wanted)
				schedule_init(&s->schedule, wanted, clock_monotonic_ns(),
					s->options.seed);
			hz = wanted;
			meter_set(&s->meter->frequency_hz, hz);
		}
		round_of(s, hz);
	}
}

/* Is a stop owed by a thread that only wants a CPU to come to it? Left now, it would find
   no tracer, and the call that we interrupted would return EINTR. */
static bool owed_for_want_of_cpu(struct sampling *s)
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

/* Let stops that are still owed come in, so that none is in flight when we leave; a
   thread that does not come (state D) is released by the kernel when we are gone. */
static void settle(struct sampling *s)
{
	uint64_t began_ns = clock_monotonic_ns(), waited_ns = 0;
	while (s->owed && !s->broken &&
		(waited_ns < SETTLE_MS * NS_PER_MS ||
			(waited_ns < SETTLE_LONG_MS * NS_PER_MS &&
				owed_for_want_of_cpu(s)))) {
		feed_deadman(s);
		sleep_until(clock_monotonic_ns() + NS_PER_MS);
		sampling_poll_all(s, clock_monotonic_ns());
		waited_ns = clock_monotonic_ns() - began_ns;
	}
	feed_deadman(s);
}

static void wait_for_room(struct sampling *s)
{
	s->options.wake(s->options.wake_context);
	sleep_until(clock_monotonic_ns() + NS_PER_MS);
	sampling_poll_all(s, clock_monotonic_ns()); /* signals do not wait */
	feed_deadman(s);
}

static void say_goodbye(struct sampling *s)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (!s->target_gone)
		sampling_mark(s, now_ns);
	meter_set(&s->meter->ended_ns, now_ns);
	meter_set(&s->meter->target_exited, s->target_gone);
	while (!s->target_gone && !sampling_wait_flush(s, now_ns))
		wait_for_room(s);
	while (!s->target_gone && !sampling_survey_last(s, now_ns))
		wait_for_room(s);
	struct snapshot *slot;
	while (!(slot = ring_reserve(s->ring)))
		wait_for_room(s);
	slot->kind = SNAPSHOT_END;
	slot->time_ns = now_ns;
	ring_commit(s->ring);
	s->options.wake(s->options.wake_context);
}

static void *sampler_main(void *argument)
{
	struct sampler *sampler = argument;
	struct sampling *s = &sampler->sampling;
	prctl(PR_SET_NAME, "sampler");
	prompt_thread();
	sampler->failed = !attach(sampler);
	sem_post(&sampler->attached);
	if (!sampler->failed) {
		run(sampler);
		settle(s);
	}
	if (sampler->held && !s->target_gone) {
		sampling_wait_flush(s, clock_monotonic_ns());
		sampling_rebase(s);
		sampling_mark(s, clock_monotonic_ns());
	} else if (meter_get(&s->meter->began_ns) > 0) /* the analyst waits for it */
		say_goodbye(s);
	/* What has stopped for a signal meanwhile is resumed with the call that the
	   signal interrupted mended; the kernel would only resume it. */
	if (!sampler->failed)
		sampling_poll_all(s, clock_monotonic_ns());
	deadman_finish(
		&s->deadman); /* the last of all: nothing that waits comes after it */
	return NULL; /* and with this thread every tracee is released, without a stop */
}

/* Start the thread and wait until it has attached, or has not. */
static bool start_thread(struct sampler *sampler, struct error *err)
{
	int errnum = pthread_create(&sampler->thread, NULL, sampler_main, sampler);
	if (errnum)
		return error_errno(err, errnum, "cannot start the sampler thread");
	sampler->has_thread = true;
	while (sem_wait(&sampler->attached) != 0 && errno == EINTR)
		;
	if (sampler->failed && err)
		*err = sampler->error;
	return !sampler->failed;
}

struct sampler *sampler_start(struct target *target, struct ring *ring,
	struct meter *meter, const struct sampler_options *options, struct error *err)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));
	sampler->sampling = (struct sampling){
		.target = target, .ring = ring, .meter = meter, .options = *options};
	sampler->frequency_hz = options->frequency_hz;
	sampler->wall = options->wall;
	sem_init(&sampler->attached, 0, 0);
	if (!start_thread(sampler, err)) {
		sampler_destroy(sampler);
		return NULL;
	}
	return sampler;
}

/* The thread looks up from its sleep. */
static void wake(struct sampler *sampler)
{
	if (sampler->has_thread)
		pthread_kill(sampler->thread, SIGCHLD);
}

static void join(struct sampler *sampler)
{
	if (sampler->has_thread)
		pthread_join(sampler->thread, NULL);
	if (sampler->has_thread)
		tracees_finish(&sampler->sampling.tracees);
	sampler->has_thread = false;
	/* Not by that thread: to wait here while it traces is to let the target wait. */
	guardian_finish(&sampler->sampling.guardian);
}

void sampler_hold(struct sampler *sampler, bool held)
{
	if (sampler->held == held)
		return;
	sampler->held = held;
	if (held) {
		wake(sampler);
		join(sampler);
	} else if (!sampler->sampling.target_gone && !sampler->stop)
		/* A target that cannot be had back is one that has ended. */
		start_thread(sampler, NULL);
}

void sampler_stop(struct sampler *sampler)
{
	sampler->stop = true;
	wake(sampler);
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_stop(sampler);
	join(sampler);
	sem_destroy(&sampler->attached);
	free(sampler);
}

void sampler_set_frequency(struct sampler *sampler, unsigned hz)
{
	sampler->frequency_hz = hz > SAMPLER_MAX_HZ ? SAMPLER_MAX_HZ : hz;
	wake(sampler);
}

void sampler_set_wall(struct sampler *sampler, bool wall)
{
	sampler->wall = wall;
	wake(sampler);
}
