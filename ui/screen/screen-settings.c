/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings (F2): what holds now, changed where it stands, and kept (screen.h).
 *
 * A change holds at once. What was changed here, and nothing else, is written to the settings
 * file when the form is closed: keys of the views change what one looks at for a moment, and
 * are not habits. The other lines of the file stay as they are, and a second cproftop may have
 * changed it meanwhile, so it is read again first.
 */
#include "src/base/clock.h"
#include "src/base/settings/choices.h"
#include "src/base/settings/rc-place.h"
#include "ui/screen/screen.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
	VALUE_MAX = 128
};

/* A row: how the file calls it, how a person reads it, and which actions change it. A setting
   without actions is a switch for the next start, or columns. */
struct setting {
	const char *name; /* NULL: a title */
	const char *label;
	void (*read)(const struct screen *screen, char *text); /* NULL: it is a switch, */
	enum action next, previous;
	size_t at; /* at this place of struct screen */
};

static void read_window(const struct screen *screen, char *text)
{
	const struct report_request *request = &screen->state.request;
	uint64_t window_ns =
		screen->is_chosen ? screen->live_window_ns : request->window_ns;

	if (window_ns)
		snprintf(text, VALUE_MAX, "%gs", (double)window_ns / NS_PER_SEC);
	else
		snprintf(text, VALUE_MAX, "all");
}

static void read_mode(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s", screen->state.request.wall ? "wall" : "cpu");
}

static void read_demangle(const struct screen *screen, char *text)
{
	static const char *const words[DEMANGLE_STYLES] = {
		[DEMANGLE_FULL] = "full",
		[DEMANGLE_NO_PARAMS] = "no-params",
		[DEMANGLE_NO_TEMPLATES] = "no-templates",
		[DEMANGLE_NONE] = "none",
	};

	snprintf(text, VALUE_MAX, "%s", words[screen->state.request.naming.style]);
}

static void read_granularity(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s",
		naming_granularity_name(screen->state.request.naming.granularity));
}

static void read_inlines(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s",
		screen->state.request.naming.fold_inlines ? "fold" : "show");
}

static void read_processes(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s",
		naming_processes_name(screen->state.request.naming.processes));
}

static void read_hidden(const struct screen *screen, char *text)
{
	if (screen->state.min_share > 0)
		snprintf(text, VALUE_MAX, "%g", screen->state.min_share * 100);
	else
		snprintf(text, VALUE_MAX, "none");
}

static void read_view(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s", screen_view(screen)->name);
}

static const char *const grounds[] = {
	[GROUND_UNKNOWN] = "auto",
	[GROUND_DARK] = "dark",
	[GROUND_LIGHT] = "light",
};

enum {
	N_GROUNDS = sizeof(grounds) / sizeof(grounds[0])
};

static void read_theme(const struct screen *screen, char *text)
{
	snprintf(text, VALUE_MAX, "%s", grounds[screen->habits.ground]);
}

static void change_theme(struct screen *screen, bool forward)
{
	struct habits *habits = &screen->habits;

	habits->ground = (habits->ground + (forward ? 1 : N_GROUNDS - 1)) % N_GROUNDS;
	if (screen->term->ops->set_ground)
		screen->term->ops->set_ground(screen->term, habits->ground);
}

#define SWITCH(name, label, field)                           \
	{                                                    \
		name, label, NULL, ACTION_NONE, ACTION_NONE, \
			offsetof(struct screen, field)       \
	}

/* clang-format off */
static const struct setting settings[] = {
	{NULL, "What is counted"},
	{"mode", "CPU time or wall clock", read_mode, ACTION_METRIC, ACTION_METRIC},
	{"window", "how far back", read_window, ACTION_LONGER, ACTION_SHORTER},
	{"by", "processes are one by", read_processes, ACTION_PROCESSES, ACTION_PROCESSES},
	{"hide-below", "hide what is below %", read_hidden, ACTION_MIN_MORE, ACTION_MIN_LESS},
	{NULL, "Names"},
	{"demangle", "names", read_demangle, ACTION_DEMANGLE, ACTION_DEMANGLE},
	{"granularity", "a row is a", read_granularity, ACTION_GRANULARITY, ACTION_GRANULARITY},
	{"inlines", "inlined functions", read_inlines, ACTION_INLINES, ACTION_INLINES},
	{NULL, "Views"},
	{"view", "the first view", read_view, ACTION_NEXT_VIEW, ACTION_PREVIOUS_VIEW},
	SWITCH("side-by-side", "table beside the flame graph", side_by_side),
	SWITCH("pools", "threads of one name are a row", state.pools),
	SWITCH("root-at-bottom", "flame graph: root at the bottom", state.flipped),
	{"theme", "colours for a background", read_theme},
	{NULL, "From the next start on"},
	SWITCH("ascii", "ASCII characters only", habits.ascii),
	SWITCH("no-color", "no colours", habits.no_color),
	SWITCH("no-mouse", "leave the mouse to the terminal", habits.no_mouse),
	SWITCH("no-sync", "do not show pictures as a whole", habits.no_sync),
	{NULL, "Columns of the table"},
};
/* clang-format on */

enum {
	SETTINGS = sizeof(settings) / sizeof(settings[0]),
	COLUMNS_CHANGED = SETTINGS, /* bit of habits.changed, as are the indices below */
};

static void read_setting(
	const struct screen *screen, const struct setting *setting, char *text)
{
	if (setting->read)
		setting->read(screen, text);
	else
		snprintf(text, VALUE_MAX, "%s",
			*(const bool *)((const char *)screen + setting->at) ? "yes"
									    : "no");
}

/* Rows below the settings are the columns. */
static void fill_in(struct screen *screen)
{
	struct form *form = &screen->form;
	char value[VALUE_MAX];

	form_start(form, "Settings");
	for (int i = 0; i < SETTINGS; i++) {
		if (!settings[i].name) {
			form_add_title(form, settings[i].label);
			continue;
		}
		read_setting(screen, &settings[i], value);
		form_add(form, settings[i].label, value);
	}
	for (int i = 0; i < COLUMN_CHOICES; i++)
		form_add(form, column_choices[i],
			screen->state.hidden_columns & 1u << i ? "no" : "yes");
}

static void step(struct screen *screen, bool forward)
{
	int row = screen->form.cursor;

	if (row >= SETTINGS) {
		screen->state.hidden_columns ^= 1u << (row - SETTINGS);
		screen->habits.changed |= 1u << COLUMNS_CHANGED;
		return;
	}
	const struct setting *setting = &settings[row];
	char before[VALUE_MAX], after[VALUE_MAX];
	read_setting(screen, setting, before);
	if (setting->next != ACTION_NONE) {
		screen_act_for_all(screen, forward ? setting->next : setting->previous);
		screen_follow_view(screen);
	} else if (setting->read == read_theme) {
		change_theme(screen, forward);
	} else {
		bool *value = (bool *)((char *)screen + setting->at);
		*value = !*value;
	}
	read_setting(screen, setting, after);
	if (strcmp(before, after) != 0) /* by name, where there is one process only */
		screen->habits.changed |= 1u << row;
}

static void change_file(const struct screen *screen, struct rc_file *file)
{
	char value[VALUE_MAX];
	const char *const values[] = {value};

	for (int i = 0; i < SETTINGS; i++) {
		if (!(screen->habits.changed & 1u << i))
			continue;
		read_setting(screen, &settings[i], value);
		rc_file_set(file, settings[i].name, values, 1);
	}
	if (screen->habits.changed & 1u << COLUMNS_CHANGED) {
		choices_write_columns(screen->state.hidden_columns, value, sizeof(value));
		rc_file_set(file, "columns", values, 1);
	}
}

static void keep(struct screen *screen)
{
	const struct rc_place *place = screen->habits.place;
	struct rc_file file = {0};
	struct error err;

	if (!place)
		screen_say(
			screen, ROLE_WARN, "settings hold now and are not kept: --no-rc");
	else if (!rc_place_read(place, &file, &err))
		screen_say(screen, ROLE_BAD, "settings are not kept: %s", err.text);
	else {
		change_file(screen, &file);
		if (rc_place_write(place, &file, &err))
			screen_say(
				screen, ROLE_STATUS, "settings kept in %s", place->path);
		else
			screen_say(screen, ROLE_BAD, "%s", err.text);
	}
	rc_file_finish(&file);
}

static void handle(struct screen *screen, enum form_result result)
{
	if (result == FORM_NEXT || result == FORM_PREVIOUS)
		step(screen, result == FORM_NEXT);
	if (result != FORM_CLOSED)
		return;
	screen->mode = MODE_VIEW;
	screen->status[0] = '\0';
	if (screen->habits.changed)
		keep(screen);
	screen->habits.changed = 0;
}

void screen_settings_key(struct screen *screen, uint32_t key)
{
	fill_in(screen);
	handle(screen, form_key(&screen->form, key));
}

void screen_settings_click(
	struct screen *screen, const struct grid *grid, int row, int column)
{
	fill_in(screen);
	handle(screen, form_click(&screen->form, grid, row, column));
}

void screen_settings_draw(struct screen *screen, struct grid *grid)
{
	fill_in(screen);
	form_draw(&screen->form, grid);
}
