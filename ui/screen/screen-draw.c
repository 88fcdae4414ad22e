/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things are on the screen, and drawing them (screen.h). */
#include "src/base/clock.h"
#include "ui/draw/format.h"
#include "ui/header/header-difference.h"
#include "ui/header/header.h"
#include "ui/keys/action.h"
#include "ui/keys/key.h"
#include "ui/screen/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* On a small screen these are left out, in this order: the timeline, the key bar, the header,
   the tabs, the status line. The view always stays. */
void screen_layout(struct screen *screen)
{
	struct screen_layout *layout = &screen->layout;
	int rows = screen->grid.rows, columns = screen->grid.columns;

	layout->status_rows = rows >= 3;
	layout->tab_rows = rows >= 5;
	layout->bar_rows = rows >= 8 && columns >= 20;
	bool is_pair = screen->source->facts.before != NULL;
	layout->header_rows = header_rows(rows, columns, is_pair);
	layout->strip_rows = is_pair ? 0 : strip_rows(rows, columns);
	layout->body_row = layout->header_rows + layout->strip_rows + layout->tab_rows;
	layout->body_rows =
		rows - layout->body_row - layout->status_rows - layout->bar_rows;
	if (layout->body_rows < 1) {
		layout->body_rows = rows - layout->status_rows;
		layout->header_rows = layout->strip_rows = layout->tab_rows =
			layout->bar_rows = layout->body_row = 0;
	}
	screen->state.rows = layout->body_rows;
	screen->state.columns = columns;
}

#define QUIET 0.05 /* of a CPU: less is next to nothing */

/* A tab is as wide as its title, the digit before it, which shows it, and a blank behind. */
static int tab_width(const struct screen *screen, size_t view)
{
	return screen_has_view(screen, view) ? grid_text_width(view_list[view]->title) + 2
					     : 0;
}

/* The first tab that is drawn: on a narrow screen not those at the left, so that the one
   of the view that is shown is there. */
static size_t first_tab(const struct screen *screen)
{
	int width = 0;
	size_t first = 0;

	for (size_t i = 0; i <= screen->shown; i++)
		width += tab_width(screen, i);
	for (; width > screen->state.columns && first < screen->shown; first++)
		width -= tab_width(screen, first);
	return first;
}

static enum role role_of_tab(const struct screen *screen, size_t view)
{
	if (view == screen->shown)
		return ROLE_TAB_ACTIVE;
	return screen_is_beside(screen, view) ? ROLE_CURSOR_BESIDE : ROLE_TAB;
}

/* Returns the column after the last tab; stores the one that covers UNTIL in *FOUND. */
static int walk_tabs(
	const struct screen *screen, struct grid *grid, int until, int *found)
{
	int column = 0;

	*found = -1;
	for (size_t i = first_tab(screen); view_list[i]; i++) {
		int width = tab_width(screen, i);
		if (!width)
			continue;
		if (grid) {
			grid_put_field(grid, 0, column, width, ALIGN_CENTRE,
				STYLE(role_of_tab(screen, i)), view_list[i]->title);
			grid_printf(grid, 0, column, STYLE(ROLE_KEY), "%zu", i + 1);
		}
		if (until >= column && until < column + width)
			*found = (int)i;
		column += width;
	}
	return column;
}

int screen_tab_at(const struct screen *screen, int column)
{
	int found;

	walk_tabs(screen, NULL, column, &found);
	return found;
}

static int draw_frozen(const struct screen *screen, struct grid *grid, int column)
{
	struct style style = STYLE(ROLE_WARN, ATTR_REVERSE);
	uint64_t age_ns = screen->state.now_ns - screen->frozen_ns;

	if (age_ns < NS_PER_SEC)
		return grid_put(grid, 0, column, style, " FROZEN ");
	return grid_printf(grid, 0, column, style, " FROZEN %s ago ",
		format_duration(age_ns - age_ns % NS_PER_SEC).text);
}

static void chip(struct grid *grid, int *column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void chip(struct grid *grid, int *column, const char *format, ...)
{
	char text[REPORT_TEXT_MAX + 16];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	*column = grid_put(grid, 0, *column, STYLE(ROLE_WARN), text) + 2;
}

/* Draw the active restrictions right of the tabs, each as a chip. */
static void draw_chips(const struct screen *screen, struct grid *grid)
{
	const struct report_request *request = &screen->state.request;
	int column = 1;

	if (screen->state.frozen)
		column = draw_frozen(screen, grid, column) + 1;
	if (screen->report && screen->report->difference && !screen->source->facts.before)
		column = header_draw_against(screen->report, grid, column) + 1;
	if (request->naming.granularity != NAMING_FUNCTION)
		chip(grid, &column, "by %s",
			naming_granularity_name(request->naming.granularity));
	if (request->naming.fold_inlines)
		chip(grid, &column, "inlines folded");
	if (request->naming.edits[0] != '\0')
		chip(grid, &column, "rules");
	if (request->filter[0] != '\0')
		chip(grid, &column, "filter %s", request->filter);
	if (request->module[0] != '\0')
		chip(grid, &column, "module %s", request->module);
	if (request->thread_pattern[0] != '\0')
		chip(grid, &column, "threads %s", request->thread_pattern);
	if (request->n_tids == 1)
		chip(grid, &column, "thread %d", (int)request->tids[0]);
	else if (request->n_tids > 1)
		chip(grid, &column, "%u threads", request->n_tids);
	if (screen->state.min_share > 0 && screen_view(screen)->hides_small)
		chip(grid, &column, "over %g%%", screen->state.min_share * 100);
	const struct zoom *zoom = view_zoom(&screen->state);
	bool narrows = screen->report && screen->report->request.zoom.length > 0;
	if (zoom && zoom->length > 0 && screen->report &&
		(narrows || screen_view(screen)->zooms))
		chip(grid, &column, "zoom %s",
			profile_function(
				screen->report->profile, zoom->path[zoom->length - 1])
				->name);
}

/* Draw what the search found at the right of the status line. Returns its width. */
static int draw_search(const struct screen *screen, struct grid *grid)
{
	const struct search *search = &screen->state.search;
	char text[REPORT_TEXT_MAX + 64];

	if (search->text[0] == '\0' || !screen->report)
		return 0;
	enum metric metric = view_metric(screen->report);
	snprintf(text, sizeof(text), "/%s: %zu function%s, %s", search->text,
		search->matches, search->matches == 1 ? "" : "s",
		format_percent(metric_of(metric, &search->covered),
			metric_of(metric, &screen->report->total))
			.text);
	int width = grid_text_width(text);
	if (width > grid->columns / 2)
		width = grid->columns / 2;
	grid_put_field(grid, 0, grid->columns - width, width, ALIGN_RIGHT,
		STYLE(ROLE_MATCH), text);
	return width;
}

const struct offspring *screen_busy_children(const struct screen *screen)
{
	struct source *source = screen->source;

	if (!source->offspring || source->facts.children || !screen->may_start_again ||
		screen->gauges.target_exited || screen->gauges.kernel_cpu_share > QUIET)
		return NULL;
	const struct offspring *children = source->offspring(source->context);
	return children->share < QUIET ? NULL : children;
}

/* A target that only waits for its children has little to show. */
static bool describe_children(const struct screen *screen, char *text, size_t size)
{
	const struct offspring *children = screen_busy_children(screen);

	if (!children)
		return false;
	snprintf(text, size, "%u child%s %s of a CPU: press C to follow",
		children->living, children->living == 1 ? " uses" : "ren use",
		format_share(children->share).text);
	return true;
}

static void draw_status(struct screen *screen, struct grid *grid)
{
	char text[1024] = "";

	screen->text_cursor = -1;
	if (screen->mode == MODE_PROMPT || screen->mode == MODE_PALETTE) {
		bool searches =
			screen->mode == MODE_PROMPT && screen->purpose == PURPOSE_SEARCH;
		int right = searches ? draw_search(screen, grid) : 0;
		struct grid left = grid_part(grid, 0, 0, 1, grid->columns - right);
		screen->text_cursor = prompt_draw(&screen->prompt, &left);
		return;
	}
	enum role role = screen->status_role;
	if (screen->status[0] != '\0') {
		snprintf(text, sizeof(text), "%s", screen->status);
	} else if (screen->mode == MODE_MENU) {
		screen_export_describe(screen, text, sizeof(text));
		role = ROLE_VALUE;
	} else if (describe_children(screen, text, sizeof(text))) {
		role = ROLE_WARN;
	}
	if (text[0] != '\0') {
		grid_put_field(grid, 0, 0, grid->columns, ALIGN_LEFT, STYLE(role), text);
		return;
	}
	int room = grid->columns - draw_search(screen, grid) - 1;
	const struct view_ops *view = screen_view(screen);
	if (screen->report && view->status)
		view->status(screen->view_data[screen->shown], &screen->state,
			screen->report, text, sizeof(text));
	grid_put_field(grid, 0, 0, room, ALIGN_LEFT, STYLE(ROLE_STATUS), text);
}

static void draw_body(struct screen *screen, struct grid *grid)
{
	if (screen->report)
		screen_draw_panes(screen, grid);
	else
		grid_put_field(grid, grid->rows / 2, 0, grid->columns, ALIGN_CENTRE,
			STYLE(ROLE_DIM), "Waiting for the first samples...");
	if (screen->mode == MODE_MENU)
		menu_draw(&screen->menu, grid);
	else if (screen->mode == MODE_SHEET)
		sheet_draw(&screen->sheet, grid);
	else if (screen->mode == MODE_SETTINGS)
		screen_settings_draw(screen, grid);
	else if (screen->mode == MODE_PALETTE)
		screen_palette_draw(screen, grid);
}

void screen_draw(struct screen *screen)
{
	struct grid *grid = &screen->grid;
	const struct screen_layout *layout = &screen->layout;
	int columns = grid->columns, found;
	int status_row = layout->body_row + layout->body_rows;

	if (screen->state.now_ns >= screen->status_until_ns)
		screen->status[0] = '\0';
	grid_fill(grid, 0, 0, grid->rows, columns, STYLE(ROLE_NORMAL));

	struct grid part = grid_part(grid, 0, 0, layout->header_rows, columns);
	if (part.rows > 0)
		header_draw(
			&(struct header_input){
				.facts = &screen->source->facts,
				.gauges = &screen->gauges,
				.state = &screen->state,
				.report = screen->report,
				.activity = &screen->activity,
			},
			&part);
	part = grid_part(grid, layout->header_rows, 0, layout->strip_rows, columns);
	if (part.rows > 0) {
		struct strip_input strip = screen_strip(screen);
		strip_draw(&strip, &part);
	}
	part = grid_part(grid, layout->header_rows + layout->strip_rows, 0,
		layout->tab_rows, columns);
	if (part.rows > 0) {
		int end = walk_tabs(screen, &part, -1, &found);
		struct grid rest = grid_part(&part, 0, end, 1, columns - end);
		draw_chips(screen, &rest);
	}
	part = grid_part(grid, layout->body_row, 0, layout->body_rows, columns);
	draw_body(screen, &part);
	part = grid_part(grid, status_row, 0, layout->status_rows, columns);
	if (part.rows > 0)
		draw_status(screen, &part);
	part = grid_part(grid, grid->rows - 1, 0, layout->bar_rows, columns);
	if (part.rows > 0)
		screen_bar_draw(screen, &part);

	screen->term->ops->blit(screen->term, grid,
		screen->text_cursor >= 0 ? status_row : -1, screen->text_cursor);
}
