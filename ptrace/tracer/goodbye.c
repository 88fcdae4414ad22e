/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last records of a process. */

#include "ptrace/tracer/look.h"
#include "ptrace/tracer/lookout.h"
#include "src/base/clock.h"

static bool is_claimed(const struct sampling *sampling)
{
	bool claimed = false;
	for (size_t i = 0; i < sampling->threads.len; i++)
		claimed |= sampling->threads.data[i]->sampled.is_claimed;
	return claimed;
}

static uint64_t unweighed_ns(const struct sampling *sampling)
{
	return meter_get(&sampling->meter->cpu_unsampled_ns);
}

/* Report what is left of a process that has ended. The caller holds the mutex. False: the ring is
   full, call again. */
static bool bury(struct sampling *sampling)
{
	uint64_t before_ns = unweighed_ns(sampling);
	while (sampling->threads.len > 0) {
		if (!look_has_room(sampling))
			return false;
		look_thread_ended(
			sampling, sampling->threads.data[sampling->threads.len - 1]);
	}
	uint64_t known_ns = meter_get(&sampling->meter->cpu_sampled_ns) +
			    meter_get(&sampling->meter->cpu_unsampled_ns) +
			    sampling->rest_ns;
	uint64_t charged_ns = meter_get(&sampling->meter->cpu_kernel_ns) +
			      meter_get(&sampling->meter->cpu_adopted_ns);
	if (charged_ns > known_ns)
		meter_add(&sampling->meter->cpu_unsampled_ns, charged_ns - known_ns);
	pot_add(&sampling->tracing->pot, unweighed_ns(sampling) - before_ns,
		clock_monotonic_ns());
	meter_set(&sampling->meter->threads_now, 0);
	meter_set(&sampling->meter->threads_running, 0);
	return true;
}

static bool tell_end(struct sampling *sampling)
{
	struct snapshot record = {.kind = SNAPSHOT_END, .cpu_ns = sampling->rest_ns};
	if (!sampling_put(sampling, &record))
		return false;
	meter_add(&sampling->meter->cpu_sampled_ns, sampling->rest_ns);
	meter_set(&sampling->meter->over, 1);
	return true;
}

bool lookout_say_goodbye(struct sampling *sampling)
{
	struct tracing *tracing = sampling->tracing;
	tracing_lock(tracing);
	tracing->must_wake = true;
	if (!sampling->is_over && !is_claimed(sampling)) {
		uint64_t ended_ns = sampling->ended_ns;
		bool all_told =
			sampling->is_gone
				? bury(sampling)
				: sampling_wait_flush(sampling, ended_ns) &&
					  sampling_survey_last(sampling, ended_ns);
		sampling->is_over = all_told && tell_end(sampling);
	}
	tracing_unlock(tracing);
	return sampling->is_over;
}
