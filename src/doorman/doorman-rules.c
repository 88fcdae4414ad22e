/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/doorman-rules.h"

#include "src/doorman/doorman-words.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/* O_PATH; -1: not there. Thousands of profiles are more than programs usually have open. */
static int open_place(const char *path, int flags)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags);
	struct rlimit limit;
	if (fd < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		fd = open(path, O_PATH | O_CLOEXEC | flags);
	}
	return fd;
}

bool doorman_rules_add_folder(
	struct doorman_rules *rules, const char *path, size_t length)
{
	if (length == 0 || length >= PATH_MAX)
		return true; /* nothing is called so */
	char *known =
		rules->n_folders < DOORMAN_FOLDERS_MAX ? strndup(path, length) : NULL;
	if (!known) {
		errno = E2BIG;
		return false;
	}
	known[bare_length(known)] = '\0';
	rules->folders[rules->n_folders].path = known;
	rules->folders[rules->n_folders++].fd = open_place(known, O_DIRECTORY);
	return true;
}

bool doorman_rules_add_folders(struct doorman_rules *rules, const char *list)
{
	size_t length;
	bool added = true;
	for (const char *at = list; *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		added &= doorman_rules_add_folder(rules, at, length);
	}
	return added;
}

/* --- rule 1 --------------------------------------------------------------------------- */

static bool is_entry(const char *text)
{
	static const char *const whole[] = {"maps", "mem", "auxv", "stat", "status",
		"cmdline", "syscall", "wchan", "stack", "schedstat", "exe", "fd", "root",
		"task", "children"};
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (strcmp(text, whole[i]) == 0)
			return true;
	if (take_word(&text, "fd/") || take_word(&text, "fdinfo/"))
		return take_number(&text) >= 0 && !*text;
	if (!take_word(&text, "map_files/"))
		return false;
	return *text && strspn(text, "0123456789abcdef-") == strlen(text);
}

enum {
	STATUS_BYTES = 4096,
};

static void read_status(int fd, char text[STATUS_BYTES])
{
	int status = openat(fd, "status", O_RDONLY | O_CLOEXEC);
	ssize_t length = status < 0 ? -1 : read(status, text, STATUS_BYTES - 1);
	if (status >= 0)
		close(status);
	text[length > 0 ? length : 0] = '\0';
}

/* A process that nobody has waited for yet keeps its folder, but has nothing to be read. */
static bool has_ended(int fd)
{
	char text[STATUS_BYTES];
	read_status(fd, text);
	const char *line = strstr(text, "\nState:\t");
	return !line || line[8] == 'Z' || line[8] == 'X';
}

pid_t doorman_parent(int fd)
{
	char text[STATUS_BYTES];
	read_status(fd, text);
	const char *line = strstr(text, "\nPPid:"); /* a name has no newline there */
	return line ? (pid_t)strtol(line + 6, NULL, 10) : -1;
}

enum {
	GENERATIONS = 32, /* between a process that was named and one that is asked for */
};

static int find_process(const struct doorman_rules *rules, long pid)
{
	for (size_t i = 0; i < rules->n_pids; i++)
		if (rules->pids[i] == pid)
			return (int)i;
	return -1;
}

/* Room for another process; that of one that has ended. */
static int free_process(struct doorman_rules *rules)
{
	if (rules->n_pids < DOORMAN_PIDS_MAX)
		return (int)rules->n_pids++;
	for (size_t i = 0; i < rules->n_pids; i++)
		if (has_ended(rules->proc_fds[i])) {
			close(rules->proc_fds[i]);
			return (int)i;
		}
	return -1;
}

static int process_fd(struct doorman_rules *rules, long pid, unsigned depth);

/* Make PID one of ours if its parent is, or becomes one by this. All are looked at by descriptors:
   while that of a parent answers, nobody else has its number. */
static int adopt(struct doorman_rules *rules, long pid, unsigned depth)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%ld", pid);
	int fd = depth ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0)
		return -1;
	pid_t parent = doorman_parent(fd);
	int above = parent > 0 ? process_fd(rules, parent, depth - 1) : -1;
	bool is_ours =
		above >= 0 && doorman_parent(fd) == parent && doorman_parent(above) >= 0;
	int found = is_ours ? free_process(rules) : -1;
	if (found < 0) {
		close(fd);
		return -1;
	}
	rules->pids[found] = (pid_t)pid;
	rules->proc_fds[found] = fd;
	return found;
}

/* The descriptor of process PID, or -1. With children, another one may have got the number of one
   that has ended. */
static int process_fd(struct doorman_rules *rules, long pid, unsigned depth)
{
	int found = find_process(rules, pid);
	if (found >= 0 && rules->follows_children &&
		doorman_parent(rules->proc_fds[found]) < 0) {
		rules->pids[found] = -1;
		found = -1;
	}
	if (found < 0 && rules->follows_children)
		found = adopt(rules, pid, depth);
	return found < 0 ? -1 : rules->proc_fds[found];
}

/* "12/task/13/maps" is about a process of ours. */
static int judge(struct doorman_rules *rules, const char *text, char *entry)
{
	long pid = take_number(&text);
	if (pid < 0 || (*text && *text++ != '/'))
		return -1;
	const char *below = *text ? text : ".", *task = text;
	if (take_word(&task, "task/")) {
		if (take_number(&task) < 0 || *task++ != '/')
			return -1;
		text = task;
	}
	if ((*text && !is_entry(text)) || strlen(below) >= DOORMAN_NAME_MAX)
		return -1;
	strcpy(entry, below);
	return process_fd(rules, pid, GENERATIONS);
}

/* What follows "/proc/" in PATH below DIRECTORY, in BOTH; NULL: it is no such path. */
static const char *below_proc(
	const char *directory, const char *path, char both[2 * DOORMAN_NAME_MAX])
{
	const size_t size = 2 * DOORMAN_NAME_MAX;
	const char *text = both;
	int length = path[0] == '/' ? snprintf(both, size, "%s", path)
				    : snprintf(both, size, "%s/%s", directory, path);
	return length >= 0 && (size_t)length < size && take_word(&text, "/proc/") ? text
										  : NULL;
}

int doorman_rules_entry(
	struct doorman_rules *rules, const char *directory, const char *path, char *entry)
{
	char both[2 * DOORMAN_NAME_MAX];
	const char *text = below_proc(directory, path, both);
	return text ? judge(rules, text, entry) : -1;
}

enum doorman_peer doorman_rules_peer(const struct doorman_rules *rules,
	const char *directory, const char *path, long *pid, long *number)
{
	char both[2 * DOORMAN_NAME_MAX];
	const char *text = below_proc(directory, path, both);
	*number = -1;
	*pid = text && rules->n_pids ? take_number(&text) : -1;
	if (*pid < 0)
		return DOORMAN_NO_PEER;
	if (strcmp(text, "/fd") == 0)
		return DOORMAN_FD;
	enum doorman_peer peer = take_word(&text, "/fd/")	? DOORMAN_FD
				 : take_word(&text, "/fdinfo/") ? DOORMAN_FDINFO
								: DOORMAN_NO_PEER;
	*number = take_number(&text);
	return *number >= 0 && !*text ? peer : DOORMAN_NO_PEER;
}

/* --- rule 2 --------------------------------------------------------------------------- */

bool doorman_rules_is_mapped(const char *entry)
{
	const char *last = strrchr(entry, '/');
	return strncmp(entry, "map_files/", 10) == 0 || strstr(entry, "/map_files/") ||
	       strcmp(last ? last + 1 : entry, "exe") == 0;
}

/* What FD stands for: a regular file, and when it was made. Those of /proc are opened by name. */
static bool identify(int fd, struct stat *status, int64_t *born_ns)
{
	struct statx more;
	struct statfs system;
	*born_ns = 0;
	if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode) ||
		(fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC))
		return false;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 &&
		(more.stx_mask & STATX_BTIME))
		*born_ns = more.stx_btime.tv_sec * 1000000000 + more.stx_btime.tv_nsec;
	return true;
}

bool doorman_rules_knows(const struct doorman_rules *rules, int fd)
{
	struct stat status;
	int64_t born_ns;
	if (!identify(fd, &status, &born_ns))
		return false;
	for (size_t i = 0; i < rules->n_files && i < DOORMAN_FILES_MAX; i++)
		if (rules->files[i].device == status.st_dev &&
			rules->files[i].inode == status.st_ino &&
			rules->files[i].born_ns == born_ns)
			return true;
	return false;
}

void doorman_rules_remember(struct doorman_rules *rules, int fd)
{
	struct stat status;
	int64_t born_ns;
	if (doorman_rules_knows(rules, fd) || !identify(fd, &status, &born_ns))
		return;
	size_t place = rules->n_files++ % DOORMAN_FILES_MAX;
	rules->files[place].device = status.st_dev;
	rules->files[place].born_ns = born_ns;
	rules->files[place].inode = status.st_ino;
}

/* --- rule 5 --------------------------------------------------------------------------- */

bool doorman_rules_add_input(struct doorman_rules *rules, const char *path)
{
	if (rules->n_inputs >= DOORMAN_INPUTS_MAX) {
		errno = E2BIG;
		return false;
	}
	rules->inputs[rules->n_inputs].path = path;
	rules->inputs[rules->n_inputs++].fd = open_place(path, 0);
	return true;
}

int doorman_rules_input(const struct doorman_rules *rules, const char *path)
{
	size_t input = 0;
	while (input < rules->n_inputs && strcmp(rules->inputs[input].path, path) != 0)
		input++;
	return input < rules->n_inputs ? (int)input : -1;
}

/* --- rules 6 and 7 -------------------------------------------------------------------- */

int doorman_rules_below(
	const struct doorman_rules *rules, int fd, const char *path, const char **rest)
{
	struct stat asked, known;
	bool has_folder = fd >= 0 && path[0] != '/' && fstat(fd, &asked) == 0;
	for (size_t i = 0; i < rules->n_folders; i++) {
		size_t length = strlen(rules->folders[i].path);
		*rest = path;
		if (has_folder && fstat(rules->folders[i].fd, &known) == 0 &&
			known.st_dev == asked.st_dev && known.st_ino == asked.st_ino)
			return (int)i;
		if (fd >= 0 || strncmp(path, rules->folders[i].path, length) != 0 ||
			(path[length] && path[length] != '/'))
			continue;
		*rest = path + length + strspn(path + length, "/");
		return (int)i;
	}
	return -1;
}

bool doorman_rules_is_perf_map(const char *name)
{
	return take_word(&name, "perf-") && take_number(&name) >= 0 &&
	       strcmp(name, ".map") == 0;
}

/* --- rule 10 -------------------------------------------------------------------------- */

bool doorman_rules_is_source(const char *path)
{
	static const char *const suffixes[] = {"c", "h", "cc", "cpp", "cxx", "c++", "hh",
		"hpp", "hxx", "inl", "ipp", "tcc", "m", "mm", "S", "s", "asm", "rs", "go",
		"d", "zig", "nim", "v", "vala", "swift", "java", "kt", "scala", "py",
		"pyx", "js", "mjs", "ts", "jsx", "tsx", "rb", "lua", "php", "cs", "hs",
		"ml", "mli", "f", "f90", "f95", "f03", "f08", "for", "adb", "ads", "pas",
		"pp", "l", "y", "cu"};
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	bool found = false;
	for (size_t i = 0;
		dot && dot > slash + 1 && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		found |= strcmp(dot + 1, suffixes[i]) == 0;
	return found;
}
