/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo: the workload behind "cproftop demo" as a target by itself, see
 * src/run/demo/demo-workload.h for its truth; but after 10 ms of CPU time it rests for 40, as the
 * screens that show it are looked at for long. Ends with its parent.
 */
#include "src/run/demo/demo-workload.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static void rest(int signal_number)
{
	(void)signal_number;
	nanosleep(&(struct timespec){.tv_nsec = 40 * 1000000}, NULL);
}

int main(void)
{
	const struct timeval each = {.tv_usec = 10 * 1000};
	sigaction(SIGPROF,
		&(struct sigaction){.sa_handler = rest, .sa_flags = SA_RESTART}, NULL);
	setitimer(ITIMER_PROF, &(struct itimerval){each, each}, NULL);
	return demo_workload_run();
}
