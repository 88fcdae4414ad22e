/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/confined/confined.h"

#include "src/base/output-file.h"
#include "src/rights/give-up.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* The option that needs rights later, which nobody has then. */
static const char *needs_rights(const struct options *options)
{
	return options->children				  ? "--children"
	       : options->every_s > 0				  ? "--every"
	       : options->n_triggers				  ? "--on"
	       : options->perf_map				  ? "--perf-map"
	       : options->debuginfod				  ? "--debuginfod"
	       : options->file_mode && options->file_mode != 0600 ? "--file-mode"
								  : NULL;
}

bool confined_check(const struct options *options, struct error *err)
{
	const char *other = needs_rights(options);
	if (!options->confine)
		return true;
	if (geteuid() != 0)
		return error_set(err, "--confine is for root: this user's rights are "
				      "those of the target");
	if (options->no_confine)
		return error_set(err, "--confine and --no-confine: give one of them");
	return !other || error_set(err,
				 "--confine does not go with %s, which needs rights "
				 "after the start",
				 other);
}

/* Not one of our descriptors by another name, which is open. */
static bool is_to_be_opened(const char *path)
{
	struct stat status;
	return !output_file_is_stream(path) ||
	       (lstat(path, &status) == 0 &&
		       (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)));
}

static bool add_outputs(
	struct doorman_rules *rules, const struct confined *confined, struct error *err)
{
	for (size_t i = 0; i < sizeof(confined->outputs) / sizeof(*confined->outputs);
		i++) {
		const char *path = confined->outputs[i];
		if (path && is_to_be_opened(path) &&
			!doorman_rules_add_output(rules, path))
			return error_errno(err, errno, "--confine: %s", path);
	}
	return !confined->exports || doorman_rules_add_exports(rules) ||
	       error_errno(err, errno, "--confine: the current folder");
}

bool confined_give_up(void *context, pid_t launched, struct error *err)
{
	static struct doorman_rules rules; /* large */
	const struct confined *confined = context;
	const char *what;
	size_t n_pids = launched ? 1 : confined->n_pids;
	for (size_t i = 0; i < n_pids; i++) {
		pid_t pid = launched ? launched : confined->pids[i];
		if (!doorman_rules_add_process(&rules, pid) && errno != ENOENT)
			return error_errno(err, errno, "--confine: process %d", (int)pid);
	}
	for (size_t i = 0; i < confined->n_files; i++)
		if (!doorman_rules_add_input(&rules, confined->files[i]))
			return error_errno(
				err, errno, "--confine: %zu files", confined->n_files);
	return add_outputs(&rules, confined, err) &&
	       (give_up_rights(&rules, &what) ||
		       error_errno(err, errno, "--confine: %s", what));
}

/* The doorman opens the files that were named, and no others that are in a folder. */
static const char *find_folder(const struct confined *confined)
{
	struct stat status;
	for (size_t i = 0; i < confined->n_files; i++)
		if (stat(confined->files[i], &status) == 0 && S_ISDIR(status.st_mode))
			return confined->files[i];
	return NULL;
}

bool confined_for_files(struct confined *confined, bool loses_nothing, struct error *err)
{
	const struct options *options = confined->options;
	const char *folder = find_folder(confined);
	struct error ignored;
	if (options->confine && folder)
		return error_set(
			err, "--confine: %s is a folder: name its files", folder);
	if (options->confine)
		return confined_check(options, err) && confined_give_up(confined, 0, err);
	if (loses_nothing && !folder && !options->no_confine && geteuid() == 0)
		confined_give_up(confined, 0, &ignored);
	return true;
}
