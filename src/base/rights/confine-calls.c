/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/confine-calls.h"

#include "src/base/rights/sanitized.h"

#ifndef SANITIZED

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const int any_argument[] = {
	/* what is open, and what is opened for reading (below) */
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(dup), SCMP_SYS(close), SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	/* memory (mmap and mprotect: below) */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(getrandom),
	/* itself */
	SCMP_SYS(setitimer), SCMP_SYS(clock_gettime), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(exit), SCMP_SYS(exit_group)};

static bool allow(scmp_filter_ctx filter, int call, unsigned argument,
	enum scmp_compare compare, scmp_datum_t value, scmp_datum_t masked)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
		       SCMP_CMP(argument, compare, value, masked)) == 0;
}

/* Commands that leave alone what others see of the descriptor, as F_SETFL does not. */
static bool allow_fcntl(scmp_filter_ctx filter)
{
	static const int commands[] = {
		F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_GETFL, F_SETFD};
	bool added = true;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		added &= allow(filter, SCMP_SYS(fcntl), 1, SCMP_CMP_EQ,
			(scmp_datum_t)commands[i], 0);
	return added;
}

static bool allow_some(scmp_filter_ctx filter)
{
	const scmp_datum_t writes = O_ACCMODE | O_CREAT | O_TRUNC;
	bool added = true;
	for (size_t i = 0; i < sizeof(any_argument) / sizeof(*any_argument); i++)
		added &=
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, any_argument[i], 0) == 0;
	added &= allow(filter, SCMP_SYS(mmap), 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	added &= allow(filter, SCMP_SYS(mprotect), 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	added &= allow(filter, SCMP_SYS(openat), 2, SCMP_CMP_MASKED_EQ, writes, O_RDONLY);
	added &= allow_fcntl(filter);
	added &=
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 2,
			SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS), SCMP_A1(SCMP_CMP_EQ, 0)) == 0;
	return added & allow(filter, SCMP_SYS(tgkill), 0, SCMP_CMP_EQ,
			       (scmp_datum_t)getpid(), 0); /* abort() */
}

/* What is mapped at an address (src/process/map-query.h), of a process whose maps it was given. */
#define PROCMAP_QUERY 0xc0686611

/* A list of its own: who reads it need look nowhere else. */
static const int of_the_reader[] = {
	/* what is open: entries of /proc, files of a target, sockets to main and the line reader */
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(getdents64), SCMP_SYS(close), SCMP_SYS(dup),
	SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(recvfrom),
	SCMP_SYS(poll), SCMP_SYS(ppoll),
	/* memory (mmap and mprotect: never to be executed) */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(getrandom),
	/* itself */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(getpid),
	SCMP_SYS(gettid), SCMP_SYS(sysinfo), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(exit),
	SCMP_SYS(exit_group)};

static bool allow_reader(scmp_filter_ctx filter)
{
	bool added = true;
	for (size_t i = 0; i < sizeof(of_the_reader) / sizeof(*of_the_reader); i++)
		added &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, of_the_reader[i], 0) ==
			 0;
	added &= allow(filter, SCMP_SYS(mmap), 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	added &= allow(filter, SCMP_SYS(mprotect), 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	added &= allow_fcntl(filter);
	added &= allow(filter, SCMP_SYS(ioctl), 1, SCMP_CMP_EQ, PROCMAP_QUERY, 0);
	return added & allow(filter, SCMP_SYS(tgkill), 0, SCMP_CMP_EQ,
			       (scmp_datum_t)getpid(), 0); /* abort() */
}

static void load_for_reader(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (filter && allow_reader(filter))
		seccomp_load(filter);
	seccomp_release(filter);
}

/* Calls by which a process that may open files and connections would reach further. */
static const int not_to_fetch[] = {SCMP_SYS(kill), SCMP_SYS(tkill),
	SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
	SCMP_SYS(pidfd_send_signal), SCMP_SYS(pidfd_getfd), SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise), SCMP_SYS(execve), SCMP_SYS(execveat),
	SCMP_SYS(setpriority), SCMP_SYS(ioprio_set), SCMP_SYS(io_uring_setup),
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(unshare),
	SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(chroot), SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(open_tree),
	SCMP_SYS(move_mount), SCMP_SYS(mount_setattr), SCMP_SYS(open_by_handle_at)};

static bool refuse_some(scmp_filter_ctx filter)
{
	bool added = true;
	for (size_t i = 0; i < sizeof(not_to_fetch) / sizeof(*not_to_fetch); i++)
		added &= seccomp_rule_add(
				 filter, SCMP_ACT_ERRNO(EPERM), not_to_fetch[i], 0) == 0;
	added &= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1,
			 SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid())) == 0;
	return added;
}

static void load_for_fetcher(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	if (filter && refuse_some(filter))
		seccomp_load(filter);
	seccomp_release(filter);
}

static void load(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (filter && allow_some(filter))
		seccomp_load(filter);
	seccomp_release(filter);
}

#else

static void load(void)
{
}

static void load_for_fetcher(void)
{
}

static void load_for_reader(void)
{
}

#endif

void confine_reader_process_calls(void)
{
	load_for_reader();
}

void confine_reader_calls(void)
{
	load();
}

void confine_fetcher_calls(void)
{
	load_for_fetcher();
}
