/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop FILE...: profiles on the screen that shows processes. */
#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/run/command.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"
#include "src/run/profiles/file-source.h"
#include "src/run/profiles/opened.h"
#include "src/run/terminal.h"
#include "ui/screen/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "heap.pb.gz", "3 files: a.pb.gz b.pb.gz c.pb.gz", or "profiles (12 files, 1 left out)";
   cleaned, to be freed. */
static char *name_of(const struct options *options, const struct left_out *left_out)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return mem_strdup("?");
	if (options->n_files > 1)
		fprintf(out, "%zu files:", options->n_files);
	for (size_t i = 0; i < options->n_files; i++)
		fprintf(out, "%s%s", options->n_files > 1 ? " " : "", options->files[i]);
	if (left_out->n_read)
		fprintf(out, " (%zu file%s", left_out->n_read,
			left_out->n_read == 1 ? "" : "s");
	if (left_out->n_read && left_out->n)
		fprintf(out, ", %zu left out", left_out->n);
	if (left_out->n_read)
		fputc(')', out);
	fclose(out);
	char *clean = mem_alloc(CLEAN_MAX);
	clean_text(clean, CLEAN_MAX, text, size);
	free(text);
	return clean;
}

static bool show(const struct options *options, struct recording *recording,
	uint32_t sample_type, const struct left_out *left_out, struct error *err)
{
	struct terminal terminal = {0};
	struct file_source file = {.ready_fd = -1, .poll_fd = -1};
	char *name = name_of(options, left_out);
	bool done = file_source_init(&file, recording, name, sample_type, err) &&
		    terminal_open(&terminal, options, err);
	if (done) {
		file.options = options;
		struct app_options ui = terminal_app(&terminal, options);
		ui.naming.style = DEMANGLE_FULL; /* a file has names, and no symbols */
		ui.sources = options_source_reader(options);
		done = app_run(terminal.term, &file.source, &ui, err);
		source_reader_destroy(ui.sources);
	}
	terminal_close(&terminal);
	file_source_finish(&file);
	free(name);
	return done;
}

/* Words that are no files were meant otherwise. */
static bool check_words(const struct options *options, struct error *err)
{
	for (size_t i = 0; i < options->n_files; i++) {
		const char *word = options->files[i];
		if (strcmp(word, "-") == 0)
			return error_set(err,
				"standard input is the keyboard here: give the "
				"profile as a file");
		if (access(word, F_OK) != 0)
			return error_errno(err, errno,
				"'%s' is no profile (and a command to launch goes after "
				"'--')",
				word);
	}
	return true;
}

static bool check_options(const struct options *options, struct error *err)
{
	return !options->sampling_option ||
	       error_set(err,
		       "--%s is for processes: what is in a file was sampled before",
		       options->sampling_option);
}

int command_open(const struct options *options)
{
	struct recording recording = {0};
	struct left_out left_out = {.n = 0};
	struct error err;
	uint32_t sample_type;
	bool done = check_options(options, &err) && check_words(options, &err) &&
		    opened_read(&recording, options->files, options->n_files,
			    options->sample_type, &sample_type, &left_out, &err);
	if (done) {
		message_left_out(&left_out);
		done = show(options, &recording, sample_type, &left_out, &err);
	}
	recording_finish(&recording);
	return done ? EXIT_SUCCESS : message_failure(&err);
}
