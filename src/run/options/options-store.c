/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-store.h"

#include "src/run/options/options-take.h"
#include "src/write/push/push-request.h"

#include <string.h>

static bool check_url(const char *url, struct error *err)
{
	struct push_store store = {0};
	bool good = push_store_parse(&store, url, err);
	push_store_finish(&store);
	return good;
}

static bool is_pprof(const struct options *options)
{
	return !options->format || strcmp(options->format, "pprof") == 0;
}

static bool check_record(struct options *options, struct error *err)
{
	bool keeps = options->keep.files || options->keep.bytes || options->keep.age_s;
	if (!options->file_mode)
		options->file_mode = 0600;
	if ((keeps || options->push) && options->every_s <= 0)
		return error_set(err, "%s is for --every TIME, which fills a folder",
			keeps ? "--keep" : "--push");
	if (options->headers && !options->push)
		return error_set(err, "--headers is for --push");
	if (!options->push)
		return true;
	if (!is_pprof(options))
		return error_set(
			err, "stores take pprof: --push excludes -f %s", options->format);
	/* A store keeps a series for each set of labels, and a thread is soon gone. */
	return check_url(options->push, err) &&
	       (options->no_thread_labels || take_no_thread_labels(options, NULL, err));
}

bool options_check_store(struct options *options, struct error *err)
{
	if (options->command == COMMAND_RECORD)
		return check_record(options, err);
	if (options->command != COMMAND_PUSH)
		return true;
	if (options->n_files != 2)
		return error_set(err,
			"push what, and where to? Give FOLDER and URL (cproftop push "
			"--help)");
	return check_url(options->files[1], err);
}
