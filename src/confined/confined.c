/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/confined/confined.h"

#include "src/base/output-file.h"
#include "src/doorman/give-up.h"
#include "src/elf/elf-image.h"
#include "src/rights/inherited.h"
#include "src/sourcefile/source-rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FILES_MAX = DOORMAN_FOLDERS_MAX / 2, /* the others are of symbols and sources */
};

/* The option that needs rights later, which nobody has then. */
static const char *needs_rights(const struct options *options)
{
	return options->perf_map ? "--perf-map" : options->exec ? "--exec" : NULL;
}

/* Those of a program file, which the doorman would use for paths that main names. */
static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	return syscall(SYS_capget, &header, data) != 0 || data[0].effective != 0 ||
	       data[1].effective != 0;
}

bool confined_check(const struct options *options, struct error *err)
{
	const char *other = needs_rights(options);
	if (!options->confine)
		return true;
	if (geteuid() != 0 && has_capabilities())
		return error_set(err, "--confine is for root, or a user without "
				      "capabilities");
	if (options->no_confine)
		return error_set(err, "--confine and --no-confine: give one of them");
	return !other || error_set(err,
				 "--confine does not go with %s, which needs rights "
				 "after the start",
				 other);
}

bool confined_is_wanted(
	const struct options *options, bool is_screen, char kept[CONFINED_WHY_MAX])
{
	const char *other = needs_rights(options), *what;
	bool is_root = geteuid() == 0;
	kept[0] = '\0';
	if (options->confine || options->no_confine)
		return options->confine;
	if (is_screen && !is_root)
		snprintf(kept, CONFINED_WHY_MAX, "an editor and settings need them");
	else if (other)
		snprintf(kept, CONFINED_WHY_MAX, "%s needs them", other);
	else if (!is_root && has_capabilities())
		snprintf(kept, CONFINED_WHY_MAX, "it has capabilities");
	else if (!give_up_is_possible(&what))
		snprintf(kept, CONFINED_WHY_MAX, "%s", what);
	return !kept[0];
}

void confined_tell(const struct options *options, const char *kept)
{
	if (kept[0] && !options->quiet && geteuid() == 0)
		fprintf(stderr,
			"cproftop: files of others are read with root's rights: %s\n",
			kept);
}

void confined_describe(bool is_confined, const char *kept, char out[CONFINED_WHY_MAX])
{
	const char *who = geteuid() == 0 ? "root" : "user";
	if (is_confined)
		snprintf(out, CONFINED_WHY_MAX, "none");
	else
		snprintf(out, CONFINED_WHY_MAX, "%s%s%.*s", who, kept[0] ? ": " : "",
			CONFINED_WHY_MAX - 8, kept);
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
	if (confined->intervals &&
		!doorman_rules_add_intervals(rules, confined->intervals))
		return error_errno(err, errno, "--confine: %s", confined->intervals);
	return !confined->exports || doorman_rules_add_exports(rules) ||
	       error_errno(err, errno, "--confine: the current folder");
}

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool add_file(struct doorman_rules *rules, const char *path)
{
	return is_folder(path) ? doorman_rules_add_folder(rules, path, strlen(path))
			       : doorman_rules_add_input(rules, path);
}

static bool add_folders(struct doorman_rules *rules, const struct options *options)
{
	const char *const lists[] = {
		DEBUG_FILE_SYSTEM_DIR, options->debug_dirs, options->source_dirs};
	bool added = true;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		added &= !lists[i] || doorman_rules_add_folders(rules, lists[i]);
	for (size_t m = 0; m < options->n_source_maps; m++) {
		const char *to = strchr(options->source_maps[m], '=') + 1;
		added &= doorman_rules_add_folder(rules, to, strlen(to));
	}
	return added;
}

/* Another user does not end with PARENT any more, unless it asks to (prctl(2)). */
static void end_with(pid_t parent)
{
	if (parent && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
		_exit(EXIT_FAILURE);
}

bool confined_give_up(void *context, pid_t launched, struct error *err)
{
	static struct doorman_rules rules; /* large */
	const struct confined *confined = context;
	const char *what;
	const struct options *options = confined->options;
	size_t n_pids = launched ? 1 : confined->n_pids;
	rules.follows_children = confined->children;
	rules.mode = options->file_mode == 0600 ? 0 : options->file_mode;
	rules.may_prune =
		options->keep.files || options->keep.bytes || options->keep.age_s;
	rules.socket = confined->socket;
	struct source_person person = source_rights_person(geteuid(), getenv);
	if (!person.is_privileged) {
		rules.person = geteuid();
		rules.person_group = getegid();
	} else if (person.uid != SOURCE_NOBODY) { /* whose files anybody may read */
		rules.person = person.uid;
		rules.person_group = person.gid;
	}
	if (!add_folders(&rules, options))
		return error_errno(err, errno, "--confine: folders of files");
	for (size_t i = 0; i < n_pids; i++) {
		pid_t pid = launched ? launched : confined->pids[i];
		if (!doorman_rules_add_process(&rules, pid) && errno != ENOENT)
			return error_errno(err, errno, "--confine: process %d", (int)pid);
	}
	for (size_t i = 0; i < confined->n_files; i++)
		if (!add_file(&rules, confined->files[i]))
			return error_errno(
				err, errno, "--confine: %zu files", confined->n_files);
	if (options->ui_script)
		doorman_rules_add_input(&rules, options->ui_script);
	if (!add_outputs(&rules, confined, err))
		return false;
	inherited_close();
	if (!give_up_rights(&rules, &what))
		return error_errno(err, errno,
			"cannot give up rights before files of others are read "
			"(--no-confine reads them with all rights): %s",
			what);
	end_with(confined->front);
	return true;
}

bool confined_for_files(struct confined *confined, bool *is_confined, struct error *err)
{
	char kept[CONFINED_WHY_MAX];
	if (!confined_check(confined->options, err))
		return false;
	bool wanted = confined_is_wanted(confined->options, confined->exports, kept);
	if (wanted && !confined->options->confine && confined->n_files > FILES_MAX) {
		wanted = false;
		snprintf(kept, sizeof(kept), "of more than %d files", FILES_MAX);
	}
	confined_tell(confined->options, kept);
	if (is_confined)
		*is_confined = wanted;
	return !wanted || confined_give_up(confined, 0, err);
}
