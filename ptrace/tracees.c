#include "ptrace/tracees.h"

#include "ptrace/event.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BREATHE_EVERY = 256, /* threads that are attached to: some 10 ms */
};

void tracees_init(struct tracees *tracees)
{
	*tracees = (struct tracees){0};
}

static void tracee_destroy(struct tracee *tracee)
{
	if (tracee->schedstat_fd >= 0)
		close(tracee->schedstat_fd);
	if (tracee->stat_fd >= 0)
		close(tracee->stat_fd);
	if (tracee->sched_fd >= 0)
		close(tracee->sched_fd);
	if (tracee->syscall_fd >= 0)
		close(tracee->syscall_fd);
	free(tracee);
}

void tracees_finish(struct tracees *tracees)
{
	for (size_t i = 0; i < tracees->len; i++)
		tracee_destroy(tracees->data[i]);
	vec_free(tracees);
	vec_free(&tracees->awake);
	free(tracees->list.data);
	tracees->list = (struct task_list){0};
}

/* The place of TID, or where it belongs. */
static size_t place_of(const struct tracees *tracees, pid_t tid)
{
	size_t low = 0, high = tracees->len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (tracees->data[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid)
{
	size_t place = place_of(tracees, tid);
	bool there = place < tracees->len && tracees->data[place]->tid == tid;
	return there ? tracees->data[place] : NULL;
}

static int open_task_file(const struct target *target, pid_t tid, const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "%d/%s", tid, name);
	return openat(target->task_dir_fd, path, O_RDONLY | O_CLOEXEC);
}

/* The same, to be kept open. Of the descriptors that we may have a quarter stays for
   others: what is read of a target of ten thousand threads must still be written
   somewhere. */
static int keep_task_file(const struct target *target, pid_t tid, const char *name)
{
	int fd = open_task_file(target, tid, name);
	struct rlimit limit;
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
		(rlim_t)fd < limit.rlim_cur / 4 * 3)
		return fd;
	close(fd);
	return -1;
}

bool tracee_read_account(const struct tracee *tracee, const struct target *target,
	struct task_account *account)
{
	if (tracee->schedstat_fd >= 0)
		return task_read_account(tracee->schedstat_fd, account);
	int fd = open_task_file(target, tracee->tid, "schedstat");
	bool read = fd >= 0 && task_read_account(fd, account);
	if (fd >= 0)
		close(fd);
	return read;
}

uint64_t tracee_read_exec_start(struct tracee *tracee, const struct target *target)
{
	if (tracee->sched_fd < 0)
		tracee->sched_fd = keep_task_file(target, tracee->tid, "sched");
	if (tracee->sched_fd >= 0)
		return task_read_exec_start(tracee->sched_fd);
	int fd = open_task_file(target, tracee->tid, "sched");
	uint64_t start_ns = fd < 0 ? 0 : task_read_exec_start(fd);
	if (fd >= 0)
		close(fd);
	return start_ns;
}

int tracee_syscall_fd(struct tracee *tracee, const struct target *target)
{
	if (tracee->syscall_fd < 0)
		tracee->syscall_fd = keep_task_file(target, tracee->tid, "syscall");
	return tracee->syscall_fd;
}

bool tracee_read_stat(
	const struct tracee *tracee, const struct target *target, struct task_stat *stat)
{
	if (tracee->stat_fd >= 0)
		return task_read_stat(tracee->stat_fd, stat);
	int fd = open_task_file(target, tracee->tid, "stat");
	bool read = fd >= 0 && task_read_stat(fd, stat);
	if (fd >= 0)
		close(fd);
	return read;
}

/* Seize by number, and see that it was the thread that is meant: it may have ended after
   it was listed, and its number gone to a stranger. What was seized wrongly is left
   alone: to detach it would need a stop. It is let go at its next stop for a signal, or
   when we leave (stop.c). */
static bool seize(struct seizer *seizer, int task_dir_fd, pid_t tid, bool *stranger)
{
	char path[32];
	*stranger = false;
	if (!seizer_seize(seizer, tid))
		return false;
	snprintf(path, sizeof(path), "%d", tid);
	if (faccessat(task_dir_fd, path, F_OK, 0) == 0)
		return true;
	*stranger = true;
	errno = ESRCH;
	return false;
}

static struct tracee *tracee_create(const struct target *target, pid_t tid, bool start)
{
	struct tracee *tracee = mem_zalloc(sizeof(*tracee));
	tracee->tid = tid;
	tracee->task_dir_fd = target->task_dir_fd;
	tracee->seized = true;
	tracee->schedstat_fd = keep_task_file(target, tid, "schedstat");
	tracee->stat_fd = keep_task_file(target, tid, "stat");
	tracee->sched_fd = -1;	    /* only threads that run are ever asked */
	tracee->syscall_fd = -1;    /* and only those that sleep */
	tracee->was_running = true; /* as far as we know: look at it */
	struct task_stat stat;
	if (tracee_read_stat(tracee, target, &stat))
		memcpy(tracee->name, stat.name, sizeof(tracee->name));
	tracee->wait.told_ns = tracee->wait.steady_ns = clock_monotonic_ns();
	if (start && tracee_read_account(tracee, target, &tracee->account))
		tracee->cpu_sampled_ns = tracee->account.cpu_ns;
	tracee->looked_cpu_ns = tracee->account.cpu_ns;
	tracee->looked_ns = tracee->wait.told_ns;
	tracee->awake_until_ns = tracee->wait.told_ns + AWAKE_MS * NS_PER_MS;
	tracee->told = tracee->account;
	tracee->told_ns = tracee->wait.told_ns;
	return tracee;
}

static void insert(struct tracees *tracees, struct tracee *tracee)
{
	size_t place = place_of(tracees, tracee->tid);
	vec_push(tracees, tracee);
	memmove(tracees->data + place + 1, tracees->data + place,
		(tracees->len - 1 - place) * sizeof(*tracees->data));
	tracees->data[place] = tracee;
	tracees_wake(tracees, tracee);
}

/* The kernel kills a thread of real-time priority that never sleeps
   (ptrace/prompt-thread.h), and to attach to ten thousand threads may take as long. */
static void breathe(size_t n_found)
{
	if (n_found % BREATHE_EVERY == 0)
		nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

bool tracees_reconcile(struct tracees *tracees, const struct target *target, bool start,
	void (*found)(void *context, struct tracee *tracee), void *context, int *errnum)
{
	*errnum = 0;
	/* Counted first: a thread that comes during the listing makes the count differ
	 * later. */
	tracees->task_count = task_count(target->task_dir_fd);
	for (size_t i = 0; i < tracees->len; i++)
		tracees->data[i]->listed = false;
	if (!task_list_read(target->task_dir_fd, &tracees->list))
		return false;
	size_t n_found = 0;
	vec_each (&tracees->list, tid) {
		struct tracee *known = tracees_find(tracees, *tid);
		if (known) {
			known->listed = true;
			continue;
		}
		bool stranger;
		if (!seize(&tracees->seizer, target->task_dir_fd, *tid, &stranger)) {
			/* Gone again, or a zombie leader: neither is our concern. */
			*errnum = errno;
			continue;
		}
		struct tracee *tracee = tracee_create(target, *tid, start);
		tracee->seizer = &tracees->seizer;
		tracee->listed = true;
		insert(tracees, tracee);
		found(context, tracee);
		breathe(++n_found);
	}
	return true;
}

/* A listing may end early when a thread ends meanwhile, so its entry is asked for too. */
static bool has_vanished(const struct tracee *tracee, const struct target *target)
{
	char path[32];
	struct tracee_status status;
	pid_t who;
	snprintf(path, sizeof(path), "%d", tracee->tid);
	if (faccessat(target->task_dir_fd, path, F_OK, 0) == 0)
		return false;
	return !tracee->seized || !tracee_peek(P_PID, tracee->tid, &status, &who);
}

struct tracee *tracees_vanished(
	const struct tracees *tracees, const struct target *target)
{
	for (size_t i = 0; i < tracees->len; i++)
		if (!tracees->data[i]->listed && has_vanished(tracees->data[i], target))
			return tracees->data[i];
	return NULL;
}

bool tracee_seize(struct tracee *tracee)
{
	if (tracee->is_stranger)
		errno = ESRCH;
	else if (!tracee->seized)
		tracee->seized = seize(tracee->seizer, tracee->task_dir_fd, tracee->tid,
			&tracee->is_stranger);
	return tracee->seized;
}

void tracees_reap(void *context)
{
	const struct tracees *tracees = context;
	for (size_t i = 0; i < tracees->len; i++) {
		struct tracee *tracee = tracees->data[i];
		siginfo_t dead = {0};
		int flags = WEXITED | WNOHANG | __WALL;
		if (tracee->seized &&
			waitid(P_PID, (id_t)tracee->tid, &dead, flags) == 0 &&
			dead.si_pid != 0)
			tracee->is_reaped = true;
	}
}

bool tracees_changed(const struct tracees *tracees, const struct target *target)
{
	return task_count(target->task_dir_fd) != tracees->task_count;
}

void tracees_remove(struct tracees *tracees, struct tracee *tracee)
{
	size_t place = place_of(tracees, tracee->tid);
	memmove(tracees->data + place, tracees->data + place + 1,
		(tracees->len - 1 - place) * sizeof(*tracees->data));
	tracees->len--;
	tracees_rest(tracees, tracee);
	tracee_destroy(tracee);
}

void tracees_wake(struct tracees *tracees, struct tracee *tracee)
{
	if (tracee->awake_place)
		return;
	vec_push(&tracees->awake, tracee);
	tracee->awake_place = tracees->awake.len;
}

void tracees_rest(struct tracees *tracees, struct tracee *tracee)
{
	if (!tracee->awake_place)
		return;
	struct tracee *last = tracees->awake.data[--tracees->awake.len];
	tracees->awake.data[tracee->awake_place - 1] = last;
	last->awake_place = tracee->awake_place;
	tracee->awake_place = 0;
}
