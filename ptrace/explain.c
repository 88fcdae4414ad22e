/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/explain.h"

#include "src/base/clean.h"
#include "src/base/host.h"
#include "src/base/small-file.h"
#include "src/process/task.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The facts from /proc/PID/status and stat that matter here. */
struct facts {
	char name[64]; /* comm, cleaned */
	char state;
	pid_t parent, tracer;
	unsigned flags;
	uid_t uid;	   /* real */
	bool live_threads; /* other threads than the leader are alive */
};

/* The number of LABEL in the text of a status file, in BASE; 0 if it is not there. */
static unsigned long long field(const char *status, const char *label, int base)
{
	unsigned long long value;
	return status_number(status, label, 0, base, &value) ? value : 0;
}

static bool read_facts(pid_t pid, struct facts *facts)
{
	char path[64], text[4096];
	struct task_stat stat;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	size_t length = small_file_read(AT_FDCWD, path, text, sizeof(text));
	if (!length || !task_parse_stat(text, length, &stat))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	*facts = (struct facts){
		.state = stat.state,
		.parent = stat.parent,
		.flags = stat.flags,
		.tracer = (pid_t)field(text, "\nTracerPid:", 10),
		.uid = (uid_t)field(text, "\nUid:", 10),
		.live_threads = field(text, "\nThreads:", 10) > 1,
	};
	clean_text(facts->name, sizeof(facts->name), stat.name, sizeof(stat.name));
	return true;
}

static bool is_ancestor(pid_t pid)
{
	struct facts facts;
	int generations = 0;
	for (pid_t at = getpid(); at > 1 && generations < 64;
		at = facts.parent, generations++) {
		if (at == pid)
			return true;
		if (!read_facts(at, &facts))
			break;
	}
	return false;
}

/* Of its own user's processes one may trace those that have no more capabilities
   (ptrace(2), "Ptrace access mode checking"). */
static bool has_more_capabilities(pid_t pid, const char *own)
{
	char path[32], theirs[4096];
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return small_file_read(AT_FDCWD, path, theirs, sizeof(theirs)) > 0 &&
	       (field(theirs, "\nCapPrm:", 16) & ~field(own, "\nCapPrm:", 16)) != 0;
}

bool explain_foreign(int proc_fd, pid_t pid, struct error *err)
{
	unsigned char header[EI_NIDENT] = {0};
	int fd = openat(proc_fd, "exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false; /* the leader has ended, or we may not read it */
	ssize_t got = read(fd, header, sizeof(header));
	close(fd);
	if (got != sizeof(header) || memcmp(header, ELFMAG, SELFMAG) != 0 ||
		header[EI_CLASS] != ELFCLASS32)
		return false;
	struct facts facts = {.name = "?"};
	read_facts(pid, &facts);
	error_set(err,
		"PID %d (%s) is a 32-bit program: cproftop understands 64-bit ones only",
		pid, facts.name);
	return true;
}

/* Does /proc belong to another PID namespace than ours? Then its numbers are not those of
   ptrace, which would find another process. */
static bool is_foreign_proc(void)
{
	char number[16];
	ssize_t length = readlink("/proc/self", number, sizeof(number) - 1);
	number[length > 0 ? length : 0] = '\0';
	return strtol(number, NULL, 10) != getpid();
}

bool explain_hopeless(pid_t pid, struct error *err)
{
	struct facts facts;
	if (is_foreign_proc())
		return !error_set(err,
			"/proc is of another PID namespace: run cproftop in that one, or "
			"mount the own /proc (mount -t proc proc /proc)");
	if (!read_facts(pid, &facts))
		return !error_set(err, "there is no process with PID %d", pid);
	if (pid == getpid())
		return !error_set(
			err, "PID %d is cproftop itself, which cannot stop itself", pid);
	if (is_ancestor(pid))
		return !error_set(err,
			"PID %d (%s) is an ancestor of this cproftop: run it from "
			"another shell",
			pid, facts.name);
	if (facts.flags & TASK_FLAG_KTHREAD)
		return !error_set(err,
			"PID %d (%s) is a kernel thread: it has no stack in user space "
			"to look at",
			pid, facts.name);
	if ((facts.state == 'Z' && !facts.live_threads) || facts.state == 'X')
		return !error_set(err,
			"PID %d (%s) is a zombie: it has ended and waits for its parent, "
			"PID %d",
			pid, facts.name, facts.parent);
	return false;
}

static const char *user_name(uid_t uid, char *buffer, size_t size)
{
	if (!host_user_name(uid, buffer, size))
		snprintf(buffer, size, "uid %u", uid);
	return buffer;
}

/* Is CAP_SYS_PTRACE in our effective set? */
static bool may_trace_anyone(const char *own_status)
{
	return field(own_status, "\nCapEff:", 16) >> CAP_SYS_PTRACE & 1;
}

static char yama_scope(void)
{
	char text[16];
	small_file_read(
		AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text));
	return text[0];
}

static bool refused_by_yama(pid_t pid, const struct facts *facts, struct error *err)
{
	switch (yama_scope()) {
	case '1':
		error_set(err,
			"PID %d (%s): the kernel lets only ancestors trace a process "
			"(kernel.yama.ptrace_scope is 1): use sudo, or start it with "
			"'cproftop -- CMD'",
			pid, facts->name);
		return true;
	case '2':
		error_set(err,
			"PID %d (%s): the kernel lets only administrators trace "
			"(kernel.yama.ptrace_scope is 2): use sudo",
			pid, facts->name);
		return true;
	case '3':
		error_set(err,
			"PID %d (%s): tracing is switched off until the next boot "
			"(kernel.yama.ptrace_scope is 3)",
			pid, facts->name);
		return true;
	default:
		return false;
	}
}

/* Only a process that may trace PID can read its link ns/user. But anybody can read
   uid_map, which is the same for all processes of a user namespace. */
static bool in_our_user_namespace(pid_t pid)
{
	char path[64], ours[1024], theirs[1024];
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	return !small_file_read(AT_FDCWD, path, theirs, sizeof(theirs)) ||
	       !small_file_read(AT_FDCWD, "/proc/self/uid_map", ours, sizeof(ours)) ||
	       strcmp(ours, theirs) == 0;
}

/* An undumpable process's /proc entries belong to root, whatever its user (proc(5)). */
static bool is_undumpable(pid_t pid, const struct facts *facts)
{
	char path[64];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	return facts->uid != 0 && stat(path, &status) == 0 && status.st_uid == 0;
}

/* The process of the thread TID: TracerPid is the number of a thread. */
static pid_t process_of(pid_t tid)
{
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	pid_t pid = (pid_t)field(text, "\nTgid:", 10);
	return pid ? pid : tid;
}

bool explain_refusal(pid_t pid, int errnum, struct error *err)
{
	struct facts facts;
	if (explain_hopeless(pid, err))
		return false;
	if (!read_facts(pid, &facts) || errnum == ESRCH)
		return error_set(err, "PID %d has ended", pid);
	if (facts.tracer) {
		struct facts tracer = {.name = "?"};
		facts.tracer = process_of(facts.tracer);
		read_facts(facts.tracer, &tracer);
		return error_set(err,
			"PID %d (%s) is already traced by PID %d (%s): a process has one "
			"tracer "
			"at a time, end that one first",
			pid, facts.name, facts.tracer, tracer.name);
	}
	if (errnum != EPERM && errnum != EACCES)
		return error_errno(
			err, errnum, "cannot attach to PID %d (%s)", pid, facts.name);

	char own[4096], name[32];
	small_file_read(AT_FDCWD, "/proc/self/status", own, sizeof(own));
	if (!in_our_user_namespace(pid))
		return error_set(err,
			"PID %d (%s) lives in another user namespace (a "
			"container): run "
			"cproftop inside it, or with sudo outside",
			pid, facts.name);
	if (!may_trace_anyone(own)) {
		if (facts.uid != (uid_t)field(own, "\nUid:", 10))
			return error_set(err,
				"PID %d (%s) belongs to user %s: run cproftop as that "
				"user, or "
				"with sudo",
				pid, facts.name,
				user_name(facts.uid, name, sizeof(name)));
		if (refused_by_yama(pid, &facts, err))
			return false;
		if (is_undumpable(pid, &facts))
			return error_set(err,
				"PID %d (%s) has protected itself (not dumpable, as "
				"ssh-agent "
				"does, or a set-user-ID program): use sudo",
				pid, facts.name);
		if (has_more_capabilities(pid, own))
			return error_set(err,
				"PID %d (%s) has capabilities that this cproftop has "
				"not: use sudo; in a container, --cap-add SYS_PTRACE",
				pid, facts.name);
	}
	if (yama_scope() == '3' && refused_by_yama(pid, &facts, err))
		return false;
	if (may_trace_anyone(own) && errnum == EACCES)
		return error_set(err,
			"PID %d (%s): its memory may not be read: /proc/PID/mem is a "
			"file of "
			"user %s, for which CAP_SYS_PTRACE does not suffice, and "
			"process_vm_readv is forbidden: add CAP_DAC_READ_SEARCH",
			pid, facts.name, user_name(facts.uid, name, sizeof(name)));
	if (field(own, "\nSeccomp:", 10) == 2)
		return error_set(err,
			"PID %d (%s): this cproftop runs under a seccomp filter that "
			"forbids "
			"ptrace: give the container --cap-add SYS_PTRACE",
			pid, facts.name);
	return error_errno(err, errnum,
		"cannot attach to PID %d (%s), for a reason the kernel does not tell",
		pid, facts.name);
}

bool explain_children(pid_t pid, struct error *err)
{
	char own[4096];
	struct facts facts = {.name = "?"};
	small_file_read(AT_FDCWD, "/proc/self/status", own, sizeof(own));
	if (yama_scope() != '1' || may_trace_anyone(own))
		return false;
	read_facts(pid, &facts);
	return !error_set(err,
		"PID %d (%s) and all other children: the kernel lets only ancestors "
		"trace a process (kernel.yama.ptrace_scope is 1), and the tracer is "
		"none of theirs: use sudo",
		pid, facts.name);
}
