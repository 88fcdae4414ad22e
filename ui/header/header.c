/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header/header.h"

#include "ui/draw/format.h"
#include "ui/header/header-file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number with its name. If items do not fit, those with the highest rank are left out
   first. */
struct item {
	const char *label;
	char value[80];
	/* columns reserved for the value, so that its neighbours do not move */
	int width;
	int rank;
	enum role role;
};

enum {
	ITEMS_MAX = 16,
	GAP = 3, /* columns between two items */
	SPARK_LEAST = 12,
	SPARK_WANTED = 24,
	SPARK_MOST = 60
};

/* Widths of the columns in which items of a tall header stand below each other. */
static const int aligned_widths[] = {19, 16};

struct items {
	struct item items[ITEMS_MAX];
	int count;
	bool aligned;
};

static void add(struct items *items, int rank, enum role role, int width,
	const char *label, const char *value)
{
	struct item *item = &items->items[items->count++];

	*item = (struct item){.label = label, .width = width, .rank = rank, .role = role};
	snprintf(item->value, sizeof(item->value), "%s", value);
}

/* --- what there is to say ----------------------------------------------------------- */

struct state_words {
	char text[40];
	enum role role;
};

static struct state_words target_state(const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;

	if (gauges->target_exited)
		return (struct state_words){"exited: its last window", ROLE_WARN};
	if (gauges->target_stopped)
		return (struct state_words){"stopped by a signal", ROLE_WARN};
	if (gauges->gave_up)
		return (struct state_words){"sampling ended: tracers died", ROLE_BAD};
	if (gauges->sampling_ended)
		return (struct state_words){"sampling has ended", ROLE_WARN};
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

static void add_cpu_items(struct items *items, const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;

	add(items, 0, ROLE_VALUE, FORMAT_PERCENT_WIDTH, "CPU",
		format_share(gauges->kernel_cpu_share).text);
	add(items, 5, ROLE_VALUE, FORMAT_PERCENT_WIDTH, "sampled",
		format_share(gauges->sampled_cpu_share).text);
}

static struct items window_items(const struct header_input *input)
{
	const struct report *report = input->report;
	struct items items = {0};
	char text[80];

	if (!report)
		return items;
	if (report->request.wall)
		add(&items, 1, ROLE_VALUE, 0, "of", "wall clock");
	if (report->fetching[0])
		add(&items, 1, ROLE_DIM, 0, "fetching", report->fetching);
	if (input->state->frozen)
		snprintf(text, sizeof(text), "%s frozen",
			format_duration(report->end_ns - report->start_ns).text);
	else
		snprintf(text, sizeof(text), "%s",
			format_duration(report->end_ns - report->start_ns).text);
	add(&items, 2, input->state->frozen ? ROLE_WARN : ROLE_VALUE, 0, "window", text);
	snprintf(text, sizeof(text), "%s, %s", format_duration(report->history_ns).text,
		format_bytes(report->history_bytes).text);
	add(&items, 9, ROLE_NORMAL, 0, "kept", text);
	return items;
}

/* Items about the quality of the samples. */
static void add_sample_items(struct items *items, const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;
	const struct report *report = input->report;
	double complete = report ? report_complete_share(report) : 1;
	char text[80];

	add(items, 1, ROLE_VALUE, FORMAT_COUNT_WIDTH, "samples",
		format_count(report ? report->total.samples : 0).text);
	bool held = gauges->held_by != METER_FREE; /* the cause must be visible then */
	add(items, held ? 5 : 3, complete < 0.95 ? ROLE_WARN : ROLE_VALUE,
		FORMAT_PERCENT_WIDTH, "complete", format_share(complete).text);
	add(items, 4,
		gauges->asked_hz > 0 && gauges->rate_hz < 0.9 * gauges->asked_hz
			? ROLE_WARN
			: ROLE_VALUE,
		9, "rate", format_rate(gauges->rate_hz, gauges->asked_hz).text);
	static const char *const holders[METER_HELD_COUNT] = {
		[METER_HELD_OVERHEAD] = "--max-overhead",
		[METER_HELD_CPU] = "--max-cpu",
	};
	if (held)
		add(items, 3, ROLE_WARN, 0, "held by", holders[gauges->held_by]);
	uint64_t displaced = gauges->samples_late + gauges->samples_elsewhere;
	if (displaced > 0)
		add(items, 4, ROLE_WARN, 0, "displaced",
			format_share((double)displaced / (double)gauges->samples).text);
	if (gauges->tracer_deaths > 0)
		add(items, 4, ROLE_WARN, 0, "tracers lost",
			format_count(gauges->tracer_deaths).text);
	snprintf(text, sizeof(text), "%s", format_count(gauges->lost).text);
	add(items, gauges->lost > 0 ? 1 : 6, gauges->lost > 0 ? ROLE_BAD : ROLE_VALUE, 1,
		"lost", text);
}

/* Items about the cost of sampling. */
static void add_cost_items(struct items *items, const struct header_input *input)
{
	const struct gauges *gauges = input->gauges;
	char text[80];

	add(items, 2, gauges->paused_share > 0.05 ? ROLE_WARN : ROLE_VALUE,
		FORMAT_PERCENT_WIDTH, items->aligned ? "target paused" : "paused",
		format_share(gauges->paused_share).text);
	add(items, 7, ROLE_VALUE, FORMAT_PERCENT_WIDTH, "own CPU",
		format_share(gauges->own_cpu_share).text);
	snprintf(text, sizeof(text), "%s p50, %s p99",
		format_duration(gauges->stop_p50_ns).text,
		format_duration(gauges->stop_p99_ns).text);
	add(items, 5, ROLE_VALUE, 24, "stop", text);
	add(items, 8, ROLE_VALUE, 0, "longest",
		format_duration(gauges->stop_max_ns).text);
}

/* --- drawing ------------------------------------------------------------------------ */

static int item_width(const struct items *items, int i)
{
	const struct item *item = &items->items[i];
	int value = grid_text_width(item->value);
	int width = (int)strlen(item->label) + 1 +
		    (value > item->width ? value : item->width);

	if (items->aligned && i < (int)(sizeof(aligned_widths) / sizeof(int)) &&
		width < aligned_widths[i])
		return aligned_widths[i];
	return width;
}

static int items_width(const struct items *items)
{
	int sum = 0;
	for (int i = 0; i < items->count; i++)
		sum += item_width(items, i) + (i > 0 ? GAP : 0);
	return sum;
}

static void leave_out(struct items *items, int room)
{
	while (items->count > 0 && items_width(items) > room) {
		int out = 0;
		for (int i = 1; i < items->count; i++)
			out = items->items[i].rank >= items->items[out].rank ? i : out;
		memmove(&items->items[out], &items->items[out + 1],
			(size_t)(items->count - out - 1) * sizeof(struct item));
		items->count--;
	}
}

static int draw_items(const struct items *items, struct grid *grid, int row, int column)
{
	for (int i = 0; i < items->count; i++) {
		const struct item *item = &items->items[i];
		int start = column + (i > 0 ? GAP : 0), width = item_width(items, i);
		int label = (int)strlen(item->label) + 1;
		bool right = items->aligned && i < 2;

		grid_put(grid, row, start, STYLE(ROLE_LABEL), item->label);
		grid_put_field(grid, row, start + label, width - label,
			right ? ALIGN_RIGHT : ALIGN_LEFT, STYLE(item->role), item->value);
		column = start + width;
	}
	return column;
}

/* The timeline in WIDTH columns, scaled to its highest value. */
static void draw_spark(
	const struct report *report, struct grid *grid, int row, int column, int width)
{
	double highest = 0, shares[SPARK_MOST];
	double slice_ns = (double)(report->end_ns - report->start_ns) / REPORT_TIMELINE;

	for (int i = 0; i < width; i++) {
		int from = i * REPORT_TIMELINE / width;
		int to = (i + 1) * REPORT_TIMELINE / width;
		double sum = 0;
		for (int slice = from; slice < to; slice++)
			sum += (double)report->timeline[slice].kernel_cpu_ns;
		shares[i] = slice_ns > 0 ? sum / slice_ns / (to - from) : 0;
		highest = shares[i] > highest ? shares[i] : highest;
	}
	if (highest < 0.05) /* do not scale up noise */
		highest = 0.05;
	for (int i = 0; i < width; i++)
		grid_spark(grid, row, column + i, shares[i] / highest,
			STYLE(ROLE_BAR_TOTAL));
}

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

	snprintf(threads, sizeof(threads), "%s/%s",
		format_count(gauges->threads_running).text,
		format_count(gauges->threads_now).text);

	int state = grid_text_width(words.text), count = 8 + grid_text_width(threads);
	bool both = grid->columns >= state + count + 24;
	int right = grid->columns - state - (both ? GAP + count : 0);
	int column = input->facts->several ? grid_printf(grid, row, 0, STYLE(ROLE_LABEL),
						     "%s process%s ",
						     format_count(gauges->processes).text,
						     gauges->processes == 1 ? "" : "es")
					   : grid_printf(grid, row, 0, STYLE(ROLE_LABEL),
						     "%d ", (int)input->facts->pid);
	if (right - 1 - column < 8) { /* the state is more important than a cut name */
		grid_put(grid, row, column, STYLE(words.role), words.text);
		return;
	}
	char command[1024];
	fit_command(input->facts->command, right - 1 - column, command, sizeof(command));
	grid_put_field(grid, row, column, right - 1 - column, ALIGN_LEFT,
		STYLE(ROLE_VALUE), command);
	grid_put(grid, row, right, STYLE(words.role), words.text);
	if (both) {
		column = grid_put(
			grid, row, grid->columns - count, STYLE(ROLE_LABEL), "threads ");
		grid_put(grid, row, column, STYLE(ROLE_VALUE), threads);
	}
}

static void draw_cpu(const struct header_input *input, struct grid *grid, int row)
{
	struct items left = {.aligned = true}, right = {0};

	add_cpu_items(&left, input);
	leave_out(&left, grid->columns);
	int start = draw_items(&left, grid, row, 0) + GAP;
	/* The window is most important, then the timeline, then how much is kept. */
	static const int rooms[] = {SPARK_WANTED + GAP, SPARK_LEAST + GAP, 0};
	for (size_t i = 0; i < 3 && right.count == 0; i++) {
		right = window_items(input);
		leave_out(&right, grid->columns - start - rooms[i]);
	}
	int end = grid->columns - items_width(&right);
	draw_items(&right, grid, row, end);
	int width = end - start - (right.count > 0 ? GAP : 0);
	if (input->report && width >= SPARK_LEAST)
		draw_spark(input->report, grid, row, start,
			width < SPARK_MOST ? width : SPARK_MOST);
}

int header_rows(int rows, int columns)
{
	(void)columns; /* it leaves out what does not fit */
	return rows >= 20 ? 4 : rows >= 16 ? 3 : rows >= 12 ? 2 : rows >= 8 ? 1 : 0;
}

static void draw_line(struct items *items, struct grid *grid, int row)
{
	leave_out(items, grid->columns);
	draw_items(items, grid, row, 0);
}

void header_draw(const struct header_input *input, struct grid *grid)
{
	struct items items = {0}, costs = {0};

	if (grid->rows < 1)
		return;
	if (input->facts->origin) {
		header_draw_file(input->facts, input->report, grid);
		return;
	}
	draw_target(input, grid, 0);
	/* two or three rows: the most important items in the last */
	if (grid->rows < 4) {
		if (grid->rows == 2)
			add_cpu_items(&items, input);
		else if (grid->rows == 3)
			draw_cpu(input, grid, 1);
		add_sample_items(&items, input);
		add_cost_items(&items, input);
		if (grid->rows > 1)
			draw_line(&items, grid, grid->rows - 1);
		return;
	}
	items.aligned = costs.aligned = true;
	draw_cpu(input, grid, 1);
	add_sample_items(&items, input);
	draw_line(&items, grid, 2);
	add_cost_items(&costs, input);
	draw_line(&costs, grid, 3);
}
