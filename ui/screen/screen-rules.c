/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A person's rules for names and frames (src/facts/rewrite.h), edited while sampling goes
 * on: a menu of the rules that hold and of the kinds there are, and a prompt for one of
 * them (screen.h). With Enter the rule holds, also for what was sampled before.
 */
#include "ui/screen/screen.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *kind, *label, *description;
	const char *setting; /* how the settings file and the command line call it */
	bool of_selected;    /* a new one begins with the selected function */
} kinds[] = {
	{"thread", "Rename threads: ", "add: rename threads, s/REGEX/TEXT/", "rename",
		false},
	{"function", "Rename functions: ", "add: rename functions, s/REGEX/TEXT/",
		"rename-function", false},
	{"fold", "Fold functions into one: ", "add: functions that become one", "fold",
		true},
	{"hide", "Hide functions: ", "add: functions left out of stacks", "hide", true},
	{"show-from", "Begin stacks with: ", "add: where stacks begin", "show-from",
		true},
};

enum {
	KINDS = sizeof(kinds) / sizeof(kinds[0]),
};

static_assert(REWRITE_RULES_MAX + KINDS <= MENU_MAX, "a rule would not be in the menu");

static char *edits_of(struct screen *screen)
{
	return screen->state.request.naming.edits;
}

/* The rules, one a row; then the kinds. The rows point into screen->rules. */
void screen_rules_menu(struct screen *screen)
{
	char *rest = screen->rules, *line;

	screen->menu = (struct menu){.title = "Rules for names and frames"};
	screen->n_rules = 0;
	snprintf(screen->rules, sizeof(screen->rules), "%s", edits_of(screen));
	while (screen->n_rules < REWRITE_RULES_MAX && (line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		menu_add(&screen->menu, line, value);
		screen->n_rules++;
	}
	for (int i = 0; i < KINDS; i++)
		menu_add(&screen->menu, kinds[i].kind, kinds[i].description);
	screen->menu_of = MENU_RULES;
	screen->mode = MODE_MENU;
}

/* What a new rule of this kind begins with. */
static void suggest(const struct screen *screen, int kind, char text[PROMPT_MAX])
{
	uint32_t selected = screen->state.function;

	text[0] = '\0';
	if (!kinds[kind].of_selected || selected == PROFILE_NONE || !screen->report)
		return;
	search_exact_pattern(profile_function(screen->report->profile, selected)->name,
		text, PROMPT_MAX);
}

void screen_rules_chosen(struct screen *screen, int row)
{
	int kind = row - screen->n_rules;
	char text[PROMPT_MAX];

	screen->rule = row < screen->n_rules ? row : -1;
	if (screen->rule >= 0) {
		const char *name = screen->menu.rows[row].name;
		for (kind = 0; kind < KINDS - 1; kind++)
			if (strcmp(kinds[kind].kind, name) == 0)
				break;
		snprintf(text, sizeof(text), "%s", screen->menu.rows[row].description);
	} else {
		suggest(screen, kind, text);
	}
	screen->rule_kind = kinds[kind].kind;
	screen->purpose = PURPOSE_RULE;
	screen->mode = MODE_PROMPT;
	prompt_start(&screen->prompt, kinds[kind].label, text);
}

/* The rules with TEXT in the place of the one being edited; "" removes it. */
static bool edited(
	const struct screen *screen, const char *text, char *out, struct error *err)
{
	char copy[REWRITE_TEXT_MAX], *rest = copy, *line;

	out[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", screen->state.request.naming.edits);
	for (int i = 0; copy[0] && (line = strsep(&rest, "\n")); i++) {
		char *value = strchr(line, ' ');
		bool is_this = i == screen->rule;
		if (!value || (is_this && !text[0]))
			continue;
		*value++ = '\0';
		if (!rewrite_append(out, line, is_this ? text : value, err))
			return false;
	}
	return screen->rule >= 0 || !text[0] ||
	       rewrite_append(out, screen->rule_kind, text, err);
}

bool screen_rule_is_valid(struct screen *screen)
{
	struct prompt *prompt = &screen->prompt;
	char rules[REWRITE_TEXT_MAX];
	struct error err;

	if (edited(screen, prompt->text, rules, &err))
		return true;
	snprintf(prompt->error, sizeof(prompt->error), "%.*s",
		(int)sizeof(prompt->error) - 1, err.text);
	return false;
}

/* Zooms are removed: their paths may have lost frames. */
void screen_rule_typed(struct screen *screen)
{
	char rules[REWRITE_TEXT_MAX];
	struct error err;

	if (!edited(screen, screen->prompt.text, rules, &err) ||
		strcmp(rules, edits_of(screen)) == 0)
		return;
	memcpy(edits_of(screen), rules, sizeof(rules));
	while (view_zoom_pop(&screen->state))
		;
	screen_say(screen, ROLE_STATUS,
		rules[0] ? "names and frames by rules (E); F2 can keep them"
			 : "names and frames as they are");
}

/* --- keeping them ----------------------------------------------------------------------- */

/* The rules of one kind, as the settings file has them, in the lines of TEXT, which is taken
   apart. */
static size_t values_of(char *text, const char *kind, const char *values[])
{
	size_t n = 0, length = strlen(kind);
	char *line;

	while (n < REWRITE_RULES_MAX && (line = strsep(&text, "\n")))
		if (strncmp(line, kind, length) == 0 && line[length] == ' ')
			values[n++] = line + length + 1;
	return n;
}

static bool has_values(const struct rc_file *file, const char *setting,
	const char *const values[], size_t n_values)
{
	size_t found = 0;

	vec_each (&file->lines, line) {
		if (!line->name || strcmp(line->name, setting) != 0)
			continue;
		if (found == n_values || strcmp(line->value, values[found]) != 0)
			return false;
		found++;
	}
	return found == n_values;
}

bool screen_rules_are_kept(const struct screen *screen)
{
	const struct rc_place *place = screen->habits.place;
	struct rc_file file = {0};
	struct error ignored;
	bool are_kept = place && rc_place_read(place, &file, &ignored);

	for (size_t i = 0; i < KINDS && are_kept; i++) {
		const char *values[REWRITE_RULES_MAX];
		char text[REWRITE_TEXT_MAX];
		snprintf(text, sizeof(text), "%s", screen->state.request.naming.edits);
		size_t n = values_of(text, kinds[i].kind, values);
		are_kept = has_values(&file, kinds[i].setting, values, n);
	}
	rc_file_finish(&file);
	return are_kept;
}

void screen_rules_keep(const struct screen *screen, struct rc_file *file)
{
	for (size_t i = 0; i < KINDS; i++) {
		const char *values[REWRITE_RULES_MAX];
		char text[REWRITE_TEXT_MAX];
		snprintf(text, sizeof(text), "%s", screen->state.request.naming.edits);
		size_t n = values_of(text, kinds[i].kind, values);
		rc_file_set(file, kinds[i].setting, values, n);
	}
}
