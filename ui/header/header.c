/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/header.h"

#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/header/header-file.h"
#include "ui/header/items.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	GAP = 3, /* columns between the state and the threads */
};

/* --- what there is to say ----------------------------------------------------------- */

struct state_words {
	char text[40];
	enum role role;
};

static struct state_words target_state(const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;

	if (gauges->target_exited)
		return (struct state_words){"has ended", ROLE_VALUE};
	if (gauges->target_stopped)
		return (struct state_words){"stopped by a signal", ROLE_WARN};
	if (gauges->gave_up)
		return (struct state_words){"sampling ended: tracers died", ROLE_BAD};
	if (gauges->sampling_ended)
		return (struct state_words){"sampling has ended", ROLE_VALUE};
	if (gauges->asked_hz == 0)
		return (struct state_words){"sampling is paused", ROLE_WARN};
	if (gauges->other_tracer) {
		struct state_words words = {.role = ROLE_WARN};
		snprintf(words.text, sizeof(words.text), "process %" PRIu64 " traces it",
			gauges->other_tracer);
		return words;
	}
	if (!input->report)
		return (struct state_words){"starting", ROLE_DIM};
	/* A single look may find a busy target asleep, so its CPU share counts, too. */
	if (gauges->threads_running > 0 || gauges->kernel_cpu_share >= 0.05)
		return (struct state_words){"running", ROLE_GOOD};
	if (input->report->everything.samples == 0)
		return (struct state_words){"idle: nothing to sample", ROLE_DIM};
	return (struct state_words){"sleeping", ROLE_DIM};
}

/* Figures of sampling now, when all others are of another time. */
static void add_live(struct items *items, const struct header_input *input, int rank,
	enum role role, const char *label, const char *value)
{
	char marked[EVENT_NAME_MAX + 8];

	snprintf(marked, sizeof(marked), "%s%s", input->state->frozen ? "live " : "",
		label);
	items_add(items, rank, role, 0, marked, value);
}

/* The CPU time of the range shown: what the kernel charged, and what samples weigh. */
struct range_cpu {
	uint64_t kernel_ns, sampled_ns;
};

static struct range_cpu range_cpu(const struct report *report)
{
	struct range_cpu cpu = {0, 0};

	for (size_t i = 0; i < REPORT_TIMELINE; i++) {
		cpu.kernel_ns += report->timeline[i].kernel_cpu_ns;
		cpu.sampled_ns += report->timeline[i].sampled_cpu_ns;
	}
	return cpu;
}

/* Per time; of the kernel, if that is known. */
static double range_cpu_share(const struct report *report)
{
	struct range_cpu cpu = range_cpu(report);
	uint64_t length_ns = report->end_ns - report->start_ns;

	return length_ns > 0 ? (double)(cpu.kernel_ns ? cpu.kernel_ns : cpu.sampled_ns) /
				       (double)length_ns
			     : 0;
}

/* What of it no sample weighs, yet, is missing from all figures: in the first seconds that of
   threads that are rarely sampled, so that the others seem to have more. */
static void add_coverage(struct items *items, const struct report *report)
{
	enum {
		LITTLE_MS = 100 /* of which a sample or two may be missing at the ends */
	};
	struct range_cpu cpu = range_cpu(report);
	double covered = (double)cpu.sampled_ns / (double)(cpu.kernel_ns + 1);

	if (!report_counts_event(report) && cpu.kernel_ns > LITTLE_MS * NS_PER_MS &&
		covered < 0.9)
		items_add(items, 1, ROLE_WARN, FORMAT_PERCENT_WIDTH, "only sampled",
			format_share(covered).text);
}

/* "page-faults 1,234/s". */
static void add_event(struct items *items, const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;
	char text[40];

	snprintf(text, sizeof(text), "%.30s/s",
		format_count((uint64_t)(gauges->events_hz + 0.5)).text);
	add_live(items, input, 1, gauges->event_errnum ? ROLE_BAD : ROLE_VALUE,
		event_counted_name(&input->report->event),
		gauges->event_errnum ? strerror(gauges->event_errnum) : text);
}

/* "last 30 s", "held 5 s". */
static void add_window(struct items *items, const struct header_input *input)
{
	bool held = input->state->frozen;

	items_add(items, held ? 0 : 7, ROLE_VALUE, 0, held ? "held" : "last",
		view_window(input->report).text);
}

/* What is shown: of the range of the report. What is as it should be, is on the page of
   sampling-sheet.h. */
static void add_range_items(struct items *items, const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;
	const struct report *report = input->report;
	const struct timeline *timeline = input->state->timeline;
	double complete = report ? report_complete_share(report) : 1;
	double cpu = report && input->state->frozen ? range_cpu_share(report)
						    : gauges->kernel_cpu_share;
	char activity[80];

	items_add(items, 0, ROLE_VALUE, FORMAT_PERCENT_WIDTH, "CPU",
		format_share(cpu).text);
	if (!report)
		return;
	activity_describe(input->activity, report, activity, sizeof(activity));
	if (activity[0])
		items_add(items, 5, ROLE_VALUE, 0, "threads:", activity);
	add_window(items, input);
	if (report_counts_event(report))
		add_event(items, input);
	else if (gauges->engine == ENGINE_PERF)
		items_add(items, 8, ROLE_DIM, 0, "engine", engine_name(gauges->engine));
	if (view_is_few(report) && report->total.samples > 0)
		items_add(items, 6, ROLE_DIM, 0, "only",
			view_samples_told(&report->total).text);
	if (complete < 0.95)
		items_add(items, 3, ROLE_WARN, FORMAT_PERCENT_WIDTH, "whole stacks",
			format_share(complete).text);
	uint64_t lost = timeline ? strains_count(timeline->strains, timeline->n_strains,
					   STRAIN_LOST, report->start_ns, report->end_ns)
				 : 0;
	if (lost > 0)
		items_add(items, 1, ROLE_BAD, 0, "lost", format_count(lost).text);
	add_coverage(items, report);
	if (report->request.wall)
		items_add(items, 7, ROLE_VALUE, 0, "with", "waiting");
}

/* What of sampling is not as it should be, now. */
static void add_sampling_items(struct items *items, const struct header_input *input)
{
	static const char *const holders[METER_HELD_COUNT] = {
		[METER_HELD_OVERHEAD] = "--max-overhead",
		[METER_HELD_CPU] = "--max-cpu",
	};
	const struct gauges *gauges = input->gauges;
	char text[128];

	if (input->report && input->report->fetching[0])
		add_live(items, input, 1, ROLE_DIM, "fetching", input->report->fetching);
	if (!gauges->sampling_ended && gauges->asked_hz > 0 &&
		gauges->rate_hz < 0.9 * gauges->asked_hz)
		add_live(items, input, 4, ROLE_DIM, "rate",
			format_rate(gauges->rate_hz, gauges->asked_hz).text);
	if (gauges->held_by != METER_FREE)
		add_live(items, input, 3, ROLE_DIM, "slower for",
			holders[gauges->held_by]);
	if (gauges->tracer_deaths > 0)
		add_live(items, input, 4, ROLE_WARN, "tracers lost",
			format_count(gauges->tracer_deaths).text);
	/* Of a short while, it may be twice as much. */
	if (gauges->paused_most > 0 && gauges->paused_share > 2 * gauges->paused_most) {
		snprintf(text, sizeof(text), "%s, granted %s",
			format_share(gauges->paused_share).text,
			format_share(gauges->paused_most).text);
		add_live(items, input, 4, ROLE_WARN, "stopped for", text);
	}
}

/* --- drawing ------------------------------------------------------------------------ */

/* Is the word that begins at TEXT + AT a program: the first, or behind the PID of one of
   several ("12 sh -c x; 13 cc1")? */
static bool is_program(const char *text, size_t at)
{
	size_t pid = at > 0 ? at - 1 : 0;

	if (at == 0)
		return true;
	while (pid > 0 && text[pid - 1] >= '0' && text[pid - 1] <= '9')
		pid--;
	return pid < at - 1 && (pid == 0 || (pid >= 2 && text[pid - 2] == ';'));
}

/* The command; if there is no room for it, without the folders of its programs. */
static void fit_command(const char *command, int columns, char *out, size_t size)
{
	size_t used = 0;

	if (grid_text_width(command) <= columns) {
		snprintf(out, size, "%s", command);
		return;
	}
	for (size_t at = 0; command[at] != '\0' && used + 1 < size;) {
		size_t length = strcspn(command + at, " "), from = at;
		for (size_t i = at; is_program(command, at) && i + 1 < at + length; i++)
			from = command[i] == '/' ? i + 1 : from;
		for (at += length; from < at && used + 1 < size;)
			out[used++] = command[from++];
		if (command[at] == ' ' && used + 1 < size)
			out[used++] = command[at++];
	}
	out[used] = '\0';
}

/* PID and command, the state of the target, and the number of its threads. */
static void draw_target(const struct header_input *input, struct grid *grid, int row)
{
	const struct gauges *gauges = input->gauges;
	struct state_words words = target_state(input);
	char threads[64];

	/* Whatever range is shown, this line is of now. */
	const char *label = input->state->frozen ? "live threads " : "threads ";
	char state_text[64];
	snprintf(state_text, sizeof(state_text), "%s%s",
		input->state->frozen ? "live: " : "", words.text);
	snprintf(threads, sizeof(threads), "%s/%s",
		format_count(gauges->threads_running).text,
		format_count(gauges->threads_now).text);

	int state = grid_text_width(state_text);
	int count = grid_text_width(label) + grid_text_width(threads);
	bool both = grid->columns >= state + count + 24;
	int right = grid->columns - state - (both ? GAP + count : 0);
	int column = input->facts->several ? grid_printf(grid, row, 0, STYLE(ROLE_LABEL),
						     "%s process%s ",
						     format_count(gauges->processes).text,
						     gauges->processes == 1 ? "" : "es")
					   : grid_printf(grid, row, 0, STYLE(ROLE_LABEL),
						     "%d ", (int)input->facts->pid);
	if (right - 1 - column < 8) { /* the state is more important than a cut name */
		grid_put(grid, row, column, STYLE(words.role), state_text);
		return;
	}
	char command[1024];
	fit_command(input->facts->command, right - 1 - column, command, sizeof(command));
	grid_put_field(grid, row, column, right - 1 - column, ALIGN_LEFT,
		STYLE(ROLE_VALUE), command);
	grid_put(grid, row, right, STYLE(words.role), state_text);
	if (both) {
		column = grid_put(
			grid, row, grid->columns - count, STYLE(ROLE_LABEL), label);
		grid_put(grid, row, column, STYLE(ROLE_VALUE), threads);
	}
}

int header_rows(int rows, int columns, bool is_pair)
{
	(void)columns; /* it leaves out what does not fit */
	if (is_pair)   /* two names, how they were compared, and what came of it */
		return rows >= 20 ? 4 : rows >= 16 ? 3 : rows >= 12 ? 2 : rows >= 8;
	return rows >= 12 ? 2 : rows >= 8;
}

void header_draw(const struct header_input *input, struct grid *grid)
{
	struct items items = {0};

	if (grid->rows < 1)
		return;
	if (input->facts->origin) {
		header_draw_file(input->facts, input->report, grid);
		return;
	}
	draw_target(input, grid, 0);
	if (grid->rows < 2)
		return;
	add_range_items(&items, input);
	add_sampling_items(&items, input);
	items_draw(&items, grid, 1);
}
