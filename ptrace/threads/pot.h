/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pot: the weights of processes that begin while their parents are sampled, until they have used some
 * periods.
 *
 * One of them has a sample or none, and which it is is chance: an instant meets each moment of its life
 * as likely as any other. If a sample weighed what its own thread had used until then, the ends of
 * lives would weigh more than the beginnings, and those without a sample nothing. So what all of them
 * use goes into one pot: before their samples, after the last one, and of those that no sampler met;
 * and the sample of a young one takes a quarter of the pot, whatever its own thread has used. What
 * goes out is then what comes in, each moment weighs the same, and the mean over a few samples is
 * what there is for each.
 *
 * There is one for all such processes together; the threads of one process share by pool.h. CPU
 * time that no sample has taken for a second is left out: what runs later may be
 * something else. Pure. With the mutex of struct tracing.
 */
#ifndef CPROFTOP_PTRACE_POT_H
#define CPROFTOP_PTRACE_POT_H

#include <stdint.h>

/* A zeroed struct is empty and valid. */
struct pot {
	uint64_t known_ns;  /* of those that are sampled, or were */
	uint64_t unseen_ns; /* of those that never were */
	uint64_t told_ns;   /* how much there has been of the latter, in all */
	uint64_t since_ns;  /* when a sample took of it last, or it was emptied */
};

/* What a sample takes: WEIGHT_NS, of which UNSEEN_NS is of processes that no meter knows. */
struct pot_share {
	uint64_t weight_ns, unseen_ns;
};

/* CPU_NS was used that no sample weighs. */
void pot_add(struct pot *pot, uint64_t cpu_ns, uint64_t now_ns);

/* Processes that were not sampled have used ALL_NS since the beginning; less than before: nothing
   more. */
void pot_tell(struct pot *pot, uint64_t all_ns, uint64_t now_ns);

struct pot_share pot_take(struct pot *pot, uint64_t now_ns);

/* The sample could not be put. */
void pot_give_back(struct pot *pot, const struct pot_share *share);

#endif
