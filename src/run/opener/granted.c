/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/granted.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void granted_init(struct granted *granted)
{
	*granted = (struct granted){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void granted_finish(struct granted *granted)
{
	vec_each (&granted->processes, process)
		close(process->proc_fd);
	vec_each (&granted->paths, path)
		free(*path);
	vec_free(&granted->processes);
	vec_free(&granted->paths);
	pthread_mutex_destroy(&granted->lock);
}

bool granted_add(struct granted *granted, int proc_fd)
{
	struct stat status;
	struct granted_process process = {.proc_fd = fcntl(proc_fd, F_DUPFD_CLOEXEC, 3)};
	if (process.proc_fd < 0)
		return false;
	if (fstat(proc_fd, &status) == 0) {
		process.device = status.st_dev;
		process.folder = status.st_ino;
	}
	pthread_mutex_lock(&granted->lock);
	vec_push(&granted->processes, process);
	pthread_mutex_unlock(&granted->lock);
	return true;
}

void granted_remove(struct granted *granted, int proc_fd)
{
	struct stat status;
	if (fstat(proc_fd, &status) != 0)
		return;
	pthread_mutex_lock(&granted->lock);
	vec_each (&granted->processes, process)
		if (process->device == status.st_dev &&
			process->folder == status.st_ino) {
			close(process->proc_fd);
			*process = granted->processes.data[--granted->processes.len];
			break;
		}
	pthread_mutex_unlock(&granted->lock);
}

int granted_process(struct granted *granted, uint64_t device, uint64_t folder)
{
	int fd = -1;
	pthread_mutex_lock(&granted->lock);
	vec_each (&granted->processes, process)
		if (process->device == device && process->folder == folder) {
			fd = fcntl(process->proc_fd, F_DUPFD_CLOEXEC, 3);
			break;
		}
	pthread_mutex_unlock(&granted->lock);
	return fd;
}

static bool is_known(const struct granted *granted, const char *path)
{
	vec_each (&granted->paths, known)
		if (strcmp(*known, path) == 0)
			return true;
	return false;
}

void granted_add_path(struct granted *granted, const char *path)
{
	pthread_mutex_lock(&granted->lock);
	if (granted->paths.len < GRANTED_PATHS_MAX && !is_known(granted, path))
		vec_push(&granted->paths, mem_strdup(path));
	pthread_mutex_unlock(&granted->lock);
}

bool granted_has_path(struct granted *granted, const char *path)
{
	pthread_mutex_lock(&granted->lock);
	bool found = is_known(granted, path);
	pthread_mutex_unlock(&granted->lock);
	return found;
}
