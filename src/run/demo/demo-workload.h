/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo-workload: a small program to try cproftop on, with a known split of its CPU time.
 *
 * There are four shares. The threads keep to them by their CPU clocks, so they do not
 * depend on the load of the machine:
 *	40 %	is_prime_by_every_divisor	main thread, under count_primes_slowly
 *	20 %	is_prime_by_odd_divisors	main thread, under count_primes_quickly
 *	20 %	checksum_block			threads worker-0 and worker-1
 *	20 %	sort_block (recursive)		threads worker-0 and worker-1
 * A thread "sleeper" uses no CPU. In each cycle of 10 ms of CPU time the main thread and
 * the two workers do their shares at the same time; then the main thread waits for the
 * workers, so that no share gets ahead.
 */
#ifndef CPROFTOP_DEMO_WORKLOAD_H
#define CPROFTOP_DEMO_WORKLOAD_H

/* Run until the process is killed or its parent has ended; then it returns the exit
   status. Returns 1 at once if it cannot start its threads. Call it in a separate
   process, from its main and only thread. */
int demo_workload_run(void);

#endif
