#include "src/summary.h"

#include "src/clock.h"
#include "src/output-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct summary summary_of(const struct meter *meter, const struct report *report,
	uint64_t now_ns, uint64_t self_cpu_ns)
{
	struct report_thread time = report_process_time(report);
	uint64_t ended_ns = meter_get(&meter->ended_ns);
	if (!ended_ns)
		ended_ns = now_ns;
	struct summary summary = {
		.samples = meter_get(&meter->samples),
		.lost = meter_get(&meter->lost),
		.asleep_copied = meter_get(&meter->asleep_copied),
		.ticks = meter_get(&meter->ticks),
		.ticks_late = meter_get(&meter->ticks_late),
		.frequency_hz = meter_get(&meter->frequency_hz),
		.duration_ns = ended_ns - meter_get(&meter->began_ns),
		.cpu_sampled_ns = meter_get(&meter->cpu_sampled_ns),
		.cpu_kernel_ns = meter_get(&meter->cpu_kernel_ns),
		.cpu_unsampled_ns = meter_get(&meter->cpu_unsampled_ns),
		.complete = report->ends[UNWIND_ROOT],
		.stop_p50_ns = meter_stop_percentile(meter, 500),
		.stop_p99_ns = meter_stop_percentile(meter, 990),
		.stop_max_ns = meter_get(&meter->stop_max_ns),
		.stopped_ns = meter_get(&meter->stopped_ns),
		.self_cpu_ns = self_cpu_ns,
		.threads_seen = meter_get(&meter->threads_seen),
		.threads_cpu_ns = time.cpu_ns,
		.threads_runq_ns = time.runq_ns,
		.threads_blocked_ns = time.blocked_ns,
		.restarts = meter_get(&meter->restarts),
		.signals = meter_get(&meter->signals),
	};
	for (int end = 0; end < UNWIND_END_COUNT; end++)
		if (end != UNWIND_ROOT)
			summary.broken += report->ends[end];
	return summary;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double summary_paused_share(const struct summary *summary)
{
	uint64_t wanted_ns = summary->cpu_kernel_ns + summary->stopped_ns;
	return wanted_ns ? (double)summary->stopped_ns / (double)wanted_ns : 0;
}

static double us(uint64_t ns)
{
	return (double)ns / NS_PER_US;
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_SEC;
}

void summary_print_line(const struct summary *s, char *out, size_t size)
{
	uint64_t stacks = s->complete + s->broken;
	snprintf(out, size,
		"%" PRIu64 " samples in %.2f s; %.2f s of %.2f s CPU sampled (%.1f %%); "
		"%.1f %% of stacks complete; stop p50 %.0f us, p99 %.0f us, max %.0f us; "
		"target paused %.2f %%; own CPU %.1f %%; %" PRIu64 " lost",
		s->samples, seconds(s->duration_ns), seconds(s->cpu_sampled_ns),
		seconds(s->cpu_kernel_ns), percent(s->cpu_sampled_ns, s->cpu_kernel_ns),
		stacks ? percent(s->complete, stacks) : 100.0, us(s->stop_p50_ns),
		us(s->stop_p99_ns), us(s->stop_max_ns), 100 * summary_paused_share(s),
		percent(s->self_cpu_ns, s->duration_ns), s->lost);
}

bool summary_write_json(const struct summary *s, const char *path, struct error *err)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{"samples", s->samples},
		{"lost", s->lost},
		{"asleep_copied", s->asleep_copied},
		{"ticks", s->ticks},
		{"ticks_late", s->ticks_late},
		{"frequency_hz", s->frequency_hz},
		{"duration_ns", s->duration_ns},
		{"cpu_ns_sampled", s->cpu_sampled_ns},
		{"cpu_ns_kernel", s->cpu_kernel_ns},
		{"cpu_ns_unsampled", s->cpu_unsampled_ns},
		{"stacks_complete", s->complete},
		{"stacks_broken", s->broken},
		{"stop_ns_p50", s->stop_p50_ns},
		{"stop_ns_p99", s->stop_p99_ns},
		{"stop_ns_max", s->stop_max_ns},
		{"stopped_ns_total", s->stopped_ns},
		{"self_cpu_ns", s->self_cpu_ns},
		{"threads_seen", s->threads_seen},
		{"threads_ns_on_cpu", s->threads_cpu_ns},
		{"threads_ns_runq", s->threads_runq_ns},
		{"threads_ns_blocked", s->threads_blocked_ns},
		{"syscalls_restarted", s->restarts},
		{"signals_forwarded", s->signals},
	};
	char text[2048] = "{\n";
	size_t used = strlen(text), n = sizeof(rows) / sizeof(*rows);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"  \"%s\": %" PRIu64 "%s\n", rows[i].key, rows[i].value,
			i + 1 < n ? "," : "");
	used += (size_t)snprintf(text + used, sizeof(text) - used, "}\n");
	return output_file_write(path, text, used, err);
}
