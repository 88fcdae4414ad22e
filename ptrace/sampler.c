#include "ptrace/sampler.h"

#include "ptrace/guardian.h"
#include "ptrace/prompt-thread.h"
#include "ptrace/sampling.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum {
	IDLE_SLEEP_MS = 500, /* all processes are gone; a command wakes us */
	SETTLE_MS = DEADMAN_MS / 2,
	SETTLE_LONG_MS = 3000,
	MANY_THREADS = 500,
	POLL_EVERY_MS = 50, /* though nobody has said that there is anything */
};

struct sampler {
	struct samplings samplings; /* the thread's, while there is one */
	struct sampler_options options;
	struct guardian guardian;
	pthread_t thread;
	_Atomic bool stop;
	_Atomic bool held;
	bool has_thread;	       /* to be joined */
	bool heard;		       /* there may be stops to see to */
	uint64_t polled_ns;	       /* when the thread was through with them last */
	uint64_t woke_ns;	       /* when it got a CPU last */
	_Atomic unsigned frequency_hz; /* wanted; 0 is a pause */
	_Atomic bool wall;	       /* wanted */

	_Atomic(struct sampling *) added; /* to be attached to; NULL: none */
	_Atomic bool ended;		  /* the thread takes no more */
	sem_t attached;			  /* posted once that has succeeded or failed */
	bool failed;
	struct error error;
};

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

static bool is_broken(const struct sampler *sampler)
{
	bool broken = false;
	vec_each (&sampler->samplings, s)
		broken |= (*s)->broken;
	return broken;
}

/* Whoever it is that has something to say, and if it is not known to any. */
static bool poll_all(struct sampler *sampler, uint64_t noticed_ns)
{
	return sampler->samplings.len == 0 ||
	       sampling_poll_all(sampler->samplings.data[0], noticed_ns);
}

static bool is_owed(const struct sampler *sampler)
{
	unsigned owed = 0;
	vec_each (&sampler->samplings, s)
		owed += (*s)->owed;
	return owed > 0;
}

/* See to signals, which do not wait, and to the dead-man, for a moment. */
static void pass_time(struct sampler *sampler)
{
	vec_each (&sampler->samplings, s)
		sampling_feed_deadman(*s);
	sleep_until(clock_monotonic_ns() + NS_PER_MS);
	poll_all(sampler, clock_monotonic_ns());
}

/* Does a thread that owes a stop only want a CPU to come to it? Left now, it would find
   no tracer, and the call that we interrupted would return EINTR. */
static bool is_owed_for_want_of_cpu(const struct sampler *sampler)
{
	bool found = false;
	vec_each (&sampler->samplings, s)
		found |= sampling_is_owed_for_want_of_cpu(*s);
	return found;
}

/* Let stops that are still owed come in, so that none is in flight when we leave; a
   thread that does not come (state D) is released by the kernel when we are gone. */
static void settle(struct sampler *sampler)
{
	uint64_t began_ns = clock_monotonic_ns(), waited_ns = 0;
	while (is_owed(sampler) && !is_broken(sampler) &&
		(waited_ns < SETTLE_MS * NS_PER_MS ||
			(waited_ns < SETTLE_LONG_MS * NS_PER_MS &&
				is_owed_for_want_of_cpu(sampler)))) {
		pass_time(sampler);
		waited_ns = clock_monotonic_ns() - began_ns;
	}
	vec_each (&sampler->samplings, s)
		sampling_feed_deadman(*s);
}

static void take_addition(struct sampler *sampler)
{
	struct sampling *s = sampler->added;
	if (!s)
		return;
	/* To attach to many may take longer than a dead-man waits; and to wait for stops
	   that are owed, while the machine is busy, much longer. */
	if (task_count(s->target->task_dir_fd) > MANY_THREADS)
		settle(sampler);
	vec_each (&sampler->samplings, other)
		sampling_feed_deadman(*other);
	sampler->failed = !sampling_attach(s, &sampler->error);
	if (sampler->failed)
		sampling_finish(s);
	else
		vec_push(&sampler->samplings, s);
	sampler->added = NULL;
	sampler->heard = true;
	sampler->woke_ns = clock_monotonic_ns();
	sem_post(&sampler->attached);
}

/* One round: what is due at this instant, then sleep until the next thing is. */
static void round_of(struct sampler *sampler)
{
	uint64_t now_ns = sampler->woke_ns;
	if (sampler->heard || is_owed(sampler) ||
		now_ns - sampler->polled_ns >= POLL_EVERY_MS * NS_PER_MS) {
		sampler->heard = !poll_all(sampler, now_ns);
		sampler->polled_ns = now_ns = clock_monotonic_ns();
	}
	uint64_t next_ns = now_ns + IDLE_SLEEP_MS * NS_PER_MS;
	unsigned hz = sampler->frequency_hz;
	bool wall = sampler->wall;
	for (size_t i = 0; i < sampler->samplings.len; i++) {
		struct sampling *s = sampler->samplings.data[i];
		if (s->is_over)
			continue;
		uint64_t due_ns = now_ns + NS_PER_MS;
		if (s->target_gone) {
			if (sampling_say_goodbye(s)) {
				sampling_finish(s);
				sampling_forget(s);
			}
		} else {
			due_ns = sampling_round(s, now_ns, hz, wall);
		}
		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	sampler->heard |= sleep_until(sampler->heard ? now_ns : next_ns);
	sampler->woke_ns = clock_monotonic_ns();
}

static void say_goodbye(struct sampler *sampler)
{
	for (;;) {
		bool all_over = true;
		vec_each (&sampler->samplings, s)
			all_over &= sampling_say_goodbye(*s);
		if (all_over)
			return;
		pass_time(sampler);
	}
}

/* What was attached to before comes first, after a hold; one that cannot be had back is
   one that has ended. */
static void attach_again(struct sampler *sampler)
{
	vec_each (&sampler->samplings, s)
		if (!(*s)->target_gone && !sampling_attach(*s, NULL)) {
			sampling_finish(*s);
			(*s)->target_gone = true;
		}
}

static void leave(struct sampler *sampler)
{
	settle(sampler);
	if (sampler->held) {
		vec_each (&sampler->samplings, s)
			if (!(*s)->target_gone)
				sampling_let_go(*s);
	} else {
		say_goodbye(sampler);
	}
	/* What has stopped for a signal meanwhile is resumed with the call that the
	   signal interrupted mended; the kernel would only resume it. */
	poll_all(sampler, clock_monotonic_ns());
	/* The dead-men last of all: nothing that waits comes after them. */
	vec_each (&sampler->samplings, s)
		sampling_finish(*s);
}

static void refuse_addition(struct sampler *sampler)
{
	sampler->failed = !error_set(&sampler->error, "sampling has ended");
	sem_post(&sampler->attached);
}

static void *sampler_main(void *argument)
{
	struct sampler *sampler = argument;
	prctl(PR_SET_NAME, "sampler");
	prompt_thread();
	sampler->ended = false;
	sampler->failed = !guardian_init(&sampler->guardian, &sampler->error);
	if (sampler->failed) {
		sampler->ended = true;
		sem_post(&sampler->attached);
		return NULL;
	}
	attach_again(sampler);
	if (!sampler->added) /* after a hold */
		sem_post(&sampler->attached);
	sampler->heard = true;
	sampler->woke_ns = clock_monotonic_ns();
	while (!sampler->stop && !sampler->held && !is_broken(sampler)) {
		take_addition(sampler);
		round_of(sampler);
	}
	sampler->ended = true;
	if (atomic_exchange(&sampler->added, NULL))
		refuse_addition(sampler);
	leave(sampler);
	return NULL; /* and with this thread every tracee is released, without a stop */
}

static void wait_for_attached(struct sampler *sampler)
{
	while (sem_wait(&sampler->attached) != 0 && errno == EINTR)
		;
}

/* Start the thread and wait until it has attached, or has not. */
static bool start_thread(struct sampler *sampler, struct error *err)
{
	int errnum = pthread_create(&sampler->thread, NULL, sampler_main, sampler);
	if (errnum)
		return error_errno(err, errnum, "cannot start the sampler thread");
	sampler->has_thread = true;
	wait_for_attached(sampler);
	if (sampler->failed && err)
		*err = sampler->error;
	return !sampler->failed;
}

/* The thread looks up from its sleep. */
static void wake(struct sampler *sampler)
{
	if (sampler->has_thread)
		pthread_kill(sampler->thread, SIGCHLD);
}

bool sampler_add(struct sampler *sampler, struct target *target, struct ring *ring,
	struct meter *meter, struct error *err)
{
	struct sampling *s = mem_zalloc(sizeof(*s));
	*s = (struct sampling){
		.target = target,
		.ring = ring,
		.meter = meter,
		.options = sampler->options,
		.all = &sampler->samplings,
		.guardian = &sampler->guardian,
		/* Threads that stand stopped say so once, as soon as they are attached
		   to. */
		.wall = sampler->wall,
	};
	s->options.seed += (uint64_t)target->pid;
	sampler->added = s;
	bool added;
	if (sampler->has_thread) {
		if (sampler->ended && atomic_exchange(&sampler->added, NULL))
			refuse_addition(sampler);
		wake(sampler);
		wait_for_attached(sampler);
		added = !sampler->failed;
		if (!added && err)
			*err = sampler->error;
	} else {
		added = start_thread(sampler, err);
	}
	sampler->added = NULL;
	if (!added) {
		sampling_forget(s);
		free(s);
	}
	return added;
}

struct sampler *sampler_start(struct target *target, struct ring *ring,
	struct meter *meter, const struct sampler_options *options, struct error *err)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));
	sampler->options = *options;
	sampler->frequency_hz = options->frequency_hz;
	sampler->wall = options->wall;
	sem_init(&sampler->attached, 0, 0);
	if (!sampler_add(sampler, target, ring, meter, err)) {
		sampler_destroy(sampler);
		return NULL;
	}
	return sampler;
}

static void join(struct sampler *sampler)
{
	if (sampler->has_thread)
		pthread_join(sampler->thread, NULL);
	if (sampler->has_thread)
		vec_each (&sampler->samplings, s)
			sampling_forget(*s);
	sampler->has_thread = false;
	/* Not by that thread: to wait here while it traces is to let the target wait. */
	guardian_finish(&sampler->guardian);
}

static bool has_work(const struct sampler *sampler)
{
	bool work = false;
	vec_each (&sampler->samplings, s)
		work |= !(*s)->is_over;
	return work;
}

void sampler_hold(struct sampler *sampler, bool held)
{
	if (sampler->held == held)
		return;
	sampler->held = held;
	if (held) {
		wake(sampler);
		join(sampler);
	} else if (has_work(sampler) && !sampler->stop) {
		start_thread(sampler, NULL);
	}
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
	vec_each (&sampler->samplings, s)
		free(*s);
	vec_free(&sampler->samplings);
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
