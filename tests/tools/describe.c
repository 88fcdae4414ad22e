/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe PID: prints everything that a tracer could have changed in a process, for
 * comparison.
 *
 * Each thread: general, floating-point and debug registers and the signal mask, by
 * ptrace, and what /proc says of its signals and rights. The process: its files and where
 * they stand, limits, timers. It stops each thread, as a debugger would, and restarts
 * interrupted calls; so it is for targets that do not change (targets/still).
 */
#include "ptrace/capture.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SETTLE_US = 300 * 1000 /* for threads to be back where we stopped them */
};

static void print_bytes(const char *name, const unsigned char *bytes, size_t length)
{
	printf("  %s", name);
	for (size_t i = 0; i < length; i++)
		printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
	putchar('\n');
}

/* Whether a part of the extended state is said to be the initial one, or written out with the
   same values, is the processor's choice each time that it saves them (XSTATE_BV; Intel's
   manual, volume 1, 13.6). The values themselves are all there. */
static void forget_what_is_initial(unsigned char *extended, size_t size)
{
	enum {
		AT = 512,
		BYTES = 8
	};
	if (size >= AT + BYTES)
		memset(extended + AT, 0, BYTES);
}

static void print_set(pid_t tid, const char *name, int type)
{
	static unsigned char bytes[16 * 1024];
	struct iovec io = {bytes, sizeof(bytes)};
	if (ptrace(PTRACE_GETREGSET, tid, type, &io) != 0) {
		printf("  %s: %s\n", name, strerror(errno));
		return;
	}
	if (type == NT_X86_XSTATE)
		forget_what_is_initial(bytes, io.iov_len);
	print_bytes(name, bytes, io.iov_len);
}

static void print_debug_registers(pid_t tid)
{
	printf("  debug");
	for (size_t i = 0; i < 8; i++) {
		size_t offset = offsetof(struct user, u_debugreg) + i * sizeof(long);
		errno = 0;
		long value = ptrace(PTRACE_PEEKUSER, tid, offset, NULL);
		printf(" %lx", errno ? -1ul : (unsigned long)value);
	}
	putchar('\n');
}

/* Stopped: read all, and let go. */
static void print_registers(pid_t tid)
{
	struct arch_regset regset;
	sigset_t mask;
	if (capture_registers(tid, &regset))
		capture_restart(tid, &regset);
	print_bytes("general", regset.bytes, regset.size);
	print_set(tid, "floating", NT_PRFPREG);
	print_set(tid, "extended", NT_X86_XSTATE);
	print_debug_registers(tid);
	sigemptyset(&mask);
	if (ptrace(PTRACE_GETSIGMASK, tid, 8, &mask) == 0)
		print_bytes("blocked", (const unsigned char *)&mask, 8);
}

static void print_thread(pid_t tid)
{
	int status;
	printf("thread %d\n", tid);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 ||
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
		waitpid(tid, &status, __WALL) != tid) {
		printf("  %s\n", strerror(errno));
		return;
	}
	print_registers(tid);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

/* The lines of status that nothing but a tracer would change. */
static void print_status(const char *path)
{
	static const char *const keys[] = {"Name", "Umask", "State", "TracerPid", "Uid",
		"Gid", "FDSize", "Groups", "Threads", "SigPnd", "ShdPnd", "SigBlk",
		"SigIgn", "SigCgt", "Cap", "NoNewPrivs", "Seccomp", "Cpus_allowed",
		"CoreDumping"};
	char line[1024];
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				printf("  %s", line);
	if (file)
		fclose(file);
}

static void print_file(const char *path)
{
	char line[1024];
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		printf("  %s", line);
	if (file)
		fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return alphasort(a, b);
}

/* For each entry of a directory of /proc/PID, in order. */
static void each(pid_t pid, const char *name, void (*print)(const char *path))
{
	char path[64], entry[sizeof(path) + 260];
	struct dirent **list;
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	int count = scandir(path, &list, NULL, by_name);
	for (int i = 0; i < count; i++) {
		snprintf(entry, sizeof(entry), "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			print(entry);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

static void print_link(const char *path)
{
	char text[1024];
	ssize_t length = readlink(path, text, sizeof(text));
	printf("  %s -> %.*s\n", path, (int)(length > 0 ? length : 0), text);
}

static void print_task(const char *path)
{
	print_thread((pid_t)atoi(strrchr(path, '/') + 1));
}

static void print_task_status(const char *path)
{
	char status[400];
	printf("status %s\n", path);
	snprintf(status, sizeof(status), "%s/status", path);
	print_status(status);
}

int main(int argc, char **argv)
{
	static const char *const files[] = {"limits", "timers", "personality",
		"oom_score_adj", "coredump_filter", "cgroup"};
	char path[64];
	pid_t pid = argc > 1 ? (pid_t)atoi(argv[1]) : 0;
	if (pid <= 0) {
		fputs("usage: describe PID\n", stderr);
		return 2;
	}
	each(pid, "fd", print_link);
	each(pid, "fdinfo", print_file);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		printf("%s\n", files[i]);
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		print_file(path);
	}
	each(pid, "task", print_task);
	usleep(SETTLE_US);
	each(pid, "task", print_task_status);
	return 0;
}
