/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/descriptor.h"

#include "src/base/small-file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum descriptor_kind descriptor_of_link(const char *link)
{
	return begins(link, "pipe:[") ? DESCRIPTOR_PIPE : DESCRIPTOR_OTHER;
}

/* The name is that of struct proto (sock_alloc_file, net/socket.c). DATAGRAMS are only
   protocols that never split or merge messages; SCTP and vsock have one name for sockets
   of both types. Before Linux 5.15 all unix sockets are "UNIX". */
enum descriptor_kind descriptor_of_protocol(const char *name)
{
	static const struct {
		const char *name;
		enum descriptor_kind kind;
	} table[] = {
		{"TCP", DESCRIPTOR_TCP},
		{"TCPv6", DESCRIPTOR_TCP},
		{"UNIX-STREAM", DESCRIPTOR_UNIX_STREAM},
		{"UNIX", DESCRIPTOR_DATAGRAMS},
		{"UDP", DESCRIPTOR_DATAGRAMS},
		{"UDPv6", DESCRIPTOR_DATAGRAMS},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(name, table[i].name) == 0)
			return table[i].kind;
	return DESCRIPTOR_OTHER;
}

/* Documentation/admin-guide/devices.txt. */
static enum descriptor_kind of_character_device(
	unsigned device_major, unsigned device_minor)
{
	enum {
		MEMORY = 1,
		VIRTUAL_CONSOLE = 4,
		TERMINAL = 5, /* /dev/tty, /dev/console, /dev/ptmx */
		MISC = 10,
		MISC_HWRNG = 183,
		PTY_MASTER = 128,
		PTY_LAST = 143,
		ACM = 166,
		USB_SERIAL = 188,
		SERIAL = 204,
		HYPERVISOR_CONSOLE = 229,
	};
	static const enum descriptor_kind memory[] = {
		[3] = DESCRIPTOR_FILE, /* null */
		[5] = DESCRIPTOR_ZEROS,
		[7] = DESCRIPTOR_ZEROS, /* full */
		[8] = DESCRIPTOR_RANDOM,
		[9] = DESCRIPTOR_RANDOM,
	};
	switch (device_major) {
	case MEMORY:
		return device_minor < sizeof(memory) / sizeof(*memory)
			       ? memory[device_minor]
			       : DESCRIPTOR_OTHER;
	case MISC:
		return device_minor == MISC_HWRNG ? DESCRIPTOR_HWRNG : DESCRIPTOR_OTHER;
	case VIRTUAL_CONSOLE:
	case TERMINAL:
	case PTY_MASTER ... PTY_LAST:
	case ACM:
	case USB_SERIAL:
	case SERIAL:
	case HYPERVISOR_CONSOLE:
		return DESCRIPTOR_TERMINAL;
	default:
		return DESCRIPTOR_OTHER;
	}
}

enum descriptor_kind descriptor_of_file(
	mode_t mode, unsigned device_major, unsigned device_minor)
{
	if (S_ISREG(mode) || S_ISBLK(mode))
		return DESCRIPTOR_FILE;
	if (S_ISFIFO(mode))
		return DESCRIPTOR_PIPE;
	if (S_ISCHR(mode))
		return of_character_device(device_major, device_minor);
	return DESCRIPTOR_OTHER;
}

bool descriptor_blocks(const char *fdinfo)
{
	const char *flags = strstr(fdinfo, "flags:");
	return flags &&
	       !(strtoul(flags + strlen("flags:"), NULL, 8) & (unsigned long)O_NONBLOCK);
}

static bool is_any_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Can the file at LINK be of a WANTED kind? Most files of which a read is short are at
   their end and need no further look. Endless devices have these names, whatever the root
   folder is. */
static bool may_be_wanted(const char *link, unsigned wanted)
{
	static const char *const endless[] = {
		"zero", "full", "random", "urandom", "hwrng", NULL};
	if (wanted & ~(unsigned)DESCRIPTOR_ENDLESS)
		return true;
	return is_any_of(strrchr(link, '/') + 1, endless);
}

static enum descriptor_kind look_at_file(const char *path)
{
	struct statx file;
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE,
		    &file) != 0)
		return DESCRIPTOR_OTHER;
	return descriptor_of_file(
		file.stx_mode, file.stx_rdev_major, file.stx_rdev_minor);
}

static enum descriptor_kind look_at_socket(const char *path)
{
	char name[64];
	ssize_t length = getxattr(path, "system.sockprotoname", name, sizeof(name) - 1);
	if (length < 0)
		return DESCRIPTOR_OTHER;
	name[length] = '\0';
	return descriptor_of_protocol(name);
}

static bool look_whether_it_blocks(pid_t tid, int fd)
{
	char path[48], text[256];
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)tid, fd);
	return small_file_read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	       descriptor_blocks(text);
}

struct descriptor descriptor_look(pid_t tid, int fd, unsigned wanted)
{
	struct descriptor found = {DESCRIPTOR_OTHER, false};
	char path[48], link[256];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, fd);
	ssize_t length = readlink(path, link, sizeof(link) - 1);
	if (length <= 0)
		return found;
	link[length] = '\0';
	found.kind = descriptor_of_link(link);
	if (begins(link, "socket:["))
		found.kind = look_at_socket(path);
	else if (link[0] == '/' && may_be_wanted(link, wanted))
		found.kind = look_at_file(path);
	unsigned at_once = DESCRIPTOR_FILE | DESCRIPTOR_ZEROS | DESCRIPTOR_RANDOM;
	if (found.kind & wanted)
		found.blocks = (found.kind & at_once) || look_whether_it_blocks(tid, fd);
	return found;
}

/* By a descriptor of our own for the same socket, for microseconds. */
bool descriptor_has_failed(pid_t tid, int fd)
{
	enum {
		OF_THREAD = O_EXCL, /* PIDFD_THREAD; before Linux 6.9 only the leader's */
	};
	int process = (int)syscall(SYS_pidfd_open, tid, OF_THREAD);
	if (process == -1)
		process = (int)syscall(SYS_pidfd_open, tid, 0);
	int own = process == -1 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	struct pollfd look = {.fd = own};
	int bytes = 0;
	bool failed = own != -1 && poll(&look, 1, 0) == 1 && (look.revents & POLLERR) &&
		      (look.revents & POLLHUP) && ioctl(own, FIONREAD, &bytes) == 0 &&
		      bytes == 0;
	if (own != -1)
		close(own);
	if (process != -1)
		close(process);
	return failed;
}
