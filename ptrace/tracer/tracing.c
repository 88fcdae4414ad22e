/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/tracing.h"

#include "src/base/clock.h"

#include <unistd.h>

void tracing_lock(struct tracing *tracing)
{
	pthread_mutex_lock(&tracing->mutex);
}

void tracing_unlock(struct tracing *tracing)
{
	pthread_mutex_unlock(&tracing->mutex);
}

void tracing_breathe(struct tracing *tracing)
{
	tracing_unlock(tracing);
	tracing_lock(tracing);
}

void tracing_poke(struct tracing *tracing)
{
	uint64_t one = 1;
	ssize_t ignored = write(tracing->poke_fd, &one, sizeof(one));
	(void)ignored;
}

bool sampling_put(struct sampling *sampling, struct snapshot *record)
{
	record->time_ns = clock_monotonic_ns();
	if (sampling->ended_ns && record->time_ns > sampling->ended_ns)
		record->time_ns = sampling->ended_ns;
	if (!ring_put(sampling->ring, record))
		return false;
	if (ring_waiting(sampling->ring) * 2 >= ring_slots(sampling->ring))
		sampling->tracing->must_wake = true;
	return true;
}
