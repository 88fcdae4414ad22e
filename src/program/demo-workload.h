/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo-workload: a small program to try cproftop on, with a known split of its CPU time.
 *
 * There are four shares, kept by the threads' own CPU clocks, whatever the load of the
 * machine:
 *	40 %	is_prime_by_every_divisor	main thread, under count_primes_slowly
 *	20 %	is_prime_by_odd_divisors	main thread, under count_primes_quickly
 *	20 %	checksum_block			threads worker-0 and worker-1
 *	20 %	sort_block (recursive)		threads worker-0 and worker-1
 * A thread "sleeper" uses no CPU. In each cycle of 10 ms of CPU the main thread does its
 * share while the two workers do theirs, then waits for them, so that no share runs
 * ahead.
 */
#ifndef CPROFTOP_DEMO_WORKLOAD_H
#define CPROFTOP_DEMO_WORKLOAD_H

/* Works until the process is killed or its parent is gone; only then does it return an
   exit status, or 1 if it cannot start its threads. Call it in a process of its own, from
   the main thread, with no other thread running. */
int demo_workload_run(void);

#endif
