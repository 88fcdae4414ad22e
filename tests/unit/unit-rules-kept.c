/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A person's rules for names and frames: which of them are in the settings file. */
#include "tests/lib/unit.h"

#include "tests/lib/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MANY = 33
};

/* The row of the rules in the settings. */
#define RULES_ROW "key F2 Down Down Down Down Down Down Down\n"

/* SCRIPT saved the screen as NAME, and it has TEXT. */
static void expect_saved(const char *name, const char *text)
{
	char *screen = read_text(name);
	expect_shown(screen, text);
	free(screen);
}

static void rules_are_kept_if_asked(void **unused)
{
	(void)unused;
	free(kept_play(&plain_options, "fold = old\n",
		"keys E4<Ctrl-U>^fib<Enter>\nwait-report\nkeys E2\n"
		"keys s/worker.*/pool/<Enter>\nwait-report\n" RULES_ROW
		"save-display before\nkey Enter\nsave-display after\nkey Esc"));
	expect_saved("before", "2 rules (Enter keeps them)");
	expect_saved("after", "2 rules, to be kept");
	kept_expect("rename = s/worker.*/pool/\nhide = ^fib\n");
}

/* What is edited after that is not in the file, and the row says so. */
static void later_rules_are_not_kept_yet(void **unused)
{
	(void)unused;
	/* the cursor of the form stays where it was */
	free(kept_play(&plain_options, NULL,
		"keys E4<Ctrl-U>^fib<Enter>\nwait-report\n" RULES_ROW
		"key Enter Esc F2\nsave-display kept\nkey Esc\n"
		"keys E<Enter><Ctrl-U>^dot<Enter>\nsave-display said\nwait-report\n"
		"key F2\nsave-display later\nkey Enter Esc"));
	expect_saved("kept", "1 rule, kept");
	expect_saved("said", "F2 can keep them");
	expect_saved("later", "1 rule (Enter keeps them)");
	kept_expect("hide = ^dot\n");
}

static void rules_of_the_file_are_kept_already(void **unused)
{
	struct app_options options = plain_options;

	(void)unused;
	strcpy(options.naming.edits, "hide ^fib\nfold ^is_");
	free(kept_play(
		&options, "fold = ^is_\nhide = ^fib\n", RULES_ROW "save-display same"));
	expect_saved("same", "2 rules, kept");
	free(kept_play(&options, "fold = ^is_\nhide = ^fib\nhide = ^dot\n",
		RULES_ROW "save-display other"));
	expect_saved("other", "2 rules (Enter keeps them)");
	free(kept_play(&options, NULL, RULES_ROW "save-display none"));
	expect_saved("none", "2 rules (Enter keeps them)");
}

/* As many as there can be: none is left out of the menu, or of the file. */
static void many_rules_are_all_kept_and_listed(void **unused)
{
	struct app_options options = plain_options;
	char expected[2048] = "";

	(void)unused;
	for (int i = 1; i <= MANY; i++) {
		size_t used = strlen(options.naming.edits), kept = strlen(expected);
		snprintf(options.naming.edits + used, sizeof(options.naming.edits) - used,
			"%shide ^no_%d$", used ? "\n" : "", i);
		snprintf(expected + kept, sizeof(expected) - kept, "hide = ^no_%d$\n", i);
	}
	free(kept_play(&options, NULL,
		RULES_ROW "key Enter Esc\nkeys EG\nsave-display last\n"
			  "keys kkkkk<Enter><Ctrl-U>^other$<Enter>\nwait-report\n"
			  "keys EG\nsave-display edited"));
	kept_expect(expected);
	expect_saved("last", "^no_33$");
	expect_saved("last", "add: where stacks begin");
	expect_saved("edited", "^no_32$");
	expect_saved("edited", "^other$");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_kept_if_asked),
		cmocka_unit_test(later_rules_are_not_kept_yet),
		cmocka_unit_test(rules_of_the_file_are_kept_already),
		cmocka_unit_test(many_rules_are_all_kept_and_listed),
	};

	if (!play_begin())
		return 77;
	int failed = unit_run(tests);
	kept_end();
	play_end();
	return failed;
}
