/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/give-up.h"

#include "src/doorman/doorman.h"
#include "src/rights/own-user.h"
#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* headers before Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum {
	TRIAL_WITHIN_MS = 5000, /* it takes some ms; a busy machine may need more */
};

/* For the doorman. */
static const int asked_for[] = {SCMP_SYS(openat), SCMP_SYS(readlinkat),
	SCMP_SYS(unlinkat), SCMP_SYS(renameat), SCMP_SYS(kill)};

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
	SCMP_SYS(socket)};

/* New processes stay in the namespaces of this one. clone3 hides its flags from a filter: the C
   library takes clone where there is none. */
static const unsigned namespaces[] = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS,
	CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};

/* They type at the terminal in the place of the user, so a shell reads it when we have ended. */
static const unsigned typing[] = {TIOCSTI, TIOCLINUX};

static int add_rules(scmp_filter_ctx filter)
{
	int failed = 0;
	for (size_t i = 0; !failed && i < sizeof(asked_for) / sizeof(*asked_for); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, asked_for[i], 0);
	for (size_t i = 0; !failed && i < sizeof(refused) / sizeof(*refused); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
	for (size_t i = 0; !failed && i < sizeof(namespaces) / sizeof(*namespaces); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone),
			1, SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i]));
	if (!failed)
		failed = seccomp_rule_add(
			filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	/* the kernel reads 32 bits of the number */
	for (size_t i = 0; !failed && i < sizeof(typing) / sizeof(*typing); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl),
			1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, typing[i]));
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

/* The listener of FILTER; -1 and errno. */
static int load_as_program(scmp_filter_ctx filter)
{
	struct stat status;
	int listener = -1, file = memfd_create("filter", MFD_CLOEXEC);
	int failed = file < 0 ? -errno : seccomp_export_bpf(filter, file);
	if (!failed && fstat(file, &status) == 0) {
		size_t size = (size_t)status.st_size;
		struct sock_fprog program = {
			.len = (unsigned short)(size / sizeof(struct sock_filter)),
			.filter = malloc(size)};
		if (program.filter &&
			pread(file, program.filter, size, 0) == (ssize_t)size)
			listener = load(&program);
		failed = listener < 0 ? -errno : 0;
		free(program.filter);
	}
	if (file >= 0)
		close(file);
	errno = -failed;
	return listener;
}

/* The listener of a filter for all threads; -1 and errno. */
static int install(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int failed = filter ? add_rules(filter) : -ENOMEM;
	int listener = failed ? -1 : load_as_program(filter);
	int errnum = failed ? -failed : errno;
	seccomp_release(filter);
	errno = errnum;
	return listener;
}

/* Before it is too late: can the doorman read the paths of a process that is not its own
   user's? Not to be traced is the same to it. */
static bool is_understood(const char **what)
{
	prctl(PR_SET_DUMPABLE, 0);
	int fd = open(DOORMAN_PROBE, O_RDONLY | O_CLOEXEC);
	bool done = fd >= 0, is_old = errno == EINVAL;
	if (done)
		close(fd);
	prctl(PR_SET_DUMPABLE, 1);
	*what = is_old ? "this kernel cannot hand over descriptors (before Linux 5.9)"
		       : "this root may not look into other processes (CAP_SYS_PTRACE, "
			 "Yama)";
	errno = EPERM;
	return done;
}

bool give_up_rights(const struct doorman_rules *rules, const char **what)
{
	int socket;
	*what = "cannot start the process that opens files";
	pid_t doorman = doorman_start(rules, &socket);
	if (doorman < 0)
		return false;
	*what = "cannot install the filter of system calls";
	int listener = install();
	bool done = listener >= 0 && doorman_hand_over(socket, listener);
	int errnum = errno;
	if (listener >= 0)
		close(listener);
	close(socket);
	if (listener < 0)
		waitpid(doorman, NULL, 0); /* it ends with the socket */
	errno = errnum;
	if (!done || !is_understood(what))
		return false;
	*what = "cannot become a user without rights";
	done = own_user_become();
#ifdef SANITIZED
	prctl(PR_SET_DUMPABLE, 1);
#endif
	return done;
}

bool give_up_is_possible(const char **what)
{
	static const struct doorman_rules nothing;
	static char refused_for[128];
	int pipe_fds[2];
	ssize_t length = -1;
	*what = "cannot start a process";
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return false;
	pid_t child = fork();
	if (child == 0) {
		const char *why = "";
		if (give_up_rights(&nothing, &why))
			why = "";
		_exit(write(pipe_fds[1], why, strlen(why) + 1) > 0 ? 0 : 1);
	}
	close(pipe_fds[1]);
	if (child > 0) {
		struct pollfd wait = {.fd = pipe_fds[0], .events = POLLIN};
		if (poll(&wait, 1, TRIAL_WITHIN_MS) == 1) {
			length = read(pipe_fds[0], refused_for, sizeof(refused_for) - 1);
		} else {
			*what = "the process that opens files does not answer";
			kill(child, SIGKILL);
		}
		waitpid(child, NULL, 0);
	}
	close(pipe_fds[0]);
	if (length <= 0)
		return false;
	*what = refused_for;
	return !refused_for[0];
}
