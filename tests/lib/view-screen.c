/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/view-screen.h"

#include <stdio.h>
#include <stdlib.h>

void view_screen_open(struct view_screen *screen, const struct view_ops *view, int rows,
	int columns, bool ascii)
{
	*screen = (struct view_screen){.view = view, .data = calloc(1, view->data_size)};
	fixture_init(&screen->fixture, false);
	const struct report_request request = {.timeline = TIMELINE_TOO};
	screen->report = fixture_report(&screen->fixture, &request);
	view_state_init(&screen->state);
	screen->state.timeline = screen->report->kept;
	screen->state.timeline_serial = 1;
	screen->state.rows = rows;
	screen->state.columns = columns;
	screen->state.now_ns = FIXTURE_END_NS;
	screen->state.request = screen->report->request;
	grid_init(&screen->grid, rows, columns, ascii);
}

void view_screen_close(struct view_screen *screen)
{
	if (screen->view->finish)
		screen->view->finish(screen->data);
	free(screen->data);
	grid_finish(&screen->grid);
	view_state_finish(&screen->state);
	report_destroy(screen->report);
	fixture_finish(&screen->fixture);
}

void view_screen_prepare(struct view_screen *screen)
{
	screen->view->prepare(screen->data, &screen->state, screen->report);
}

void view_screen_draw(struct view_screen *screen)
{
	grid_resize(&screen->grid, screen->state.rows, screen->state.columns);
	search_update(&screen->state.search, screen->report);
	hues_update(&screen->state.hues, screen->report, view_metric(screen->report));
	view_screen_prepare(screen);
	screen->view->draw(screen->data, &screen->state, screen->report, &screen->grid);
}

bool view_screen_act(struct view_screen *screen, enum action action)
{
	view_screen_prepare(screen);
	return screen->view->act &&
	       screen->view->act(screen->data, &screen->state, screen->report, action);
}

void view_screen_report(struct view_screen *screen)
{
	report_destroy(screen->report);
	screen->state.request.serial++;
	screen->report = fixture_report(&screen->fixture, &screen->state.request);
	screen->state.timeline = screen->report->kept;
	screen->state.timeline_serial++;
}

const char *view_screen_status(struct view_screen *screen)
{
	static char text[512];

	text[0] = '\0';
	view_screen_prepare(screen);
	if (screen->view->status)
		screen->view->status(
			screen->data, &screen->state, screen->report, text, sizeof(text));
	return text;
}

const char *view_screen_selected(struct view_screen *screen)
{
	view_screen_prepare(screen);
	return screen->state.function == PROFILE_NONE
		       ? "(none)"
		       : profile_function(screen->report->profile, screen->state.function)
				 ->name;
}

char *view_screen_text(struct view_screen *screen)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	view_screen_draw(screen);
	grid_dump(&screen->grid, file);
	fclose(file);
	return text;
}

void view_screen_open_pool(struct view_screen *screen)
{
	static const char *const names[] = {
		"main", "worker-1", "worker-2", "worker-12", "GC Thread#0"};
	for (size_t i = 0; i < screen->report->n_threads; i++) {
		struct report_thread *thread = &screen->report->threads[i];
		pid_t tid = profile_thread(screen->report->profile, thread->thread)->tid;
		thread->thread =
			profile_intern_thread(screen->fixture.profile, tid, names[i % 5]);
		thread->state = "RRSDS"[i % 5];
	}
	screen->state.pools = true;
	view_screen_act(screen, ACTION_DOWN);
	view_screen_act(screen, ACTION_RIGHT); /* open the pool */
	view_screen_act(screen, ACTION_DOWN);
	view_screen_act(screen, ACTION_TAG);
}
