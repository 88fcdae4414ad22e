/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 3 of doorman-rules.h: what may be written. */

#include "src/doorman/doorman-rules.h"

#include "src/doorman/doorman-words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- made at the start ---------------------------------------------------------------- */

bool doorman_rules_add_output(struct doorman_rules *rules, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = slash ? (size_t)(slash - path) : 0;
	if (rules->n_outputs == DOORMAN_OUTPUTS_MAX || strlen(name) >= DOORMAN_NAME_MAX ||
		length >= sizeof(rules->outputs->folder_path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	char *folder = rules->outputs[rules->n_outputs].folder_path;
	memcpy(folder, path, length);
	strcpy(folder + length, !slash ? "." : length == 0 ? "/" : "");
	folder[bare_length(folder)] = '\0';
	struct stat status;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	rules->outputs[rules->n_outputs].is_stream =
		name[0] && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		(S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
	rules->outputs[rules->n_outputs].folder = fd;
	strcpy(rules->outputs[rules->n_outputs++].name, name);
	return true;
}

bool doorman_rules_add_exports(struct doorman_rules *rules)
{
	rules->outputs[rules->n_outputs].names = DOORMAN_EXPORTS;
	return doorman_rules_add_output(rules, "");
}

bool doorman_rules_add_intervals(struct doorman_rules *rules, const char *folder)
{
	char path[PATH_MAX];
	int length =
		snprintf(path, sizeof(path), "%.*s/", (int)bare_length(folder), folder);
	if (length < 0 || (size_t)length >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	rules->outputs[rules->n_outputs].names = DOORMAN_INTERVALS;
	return doorman_rules_add_output(rules, path);
}

/* --- rule 3 --------------------------------------------------------------------------- */

#define SAFE "0123456789-_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Main, or the child that writes in its place when it hangs (src/watch). */
static bool is_writer(const struct doorman_rules *rules, long pid)
{
	char path[32];
	if (pid < 0 || pid == rules->main)
		return pid >= 0;
	snprintf(path, sizeof(path), "/proc/%ld", pid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is_child = fd >= 0 && doorman_parent(fd) == rules->main;
	if (fd >= 0)
		close(fd);
	return is_child;
}

/* Not of another recording's into that folder. */
static bool is_temporary(const struct doorman_rules *rules, const char *name)
{
	return strlen(name) < DOORMAN_TEMPORARY_MAX && take_word(&name, ".cproftop-") &&
	       is_writer(rules, take_number(&name)) && take_word(&name, "-") &&
	       take_number(&name) >= 0 && strcmp(name, ".tmp") == 0;
}

/* "cproftop-nginx-4711.svg", which may take the place of an older one. */
static bool is_own_export(const char *name)
{
	return take_word(&name, "cproftop-") && strspn(name, SAFE) == strlen(name);
}

bool doorman_rules_is_export(const char *path)
{
	static const char *const suffixes[] = {".pb.gz", ".pb", ".folded", ".txt",
		".json", ".svg", ".html", ".dot", ".callgrind"};
	size_t length = strlen(path);
	bool found = is_own_export(path);
	if (path[0] == '.' || path[0] == '-' || strspn(path, SAFE "+,=@%") != length)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t end = strlen(suffixes[i]);
		found |= length > end && strcmp(path + length - end, suffixes[i]) == 0;
	}
	return found;
}

/* Is TEXT like LIKE, in which '0' is any digit? */
static bool is_like(const char *text, const char *like)
{
	while (*like && (*like == '0' ? isdigit((unsigned char)*text) : *text == *like)) {
		text++;
		like++;
	}
	return !*like;
}

/* "nginx-4711-20261121T144200Z.pb.gz", or with "-1" behind the time. */
static bool is_interval(const char *name)
{
	static const char like[] = "-00000000T000000Z";
	const size_t length = sizeof(like) - 1;
	const char *end = strrchr(name, 'Z');
	if (name[0] == '.' || strspn(name, SAFE "+") != strlen(name) || !end ||
		end + 1 < name + length || !is_like(end + 1 - length, like))
		return false;
	if (*++end == '-') {
		end++;
		if (take_number(&end) < 0)
			return false;
	}
	return *end == '.' && strspn(end, ".abcdefghijklmnopqrstuvwxyz") == strlen(end);
}

static bool is_final(const struct doorman_rules *rules, size_t output, const char *name)
{
	switch (rules->outputs[output].names) {
	case DOORMAN_EXPORTS:
		return doorman_rules_is_export(name);
	case DOORMAN_INTERVALS:
		return is_interval(name);
	default:
		return strcmp(rules->outputs[output].name, name) == 0;
	}
}

static bool is_same_folder(int one, int other)
{
	struct stat a, b;
	return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int doorman_rules_folder(const struct doorman_rules *rules, int fd, const char *path)
{
	size_t length = bare_length(path);
	for (size_t i = 0; i < rules->n_outputs; i++) {
		const char *known = rules->outputs[i].folder_path;
		if (fd >= 0 ? strcmp(path, ".") == 0 &&
					is_same_folder(fd, rules->outputs[i].folder)
			    : strlen(known) == length &&
					strncmp(known, path, length) == 0)
			return (int)i;
	}
	return -1;
}

bool doorman_rules_replaces(
	const struct doorman_rules *rules, int output, const char *name)
{
	return rules->outputs[output].names != DOORMAN_EXPORTS || is_own_export(name);
}

bool doorman_rules_prunes(const struct doorman_rules *rules, int output)
{
	return rules->may_prune && rules->outputs[output].names == DOORMAN_INTERVALS;
}

int doorman_rules_output(
	const struct doorman_rules *rules, int fd, const char *name, bool temporary)
{
	if (temporary && !is_temporary(rules, name))
		return -1;
	for (size_t i = 0; i < rules->n_outputs; i++)
		if (is_same_folder(fd, rules->outputs[i].folder) &&
			(temporary ? !rules->outputs[i].is_stream
				   : is_final(rules, i, name)))
			return (int)i;
	return -1;
}
