/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/gauges.h"

#include "src/base/clock.h"

/* Least time between two readings; rates over less would fluctuate. */
#define READING_NS (2 * NS_PER_SEC)

static double per(uint64_t now, uint64_t then, uint64_t whole)
{
	return whole > 0 && now > then ? (double)(now - then) / (double)whole : 0;
}

static void update_rates(struct gauges *gauges, const struct meter *meter,
	uint64_t now_ns, uint64_t own_cpu_ns)
{
	uint64_t elapsed_ns = now_ns - gauges->then.time_ns;
	uint64_t periods = meter_get(&meter->periods);
	uint64_t cpu_kernel_ns = meter_get(&meter->cpu_kernel_ns);
	uint64_t cpu_sampled_ns = meter_get(&meter->cpu_sampled_ns);
	uint64_t stopped_ns = meter_get(&meter->stopped_ns);

	gauges->rate_hz =
		per(periods, gauges->then.periods, elapsed_ns) * (double)NS_PER_SEC;
	gauges->kernel_cpu_share =
		per(cpu_kernel_ns, gauges->then.cpu_kernel_ns, elapsed_ns);
	gauges->sampled_cpu_share =
		per(cpu_sampled_ns, gauges->then.cpu_sampled_ns, elapsed_ns);
	gauges->events_hz =
		per(meter_get(&meter->event_counted), gauges->then.events, elapsed_ns) *
		(double)NS_PER_SEC;
	gauges->own_cpu_share = per(own_cpu_ns, gauges->then.own_cpu_ns, elapsed_ns);
	gauges->paused_share = per(stopped_ns, gauges->then.stopped_ns,
		cpu_kernel_ns - gauges->then.cpu_kernel_ns);

	gauges->then.time_ns = now_ns;
	gauges->then.own_cpu_ns = own_cpu_ns;
	gauges->then.events = meter_get(&meter->event_counted);
	gauges->then.periods = periods;
	gauges->then.cpu_kernel_ns = cpu_kernel_ns;
	gauges->then.cpu_sampled_ns = cpu_sampled_ns;
	gauges->then.stopped_ns = stopped_ns;
}

void gauges_update(struct gauges *gauges, const struct meter *meter, uint64_t now_ns,
	uint64_t own_cpu_ns)
{
	uint64_t began_ns = meter_get(&meter->began_ns);
	uint64_t ended_ns = meter_get(&meter->ended_ns);
	uint64_t until_ns = ended_ns ? ended_ns : now_ns;

	gauges->event_errnum = (int)meter_get(&meter->event_errnum);
	gauges->engine = (enum engine)meter_get(&meter->engine);
	gauges->unwind_by = (enum unwind_by)meter_get(&meter->unwind_by);
	gauges->asked_hz = (unsigned)meter_get(&meter->frequency_hz);
	gauges->paused_most = (double)meter_get(&meter->granted_ppm) / 1e6;
	gauges->processes = meter_get(&meter->processes_now);
	gauges->threads_now = meter_get(&meter->threads_now);
	/* Two counters, read one after the other while the tracer changes them. */
	gauges->threads_running = meter_get(&meter->threads_running);
	if (gauges->threads_running > gauges->threads_now)
		gauges->threads_running = gauges->threads_now;
	gauges->held_by = (enum meter_held)meter_get(&meter->held_by);
	gauges->target_stopped = meter_get(&meter->target_stopped) != 0;
	gauges->target_exited = meter_get(&meter->target_exited) != 0;
	gauges->sampling_ended = ended_ns != 0;
	gauges->gave_up = meter_get(&meter->gave_up) != 0;
	gauges->samples = meter_get(&meter->samples);
	gauges->lost = meter_get(&meter->lost);
	gauges->periods = meter_get(&meter->periods);
	gauges->instants_late = meter_get(&meter->instants_late);
	gauges->samples_late = meter_get(&meter->samples_late);
	gauges->samples_elsewhere = meter_get(&meter->samples_elsewhere);
	gauges->tracer_deaths = meter_get(&meter->deaths);
	gauges->other_tracer = meter_get(&meter->tracer_pid);
	gauges->stop_p50_ns = meter_stop_percentile(meter, 500);
	gauges->stop_p99_ns = meter_stop_percentile(meter, 990);
	gauges->stop_max_ns = meter_get(&meter->stop_max_ns);
	gauges->elapsed_ns = began_ns && until_ns > began_ns ? until_ns - began_ns : 0;

	/* Only the first rates are computed after a quarter of a second already. */
	if (gauges->then.time_ns == 0) {
		gauges->then.time_ns = began_ns && began_ns < now_ns ? began_ns : now_ns;
		gauges->then.own_cpu_ns = own_cpu_ns;
	}
	bool first = gauges->rate_hz <= 0;
	if (now_ns - gauges->then.time_ns >= (first ? NS_PER_SEC / 4 : READING_NS))
		update_rates(gauges, meter, now_ns, own_cpu_ns);
}
