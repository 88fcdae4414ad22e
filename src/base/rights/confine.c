/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/confine.h"

#include "src/base/rights/first-victim.h"
#include "src/base/rights/own-user.h"
#include "src/base/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Files are mapped. More than the largest that are. */
#define ADDRESS_BYTES (UINT64_C(6) << 30)

/* The largest debug sections that are read (src/read/elf/elf-lines.c), unpacked, and half as
   much for what libdw makes of them. */
#define DATA_BYTES (UINT64_C(3) << 29)

static void limit(int resource, rlim_t to)
{
	struct rlimit both = {.rlim_cur = to, .rlim_max = to};
	setrlimit((__rlimit_resource_t)resource, &both);
}

#ifndef SANITIZED
/* Of the address space, in bytes; much if that is not known. */
static uint64_t mapped_bytes(void)
{
	char text[128] = "";
	int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t got = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;
	if (file >= 0)
		close(file);
	return got > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE)
		       : UINT64_C(1) << 40;
}
#endif

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &header, none);
}

void confine_keeping_user(void)
{
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limit(RLIMIT_CORE, 0);
}

void confine_identity(size_t beside)
{
	first_victim(FIRST_VICTIM_OF_ALL);
	if (geteuid() == 0 && !own_user_become())
		errno = 0; /* root without capabilities then */
	confine_keeping_user();
	limit(RLIMIT_FSIZE, 0);
#ifndef SANITIZED /* whose shadow memory is terabytes */
	limit(RLIMIT_AS, mapped_bytes() + ADDRESS_BYTES + beside);
	limit(RLIMIT_DATA, DATA_BYTES);
#else
	(void)beside;
#endif
}

void confine_memory(size_t bytes)
{
#ifdef SANITIZED
	(void)bytes;
#else
	limit(RLIMIT_DATA, bytes);
#endif
}

void confine_time(unsigned seconds)
{
	const struct rlimit limit = {seconds, seconds};
	setrlimit(RLIMIT_CPU, &limit);
}
