/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A person's rules for names and frames (src/model/rewrite.h), edited while sampling goes
 * on: a menu of the rules that hold and of the kinds there are, and a prompt for one of
 * them (screen.h). With Enter the rule holds, also for what was sampled before.
 */
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *kind, *label, *description;
	bool of_selected; /* a new one begins with the selected function */
} kinds[] = {
	{"thread", "Rename threads: ", "add: rename threads, s/REGEX/TEXT/", false},
	{"function", "Rename functions: ", "add: rename functions, s/REGEX/TEXT/", false},
	{"fold", "Fold functions into one: ", "add: functions that become one", true},
	{"hide", "Hide functions: ", "add: functions left out of stacks", true},
	{"show-from", "Begin stacks with: ", "add: where stacks begin", true},
};

enum {
	KINDS = sizeof(kinds) / sizeof(kinds[0]),
	RULES_MOST = MENU_MAX - KINDS,
};

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
	while (screen->n_rules < RULES_MOST && (line = strsep(&rest, "\n"))) {
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
		rules[0] ? "names and frames by rules (E)"
			 : "names and frames as they are");
}
