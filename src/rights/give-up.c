/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/rights/give-up.h"

#include "src/rights/doorman.h"
#include "src/rights/own-user.h"
#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
	SCMP_SYS(chroot), SCMP_SYS(io_uring_setup), SCMP_SYS(seccomp)};

/* The listener of a filter for all threads; -1 and errno. */
static int install(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int failed =
		filter ? seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) : -ENOMEM;
	for (size_t i = 0; !failed && i < sizeof(asked_for) / sizeof(*asked_for); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, asked_for[i], 0);
	for (size_t i = 0; !failed && i < sizeof(refused) / sizeof(*refused); i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
	/* as lstat(2) does: of a name, not of a descriptor */
	if (!failed)
		failed = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(newfstatat),
			1,
			SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW,
				AT_SYMLINK_NOFOLLOW));
	if (!failed)
		failed = seccomp_load(filter);
	int listener = failed ? -1 : seccomp_notify_fd(filter);
	seccomp_release(filter);
	errno = failed ? -failed : errno;
	return listener;
}

/* Before it is too late: can the doorman read the paths of a process that is not its own
   user's? Not to be traced is the same to it. */
static bool is_understood(const char **what)
{
	prctl(PR_SET_DUMPABLE, 0);
	int fd = open(DOORMAN_PROBE, O_RDONLY | O_CLOEXEC);
	bool done = fd < 0 && errno == EALREADY;
	if (fd >= 0)
		close(fd);
	prctl(PR_SET_DUMPABLE, 1);
	*what = "this root may not look into other processes (CAP_SYS_PTRACE, Yama)";
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
