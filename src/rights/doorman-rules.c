/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/rights/doorman-rules.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- made at the start ---------------------------------------------------------------- */

bool doorman_rules_add_process(struct doorman_rules *rules, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (rules->n_pids == DOORMAN_PIDS_MAX) {
		errno = E2BIG;
		return false;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	rules->pids[rules->n_pids] = pid;
	rules->proc_fds[rules->n_pids++] = fd;
	return true;
}

bool doorman_rules_add_output(struct doorman_rules *rules, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = slash ? (size_t)(slash - path) : 0;
	if (rules->n_outputs == DOORMAN_OUTPUTS_MAX || strlen(name) >= DOORMAN_NAME_MAX ||
		length >= DOORMAN_NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	char *folder = rules->outputs[rules->n_outputs].folder_path;
	memcpy(folder, path, length);
	strcpy(folder + length, !slash ? "." : length == 0 ? "/" : "");
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
	return doorman_rules_add_output(rules, "");
}

/* --- rule 1 --------------------------------------------------------------------------- */

/* Take a number off *TEXT; -1: it does not begin with one. */
static long take_number(const char **text)
{
	char *end;
	if (!isdigit((unsigned char)**text) || strspn(*text, "0123456789") > 9)
		return -1;
	long number = strtol(*text, &end, 10);
	*text = end;
	return number;
}

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool is_entry(const char *text)
{
	static const char *const whole[] = {"maps", "mem", "auxv", "stat", "status",
		"cmdline", "syscall", "wchan", "stack", "schedstat", "exe", "fd", "root"};
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (strcmp(text, whole[i]) == 0)
			return true;
	if (take_word(&text, "fd/") || take_word(&text, "fdinfo/"))
		return take_number(&text) >= 0 && !*text;
	if (!take_word(&text, "map_files/"))
		return false;
	return *text && strspn(text, "0123456789abcdef-") == strlen(text);
}

/* "12/task/13/maps" is about a process of ours. */
static int judge(const struct doorman_rules *rules, const char *text, char *entry)
{
	long pid = take_number(&text);
	if (pid < 0 || *text++ != '/')
		return -1;
	const char *below = text, *task = text;
	if (take_word(&task, "task/")) {
		if (take_number(&task) < 0 || *task++ != '/')
			return -1;
		text = task;
	}
	if (!is_entry(text) || strlen(below) >= DOORMAN_NAME_MAX)
		return -1;
	for (size_t i = 0; i < rules->n_pids; i++)
		if (rules->pids[i] == pid) {
			strcpy(entry, below);
			return rules->proc_fds[i];
		}
	return -1;
}

int doorman_rules_entry(const struct doorman_rules *rules, const char *directory,
	const char *path, char *entry)
{
	char both[2 * DOORMAN_NAME_MAX];
	const char *text = both;
	int length = path[0] == '/'
			     ? snprintf(both, sizeof(both), "%s", path)
			     : snprintf(both, sizeof(both), "%s/%s", directory, path);
	if (length < 0 || (size_t)length >= sizeof(both) || !take_word(&text, "/proc/"))
		return -1;
	return judge(rules, text, entry);
}

/* --- rule 2 --------------------------------------------------------------------------- */

bool doorman_rules_is_mapped(const char *entry)
{
	const char *last = strrchr(entry, '/');
	return strncmp(entry, "map_files/", 10) == 0 || strstr(entry, "/map_files/") ||
	       strcmp(last ? last + 1 : entry, "exe") == 0;
}

bool doorman_rules_knows(const struct doorman_rules *rules, int fd)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	for (size_t i = 0; i < rules->n_files; i++)
		if (rules->files[i].device == status.st_dev &&
			rules->files[i].inode == status.st_ino)
			return true;
	return false;
}

void doorman_rules_remember(struct doorman_rules *rules, int fd)
{
	struct stat status;
	if (rules->n_files == DOORMAN_FILES_MAX || doorman_rules_knows(rules, fd) ||
		fstat(fd, &status) != 0)
		return;
	rules->files[rules->n_files].device = status.st_dev;
	rules->files[rules->n_files++].inode = status.st_ino;
}

/* --- rule 3 --------------------------------------------------------------------------- */

static bool is_temporary(const char *name)
{
	return take_word(&name, ".cproftop-") && take_number(&name) >= 0 &&
	       take_word(&name, "-") && take_number(&name) >= 0 &&
	       strcmp(name, ".tmp") == 0;
}

bool doorman_rules_is_export(const char *path)
{
	static const char safe[] = "0123456789-_."
				   "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	return take_word(&path, "cproftop-") && strspn(path, safe) == strlen(path);
}

static bool is_final(const char *output, const char *name)
{
	return output[0] ? strcmp(output, name) == 0 : doorman_rules_is_export(name);
}

int doorman_rules_folder(const struct doorman_rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->n_outputs; i++)
		if (strcmp(rules->outputs[i].folder_path, path) == 0)
			return (int)i;
	return -1;
}

int doorman_rules_output(
	const struct doorman_rules *rules, int fd, const char *name, bool temporary)
{
	struct stat asked, known;
	if (fstat(fd, &asked) != 0 || (temporary && !is_temporary(name)))
		return -1;
	for (size_t i = 0; i < rules->n_outputs; i++)
		if (fstat(rules->outputs[i].folder, &known) == 0 &&
			known.st_dev == asked.st_dev && known.st_ino == asked.st_ino &&
			(temporary ? !rules->outputs[i].is_stream
				   : is_final(rules->outputs[i].name, name)))
			return (int)i;
	return -1;
}

/* --- rule 5 --------------------------------------------------------------------------- */

bool doorman_rules_add_input(struct doorman_rules *rules, const char *path)
{
	struct stat status;
	if (rules->n_inputs >= DOORMAN_INPUTS_MAX) {
		errno = E2BIG;
		return false;
	}
	if (stat(path, &status) != 0)
		status = (struct stat){0}; /* opening it will say why */
	rules->inputs[rules->n_inputs].path = path;
	rules->inputs[rules->n_inputs].device = status.st_dev;
	rules->inputs[rules->n_inputs].inode = status.st_ino;
	rules->n_inputs++;
	return true;
}

int doorman_rules_input(const struct doorman_rules *rules, const char *path, int *fd)
{
	const char *text = path;
	long number = -1;
	size_t input = 0;
	while (input < rules->n_inputs && strcmp(rules->inputs[input].path, path) != 0)
		input++;
	if (strcmp(path, "/dev/stdin") == 0)
		number = 0;
	else if (take_word(&text, "/dev/fd/") || take_word(&text, "/proc/self/fd/"))
		number = take_number(&text);
	*fd = *text && text != path ? -1 : (int)number;
	return input < rules->n_inputs ? (int)input : -1;
}

bool doorman_rules_is_input(const struct doorman_rules *rules, int input, int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && status.st_ino == rules->inputs[input].inode &&
	       status.st_dev == rules->inputs[input].device;
}
