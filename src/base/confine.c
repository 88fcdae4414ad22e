/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

enum {
	NOBODY = 65534, /* Documentation/admin-guide/sysctl/fs.rst: overflowuid */
};

/* Files are mapped. More than the largest that are. */
#define ADDRESS_BYTES (UINT64_C(6) << 30)

/* The largest debug sections that are read (src/elf/elf-lines.c), unpacked, and half as
   much for what libdw makes of them. */
#define DATA_BYTES (UINT64_C(3) << 29)

static void limit(int resource, rlim_t to)
{
	struct rlimit both = {.rlim_cur = to, .rlim_max = to};
	setrlimit((__rlimit_resource_t)resource, &both);
}

static void go_first_when_memory_ends(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4)
		errno = 0; /* then it does not */
	close(fd);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &header, none);
}

void confine_identity(void)
{
	go_first_when_memory_ends();
	if (geteuid() == 0) {
		bool dropped = setgroups(0, NULL) == 0;
		dropped &= setresgid(NOBODY, NOBODY, NOBODY) == 0;
		dropped &= setresuid(NOBODY, NOBODY, NOBODY) == 0;
		errno = dropped ? 0 : errno; /* root without capabilities then */
	}
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
#ifndef SANITIZED /* whose shadow memory is terabytes */
	limit(RLIMIT_AS, ADDRESS_BYTES);
	limit(RLIMIT_DATA, DATA_BYTES);
#endif
}

#ifndef SANITIZED

void confine_memory(size_t bytes)
{
	limit(RLIMIT_DATA, bytes);
}

static const int allowed[] = {
	/* what is open, and what is opened for reading (below) */
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(fcntl), SCMP_SYS(dup), SCMP_SYS(close),
	SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
	/* memory (mmap and mprotect: below) */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(getrandom),
	/* itself */
	SCMP_SYS(setitimer), SCMP_SYS(setpriority), SCMP_SYS(clock_gettime),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(tgkill), /* abort() */
	SCMP_SYS(exit), SCMP_SYS(exit_group)};

static bool allow_some(scmp_filter_ctx filter)
{
	bool added = true;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		added &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
	added &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
	added &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
	added &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC,
				 O_RDONLY)) == 0;
	return added;
}

void confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (filter && allow_some(filter))
		seccomp_load(filter);
	seccomp_release(filter);
}

#else

void confine_memory(size_t bytes)
{
	(void)bytes;
}

void confine_calls(void)
{
}

#endif
