/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/threads/threads-draw.h"

#include "src/base/clean.h"
#include "src/process/list/command-line.h"
#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/view/changed.h"
#include "ui/view/view.h"

#include <stdio.h>

#define COLUMNS(CPU, CPU_WIDTH, PID_WIDTH, NAME_WIDTH, NAME_MOST, CHANGE_WIDTH)        \
	{                                                                              \
		[THREADS_TAG] = {"", 1, 0, 7, -1, ALIGN_LEFT},                         \
		[THREADS_CPU] = {CPU, CPU_WIDTH, 0, 0, THREADS_BY_CPU, ALIGN_RIGHT},   \
		[THREADS_BAR] = {"Run/wait", 8, 16, 6, -1, ALIGN_LEFT},                \
		[THREADS_CHANGE] = {"+-", CHANGE_WIDTH, 0, 0, THREADS_BY_CHANGE,       \
			ALIGN_RIGHT},                                                  \
		[THREADS_SAMPLES] = {"Samples", 7, 0, 5, THREADS_BY_SAMPLES,           \
			ALIGN_RIGHT},                                                  \
		[THREADS_PID] = {"PID", PID_WIDTH, 0, 1, THREADS_BY_PID, ALIGN_RIGHT}, \
		[THREADS_TID] = {"TID", 7, 0, 4, THREADS_BY_TID, ALIGN_RIGHT},         \
		[THREADS_NAME] = {"Thread", NAME_WIDTH, NAME_MOST, 0, THREADS_BY_NAME, \
			ALIGN_LEFT},                                                   \
		[THREADS_STATE] = {"State", 8, 0, 3, THREADS_BY_STATE, ALIGN_LEFT},    \
		[THREADS_FUNCTION] = {                                                 \
			"Mostly in", 18, 110, 2, THREADS_BY_FUNCTION, ALIGN_LEFT},     \
	}

static const struct column of_one[THREADS_COLUMNS] =
	COLUMNS("CPU%", FORMAT_PERCENT_WIDTH, 0, 16, 28, 0);
static const struct column of_events[THREADS_COLUMNS] =
	COLUMNS("Share", FORMAT_PERCENT_WIDTH, 0, 16, 28, 0);
static const struct column of_several[THREADS_COLUMNS] =
	COLUMNS("CPU%", FORMAT_PERCENT_WIDTH, 7, 22, 48, 0);
static const struct column of_two[THREADS_COLUMNS] =
	COLUMNS("Now", 7, 0, 16, 28, CHANGED_WIDTH);

const struct column *threads_columns(const struct report *report)
{
	if (report->difference)
		return of_two;
	if (report_counts_event(report) && !report->several)
		return of_events;
	return report->several ? of_several : of_one;
}

static const char *state_word(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "disk";
	case 'T':
	case 't': /* by a debugger; our own stops are of threads that run */
		return "stopped";
	case 'Z':
	case 'X':
		return "gone";
	default:
		return "";
	}
}

static enum role state_role(char state)
{
	return state == 'R'				      ? ROLE_GOOD
	       : state == 'D' || state == 'T' || state == 't' ? ROLE_WARN
							      : ROLE_DIM;
}

static void draw_name(const struct columns *columns, struct grid *grid, int row,
	const struct thread_row *thread)
{
	char before[16] = "", after[16] = "";
	const char *name = thread->title ? thread->title : thread->name;
	int width = columns->width[THREADS_NAME];

	if (thread->members > 0) {
		snprintf(before, sizeof(before), "%s ",
			grid_glyph(grid, thread->is_open ? GLYPH_DOWN : GLYPH_RIGHT));
		snprintf(after, sizeof(after), " (%u)", thread->members);
	} else if (thread->is_member) {
		snprintf(before, sizeof(before), "  ");
	}
	/* The number of members stays when the name is cut. */
	int start = grid_put(
		grid, row, columns->at[THREADS_NAME], STYLE(ROLE_NORMAL), before);
	int room = columns->at[THREADS_NAME] + width - start - grid_text_width(after);
	char shorter[CLEAN_MAX];
	int needed = grid_text_width(name);
	if (needed > room && thread->title) { /* the program and its files */
		command_line_shorten(name, shorter, room > 0 ? (size_t)room + 1 : 1);
		if (grid_text_width(shorter) < room) { /* else its beginning */
			name = shorter;
			needed = grid_text_width(name);
		}
	}
	start = grid_put_field(grid, row, start, needed < room ? needed : room,
		ALIGN_LEFT, STYLE(ROLE_NORMAL), name);
	grid_put(grid, row, start, STYLE(ROLE_NORMAL), after);
}

static void draw_function(const struct columns *columns, struct grid *grid, int row,
	const struct search *search, const struct report *report, uint32_t function)
{
	char text[ELIDE_MAX];

	if (columns->width[THREADS_FUNCTION] == 0 || function == PROFILE_NONE)
		return;
	elide_name(text, sizeof(text), profile_function(report->profile, function)->name,
		columns->width[THREADS_FUNCTION], grid_glyph(grid, GLYPH_ELLIPSIS));
	grid_put(grid, row, columns->at[THREADS_FUNCTION],
		STYLE(search_hit(search, function) ? ROLE_MATCH : ROLE_NORMAL), text);
}

/* A bar of where the thread's time went: on a CPU, waiting for one, blocked. If that is
   not known: the share of the range for which it ran. */
static void draw_bar(const struct columns *columns, struct grid *grid, int row,
	const struct thread_row *thread, uint64_t length)
{
	uint64_t known = thread->on_cpu_ns + thread->runq_ns + thread->blocked_ns;
	unsigned lanes = thread->members > 0 ? thread->members : 1;
	int at = columns->at[THREADS_BAR], width = columns->width[THREADS_BAR];

	if (width > 0 && known > 0) {
		const struct grid_part parts[] = {
			{thread->on_cpu_ns, GLYPH_BAR_FULL, STYLE(ROLE_BAR)},
			{thread->runq_ns, GLYPH_BAR_HALF, STYLE(ROLE_NORMAL)},
			{thread->blocked_ns, GLYPH_BAR_LOW, STYLE(ROLE_DIM)},
		};
		grid_stack(grid, row, at, width, parts, 3);
	} else if (width > 0 && length > 0) {
		grid_bar(grid, row, at, width,
			(double)thread->cpu_ns / (double)length / lanes, STYLE(ROLE_BAR));
	}
}

void threads_draw_row(const struct columns *columns, struct grid *grid, int row,
	const struct thread_row *thread, enum thread_tag tag, const struct search *search,
	const struct report *report)
{
	/* Of a file it is how much of all it is, for not all values are times. */
	uint64_t length = report->origin || report_counts_event(report)
				  ? report->everything.cpu_ns
				  : report->end_ns - report->start_ns;
	struct style style = STYLE(thread->cpu_ns > 0 ? ROLE_NORMAL : ROLE_DIM);
	const char *tags[] = {
		[THREAD_UNTAGGED] = "",
		[THREAD_TAGGED] = "*",
		[THREAD_CHOSEN] = grid_glyph(grid, GLYPH_CHECK),
	};
	char tid[16] = "", pid[16] = "";

	if (thread->members == 0 && thread->tid > 0)
		snprintf(tid, sizeof(tid), "%d", (int)thread->tid);
	if (thread->pid)
		snprintf(pid, sizeof(pid), "%d", (int)thread->pid);
	columns_put(columns, grid, row, THREADS_TAG, STYLE(ROLE_GOOD), tags[tag]);
	columns_put(columns, grid, row, THREADS_PID, STYLE(ROLE_DIM), pid);
	draw_name(columns, grid, row, thread);
	columns_put(columns, grid, row, THREADS_CPU, style,
		report->difference ? changed_value(report, thread->change.after).text
				   : format_percent(thread->cpu_ns, length).text);
	draw_bar(columns, grid, row, thread, length);
	if (report->difference)
		columns_put(columns, grid, row, THREADS_CHANGE,
			STYLE(changed_role(&thread->change)),
			changed_by(report, &thread->change).text);
	columns_put(columns, grid, row, THREADS_SAMPLES, style,
		view_samples(&thread->weight).text);
	columns_put(columns, grid, row, THREADS_TID, STYLE(ROLE_DIM), tid);
	columns_put(columns, grid, row, THREADS_STATE, STYLE(state_role(thread->state)),
		state_word(thread->state));
	draw_function(columns, grid, row, search, report, thread->top_function);
	if (thread->is_outside)
		grid_restyle(grid, row, 0, 1, grid->columns, STYLE(ROLE_DIM));
}
