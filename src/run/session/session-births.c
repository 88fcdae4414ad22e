/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children of targets that the tracer has met on a CPU, and has begun to sample by itself, into spare
   rings that it was given for that. They may have ended by now. */

#include "src/run/session/session.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/task.h"
#include "src/run/session/family.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
	SPARES = 24, /* as many as may begin before this process has answered */
};

/* On the link's thread. */
static void born(void *context, struct ring *ring, pid_t pid, uint64_t start_ticks)
{
	struct session *session = context;
	struct session_birth birth = {
		.ring = ring, .pid = pid, .start_ticks = start_ticks};
	pthread_mutex_lock(&session->births_mutex);
	vec_push(&session->births, birth);
	if (session->woken)
		family_wake(session->woken);
	pthread_mutex_unlock(&session->births_mutex);
}

void session_wakes(struct session *session, struct family *family)
{
	pthread_mutex_lock(&session->births_mutex);
	session->woken = family;
	pthread_mutex_unlock(&session->births_mutex);
}

void session_give_spares(struct session *session)
{
	while (session->tracer && session->spares < SPARES) {
		struct ring *ring = ring_pool_take(session->rings);
		if (!ring)
			return;
		session->spares++;
		tracer_give_spare(session->tracer, ring, born);
	}
}

/* -1 if it has ended. */
static int open_process(const struct session_birth *birth)
{
	char path[32];
	struct task_stat stat;
	snprintf(path, sizeof(path), "/proc/%d", (int)birth->pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && task_stat_at(fd, "stat", &stat) &&
		stat.start_ticks == birth->start_ticks)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void welcome(struct session *session, const struct session_birth *birth)
{
	struct session_process *process = mem_zalloc(sizeof(*process));
	process->ring = birth->ring;
	process->target = (struct target){.pid = birth->pid,
		.proc_fd = open_process(birth),
		.task_dir_fd = -1,
		.mem_fd = -1};
	session_expect_reaped(process, true);
	struct analyst_process read = {.pid = birth->pid,
		.ring = birth->ring,
		.proc_fd = process->target.proc_fd,
		.is_met = true};
	analyst_add(session->analyst, &read, NULL);
	vec_push(&session->processes, process);
	session->spares--;
}

static bool take(struct session *session, struct session_birth *birth)
{
	pthread_mutex_lock(&session->births_mutex);
	bool any = session->births.len > 0;
	if (any)
		*birth = session->births.data[--session->births.len];
	pthread_mutex_unlock(&session->births_mutex);
	return any;
}

void session_welcome(void *context)
{
	struct session *session = context;
	struct session_birth birth;
	pthread_mutex_lock(&session->mutex);
	while (take(session, &birth))
		welcome(session, &birth);
	session_give_spares(session);
	pthread_mutex_unlock(&session->mutex);
}

bool session_has_met(struct session *session, pid_t pid)
{
	bool found = false;
	pthread_mutex_lock(&session->births_mutex);
	vec_each (&session->births, birth)
		found |= birth->pid == pid;
	pthread_mutex_unlock(&session->births_mutex);
	return found;
}
