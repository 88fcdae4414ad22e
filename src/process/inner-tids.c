/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/inner-tids.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"
#include "src/base/small-file.h"
#include "src/process/task.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	STATUS_BYTES = 4096,
	LIST_EVERY_MS = 100, /* reading all threads takes 10 us for each */
};

/* The last number of NSpid in the status file at PATH; 0: there is none. IS_ONLY: it is also
   the first one. */
static pid_t read_inner(int dir_fd, const char *path, bool *is_only)
{
	char status[STATUS_BYTES];
	unsigned long long second, last;
	small_file_read(dir_fd, path, status, sizeof(status));
	if (!status_number(status, "\nNSpid:", STATUS_LAST, 10, &last))
		return 0;
	*is_only = !status_number(status, "\nNSpid:", 1, 10, &second);
	return (pid_t)last;
}

static void list_all(struct inner_tids *tids, int proc_fd)
{
	struct task_list list = {0};
	int task_fd =
		ask_opener_open(proc_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	idmap_clear(&tids->outer);
	if (task_fd >= 0 && task_list_read(task_fd, &list)) {
		for (size_t i = 0; i < list.len; i++) {
			char path[48];
			bool is_only;
			snprintf(path, sizeof(path), "task/%d/status", list.data[i]);
			pid_t inner = read_inner(proc_fd, path, &is_only);
			if (inner > 0)
				idmap_put(&tids->outer, (uint64_t)inner, 0,
					(uint32_t)list.data[i]);
		}
	}
	free(list.data);
	if (task_fd >= 0)
		close(task_fd);
}

/* Does a thread TID live in the process, and call itself INNER? */
static bool is_so(int proc_fd, pid_t tid, pid_t inner)
{
	char path[48];
	bool is_only;
	snprintf(path, sizeof(path), "task/%d/status", tid);
	return read_inner(proc_fd, path, &is_only) == inner;
}

static bool learn(struct inner_tids *tids, int proc_fd)
{
	if (!tids->is_known)
		tids->is_known = read_inner(proc_fd, "status", &tids->is_same) > 0;
	return tids->is_known;
}

pid_t inner_tids_of(struct inner_tids *tids, int proc_fd, pid_t tid)
{
	char path[48];
	bool is_only;
	if (!learn(tids, proc_fd))
		return 0;
	snprintf(path, sizeof(path), "task/%d/status", tid);
	return tids->is_same ? tid : read_inner(proc_fd, path, &is_only);
}

pid_t inner_tids_find(struct inner_tids *tids, int proc_fd, pid_t inner, uint64_t now_ns)
{
	char path[48];
	if (inner <= 0 || !learn(tids, proc_fd))
		return 0;
	if (tids->is_same) {
		snprintf(path, sizeof(path), "task/%d", inner);
		return ask_opener_exists(proc_fd, path) ? inner : 0;
	}
	const uint32_t *known = idmap_get(&tids->outer, (uint64_t)inner, 0);
	if (known && is_so(proc_fd, (pid_t)*known, inner))
		return (pid_t)*known;
	if (tids->listed_ns && now_ns - tids->listed_ns < LIST_EVERY_MS * NS_PER_MS)
		return 0;
	tids->listed_ns = now_ns;
	list_all(tids, proc_fd);
	known = idmap_get(&tids->outer, (uint64_t)inner, 0);
	return known ? (pid_t)*known : 0;
}

void inner_tids_finish(struct inner_tids *tids)
{
	idmap_finish(&tids->outer);
}
