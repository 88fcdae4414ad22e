/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/opened.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool no_such_type(const struct origin *origin, const char *type, struct error *err)
{
	char known[256] = "";
	size_t used = 0;
	for (size_t i = 0; i < origin->types.len && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
			i ? ", " : "", origin->types.data[i].type);
	return error_set(err, "no values of type '%s' are in it, but: %s", type, known);
}

static bool is_profile(const char *word)
{
	struct stat stat_of;
	if (strchr(word, '/') || strcmp(word, "-") == 0)
		return true;
	if (stat(word, &stat_of) != 0)
		return false;
	if (S_ISDIR(stat_of.st_mode))
		return folder_has_profiles(word);
	return (S_ISFIFO(stat_of.st_mode) ||
		(S_ISREG(stat_of.st_mode) && !(stat_of.st_mode & S_IXUSR)));
}

bool opened_are_meant(const struct options *options)
{
	return options->n_files > 1 ||
	       (options->n_files == 1 && is_profile(options->files[0]));
}

static void say_left_out(
	const struct recording *recording, uint32_t shown, struct left_out *left_out)
{
	double part = recording_part_left_out(recording, shown);
	if (part > 0)
		error_set(&left_out->stacks,
			"left out: the stacks of %.3g%% of all, which count as %s: there "
			"is "
			"room for %zu MiB; give it a part of the file to see the rest",
			100 * part, RECORDING_LEFT_OUT, recording->most_bytes >> 20);
	else if (recording->has_lost_times)
		error_set(&left_out->stacks,
			"left out: when samples were taken: there is room for %zu MiB; "
			"give "
			"it a part of the file to see that",
			recording->most_bytes >> 20);
}

bool opened_read_by(struct apart *apart, struct recording *recording, char *const *files,
	size_t n_files, const char *type, uint32_t *shown, struct left_out *left_out,
	struct error *err)
{
	for (size_t i = 0; i < n_files; i++)
		if (!(folder_is(files[i]) ? folder_read(apart, files[i], left_out, err)
					  : apart_add(apart, files[i], err)))
			return false;
	if (!apart_take(apart, recording, err))
		return false;
	*shown = recording_default_type(recording);
	if (type && !origin_find_type(recording->origin, type, shown))
		return no_such_type(recording->origin, type, err);
	say_left_out(recording, *shown, left_out);
	return true;
}

bool opened_read(struct recording *recording, char *const *files, size_t n_files,
	const char *type, uint32_t *shown, struct left_out *left_out, struct error *err)
{
	struct apart apart;
	bool done = apart_begin(&apart, RECORDING_BYTES_MAX, err) &&
		    opened_read_by(&apart, recording, files, n_files, type, shown,
			    left_out, err);
	apart_end(&apart);
	return done;
}

struct report *opened_report(char *const *files, size_t n_files, const char *type,
	const struct report_request *request, struct left_out *left_out,
	struct error *err)
{
	struct recording recording = {0};
	struct report_request shown = *request;
	struct report *report = NULL;
	if (opened_read(
		    &recording, files, n_files, type, &shown.sample_type, left_out, err))
		report = recording_report(&recording, &shown);
	recording_finish(&recording);
	return report;
}
