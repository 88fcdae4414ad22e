/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/tracee.h"

#include "ptrace/capture.h"
#include "src/base/clock.h"
#include "src/read/elf/elf-image.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_child(const char *const *argv, int output_fd, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(output_fd, STDOUT_FILENO);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static bool wait_for_line(int fd)
{
	char c = 0;
	while (c != '\n')
		if (read(fd, &c, 1) != 1)
			return false;
	return true;
}

static int open_in_proc(pid_t pid, const char *name, int flags)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, flags | O_CLOEXEC);
}

bool tracee_start(struct tracee *tracee, const char *const *argv)
{
	*tracee = (struct tracee){.mem_fd = -1, .output_fd = -1};
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t parent = getpid();
	tracee->pid = fork();
	if (tracee->pid == 0)
		run_child(argv, ends[1], parent);
	close(ends[1]);
	tracee->output_fd = ends[0];
	if (tracee->pid < 0 || !wait_for_line(ends[0]))
		return false;
	tracee->mem_fd = open_in_proc(tracee->pid, "mem", O_RDONLY);
	tracee->profile = profile_create();
	int proc_fd = open_in_proc(tracee->pid, "", O_RDONLY | O_DIRECTORY);
	tracee->space = address_space_create(proc_fd, tracee->profile, NULL, NULL, NULL);
	return tracee->mem_fd >= 0 && tracee->space;
}

void tracee_finish(struct tracee *tracee)
{
	if (tracee->pid > 0) {
		kill(tracee->pid, SIGKILL);
		/* The leader is reaped after the threads that are traced. */
		for (pid_t gone = 0; gone != tracee->pid && gone >= 0;)
			gone = waitpid(-1, NULL, __WALL);
	}
	if (tracee->mem_fd >= 0)
		close(tracee->mem_fd);
	if (tracee->output_fd >= 0)
		close(tracee->output_fd);
	address_space_destroy(tracee->space);
	profile_unref(tracee->profile);
}

size_t tracee_threads(const struct tracee *tracee, pid_t *tids, size_t max)
{
	int fd = open_in_proc(tracee->pid, "task", O_RDONLY | O_DIRECTORY);
	DIR *tasks = fd >= 0 ? fdopendir(fd) : NULL;
	if (!tasks)
		return 0;
	size_t count = 0;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		if (tid <= 0)
			continue;
		if (count < max)
			tids[count] = tid;
		count++;
	}
	closedir(tasks);
	return count;
}

bool tracee_seize(const struct tracee *tracee, pid_t tid)
{
	(void)tracee;
	return ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0;
}

void tracee_copy_stack(
	const struct tracee *tracee, struct snapshot *snapshot, size_t stack_bytes)
{
	struct capture_habit habit = {.reach = stack_bytes};
	struct capture_memory memory = {.memory = tracee->mem_fd};
	capture_stack(&memory, stack_bytes, &habit, snapshot);
}

/* Signals that come first are delivered. If one was taken for the interruption, that would still be to come, and stop
   the thread again before it has run, each time. */
static bool wait_interrupted(pid_t tid)
{
	for (;;) {
		int status;
		if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return false;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		if (ptrace(PTRACE_CONT, tid, NULL, (void *)(long)WSTOPSIG(status)) != 0)
			return false;
	}
}

bool tracee_stop(const struct tracee *tracee, pid_t tid, struct snapshot *snapshot,
	size_t stack_bytes)
{
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || !wait_interrupted(tid))
		return false;
	*snapshot = (struct snapshot){
		.kind = SNAPSHOT_SAMPLE,
		.tid = tid,
		.time_ns = clock_monotonic_ns(),
	};
	struct iovec vec = {snapshot->regset.bytes, sizeof(snapshot->regset.bytes)};
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vec) != 0)
		return false;
	snapshot->regset.size = vec.iov_len;
	tracee_copy_stack(tracee, snapshot, stack_bytes);
	return true;
}

bool tracee_resume(const struct tracee *tracee, pid_t tid)
{
	(void)tracee;
	return ptrace(PTRACE_CONT, tid, NULL, NULL) == 0;
}

const char *tracee_symbol(struct tracee *tracee, struct frame frame)
{
	uint64_t address = frame_code(frame);
	const struct region *region = address_space_find(tracee->space, address);
	uint64_t bias;
	struct elf_image *image =
		region ? address_space_image(tracee->space, region, &bias) : NULL;
	const struct elf_symbol *symbol =
		image ? elf_image_symbol(image, address - bias) : NULL;
	return symbol ? symbol->name : "?";
}
