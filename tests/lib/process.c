/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/process.h"

#include "tests/lib/unit.h"

#include "src/process/list/children.h"
#include "src/process/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WAITS = 20000, /* a millisecond each */
};

static bool read_stat(pid_t pid, struct task_stat *stat)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool read = fd >= 0 && task_read_stat(fd, stat);
	if (fd >= 0)
		close(fd);
	return read;
}

char process_state(pid_t pid)
{
	struct task_stat stat;
	return read_stat(pid, &stat) ? stat.state : 0;
}

static bool has_ended(pid_t pid)
{
	char state = process_state(pid);
	return state == 0 || state == 'Z' || state == 'X';
}

bool process_comm_is(pid_t pid, const char *name)
{
	struct task_stat stat;
	return read_stat(pid, &stat) && strcmp(stat.name, name) == 0;
}

pid_t process_child(pid_t parent, const char *name, pid_t other_than)
{
	struct children children = {0};
	pid_t found = 0;
	children_read(&children, parent, 0);
	vec_each (&children.list, pid) {
		struct task_stat stat;
		if (*pid != other_than && !has_ended(*pid) && read_stat(*pid, &stat) &&
			strcmp(stat.name, name) == 0)
			found = *pid;
	}
	vec_free(&children.list);
	return found;
}

pid_t process_await_child(pid_t parent, const char *name, pid_t other_than)
{
	pid_t pid = 0;
	for (int i = 0; i < WAITS && !pid; i++) {
		pid = process_child(parent, name, other_than);
		if (!pid)
			usleep(1000);
	}
	if (!pid)
		fail_msg("%d has no child %s", (int)parent, name);
	return pid;
}

void process_await_state(pid_t pid, char wanted)
{
	for (int i = 0; i < WAITS && process_state(pid) != wanted; i++)
		usleep(1000);
	assert_int_equal(process_state(pid), wanted);
}

void process_await_end(pid_t pid)
{
	for (int i = 0; i < WAITS && !has_ended(pid); i++)
		usleep(1000);
	assert_true(has_ended(pid));
}

pid_t process_tracer(pid_t pid)
{
	char path[64], line[256];
	int tracer = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	fclose(file);
	assert_int_not_equal(tracer, -1);
	return tracer;
}

pid_t process_only_child(pid_t parent)
{
	char path[64];
	int child = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	FILE *in = fopen(path, "r");
	if (in && fscanf(in, "%d", &child) != 1)
		child = 0;
	if (in)
		fclose(in);
	return child;
}

pid_t process_await_only_child(pid_t parent)
{
	pid_t child;
	while (!(child = process_only_child(parent)))
		usleep(1000);
	return child;
}

long long process_status(pid_t pid, const char *key, int base)
{
	char path[64], line[256];
	long long value = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			value = strtoll(line + strlen(key) + 1, NULL, base);
	if (in)
		fclose(in);
	return value;
}
