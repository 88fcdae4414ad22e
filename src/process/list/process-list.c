/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/list/process-list.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/host.h"
#include "src/base/mem.h"
#include "src/base/small-file.h"
#include "src/base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of the users met so far: asking may mean a server. */
struct users {
	VEC(struct user {
		uid_t uid;
		char *name;
	})
	known;
};

static const char *user_name(struct users *users, uid_t uid)
{
	char name[64], clean[64];
	struct user user = {.uid = uid};

	vec_each (&users->known, known)
		if (known->uid == uid)
			return known->name;
	if (host_user_name(uid, name, sizeof(name)))
		clean_text(clean, sizeof(clean), name, strlen(name));
	else
		snprintf(clean, sizeof(clean), "%u", (unsigned)uid);
	user.name = mem_strdup(clean);
	vec_push(&users->known, user);
	return user.name;
}

static void users_finish(struct users *users)
{
	vec_each (&users->known, known)
		free(known->name);
	vec_free(&users->known);
}

/* The text of PROC/PID/FILE, and its length; 0 if there is nothing, or no such process. */
static size_t read_file(
	const char *proc, const char *pid, const char *file, char *out, size_t size)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s/%s", proc, pid, file);
	return small_file_read(AT_FDCWD, path, out, size);
}

/* Seconds since boot, 0 if not known. */
static double read_uptime(const char *proc)
{
	char text[64];
	read_file(proc, ".", "uptime", text, sizeof(text));
	return strtod(text, NULL);
}

/* proc(5): "PID (comm) S ..."; comm may hold anything, so the last ')' ends it. */
static bool parse_stat(char *text, struct process *process, char *name, size_t name_size)
{
	char *start = strchr(text, '('), *end = strrchr(text, ')');
	uint64_t user_ticks, system_ticks;

	if (!start || !end || end < start)
		return false;
	clean_text(name, name_size, start + 1, (size_t)(end - start - 1));
	if (sscanf(end + 1,
		    " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
		    " %*d %*d %*d %*d %*d %*d %" SCNu64,
		    &process->state, &user_ticks, &system_ticks,
		    &process->start_ticks) != 4)
		return false;
	process->cpu_ticks = user_ticks + system_ticks;
	return true;
}

static bool read_process(
	const char *proc, const char *pid, struct users *users, struct process *process)
{
	char text[CLEAN_MAX], clean[CLEAN_MAX], name[256], path[512];
	struct stat info;
	size_t length;

	length = read_file(proc, pid, "stat", text, sizeof(text));
	if (length == 0 || !parse_stat(text, process, name, sizeof(name)))
		return false;
	snprintf(path, sizeof(path), "%s/%s", proc, pid);
	length = read_file(proc, pid, "cmdline", text, sizeof(text));
	/* Kernel threads and zombies have no command line. */
	if (length == 0 || stat(path, &info) != 0)
		return false;
	while (length > 0 && text[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	clean_text(clean, sizeof(clean), text, length);

	process->pid = (pid_t)strtol(pid, NULL, 10);
	process->uid = info.st_uid;
	process->name = mem_strdup(name);
	process->command = mem_strdup(clean);
	process->user = mem_strdup(user_name(users, info.st_uid));
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static int by_cpu(const void *a, const void *b)
{
	const struct process *left = a, *right = b;

	if (left->cpu_share > right->cpu_share || left->cpu_share < right->cpu_share)
		return left->cpu_share > right->cpu_share ? -1 : 1;
	return by_pid(a, b);
}

static void free_processes(struct process_list *list)
{
	vec_each (list, process) {
		free(process->name);
		free(process->command);
		free(process->user);
	}
	vec_free(list);
}

/* OLD is sorted by pid. A pid that was given to another process is another process. */
static void set_share(struct process *process, const struct process_list *old,
	double elapsed_s, double uptime_s)
{
	double hz = (double)sysconf(_SC_CLK_TCK);
	const struct process *before =
		old->len == 0
			? NULL
			: bsearch(process, old->data, old->len, sizeof(*process), by_pid);

	if (before && before->start_ticks == process->start_ticks && elapsed_s > 0)
		process->cpu_share =
			(double)(process->cpu_ticks - before->cpu_ticks) / hz / elapsed_s;
	else {
		double age_s = uptime_s - (double)process->start_ticks / hz;
		process->cpu_share =
			age_s > 0.1 ? (double)process->cpu_ticks / hz / age_s : 0;
	}
}

void process_list_read(struct process_list *list, const char *proc, uint64_t now_ns)
{
	struct process_list old = *list;
	double elapsed_s =
		old.read_ns > 0 ? (double)(now_ns - old.read_ns) / (double)NS_PER_SEC : 0;
	double uptime_s = read_uptime(proc);
	struct users users = {0};
	const struct dirent *entry;
	DIR *dir = opendir(proc);

	if (old.len > 0)
		qsort(old.data, old.len, sizeof(old.data[0]), by_pid);
	*list = (struct process_list){.read_ns = now_ns};
	while (dir && (entry = readdir(dir))) {
		struct process process = {0};
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
			!read_process(proc, entry->d_name, &users, &process))
			continue;
		set_share(&process, &old, elapsed_s, uptime_s);
		vec_push(list, process);
	}
	if (dir)
		closedir(dir);
	if (list->len > 0)
		qsort(list->data, list->len, sizeof(list->data[0]), by_cpu);
	users_finish(&users);
	free_processes(&old);
}

void process_list_finish(struct process_list *list)
{
	free_processes(list);
	*list = (struct process_list){0};
}

bool process_is_called(const struct process *process, const char *name)
{
	size_t length = strcspn(process->command, " ");
	const char *start = process->command + length;

	while (start > process->command && start[-1] != '/')
		start--;
	length -= (size_t)(start - process->command);
	return strcmp(process->name, name) == 0 ||
	       (strlen(name) == length && strncmp(start, name, length) == 0);
}

bool process_contains(const struct process *process, const char *text)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)process->pid);
	return strcasestr(process->name, text) || strcasestr(process->command, text) ||
	       strcasestr(process->user, text) || strstr(pid, text);
}
