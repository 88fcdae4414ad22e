#include "ptrace/rota.h"

#include "src/base/clock.h"

enum {
	AWAKE_SHARE = 1024, /* of a CPU, one part: who uses more is awake */
	TURNS = 16,
	TURN_LEAST = 8,
	TURN_MOST = 32,
	/* A look takes about a microsecond. To look at all is worth while if the threads
	   that rest have used five times what it takes. */
	WORTH_NS_EACH = 5 * 1000,
	WORTH_NS_LEAST = 500 * 1000,
};

void rota_begin(struct rota *rota, uint64_t cpu_ns)
{
	rota->is_new = rota->clock_ns == 0 || cpu_ns == 0;
	if (!rota->is_new && cpu_ns > rota->clock_ns)
		rota->unexplained_ns += (int64_t)(cpu_ns - rota->clock_ns);
	rota->clock_ns = cpu_ns;
}

void rota_looked(struct rota *rota, struct tracees *tracees, struct tracee *tracee,
	uint64_t now_ns)
{
	/* Less than before: it goes by the number of another, after exec. */
	uint64_t cpu_ns = tracee->account.cpu_ns, before_ns = tracee->looked_cpu_ns;
	uint64_t used_ns = cpu_ns >= before_ns ? cpu_ns - before_ns : cpu_ns;
	uint64_t passed_ns = now_ns - tracee->looked_ns;
	rota->unexplained_ns -= (int64_t)used_ns;
	bool woke = rota->by_slices && tracee->account.slices != tracee->looked_slices;
	tracee->looked_cpu_ns = cpu_ns;
	tracee->looked_slices = tracee->account.slices;
	tracee->looked_ns = now_ns;
	if (!tracee->was_running && !woke && used_ns <= passed_ns / AWAKE_SHARE)
		return;
	tracee->awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	tracees_wake(tracees, tracee);
}

size_t rota_due(const struct rota *rota, const struct tracees *tracees)
{
	size_t resting = tracees->len - tracees->awake.len;
	uint64_t worth_ns = resting * WORTH_NS_EACH;
	if (worth_ns < WORTH_NS_LEAST)
		worth_ns = WORTH_NS_LEAST;
	if (rota->unexplained_ns > (int64_t)worth_ns)
		return resting;
	size_t turn = (resting + TURNS - 1) / TURNS;
	if (turn < TURN_LEAST)
		turn = TURN_LEAST;
	if (turn > TURN_MOST)
		turn = TURN_MOST;
	return turn < resting ? turn : resting;
}

struct tracee *rota_next(
	struct rota *rota, const struct tracees *tracees, uint64_t now_ns)
{
	for (size_t left = tracees->len; left > 0; left--) {
		if (rota->cursor >= tracees->len)
			rota->cursor = 0;
		struct tracee *tracee = tracees->data[rota->cursor++];
		if (!tracee->awake_place && tracee->looked_ns != now_ns)
			return tracee;
	}
	return NULL;
}

void rota_complete(struct rota *rota)
{
	if (rota->unexplained_ns > 0)
		rota->unexplained_ns = 0;
}

void rota_end(struct rota *rota, struct tracees *tracees, uint64_t now_ns)
{
	if (rota->is_new)
		rota->unexplained_ns = 0;
	for (size_t i = tracees->awake.len; i-- > 0;)
		if (tracees->awake.data[i]->awake_until_ns < now_ns)
			tracees_rest(tracees, tracees->awake.data[i]);
}
