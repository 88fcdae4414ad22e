/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/asked.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- looking at the caller -------------------------------------------------------------- */

void asked_look_at(struct asked *asked)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)asked->tid);
	asked->mem = open(path, O_RDWR | O_CLOEXEC);
}

bool asked_read_path(const struct asked *asked, uint64_t address, char out[PATH_MAX])
{
	size_t length = 0;
	while (length < PATH_MAX) { /* to the end of a page: the next may not be there */
		size_t piece = 4096 - (address + length) % 4096;
		piece = piece < PATH_MAX - length ? piece : PATH_MAX - length;
		ssize_t got =
			pread(asked->mem, out + length, piece, (off_t)(address + length));
		if (got <= 0)
			return false;
		if (memchr(out + length, '\0', (size_t)got))
			return true;
		length += (size_t)got;
	}
	return false;
}

bool asked_write(
	const struct asked *asked, uint64_t address, const void *bytes, size_t length)
{
	return pwrite(asked->mem, bytes, length, (off_t)address) == (ssize_t)length;
}

int asked_descriptor(const struct asked *asked, int fd)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)asked->tid, fd);
	return open(path, O_PATH | O_CLOEXEC);
}

void asked_look_at_directory(struct asked *asked, int fd)
{
	char link[32];
	asked->directory[0] = '\0';
	asked->dir = fd == AT_FDCWD ? -1 : asked_descriptor(asked, fd);
	if (asked->dir < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", asked->dir);
	ssize_t length = readlink(link, asked->directory, sizeof(asked->directory) - 1);
	asked->directory[length > 0 ? length : 0] = '\0';
}

bool asked_is_valid(const struct asked *asked)
{
	return ioctl(asked->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->id) == 0;
}

/* --- answers ------------------------------------------------------------------------------ */

static void respond(const struct asked *asked, int64_t value, int errnum, uint32_t flags)
{
	struct seccomp_notif_resp response = {.id = asked->id,
		.val = errnum ? 0 : value,
		.error = -errnum,
		.flags = flags};
	/* Without an answer it would wait for ever; without a doorman its call fails. */
	int sent;
	do
		sent = ioctl(asked->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	while (sent != 0 && errno == EINTR);
	if (sent != 0 && errno != ENOENT) /* it has ended */
		_exit(1);
}

void asked_go_on(const struct asked *asked)
{
	respond(asked, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

void asked_answer(const struct asked *asked, int64_t result)
{
	respond(asked, result, result < 0 ? errno : 0, 0);
}

void asked_hand_over(const struct asked *asked, int fd)
{
	struct seccomp_notif_addfd add = {
		.id = asked->id, .srcfd = (uint32_t)fd, .newfd_flags = O_CLOEXEC};
	int number =
		fd < 0 ? -1 : ioctl(asked->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	asked_answer(asked, number);
	if (fd >= 0)
		close(fd);
}
