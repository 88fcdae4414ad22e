/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal-counter [SECONDS]: a thread that is sent numbered signals all the time.
 *
 * Truth: main queues real-time signals with the values 1, 2, 3... to thread "receiver",
 * as fast as it takes them; the handler checks that each is the successor of the one
 * before. "lost" and "doubled" are 0 and "handled" is "sent" undisturbed. The receiver
 * burns CPU in burn_between_signals, so that a sampler often stops it while a signal is
 * being delivered.
 */
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint handled, lost, doubled;

static void count_signal(int signal_number, siginfo_t *info, void *context)
{
	(void)signal_number;
	(void)context;
	unsigned wanted = handled + lost + 1;
	unsigned got = (unsigned)info->si_value.sival_int;
	if (got > wanted)
		lost += got - wanted;
	if (got < wanted)
		doubled++;
	else
		handled++;
}

static VISIBLE void burn_between_signals(uint64_t until)
{
	burn_until(until);
}

struct receiver {
	pthread_t thread;
	atomic_bool over;
};

static void *receiver_run(void *argument)
{
	struct receiver *me = argument;
	while (!me->over)
		burn_between_signals(thread_cpu_ns() + MS);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = {
		.sa_sigaction = count_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	sigaction(SIGRTMIN, &action, NULL);
	struct receiver receiver = {0};
	uint64_t end = work_prepare(argc > 1 ? argv[1] : NULL);
	if (pthread_create(&receiver.thread, NULL, receiver_run, &receiver))
		return 1;
	pthread_setname_np(receiver.thread, "receiver");
	work_ready();
	unsigned sent = 0;
	while (work_goes_on(end)) {
		union sigval value = {.sival_int = (int)(sent + 1)};
		if (pthread_sigqueue(receiver.thread, SIGRTMIN, value) == 0)
			sent++;
		if (sent % 16 == 0 || sent > handled + lost + 64)
			work_sleep_ns(100 * US);
	}
	/* A thread that ends takes its pending signals with it. */
	for (int patience = 2000; handled + lost < sent && patience > 0; patience--)
		work_sleep_ns(MS);
	receiver.over = true;
	pthread_join(receiver.thread, NULL);
	printf("truth sent %u\n", sent);
	printf("truth handled %u\n", handled);
	printf("truth lost %u\n", sent - handled);
	printf("truth doubled %u\n", doubled);
	return 0;
}
