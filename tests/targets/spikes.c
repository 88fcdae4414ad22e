/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spikes KIND SPIKE_MS GAP_MS [SECONDS]: calm, and a spike of SPIKE_MS now and then.
 *
 * It works a twentieth of the time, in calm. Between two spikes GAP_MS to GAP_MS + 1 s pass,
 * drawn by lot; GAP_MS 0 is no spike at all. KIND says what one is:
 *
 *	cpu   it works all the time, in spike
 *	lock  it waits in take_lock for a mutex, which another thread holds
 *
 * It prints its course: lines "point TIME SPIKE CALM", TIME in ns since 1970, SPIKE and CALM
 * how many ns it has spent in either until then: by its CPU clock, but waiting for the mutex
 * by the clock on the wall. Between two points both grow evenly.
 */
#include "work.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t spike_ns, gap_ns, end_ns;
static uint64_t in_spike_ns, in_calm_ns;

static VISIBLE uint64_t calm(uint64_t until_ns)
{
	return burn_until(until_ns);
}

static VISIBLE uint64_t spike(uint64_t until_ns)
{
	return burn_until(until_ns);
}

/* The result keeps the call from being the last thing, which would leave no frame. */
static VISIBLE uint64_t take_lock(void)
{
	pthread_mutex_lock(&mutex);
	return monotonic_ns();
}

static void print_point(void)
{
	printf("point %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", clock_ns(CLOCK_REALTIME),
		in_spike_ns, in_calm_ns);
}

static uint64_t next_spike_ns(void)
{
	return gap_ns ? monotonic_ns() + gap_ns + (uint64_t)(drand48() * 1e9)
		      : UINT64_MAX;
}

static void be_calm(void)
{
	uint64_t before_ns = thread_cpu_ns();
	print_point();
	in_calm_ns += calm(before_ns + MS) - before_ns;
	print_point();
	work_sleep_ns(19 * MS);
}

static void spikes_of_work(void)
{
	uint64_t next_ns = next_spike_ns();
	while (work_goes_on(end_ns)) {
		be_calm();
		if (monotonic_ns() < next_ns)
			continue;
		uint64_t done_ns = monotonic_ns() + spike_ns;
		while (monotonic_ns() < done_ns) {
			uint64_t before_ns = thread_cpu_ns();
			print_point();
			in_spike_ns += spike(before_ns + 5 * MS) - before_ns;
		}
		print_point();
		next_ns = next_spike_ns();
	}
}

static void *hold(void *unused)
{
	uint64_t next_ns = next_spike_ns();
	while (work_goes_on(end_ns)) {
		work_sleep_ns(10 * MS);
		if (monotonic_ns() < next_ns)
			continue;
		pthread_mutex_lock(&mutex);
		work_sleep_ns(spike_ns);
		pthread_mutex_unlock(&mutex);
		next_ns = next_spike_ns();
	}
	return unused;
}

static void spikes_of_waiting(void)
{
	pthread_t holder;
	if (pthread_create(&holder, NULL, hold, NULL) != 0)
		exit(1);
	while (work_goes_on(end_ns)) {
		be_calm();
		print_point();
		uint64_t before_ns = monotonic_ns();
		in_spike_ns += take_lock() - before_ns;
		pthread_mutex_unlock(&mutex);
		print_point();
	}
	pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	spike_ns = (uint64_t)(strtod(argv[2], NULL) * 1e6);
	gap_ns = (uint64_t)(strtod(argv[3], NULL) * 1e6);
	srand48((long)(monotonic_ns() ^ (uint64_t)getpid() << 32));
	end_ns = work_begin(argc > 4 ? argv[4] : NULL);
	if (strcmp(argv[1], "lock") == 0)
		spikes_of_waiting();
	else
		spikes_of_work();
	return 0;
}
