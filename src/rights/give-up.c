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

bool give_up_rights(const struct doorman_rules *rules, const char **what)
{
	int socket;
	*what = "cannot start the process that opens files";
	pid_t doorman = doorman_start(rules, &socket);
	if (doorman < 0)
		return false;
	*what = "cannot become a user without rights";
	if (!own_user_become() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
#ifdef SANITIZED
	prctl(PR_SET_DUMPABLE, 1);
#endif
	*what = "cannot install the filter of system calls";
	int listener = install();
	bool done = listener >= 0 && doorman_hand_over(socket, listener);
	if (listener >= 0)
		close(listener);
	close(socket);
	return done;
}
