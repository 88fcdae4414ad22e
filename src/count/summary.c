/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/summary.h"

#include "src/base/clock.h"
#include "src/base/output-file.h"
#include "src/keep/condense.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	JSON_BYTES = 24 << 10,
};

/* The budget follows what it measures, so it is a little more at times. */
#define PAUSED_TOO_LONG 1.25

static uint64_t rare_samples(const struct report *report)
{
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const struct function *function =
			profile_function(report->profile, row->function);
		if (function->is_synthetic && strcmp(function->name, RARE_STACKS) == 0)
			return row->total.samples;
	}
	return 0;
}

struct summary summary_of(const struct meter *meter, const struct report *report,
	uint64_t now_ns, uint64_t own_cpu_ns)
{
	struct report_thread time = report_process_time(report);
	struct summary summary = {
		.engine = (enum engine)meter_get(&meter->engine),
		.unwind_by = (enum unwind_by)meter_get(&meter->unwind_by),
		.user_only = meter_get(&meter->user_only) != 0,
		/* With wall clock a stack that is met again counts again, and the tracer has
		   copied it only once. */
		.samples_taken = meter_get(&meter->samples),
		.samples_unfiltered = report->everything.samples,
		.samples = report->request.wall ? report->total.samples
						: meter_get(&meter->samples),
		.lost = meter_get(&meter->lost),
		.asleep_copied = meter_get(&meter->asleep_copied),
		.periods = meter_get(&meter->periods),
		.instants_late = meter_get(&meter->instants_late),
		.frequency_hz = meter_get(&meter->frequency_hz),
		.held_overhead = meter_get(&meter->periods_held[METER_HELD_OVERHEAD]),
		.held_cpu = meter_get(&meter->periods_held[METER_HELD_CPU]),
		.duration_ns = meter_sampled_for_ns(meter, now_ns),
		.paused_ns = meter_paused_ns(meter, now_ns),
		.event = report->event,
		.event_counted = meter_get(&meter->event_counted),
		.event_sampled = meter_get(&meter->event_sampled),
		.event_throttled = meter_get(&meter->event_throttled),
		.event_errnum = (int)meter_get(&meter->event_errnum),
		.event_watched =
			meter_get(&meter->event_enabled_ns)
				? (double)meter_get(&meter->event_running_ns) /
					  (double)meter_get(&meter->event_enabled_ns)
				: 1,
		.cpu_sampled_ns = meter_get(&meter->cpu_sampled_ns),
		.cpu_kernel_ns = meter_charged_ns(meter),
		.cpu_unsampled_ns = meter_get(&meter->cpu_unsampled_ns),
		.stop_p50_ns = meter_stop_percentile(meter, 500),
		.stop_p99_ns = meter_stop_percentile(meter, 990),
		.stop_max_ns = meter_get(&meter->stop_max_ns),
		.stopped_ns = meter_get(&meter->stopped_ns),
		.second_p50_ns = meter_second_percentile(meter, 500),
		.second_p99_ns = meter_second_percentile(meter, 990),
		.paused_most = (double)meter_get(&meter->granted_ppm) / 1e6,
		.own_cpu_ns = own_cpu_ns,
		.children_unseen_ns = meter_get(&meter->children_unseen_ns),
		.processes = meter_get(&meter->processes_seen) +
			     meter_get(&meter->processes_missed),
		.processes_sampled = meter_get(&meter->processes_sampled),
		.rare_samples = rare_samples(report),
		.threads_seen = meter_get(&meter->threads_seen),
		.threads_cpu_ns = time.cpu_ns,
		.threads_runq_ns = time.runq_ns,
		.threads_blocked_ns = time.blocked_ns,
		.restarts = meter_get(&meter->restarts),
		.completed = meter_get(&meter->completed),
		.samples_late = meter_get(&meter->samples_late),
		.samples_elsewhere = meter_get(&meter->samples_elsewhere),
		.tracer_deaths = meter_get(&meter->deaths),
		.reader_deaths = report->reader_deaths,
		.gave_up = meter_get(&meter->gave_up) != 0,
		.samples_refused = meter_get(&meter->refused),
		.other_tracer = meter_get(&meter->tracer_pid),
		.signals = meter_get(&meter->signals),
	};
	for (size_t i = 0; i < RECIPE_RESULTS; i++)
		summary.second_results[i] = meter_get(&meter->second_results[i]);
	health_of(report, &summary.health);
	nameless_of(report, &summary.nameless);
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

bool summary_paused_too_long(const struct summary *summary)
{
	return summary->paused_most > 0 &&
	       summary_paused_share(summary) > PAUSED_TOO_LONG * summary->paused_most;
}

static double us(uint64_t ns)
{
	return (double)ns / NS_PER_US;
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_SEC;
}

/* Of a CPU, in percent. We work in pauses, too. */
static double own_share(const struct summary *summary)
{
	return percent(summary->own_cpu_ns, summary->duration_ns + summary->paused_ns);
}

double summary_rate_hz(const struct summary *summary)
{
	double duration_s = seconds(summary->duration_ns);
	return duration_s > 0 ? (double)summary->periods / duration_s : 0;
}

/* There may be more: with wall clock, and if a tracer died before it had counted one. */
bool summary_is_complete(const struct summary *summary, struct error *err)
{
	uint64_t taken = summary->samples_taken, there = summary->samples_unfiltered;
	return there >= taken || summary->reader_deaths > 0 ||
	       error_set(err,
		       "%" PRIu64 " of %" PRIu64
		       " samples that were taken are not in what "
		       "was written: this is an error in cproftop, please report it",
		       taken - there, taken);
}

const char *summary_held_by(const struct summary *summary)
{
	uint64_t overhead = summary->held_overhead, cpu = summary->held_cpu;
	bool often = (overhead + cpu) * 10 >= summary->periods;
	bool much = summary_rate_hz(summary) * 2 < (double)summary->frequency_hz;
	if (overhead + cpu == 0 || (!often && !much))
		return NULL;
	return cpu > overhead ? "--max-cpu" : "--max-overhead";
}

uint64_t summary_held_period_ns(const struct summary *summary)
{
	return summary_held_by(summary) && summary->periods
		       ? summary->duration_ns / summary->periods
		       : 0;
}

/* Append to OUT what FORMAT says, as far as there is room. */
__attribute__((format(printf, 3, 4))) static void append(
	char *out, size_t size, const char *format, ...)
{
	size_t used = strlen(out);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(out + used, size - used, format, arguments);
	va_end(arguments);
}

/* What went wrong, and what it means. */
static void append_troubles(const struct summary *s, char *out, size_t size)
{
	if (s->event_watched < 0.99)
		append(out, size,
			"; the processor's counters took turns, so that %s were looked "
			"for in %.0f %% of the time: the numbers are scaled to all of it",
			s->event.name, 100 * s->event_watched);
	if (s->event_throttled)
		append(out, size,
			"; too many samples at %" PRIu64 " moments, which the kernel cut "
			"short: give -e a larger period",
			s->event_throttled);
	if (s->user_only && s->event.kind != EVENT_CPU_TIME)
		append(out, size,
			"; what happens in the kernel is not counted "
			"(kernel.perf_event_paranoid above 1)");
	else if (s->user_only)
		append(out, size,
			"; no sample of time in the kernel, which "
			"kernel.perf_event_paranoid above 1 keeps from us: --engine "
			"ptrace shows its callers");
	if (s->samples_late)
		append(out, size,
			"; %.1f %% of the samples late, where the thread gave way and "
			"not where it was (no real-time priority)",
			percent(s->samples_late, s->samples));
	if (s->samples_elsewhere)
		append(out, size,
			"; %.1f %% of the samples from another CPU, up to 20 us after "
			"their instant: places just after system calls are shown too "
			"large",
			percent(s->samples_elsewhere, s->samples));
	if (s->samples_refused)
		append(out, size,
			"; %" PRIu64 " samples refused: another tracer had the process",
			s->samples_refused);
	if (s->tracer_deaths)
		append(out, size, "; the tracer was replaced %" PRIu64 " time%s",
			s->tracer_deaths, s->tracer_deaths == 1 ? "" : "s");
	if (s->reader_deaths)
		append(out, size,
			"; the process that reads the target's files died or hung, and "
			"was replaced %" PRIu64 " time%s",
			s->reader_deaths, s->reader_deaths == 1 ? "" : "s");
	if (s->gave_up)
		append(out, size, "; it died too often, and sampling ended early");
}

/* What was counted, and what of it is in samples. */
static void print_event(const struct summary *s, char *out, size_t size)
{
	snprintf(out, size, "%" PRIu64 " of %" PRIu64 " %s sampled (%.1f %%)",
		s->event_sampled, s->event_counted, event_counted_name(&s->event),
		percent(s->event_sampled, s->event_counted));
}

/* Shares of no samples at all would say that everything is all right. */
static void print_nothing(const struct summary *s, char *out, size_t size)
{
	snprintf(out, size, "no samples in %.2f s; %.2f s of CPU used; own CPU %.1f %%",
		seconds(s->duration_ns), seconds(s->cpu_kernel_ns), own_share(s));
	if (s->event.kind != EVENT_CPU_TIME)
		append(out, size, "; %" PRIu64 " %s", s->event_counted,
			event_counted_name(&s->event));
}

static void print_samples(const struct summary *s, char *out, size_t size)
{
	uint64_t complete = s->health.ends[UNWIND_ROOT];
	uint64_t stacks = health_stacks(&s->health);
	uint64_t approximate = s->health.ends[UNWIND_GUESSED];
	char share[96] = "no stack counted", pauses[48] = "", stops[80] = "", what[160];
	if (s->paused_ns)
		snprintf(pauses, sizeof(pauses), " and %.2f s of pauses",
			seconds(s->paused_ns));
	if (stacks)
		snprintf(share, sizeof(share), "%.1f %% of stacks complete%s",
			percent(complete, stacks),
			s->unwind_by == UNWIND_BY_LIBUNWIND ? " (libunwind)" : "");
	if (approximate)
		append(share, sizeof(share), ", %.1f %% approximate",
			percent(approximate, stacks));
	if (s->engine == ENGINE_PERF)
		snprintf(stops, sizeof(stops), "engine perf, no stops");
	else
		snprintf(stops, sizeof(stops),
			"stop p50 %.0f us, p99 %.0f us, max %.0f us; target paused %.2f "
			"%%",
			us(s->stop_p50_ns), us(s->stop_p99_ns), us(s->stop_max_ns),
			100 * summary_paused_share(s));
	if (s->event.kind == EVENT_CPU_TIME)
		snprintf(what, sizeof(what), "%.2f s of %.2f s CPU sampled (%.1f %%)",
			seconds(s->cpu_sampled_ns), seconds(s->cpu_kernel_ns),
			percent(s->cpu_sampled_ns, s->cpu_kernel_ns));
	else
		print_event(s, what, sizeof(what));
	snprintf(out, size,
		"%" PRIu64 " samples in %.2f s%s; %s; %s; %s; own CPU %.1f %%; %" PRIu64
		" lost",
		s->samples, seconds(s->duration_ns), pauses, what, share, stops,
		own_share(s), s->lost);
}

void summary_print_line(const struct summary *s, char *out, size_t size)
{
	uint64_t stacks = health_stacks(&s->health);
	if (s->samples == 0)
		print_nothing(s, out, size);
	else
		print_samples(s, out, size);
	append_troubles(s, out, size);
	if (summary_paused_too_long(s))
		append(out, size,
			"; paused for longer than the %g %% of --max-overhead: what a "
			"stop "
			"costs was known too late",
			100 * s->paused_most);
	if (s->processes > 1)
		append(out, size, "; %" PRIu64 " of %" PRIu64 " processes sampled",
			s->processes_sampled, s->processes);
	if (s->children_unseen_ns)
		append(out, size,
			"; %.2f s of CPU more in children that lived too briefly",
			seconds(s->children_unseen_ns));
	if (s->rare_samples)
		append(out, size, "; %.1f %% of the samples in " RARE_STACKS,
			percent(s->rare_samples, stacks));
	const char *held_by = summary_held_by(s);
	if (held_by)
		append(out, size, "; rate held at %.*f of %" PRIu64 " Hz by %s",
			summary_rate_hz(s) < 10, summary_rate_hz(s), s->frequency_hz,
			held_by);
}

bool summary_print_health(const struct summary *s, size_t row, char *out, size_t size)
{
	const struct health *health = &s->health;
	if (row >= health->n_rows)
		return false;
	const struct health_row *at = &health->rows[row];
	uint64_t stacks = health_stacks(health);
	snprintf(out, size, "%s: %" PRIu64 " stack%s (%.1f %%): %s; %s",
		at->module[0] ? at->module : "?", at->samples,
		at->samples == 1 ? "" : "s", percent(at->samples, stacks),
		health_reason(at), health_remedy(at));
	return true;
}

bool summary_print_nameless(const struct summary *s, size_t row, char *out, size_t size)
{
	const struct nameless *nameless = &s->nameless;
	if (row >= nameless->n_rows || !nameless_matters(nameless, &nameless->rows[row]))
		return false;
	const struct nameless_row *at = &nameless->rows[row];
	snprintf(out, size, "%s: %.1f %% of samples; %s", at->module,
		percent(at->samples, nameless->of), nameless_remedy(at));
	return true;
}

/* A name as a JSON string. It was cleaned, so only '"' and '\\' need an escape. */
static size_t print_string(const char *name, char *out, size_t size)
{
	size_t used = 0;
	for (; *name && used + 3 < size; name++) {
		if (*name == '"' || *name == '\\')
			out[used++] = '\\';
		out[used++] = *name;
	}
	out[used] = '\0';
	return used;
}

/* "stacks_broken_in": one object a line, the worst first. */
static size_t print_broken_in(const struct health *health, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "  \"stacks_broken_in\": [");
	for (size_t i = 0; i < health->n_rows; i++) {
		const struct health_row *row = &health->rows[i];
		char module[2 * HEALTH_MODULE_MAX + 3];
		print_string(row->module, module, sizeof(module));
		used += (size_t)snprintf(out + used, size - used,
			"%s\n    {\"module\": \"%s\", \"why\": \"%s\", "
			"\"deleted\": %s, \"stacks\": %" PRIu64 "}",
			i > 0 ? "," : "", module, unwind_end_name(row->end),
			row->is_deleted ? "true" : "false", row->samples);
	}
	used += (size_t)snprintf(
		out + used, size - used, health->n_rows > 0 ? "\n  ],\n" : "],\n");
	return used;
}

/* "nameless": the same of modules whose code has no name, with what helps. */
static size_t print_nameless(const struct nameless *nameless, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "  \"nameless\": ["), rows = 0;
	for (; rows < nameless->n_rows; rows++) {
		const struct nameless_row *row = &nameless->rows[rows];
		char module[2 * NAMELESS_MODULE_MAX + 3];
		if (!nameless_matters(nameless, row))
			break;
		print_string(row->module, module, sizeof(module));
		used += (size_t)snprintf(out + used, size - used,
			"%s\n    {\"module\": \"%s\", \"samples\": %" PRIu64
			", \"remedy\": \"%s\"}",
			rows > 0 ? "," : "", module, row->samples, nameless_remedy(row));
	}
	used += (size_t)snprintf(out + used, size - used, rows > 0 ? "\n  ]\n" : "]\n");
	return used;
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
		{"periods", s->periods},
		{"instants_late", s->instants_late},
		{"periods_held_overhead", s->held_overhead},
		{"periods_held_cpu", s->held_cpu},
		{"frequency_hz", s->frequency_hz},
		{"duration_ns", s->duration_ns},
		{"pauses_ns", s->paused_ns},
		{"events_sampled", s->event_sampled},
		{"events_counted", s->event_counted},
		{"events_throttled", s->event_throttled},
		{"cpu_ns_sampled", s->cpu_sampled_ns},
		{"cpu_ns_kernel", s->cpu_kernel_ns},
		{"cpu_ns_unsampled", s->cpu_unsampled_ns},
		{"cpu_ns_children_unseen", s->children_unseen_ns},
		{"processes", s->processes},
		{"processes_sampled", s->processes_sampled},
		{"samples_rare", s->rare_samples},
		{"samples_nameless", s->nameless.samples},
		{"stacks_complete", s->health.ends[UNWIND_ROOT]},
		{"stacks_folded", s->health.folded},
		{"stacks_approximate", s->health.ends[UNWIND_GUESSED]},
		{"stacks_broken", health_broken(&s->health)},
		{"stacks_truncated", s->health.ends[UNWIND_TRUNCATED]},
		{"stacks_no_cfi", s->health.ends[UNWIND_NO_CFI]},
		{"stacks_bad_memory", s->health.ends[UNWIND_BAD_MEMORY]},
		{"stacks_unknown_register", s->health.ends[UNWIND_NO_REGISTER]},
		{"stacks_cycle", s->health.ends[UNWIND_CYCLE]},
		{"stacks_too_deep", s->health.ends[UNWIND_TOO_DEEP]},
		{"stacks_foreign", s->health.ends[UNWIND_FOREIGN]},
		{"stacks_changed", s->health.ends[UNWIND_CHANGED]},
		{"stacks_another_stack", s->health.ends[UNWIND_ELSEWHERE]},
		{"stacks_not_read", s->health.ends[UNWIND_NOT_READ]},
		{"stop_ns_p50", s->stop_p50_ns},
		{"stop_ns_p99", s->stop_p99_ns},
		{"stop_ns_max", s->stop_max_ns},
		{"stopped_ns_total", s->stopped_ns},
		{"second_ns_p50", s->second_p50_ns},
		{"second_ns_p99", s->second_p99_ns},
		{"second_complete", s->second_results[RECIPE_DONE]},
		{"second_nothing", s->second_results[RECIPE_NOTHING]},
		{"second_outside", s->second_results[RECIPE_OUTSIDE]},
		{"second_unreadable", s->second_results[RECIPE_UNREADABLE]},
		{"second_limit", s->second_results[RECIPE_LIMIT]},
		{"own_cpu_ns", s->own_cpu_ns},
		{"threads_seen", s->threads_seen},
		{"threads_ns_on_cpu", s->threads_cpu_ns},
		{"threads_ns_runq", s->threads_runq_ns},
		{"threads_ns_blocked", s->threads_blocked_ns},
		{"samples_late", s->samples_late},
		{"samples_elsewhere", s->samples_elsewhere},
		{"samples_refused", s->samples_refused},
		{"tracer_deaths", s->tracer_deaths},
		{"reader_deaths", s->reader_deaths},
		{"tracer_given_up", s->gave_up},
		{"syscalls_restarted", s->restarts},
		{"syscalls_completed", s->completed},
		{"signals_forwarded", s->signals},
	};
	char text[JSON_BYTES] = "{\n";
	size_t used = strlen(text), n = sizeof(rows) / sizeof(*rows);
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"  \"%s\": %" PRIu64 ",\n", rows[i].key, rows[i].value);
	used += (size_t)snprintf(text + used, sizeof(text) - used,
		"  \"engine\": \"%s\",\n  \"unwinder\": \"%s\",\n",
		engine_name(s->engine), unwind_by_name(s->unwind_by));
	used += print_broken_in(&s->health, text + used, sizeof(text) - used);
	used += print_nameless(&s->nameless, text + used, sizeof(text) - used);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "}\n");
	return output_file_write(path, text, used, err);
}
