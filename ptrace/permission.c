/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/permission.h"

#include "src/base/small-file.h"
#include "src/process/memory.h"
#include "src/process/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum {
	TRIES = 20,
	EVERY_US = 1000,
	PATH_BYTES = 32,
	STATUS_BYTES = 1024, /* what we need is in the first lines */
	NOBODY = -1,
};

/* Are all calls of ptrace refused (seccomp(2), as in some containers)? No process has this
   number. */
static int ask_for_call(void)
{
	ptrace(PTRACE_SEIZE, NOBODY, NULL, NULL);
	return errno == ESRCH ? 0 : errno;
}

static int ask_for_memory(pid_t tid, int task_dir_fd)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%d/mem", (int)tid);
	int memory = memory_open(task_dir_fd, path, tid);
	if (memory == -1)
		return errno == ENOENT ? ESRCH : errno == EACCES ? EPERM : errno;
	memory_close(memory);
	return 0;
}

/* Has it another tracer, or ended? Then it cannot be attached to, whoever asks. */
static int ask_for_state(pid_t tid, int task_dir_fd)
{
	char path[PATH_BYTES], status[STATUS_BYTES];
	unsigned long long tracer;
	snprintf(path, sizeof(path), "%d/status", (int)tid);
	if (!small_file_read(task_dir_fd, path, status, sizeof(status)))
		return ESRCH;
	bool is_traced = status_number(status, "\nTracerPid:", 0, 10, &tracer) && tracer;
	bool has_ended = strstr(status, "\nState:\tZ") || strstr(status, "\nState:\tX");
	return has_ended ? ESRCH : is_traced ? EPERM : 0;
}

static int ask(pid_t tid, int task_dir_fd)
{
	int errnum = ask_for_memory(tid, task_dir_fd);
	return errnum ? errnum : ask_for_state(tid, task_dir_fd);
}

/* The leader may have ended, so all are asked; of many threads only the leader again after
   EPERM, which is the kernel's last word as a rule. */
int permission_ask(pid_t pid, int task_dir_fd)
{
	struct task_list list = {0};
	int errnum = ask_for_call();
	if (errnum != 0)
		return errnum;
	errnum = ask(pid, task_dir_fd);
	for (int try = 0; try < TRIES && errnum != 0; try++) {
		if (try > 0)
			usleep(EVERY_US);
		if (try > 1 && errnum != ESRCH) {
			errnum = ask(pid, task_dir_fd);
			continue;
		}
		if (!task_list_read(task_dir_fd, &list))
			break;
		for (size_t i = 0; i < list.len && errnum != 0; i++) {
			int why = ask(list.data[i], task_dir_fd);
			if (why != ESRCH || errnum == ESRCH)
				errnum = why;
		}
	}
	free(list.data);
	return errnum;
}
