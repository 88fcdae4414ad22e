/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop diff OLD NEW: what has changed, and whether it is more than noise. */
#include "src/base/clean.h"
#include "src/base/output-file.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/profiles/file-source.h"
#include "src/run/profiles/pair.h"
#include "src/run/terminal.h"
#include "src/write/compare/compare.h"
#include "src/write/compare/gate.h"
#include "ui/screen/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FORBIDDEN_TOLD = 10,
};

static void write_names(const struct options *options, char names[2][CLEAN_MAX])
{
	for (int side = 0; side < 2; side++)
		clean_text(names[side], CLEAN_MAX, options->files[side],
			strlen(options->files[side]));
}

/* The rows of BOTH that GATE forbids are told; true: there are some. */
static bool is_forbidden(
	const struct gate *gate, const struct report *both, const char *condition)
{
	uint32_t told[FORBIDDEN_TOLD];
	size_t n = 0;
	for (; n < FORBIDDEN_TOLD && gate_next(gate, both, told, n, &told[n]); n++) {
		double before, after;
		gate_shares(gate, both, told[n], &before, &after);
		fprintf(stderr, "cproftop: %s: %s has %.2f%%, it had %.2f%%\n", condition,
			profile_function(both->profile, both->functions[told[n]].function)
				->name,
			100 * after, 100 * before);
	}
	return n > 0;
}

static bool write_difference(struct pair *pair, const struct options *options,
	const struct gate *gate, bool *forbidden, struct error *err)
{
	const char *out = options->output ? options->output : "-";
	const struct compare_format *format =
		compare_format_find(options->format, out, err);
	struct report_request request = {
		.naming.granularity = options->naming.granularity,
		.sample_type = pair->types[1],
	};
	char names[2][CLEAN_MAX];
	write_names(options, names);
	const struct compare_facts facts = {
		.before = names[0],
		.after = names[1],
		.order = options->order,
		.most = options->top,
	};
	if (options->focus)
		snprintf(request.filter, sizeof(request.filter), "%s", options->focus);
	if (options->ignore)
		snprintf(request.ignore, sizeof(request.ignore), "%s", options->ignore);
	struct report *both = pair_report(pair, &request, options->normalization);
	bool done = compare_to_file(format, both, &facts, out, err);
	if (done && options->fail_on)
		*forbidden = is_forbidden(gate, both, options->fail_on);
	report_destroy(both);
	return done;
}

static bool show(struct pair *pair, const struct options *options, struct error *err)
{
	struct terminal terminal = {0};
	struct file_source file = {.ready_fd = -1, .poll_fd = -1};
	char names[2][CLEAN_MAX];
	write_names(options, names);
	bool done = file_source_init_pair(&file, pair, names[0], names[1],
			    options->normalization, err) &&
		    terminal_open(&terminal, options, err);
	if (done) {
		struct app_options ui = terminal_app(&terminal, options);
		ui.naming =
			(struct naming_rules){.granularity = options->naming.granularity};
		/* Rules and columns of the settings are not heeded here (options-rc.h), so
		   what is here must not take their place. */
		ui.settings = NULL;
		done = app_run(terminal.term, &file.source, &ui, err);
	}
	terminal_close(&terminal);
	file_source_finish(&file);
	return done;
}

/* A person at a terminal who did not ask for a file or a format sees the screen. */
static bool wants_screen(const struct options *options)
{
	return options->ui_script || (!options->output && !options->format &&
					     !options->fail_on && isatty(STDOUT_FILENO));
}

int command_diff(const struct options *options)
{
	const char *out = options->output ? options->output : "-";
	bool screen = wants_screen(options);
	struct pair pair = {.types = {0}};
	struct error err;
	struct gate gate = {.pattern = NULL};
	bool forbidden = false;
	if (!compare_format_find(options->format, out, &err) ||
		(options->fail_on && !gate_parse(&gate, options->fail_on, &err))) {
		message_failure(&err);
		return EXIT_USAGE;
	}
	bool done = (screen || output_file_check(out, &err)) &&
		    pair_read(&pair, options->files[0], options->files[1],
			    options->sample_type, &err);
	if (done) {
		message_left_out(&pair.left_out);
		done = screen ? show(&pair, options, &err)
			      : write_difference(&pair, options, &gate, &forbidden, &err);
	}
	pair_finish(&pair);
	gate_finish(&gate);
	if (!done)
		message_failure(&err);
	if (options->fail_on) /* what failed must not look like what is forbidden */
		return !done ? EXIT_USAGE : forbidden ? EXIT_FAILURE : EXIT_SUCCESS;
	return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
