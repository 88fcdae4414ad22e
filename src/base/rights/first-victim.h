/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * first-victim: whom the kernel should kill when memory ends.
 *
 * It kills whoever has most, and goes on if that takes a while, until it comes to us. What a
 * recording has gathered is in one of our processes; the others can be replaced, so they
 * offer themselves before it. Only system calls are made. Any thread.
 */
#ifndef CPROFTOP_FIRST_VICTIM_H
#define CPROFTOP_FIRST_VICTIM_H

enum {
	FIRST_VICTIM_OF_ALL = 1000,
	/* before main, but behind whoever really takes the memory */
	FIRST_VICTIM_OF_OURS = 100,
};

/* From now on this process counts as if it had BY thousandths of all memory more
   (oom_score_adj in proc(5)), of the memory cgroup's limit if it is that which ends. */
void first_victim(int by);

#endif
