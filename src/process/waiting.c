/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/waiting.h"

#include "src/base/ask-opener.h"
#include "src/base/clean.h"

#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TARGET_MAX = 96, /* of where a descriptor leads, as shown */
	KIND_MAX = 24,	 /* "socket", "file" */
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
	ssize_t length =
		proc_fd < 0 ? -1 : ask_opener_link(proc_fd, path, raw, sizeof(raw));
	if (length > 0)
		clean_text(out, size, raw, (size_t)length);
	return length > 0;
}

/* What the kernel calls an object without a path: "anon_inode:[timerfd]" is a timerfd, but
   inotify has no brackets. Names of modules are letters, too. */
static void kind_of_anonymous(const char *name, char out[KIND_MAX])
{
	name += *name == '[';
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_-");
	snprintf(out, KIND_MAX, "%.*s", (int)length, name);
}

/* The kind of object that LINK leads to. Its type is not asked for: stat on a file waits
   for the file system's server, and a target can let it wait for ever. */
static void kind_of(const char *link, char out[KIND_MAX])
{
	static const struct {
		const char *prefix, *kind;
	} kinds[] = {
		{"socket:[", "socket"},
		{"pipe:[", "pipe"},
		{"/memfd:", "memfd"},
		{"/dev/pts/", "terminal"},
		{"/dev/tty", "terminal"},
		{"/dev/shm/", "file"},
		{"/dev/mqueue/", "queue"},
		{"/dev/", "device"},
		{"/", "file"},
	};
	static const char anonymous[] = "anon_inode:";
	out[0] = '\0';
	if (strncmp(link, anonymous, sizeof(anonymous) - 1) == 0) {
		kind_of_anonymous(link + sizeof(anonymous) - 1, out);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(link, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
			snprintf(out, KIND_MAX, "%s", kinds[i].kind);
			return;
		}
	}
}

static void describe_descriptor(
	const char *name, int fd, int proc_fd, struct waiting *out)
{
	char link[TARGET_MAX], kind[KIND_MAX] = "";
	if (read_descriptor(proc_fd, fd, link, sizeof(link))) {
		kind_of(link, kind);
		snprintf(out->object, sizeof(out->object), "fd %d -> %s", fd, link);
	} else {
		snprintf(out->object, sizeof(out->object), "fd %d", fd);
	}
	snprintf(
		out->name, sizeof(out->name), "[%s%s%s]", name, kind[0] ? " " : "", kind);
}

void waiting_of(const struct snapshot_call *call, int proc_fd, struct waiting *out)
{
	*out = (struct waiting){.object = ""};
	if (call->task_state == 'T' || call->task_state == 't') {
		snprintf(out->name, sizeof(out->name), "[stopped]");
		return;
	}
	if (call->nr < 0) {
		/* Asleep without a system call: in a page fault. */
		snprintf(out->name, sizeof(out->name), "[page fault]");
		return;
	}
	char name[64];
	name_call(call, name, sizeof(name));
	snprintf(out->name, sizeof(out->name), "[%s]", name);
	int fd = (int)call->args[0];
	switch (object_of(name)) {
	case OBJECT_ADDRESS:
		/* The arguments of restart_syscall are not those of the original call. */
		if (!call->wchan[0])
			snprintf(out->object, sizeof(out->object), "0x%" PRIx64,
				call->args[0]);
		break;
	case OBJECT_DESCRIPTOR:
		describe_descriptor(name, fd, proc_fd, out);
		break;
	case OBJECT_QUEUE:
		snprintf(out->object, sizeof(out->object), "fd %d", fd);
		break;
	case OBJECT_NONE:
		break;
	}
}

bool waiting_syscall(const char *name, char out[WAITING_MAX])
{
	if (name[0] != '[')
		return false;
	size_t length = strcspn(name + 1, " ]");
	if (length == 0 || length >= WAITING_MAX)
		return false;
	memcpy(out, name + 1, length);
	out[length] = '\0';
	return seccomp_syscall_resolve_name(out) != __NR_SCMP_ERROR;
}
