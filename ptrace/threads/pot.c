/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/pot.h"

#include "src/base/clock.h"

enum {
	PART = 4,
	KEPT_MS = 1000,
};

static void age(struct pot *pot, uint64_t now_ns)
{
	if (now_ns - pot->since_ns < KEPT_MS * NS_PER_MS)
		return;
	pot->known_ns = pot->unseen_ns = 0;
	pot->since_ns = now_ns;
}

void pot_add(struct pot *pot, uint64_t cpu_ns, uint64_t now_ns)
{
	age(pot, now_ns);
	pot->known_ns += cpu_ns;
}

void pot_tell(struct pot *pot, uint64_t all_ns, uint64_t now_ns)
{
	if (all_ns <= pot->told_ns)
		return;
	age(pot, now_ns);
	pot->unseen_ns += all_ns - pot->told_ns;
	pot->told_ns = all_ns;
}

struct pot_share pot_take(struct pot *pot, uint64_t now_ns)
{
	age(pot, now_ns);
	uint64_t known_ns = pot->known_ns / PART, unseen_ns = pot->unseen_ns / PART;
	pot->since_ns = now_ns;
	pot->known_ns -= known_ns;
	pot->unseen_ns -= unseen_ns;
	return (struct pot_share){known_ns + unseen_ns, unseen_ns};
}

void pot_give_back(struct pot *pot, const struct pot_share *share)
{
	pot->known_ns += share->weight_ns - share->unseen_ns;
	pot->unseen_ns += share->unseen_ns;
}
