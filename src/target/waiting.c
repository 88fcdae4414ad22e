/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/target/waiting.h"

#include "src/base/clean.h"

#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TARGET_MAX = 96 /* of where a descriptor leads, as shown */
};

/* The type of the first argument, for calls that can sleep long. For other calls the name
   is enough. */
enum object {
	OBJECT_NONE,
	OBJECT_ADDRESS,	   /* an address in the program's memory: a lock */
	OBJECT_DESCRIPTOR, /* a descriptor: say where it leads */
	OBJECT_QUEUE,	   /* a descriptor of events: its number is enough */
};

static enum object object_of(const char *name)
{
	static const struct {
		const char *name;
		enum object object;
	} calls[] = {
		{"accept", OBJECT_DESCRIPTOR},
		{"accept4", OBJECT_DESCRIPTOR},
		{"connect", OBJECT_DESCRIPTOR},
		{"copy_file_range", OBJECT_DESCRIPTOR},
		{"epoll_pwait", OBJECT_QUEUE},
		{"epoll_pwait2", OBJECT_QUEUE},
		{"epoll_wait", OBJECT_QUEUE},
		{"fallocate", OBJECT_DESCRIPTOR},
		{"fcntl", OBJECT_DESCRIPTOR},
		{"fdatasync", OBJECT_DESCRIPTOR},
		{"flock", OBJECT_DESCRIPTOR},
		{"fsync", OBJECT_DESCRIPTOR},
		{"ftruncate", OBJECT_DESCRIPTOR},
		{"futex", OBJECT_ADDRESS},
		{"futex_wait", OBJECT_ADDRESS},
		{"getdents64", OBJECT_DESCRIPTOR},
		{"io_uring_enter", OBJECT_QUEUE},
		{"ioctl", OBJECT_DESCRIPTOR},
		{"mq_timedreceive", OBJECT_DESCRIPTOR},
		{"mq_timedsend", OBJECT_DESCRIPTOR},
		{"pread64", OBJECT_DESCRIPTOR},
		{"preadv", OBJECT_DESCRIPTOR},
		{"preadv2", OBJECT_DESCRIPTOR},
		{"pwrite64", OBJECT_DESCRIPTOR},
		{"pwritev", OBJECT_DESCRIPTOR},
		{"pwritev2", OBJECT_DESCRIPTOR},
		{"read", OBJECT_DESCRIPTOR},
		{"readv", OBJECT_DESCRIPTOR},
		{"recvfrom", OBJECT_DESCRIPTOR},
		{"recvmmsg", OBJECT_DESCRIPTOR},
		{"recvmsg", OBJECT_DESCRIPTOR},
		{"sendfile", OBJECT_DESCRIPTOR},
		{"sendmmsg", OBJECT_DESCRIPTOR},
		{"sendmsg", OBJECT_DESCRIPTOR},
		{"sendto", OBJECT_DESCRIPTOR},
		{"splice", OBJECT_DESCRIPTOR},
		{"write", OBJECT_DESCRIPTOR},
		{"writev", OBJECT_DESCRIPTOR},
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].object;
	return OBJECT_NONE;
}

/* restart_syscall continues an interrupted call and has its own number. The kernel
   function tells which call it was (one of those that set a restart block). */
static const char *restarted_name(const char *wchan)
{
	static const struct {
		const char *part, *name;
	} functions[] = {
		{"nanosleep", "nanosleep"},
		{"futex", "futex"},
		{"poll", "poll"},
	};
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strstr(wchan, functions[i].part))
			return functions[i].name;
	return "restart_syscall";
}

static void name_call(const struct snapshot_call *call, char *out, size_t size)
{
	char *name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), call->nr);
	if (!name)
		snprintf(out, size, "system call %d", call->nr);
	else if (strcmp(name, "restart_syscall") == 0)
		snprintf(out, size, "%s", restarted_name(call->wchan));
	else
		snprintf(out, size, "%s", name);
	free(name);
}

/* "socket:[123]", "pipe:[5]", "/var/log/x": what the link says, cleaned. */
static bool read_descriptor(int proc_fd, int fd, char *out, size_t size)
{
	char path[32], raw[512];
	snprintf(path, sizeof(path), "fd/%d", fd);
	ssize_t length = readlinkat(proc_fd, path, raw, sizeof(raw));
	if (length > 0)
		clean_text(out, size, raw, (size_t)length);
	return length > 0;
}

void waiting_label(const struct snapshot_call *call, int proc_fd, char out[WAITING_MAX])
{
	if (call->task_state == 'T' || call->task_state == 't') {
		snprintf(out, WAITING_MAX, "[stopped]");
		return;
	}
	if (call->nr < 0) {
		/* Asleep without a system call: in a page fault. */
		snprintf(out, WAITING_MAX, "[page fault]");
		return;
	}
	char name[64], target[TARGET_MAX];
	name_call(call, name, sizeof(name));
	int fd = (int)call->args[0];
	switch (object_of(name)) {
	case OBJECT_ADDRESS:
		/* The arguments of restart_syscall are not those of the original call. */
		if (!call->wchan[0]) {
			snprintf(out, WAITING_MAX, "[%s 0x%" PRIx64 "]", name,
				call->args[0]);
			return;
		}
		break;
	case OBJECT_DESCRIPTOR:
		if (proc_fd >= 0 && read_descriptor(proc_fd, fd, target, sizeof(target)))
			snprintf(out, WAITING_MAX, "[%s fd %d -> %s]", name, fd, target);
		else
			snprintf(out, WAITING_MAX, "[%s fd %d]", name, fd);
		return;
	case OBJECT_QUEUE:
		snprintf(out, WAITING_MAX, "[%s fd %d]", name, fd);
		return;
	case OBJECT_NONE:
		break;
	}
	snprintf(out, WAITING_MAX, "[%s]", name);
}

bool waiting_syscall(const char *label, char out[WAITING_MAX])
{
	if (label[0] != '[')
		return false;
	size_t length = strcspn(label + 1, " ]");
	if (length == 0 || length >= WAITING_MAX)
		return false;
	memcpy(out, label + 1, length);
	out[length] = '\0';
	return seccomp_syscall_resolve_name(out) != __NR_SCMP_ERROR;
}
