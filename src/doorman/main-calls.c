/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/main-calls.h"

#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* headers before Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The kernel reads 32 bits of some arguments, whatever the rest is. */
#define LOW_HALF 0xffffffff

/* For the doorman. */
static const int asked_for[] = {SCMP_SYS(openat), SCMP_SYS(readlinkat),
	SCMP_SYS(unlinkat), SCMP_SYS(renameat), SCMP_SYS(kill)};

/* New processes stay in the namespaces of this one. clone3 hides its flags from a filter: the C
   library takes clone where there is none. */
static const unsigned namespaces[] = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS,
	CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};

/* Of a pair of sockets: a datagram may be sent to any address, whoever has the other end. The
   kernel takes SOCK_RAW for SOCK_DGRAM (net/unix/af_unix.c). */
#define SOCKET_TYPE 0xf
static const unsigned connected[] = {SOCK_STREAM, SOCK_SEQPACKET};
static const unsigned sending_anywhere[] = {SOCK_DGRAM, SOCK_RAW, SOCK_RDM};

/* --- a user of its own -------------------------------------------------------------------- */

/* A user without rights may still try these. */
static const int refused[] = {
#ifndef SANITIZED /* whose search for leaks traces its own threads */
	SCMP_SYS(ptrace),
#endif
	SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(userfaultfd), SCMP_SYS(bpf), SCMP_SYS(perf_event_open),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(unshare),
	SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root),
	SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
	SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(mount_setattr),
	SCMP_SYS(chroot), SCMP_SYS(io_uring_setup), SCMP_SYS(seccomp),
	/* what it has read goes nowhere; pairs of sockets are for our own processes */
	SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen)};

/* They type at the terminal in the place of the user, so a shell reads it when we have ended. */
static const unsigned typing[] = {TIOCSTI, TIOCLINUX};

static int refuse_some(scmp_filter_ctx filter)
{
	const uint32_t no = SCMP_ACT_ERRNO(EPERM);
	int failed = 0;
	for (size_t i = 0; !failed && i < COUNT(refused); i++)
		failed = seccomp_rule_add(filter, no, refused[i], 0);
	for (size_t i = 0; !failed && i < COUNT(namespaces); i++)
		failed = seccomp_rule_add(filter, no, SCMP_SYS(clone), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i]));
	for (size_t i = 0; !failed && i < COUNT(typing); i++)
		failed = seccomp_rule_add(filter, no, SCMP_SYS(ioctl), 1,
			SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, typing[i]));
	for (size_t i = 0; !failed && i < COUNT(sending_anywhere); i++)
		failed = seccomp_rule_add(filter, no, SCMP_SYS(socketpair), 1,
			SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_TYPE, sending_anywhere[i]));
	if (!failed)
		failed = seccomp_rule_add(filter, no, SCMP_SYS(prctl), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_HALF, PR_SET_MM));
	return failed ? failed
		      : seccomp_rule_add(
				filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

/* --- the user who called us ----------------------------------------------------------------- */

/* Nothing by which a file changes that is only open for reading, as fchmod(2) does. */
static const int on_files[] = {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv),
	SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(preadv),
	SCMP_SYS(pwritev), SCMP_SYS(preadv2), SCMP_SYS(pwritev2), SCMP_SYS(lseek),
	SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2),
	SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(eventfd2), SCMP_SYS(signalfd4), SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime), SCMP_SYS(memfd_create),
	SCMP_SYS(getdents64), SCMP_SYS(getcwd), SCMP_SYS(flock), SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
	SCMP_SYS(sync_file_range), SCMP_SYS(fadvise64), SCMP_SYS(readahead),
	SCMP_SYS(sendfile), SCMP_SYS(splice), SCMP_SYS(tee), SCMP_SYS(copy_file_range),
	/* what a file is, and whether it is there */
	SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx),
	SCMP_SYS(fstatfs), SCMP_SYS(statfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink)};

/* New sockets come in pairs only; those that were there before hear `cproftop ctl`. */
static const int on_sockets[] = {SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(sendto),
	SCMP_SYS(recvfrom), SCMP_SYS(sendmmsg), SCMP_SYS(recvmmsg), SCMP_SYS(shutdown),
	SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),
	SCMP_SYS(getsockname), SCMP_SYS(getpeername)};

static const int on_memory[] = {SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap),
	SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(msync),
	SCMP_SYS(mincore), SCMP_SYS(mlock), SCMP_SYS(mlock2), SCMP_SYS(munlock),
	SCMP_SYS(mlockall), SCMP_SYS(munlockall), SCMP_SYS(membarrier)};

/* Threads and children, which have the same filter. */
static const int on_processes[] = {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve),
	SCMP_SYS(execveat), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(wait4),
	SCMP_SYS(waitid), SCMP_SYS(pidfd_open), SCMP_SYS(futex), SCMP_SYS(futex_waitv),
	SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq),
	SCMP_SYS(arch_prctl), SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(umask),
	SCMP_SYS(restart_syscall),
	/* rights can only become less */
	SCMP_SYS(capget), SCMP_SYS(capset), SCMP_SYS(landlock_create_ruleset),
	SCMP_SYS(landlock_add_rule), SCMP_SYS(landlock_restrict_self),
	/* what they are */
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getpgrp),
	SCMP_SYS(getpgid), SCMP_SYS(getsid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getresuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getresgid),
	SCMP_SYS(getgroups), SCMP_SYS(getrlimit), SCMP_SYS(setrlimit),
	SCMP_SYS(getrusage), SCMP_SYS(getpriority), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_getattr),
	SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min),
	SCMP_SYS(getcpu), SCMP_SYS(times), SCMP_SYS(sysinfo), SCMP_SYS(uname)};

static const int on_time_and_signals[] = {SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigtimedwait), SCMP_SYS(rt_sigsuspend), SCMP_SYS(sigaltstack),
	SCMP_SYS(pause), SCMP_SYS(alarm), SCMP_SYS(setitimer), SCMP_SYS(getitimer),
	SCMP_SYS(timer_create), SCMP_SYS(timer_settime), SCMP_SYS(timer_gettime),
	SCMP_SYS(timer_getoverrun), SCMP_SYS(timer_delete), SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getrandom)};

/* Of an argument of a call. */
static const struct {
	int call;
	unsigned argument;
	uint64_t value;
} with_argument[] = {
	/* F_SETOWN sends signals to others, F_SETLEASE holds up who opens the file */
	{SCMP_SYS(fcntl), 1, F_DUPFD}, {SCMP_SYS(fcntl), 1, F_DUPFD_CLOEXEC},
	{SCMP_SYS(fcntl), 1, F_GETFD}, {SCMP_SYS(fcntl), 1, F_SETFD},
	{SCMP_SYS(fcntl), 1, F_GETFL}, {SCMP_SYS(fcntl), 1, F_GETLK},
	{SCMP_SYS(fcntl), 1, F_SETLK}, {SCMP_SYS(fcntl), 1, F_SETLKW},
	{SCMP_SYS(fcntl), 1, F_GETPIPE_SZ}, {SCMP_SYS(fcntl), 1, F_SETPIPE_SZ},
	{SCMP_SYS(fcntl), 1, F_ADD_SEALS}, {SCMP_SYS(fcntl), 1, F_GET_SEALS},
	/* not TIOCSTI, and not what changes a file that is open for reading (FS_IOC_...) */
	{SCMP_SYS(ioctl), 1, TCGETS}, {SCMP_SYS(ioctl), 1, TCSETS},
	{SCMP_SYS(ioctl), 1, TCSETSW}, {SCMP_SYS(ioctl), 1, TCSETSF},
	{SCMP_SYS(ioctl), 1, TCSBRK}, {SCMP_SYS(ioctl), 1, TCXONC},
	{SCMP_SYS(ioctl), 1, TCFLSH}, {SCMP_SYS(ioctl), 1, TIOCGWINSZ},
	{SCMP_SYS(ioctl), 1, TIOCGPGRP}, {SCMP_SYS(ioctl), 1, TIOCGSID},
	{SCMP_SYS(ioctl), 1, TIOCOUTQ}, {SCMP_SYS(ioctl), 1, FIONREAD},
	{SCMP_SYS(ioctl), 1, FIONBIO}, {SCMP_SYS(ioctl), 1, FIOCLEX},
	{SCMP_SYS(ioctl), 1, FIONCLEX},
	/* not PR_SET_MM, by which a program would pass for ours (doorman.c) */
	{SCMP_SYS(prctl), 0, PR_SET_NAME}, {SCMP_SYS(prctl), 0, PR_GET_NAME},
	{SCMP_SYS(prctl), 0, PR_SET_PDEATHSIG}, {SCMP_SYS(prctl), 0, PR_GET_PDEATHSIG},
	{SCMP_SYS(prctl), 0, PR_SET_DUMPABLE}, {SCMP_SYS(prctl), 0, PR_GET_DUMPABLE},
	{SCMP_SYS(prctl), 0, PR_SET_NO_NEW_PRIVS}, {SCMP_SYS(prctl), 0, PR_CAP_AMBIENT},
	{SCMP_SYS(prctl), 0, PR_CAPBSET_READ}, {SCMP_SYS(prctl), 0, PR_SET_TIMERSLACK},
	{SCMP_SYS(prctl), 0, PR_GET_TIMERSLACK},
	/* the caller itself */
	{SCMP_SYS(prlimit64), 0, 0}, {SCMP_SYS(sched_setaffinity), 0, 0},
	{SCMP_SYS(sched_setparam), 0, 0}, {SCMP_SYS(sched_setscheduler), 0, 0},
	{SCMP_SYS(sched_setattr), 0, 0}};

/* Whatever their arguments are. */
static const struct {
	const int *calls;
	size_t n_calls;
} with_any_argument[] = {{on_files, COUNT(on_files)}, {on_sockets, COUNT(on_sockets)},
	{on_memory, COUNT(on_memory)}, {on_processes, COUNT(on_processes)},
	{on_time_and_signals, COUNT(on_time_and_signals)}};

/* Those of which two arguments count. */
static int allow_by_two(scmp_filter_ctx filter)
{
	const uint32_t yes = SCMP_ACT_ALLOW;
	int failed = seccomp_rule_add(filter, yes, SCMP_SYS(setpriority), 2,
		SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_HALF, PRIO_PROCESS),
		SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, 0));
	for (size_t i = 0; !failed && i < COUNT(connected); i++)
		failed = seccomp_rule_add(filter, yes, SCMP_SYS(socketpair), 2,
			SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_HALF, AF_UNIX),
			SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_TYPE, connected[i]));
	/* O_ASYNC of a terminal sends signals to whom it belongs to (drivers/tty/tty_io.c). */
	return failed ? failed
		      : seccomp_rule_add(filter, yes, SCMP_SYS(fcntl), 2,
				SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, F_SETFL),
				SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, 0));
}

static int allow_some(scmp_filter_ctx filter)
{
	const uint32_t yes = SCMP_ACT_ALLOW;
	unsigned all_new = CLONE_PARENT; /* a child for the shell that called us */
	int failed = allow_by_two(filter);
	for (size_t list = 0; list < COUNT(with_any_argument); list++)
		for (size_t i = 0; !failed && i < with_any_argument[list].n_calls; i++)
			failed = seccomp_rule_add(
				filter, yes, with_any_argument[list].calls[i], 0);
	for (size_t i = 0; !failed && i < COUNT(with_argument); i++)
		failed = seccomp_rule_add(filter, yes, with_argument[i].call, 1,
			SCMP_CMP(with_argument[i].argument, SCMP_CMP_MASKED_EQ, LOW_HALF,
				with_argument[i].value));
	for (size_t i = 0; i < COUNT(namespaces); i++)
		all_new |= namespaces[i];
	if (!failed)
		failed = seccomp_rule_add(filter, yes, SCMP_SYS(clone), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, all_new, 0));
	/* pthread_kill and abort: for the doorman, as its number may be another's one day */
	if (!failed)
		failed = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(tgkill), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_HALF, (scmp_datum_t)getpid()));
	/* what a descriptor stands for */
	return failed ? failed
		      : seccomp_rule_add(filter, yes, SCMP_SYS(newfstatat), 1,
				SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH,
					AT_EMPTY_PATH));
}

/* --- both ----------------------------------------------------------------------------------- */

static int ask_for_some(scmp_filter_ctx filter)
{
	int failed = 0;
	for (size_t i = 0; !failed && i < COUNT(asked_for); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, asked_for[i], 0);
	/* of a name, not of a descriptor */
	return failed ? failed
		      : seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(newfstatat), 1,
				SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0));
}

/* For all threads. From Linux 5.19 on a call that the doorman works on is not interrupted by
   signals that are handled, so it is not made twice; libseccomp does not offer that. */
static int load(const struct sock_fprog *program)
{
	const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC |
			       SECCOMP_FILTER_FLAG_TSYNC_ESRCH |
			       SECCOMP_FILTER_FLAG_NEW_LISTENER;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
	return (int)fd;
}

/* The listener of FILTER; -1 and errno. It is handed over through a pipe: a file would be
   subject to RLIMIT_FSIZE. */
static int load_as_program(scmp_filter_ctx filter)
{
	static struct sock_filter code[BPF_MAXINSNS];
	int listener = -1, pipe_fds[2];
	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	/* With all of it at once, or an error. */
	fcntl(pipe_fds[1], F_SETPIPE_SZ, sizeof(code));
	int failed = seccomp_export_bpf(filter, pipe_fds[1]);
	ssize_t length = failed ? 0 : read(pipe_fds[0], code, sizeof(code));
	if (length > 0) {
		struct sock_fprog program = {
			.len = (unsigned short)((size_t)length / sizeof(*code)),
			.filter = code};
		listener = load(&program);
		failed = listener < 0 ? -errno : 0;
	}
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	errno = -failed;
	return listener;
}

int main_calls_install(bool is_own_user)
{
	bool lists_refused = is_own_user;
#ifdef SANITIZED /* its runtime opens files and traces, whoever we are */
	lists_refused = true;
#endif
	scmp_filter_ctx filter =
		seccomp_init(lists_refused ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS));
	int failed = filter ? ask_for_some(filter) : -ENOMEM;
	if (!failed)
		failed = lists_refused ? refuse_some(filter) : allow_some(filter);
	if (!failed) /* a tree: it is asked at each call */
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	int listener = failed ? -1 : load_as_program(filter);
	int errnum = failed ? -failed : errno;
	seccomp_release(filter);
	errno = errnum;
	return listener;
}
