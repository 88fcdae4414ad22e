/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/app.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "ui/screen/asking.h"
#include "ui/screen/screen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOW_AFTER_NS (2 * NS_PER_SEC)

struct app {
	const struct app_options *options;
	struct screen screen;
	struct asking asking;
};

static uint64_t read_clock(const struct app_options *options)
{
	return options->clock_ns ? options->clock_ns() : clock_monotonic_ns();
}

static void read_gauges(struct screen *screen)
{
	struct source *source = screen->source;

	if (source->command)
		source->facts.command = source->command(source->context);
	gauges_update(&screen->gauges, screen_meter(screen), screen->state.now_ns,
		screen->own_cpu_ns());
}

static void resize(struct screen *screen)
{
	int rows, columns;

	screen->term->ops->size(screen->term, &rows, &columns);
	grid_resize(&screen->grid, rows, columns);
	screen_layout(screen);
}

static void handle(struct screen *screen, const struct term_event *event)
{
	switch (event->kind) {
	case EVENT_NONE:
		break;
	case EVENT_KEY:
		screen_key(screen, event->key);
		break;
	case EVENT_MOUSE:
		screen_mouse(screen, event);
		break;
	case EVENT_RESIZE:
		resize(screen);
		break;
	case EVENT_SUSPEND:
		screen_suspend(screen);
		break;
	case EVENT_QUIT:
		screen->quit = true;
		break;
	}
}

/* Wait for a key, a report or output, at most until the next refresh, and handle it. */
static void wait_and_handle(struct app *app)
{
	struct screen *screen = &app->screen;
	struct source *source = screen->source;
	int output_fd =
		screen->output && !screen->output->closed ? app->options->output_fd : -1;
	const struct app_options *options = app->options;
	int control_fd =
		options->control ? options->control_fd(options->control_context) : -1;
	int fds[] = {source->ready_fd(source->context), output_fd, control_fd,
		source_reader_fd(options->sources)};
	struct term_event event = screen->term->ops->event(
		screen->term, (int)(ASKING_REFRESH_NS / NS_PER_MS), fds, 4);

	screen->state.now_ns = read_clock(app->options);
	read_gauges(screen);
	asking_take(&app->asking, screen);
	source_reader_heed(options->sources);
	screen_take_code(screen);
	asking_note_silence(&app->asking, screen);
	if (output_fd >= 0)
		output_read(screen->output, output_fd);
	if (options->control)
		options->control(options->control_context);
	handle(screen, &event);
}

/* False if the script has ended; *OK says whether it succeeded. */
static bool play_script(struct app *app, bool *ok, struct error *err)
{
	const struct screen *screen = &app->screen;
	const struct script_shown shown = {
		.report = screen->report,
		.asked = app->asking.asked.serial,
		.is_answered = asking_is_answered(&app->asking),
		.now_ns = screen->state.now_ns,
	};

	switch (script_step(app->options->script, screen->term, &shown, err)) {
	case SCRIPT_ASK:
		asking_step(&app->asking, &app->screen, true);
		return true;
	case SCRIPT_END:
		return false;
	case SCRIPT_FAILED:
		*ok = false;
		return false;
	case SCRIPT_WAIT:
		break;
	}
	return true;
}

static void copy_text(char *out, const char *text)
{
	snprintf(out, REPORT_TEXT_MAX, "%s", text ? text : "");
}

static void screen_init(struct screen *screen, struct term *term, struct source *source,
	const struct app_options *options)
{
	*screen = (struct screen){
		.term = term,
		.options = options,
		.may_start_again = options->again != NULL,
		.source = source,
		.own_cpu_ns = options->own_cpu_ns ? options->own_cpu_ns : own_cpu_ns,
		.text_cursor = -1,
		.side_by_side = options->side_by_side,
		.pointed = PROFILE_NONE,
	};
	view_state_init(&screen->state);
	screen->state.now_ns = read_clock(options);
	screen->state.request.window_ns = options->window_ns;
	screen->state.request.wall = source->facts.wall;
	screen->native = source->facts.native;
	screen->state.request.sample_type = source->facts.sample_type;
	screen->state.request.naming = options->naming;
	/* Of a build the processes are the answer, each with its command line; which functions a
	   thousand of them are in, is not. */
	const char *view = options->view;
	if (source->facts.children && !view) {
		view = view_threads.name;
		if (options->naming.processes == PROCESSES_BY_NAME)
			screen->state.request.naming.processes = PROCESSES_BY_COMMAND;
	}
	/* a family has many of one name */
	screen->state.pools = source->facts.several || options->looks.pools;
	screen->state.flipped = options->looks.flipped;
	screen->state.min_share = options->looks.min_share;
	screen->state.hidden_columns = options->looks.hidden_columns;
	screen->habits = (struct habits){
		.place = options->settings,
		.ascii = options->looks.ascii,
		.no_color = options->looks.no_color,
		.no_mouse = options->looks.no_mouse,
		.no_sync = options->looks.no_sync,
		.ground = options->looks.ground,
	};
	copy_text(screen->state.request.filter, options->filter);
	copy_text(screen->state.request.ignore, options->ignore);
	copy_text(screen->state.request.thread_pattern, options->thread_pattern);
	screen_baseline_init(screen);
	const char *program = strrchr(source->facts.path, '/');
	module_hues_begin(&screen->state.hues, program ? program + 1 : "");
	if (options->output_fd >= 0)
		screen->output = output_create();
	screen->state.output = screen->output;
	screen->state.code.sources = options->sources;
	screen->state.code.has_assembly = source->ask_assembly != NULL;
	for (size_t i = 0; view_list[i]; i++) {
		assert(i < SCREEN_VIEWS && view_list[i]->name && view_list[i]->title);
		screen->view_data[i] = mem_zalloc(view_list[i]->data_size + 1);
		if (view && strcmp(view, view_list[i]->name) == 0)
			screen->shown = i;
	}
	if (options->notice)
		screen_say(screen, ROLE_WARN, "%s", options->notice);
	grid_init(&screen->grid, 0, 0, term->ascii);
	resize(screen);
	read_gauges(screen);
}

static void screen_finish(struct screen *screen)
{
	for (size_t i = 0; view_list[i]; i++) {
		if (view_list[i]->finish)
			view_list[i]->finish(screen->view_data[i]);
		free(screen->view_data[i]);
	}
	sheet_finish(&screen->sheet);
	vec_free(&screen->palette.rows);
	view_state_finish(&screen->state);
	output_destroy(screen->output);
	timeline_destroy(screen->timeline);
	report_destroy(screen->report);
	report_destroy(screen->baseline.report);
	grid_finish(&screen->grid);
}

static struct app_looks looks_now(const struct screen *screen)
{
	return (struct app_looks){
		.hidden_columns = screen->state.hidden_columns,
		.min_share = screen->state.min_share,
		.pools = screen->state.pools,
		.flipped = screen->state.flipped,
		.ascii = screen->habits.ascii,
		.no_color = screen->habits.no_color,
		.no_mouse = screen->habits.no_mouse,
		.no_sync = screen->habits.no_sync,
		.ground = screen->habits.ground,
	};
}

/* A script that begins a program calls others for a moment, too. */
static void follow_children(struct screen *screen)
{
	uint64_t now_ns = screen->state.now_ns;

	if (!screen_busy_children(screen))
		screen->waits_since_ns = 0;
	else if (!screen->waits_since_ns)
		screen->waits_since_ns = now_ns;
	else if (now_ns - screen->waits_since_ns > FOLLOW_AFTER_NS && !screen->was_used)
		screen->quit = screen->again = true;
}

bool app_run(struct term *term, struct source *source, const struct app_options *options,
	struct error *err)
{
	struct app app = {.options = options};
	bool ok = true;

	screen_init(&app.screen, term, source, options);
	while (!app.screen.quit) {
		asking_step(&app.asking, &app.screen, false);
		if (options->follows_children)
			follow_children(&app.screen);
		screen_prepare(&app.screen);
		screen_ask_code(&app.screen);
		screen_draw(&app.screen);
		if (options->script && !play_script(&app, &ok, err))
			break;
		wait_and_handle(&app);
	}
	if (app.screen.again && options->again)
		*options->again = (struct app_again){
			.wanted = true,
			.view = screen_view(&app.screen)->name,
			.naming = app.screen.state.request.naming,
			.wall = app.screen.state.request.wall,
			.native = app.screen.native,
			.side_by_side = app.screen.side_by_side,
			.window_ns = app.screen.is_chosen
					     ? app.screen.live_window_ns
					     : app.screen.state.request.window_ns,
			.looks = looks_now(&app.screen),
		};
	screen_finish(&app.screen);
	return ok;
}
