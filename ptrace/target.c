/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/target.h"

#include "ptrace/explain.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/small-file.h"
#include "src/process/list/command-line.h"
#include "src/process/map-query.h"
#include "src/process/memory.h"
#include "src/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	EXEC_TRIES = 20 /* of a millisecond each */
};

static char *cleaned(const char *text, size_t length)
{
	char out[CLEAN_MAX];
	clean_text(out, sizeof(out), text, length);
	return mem_strdup(out);
}

/* A process without arguments (or that has erased them) is shown by its comm in brackets,
   as in ps. */
static char *read_command(int proc_fd)
{
	char text[CLEAN_MAX];
	size_t length = 0;
	/* During an exec there are none for a moment (mm->arg_start, fs/binfmt_elf.c), so
	   try again. */
	for (int try = 0; try < EXEC_TRIES && length == 0; try++) {
		if (try > 0)
			nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
		length = command_line_read(proc_fd, text, sizeof(text));
	}
	if (length > 0)
		return mem_strdup(text);
	struct task_stat stat = {.name = "?"};
	task_stat_at(proc_fd, "stat", &stat);
	char name[64];
	clean_text(name, sizeof(name), stat.name, sizeof(stat.name));
	return mem_printf("[%s]", name);
}

static char *read_path(int proc_fd)
{
	char text[CLEAN_MAX];
	ssize_t length = readlinkat(proc_fd, "exe", text, sizeof(text));
	return cleaned(text, length > 0 ? (size_t)length : 0);
}

/* Not PID/stat, for which the kernel adds up all threads. */
static struct task_stat read_first_thread(const struct target *target)
{
	struct task_stat stat = {0};
	char path[32];
	snprintf(path, sizeof(path), "%d/stat", (int)target->pid);
	task_stat_at(target->task_dir_fd, path, &stat);
	return stat;
}

bool target_is_forked(const struct target *target)
{
	return read_first_thread(target).flags & TASK_FLAG_FORKED;
}

uint64_t target_mapped_address(const struct target *target)
{
	return read_first_thread(target).stack_start;
}

static void open_folders(struct target *target)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", target->pid);
	target->proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->proc_fd >= 0)
		target->task_dir_fd = openat(
			target->proc_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool target_open_folders(struct target *target)
{
	open_folders(target);
	if (target->task_dir_fd >= 0 && target_open_memory(target))
		return true;
	int errnum = errno;
	target_close(target);
	errno = errnum;
	return false;
}

bool target_open(struct target *target, pid_t pid, struct error *err)
{
	*target = (struct target){
		.pid = pid, .proc_fd = -1, .task_dir_fd = -1, .mem_fd = -1};
	if (explain_hopeless(pid, err))
		return false;
	open_folders(target);
	int errnum = target->task_dir_fd < 0
			     ? errno
			     : clock_getcpuclockid(pid, &target->cpu_clock);
	/* Opening the memory requires the same rights as attaching
	   (PTRACE_MODE_ATTACH_FSCREDS), so a refusal shows here, before the process is
	   touched. */
	target->is_forked = !errnum && target_is_forked(target);
	if (!errnum && !target_open_memory(target))
		errnum = errno;
	if (errnum) {
		target_close(target);
		return explain_refusal(pid, errnum, err);
	}
	target_describe(target);
	return true;
}

void target_describe(struct target *target)
{
	free(target->command);
	free(target->path);
	target->command = read_command(target->proc_fd);
	target->path = read_path(target->proc_fd);
}

static void close_if_open(int *fd)
{
	if (*fd > 0) /* 0: of a zeroed target; never a descriptor of ours */
		close(*fd);
	*fd = -1;
}

void target_close(struct target *target)
{
	close_if_open(&target->proc_fd);
	close_if_open(&target->task_dir_fd);
	close_if_open(&target->mem_fd);
	close_if_open(&target->maps_fd);
	free(target->command);
	free(target->path);
	target->command = target->path = NULL;
}

/* Open the memory of thread TID, whose files are in FOLDER of DIR_FD. */
static bool open_memory_of(
	struct target *target, int dir_fd, const char *folder, pid_t tid)
{
	char path[32];
	snprintf(path, sizeof(path), "%smem", folder);
	int memory = memory_open(dir_fd, path, tid);
	bool by_calls = memory_is_by_calls(memory);
	if (by_calls) {
		snprintf(path, sizeof(path), "%smaps", folder);
		memory = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	}
	if (memory < 0)
		return false;
	close_if_open(&target->mem_fd);
	target->mem_fd = memory;
	target->memory_tid = by_calls ? tid : 0;
	return true;
}

bool target_open_memory(struct target *target)
{
	/* If the leader has ended while other threads run on, the memory can be opened
	   only through one of them. */
	struct task_list tasks = {0};
	bool opened = open_memory_of(target, target->proc_fd, "", target->pid);
	if (!opened && task_list_read(target->task_dir_fd, &tasks)) {
		for (size_t i = 0; i < tasks.len && !opened; i++) {
			char folder[16];
			snprintf(folder, sizeof(folder), "%d/", tasks.data[i]);
			opened = open_memory_of(
				target, target->task_dir_fd, folder, tasks.data[i]);
		}
	}
	free(tasks.data);
	return opened;
}

void target_open_maps(struct target *target)
{
	int fd = openat(target->proc_fd, "maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !map_query_is_answered(fd)) {
		close(fd);
		return;
	}
	if (fd >= 0 && target->maps_fd > 0) {
		dup3(fd, target->maps_fd,
			O_CLOEXEC); /* a sampler may be about to use it */
		close(fd);
	} else if (fd >= 0) {
		target->maps_fd = fd;
	}
}

int target_memory(const struct target *target)
{
	pid_t tid = target->memory_tid;
	return tid ? memory_by_calls(tid) : target->mem_fd;
}

bool target_memory_is_gone(const struct target *target, uint64_t address)
{
	char byte;
	off_t at = target->memory_tid ? 0 : (off_t)address;
	return pread(target->mem_fd, &byte, 1, at) == 0;
}

bool target_shows_sleepers(const struct target *target, struct error *err)
{
	char path[32];
	snprintf(path, sizeof(path), "%d/syscall", (int)target->pid);
	int fd = openat(target->task_dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EACCES ||
	       error_set(err,
		       "PID %d: the stacks of sleeping threads are found by "
		       "/proc/PID/syscall, for which CAP_SYS_PTRACE does not suffice: "
		       "add CAP_DAC_READ_SEARCH",
		       (int)target->pid);
}

/* proc_pid_stack (fs/proc/base.c) asks for CAP_SYS_ADMIN, for one's own stack, too. */
bool target_shows_kernel_stacks(struct error *err)
{
	char text[256];
	if (small_file_read(AT_FDCWD, "/proc/self/stack", text, sizeof(text)) > 0)
		return true;
	return error_set(err,
		"--kernel-stacks: the kernel does not show /proc/PID/stack to us: "
		"run it as root (CAP_SYS_ADMIN), or leave the option out");
}

pid_t target_tracer(const struct target *target)
{
	char text[1024], path[64];
	struct stat status;
	unsigned long long tracer = 0;
	small_file_read(target->proc_fd, "status", text, sizeof(text));
	if (!status_number(text, "\nTracerPid:", 0, 10, &tracer))
		return 0;
	/* Not by access(2), which asks without our capabilities. */
	snprintf(path, sizeof(path), "/proc/self/task/%d", (int)tracer);
	return tracer && stat(path, &status) != 0 ? (pid_t)tracer : 0;
}
