/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/packet.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int flags_of(enum packet_wait wait)
{
	return wait == PACKET_AT_ONCE ? MSG_DONTWAIT : 0;
}

bool packet_send(int socket, enum packet_wait wait, const void *head, size_t head_bytes,
	const void *bytes, size_t length, int fd)
{
	union control control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
					 .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS}};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	struct iovec parts[] = {
		{.iov_base = (void *)(uintptr_t)head, .iov_len = head_bytes},
		{.iov_base = (void *)(uintptr_t)bytes, .iov_len = length},
	};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = length ? 2 : 1};
	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
	}
	ssize_t sent;
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL | flags_of(wait));
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

ssize_t packet_receive(int socket, enum packet_wait wait, void *head, size_t head_bytes,
	void *bytes, size_t size, int *fd)
{
	union control control;
	struct iovec parts[] = {
		{.iov_base = head, .iov_len = head_bytes},
		{.iov_base = bytes, .iov_len = size},
	};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	if (fd) {
		*fd = -1;
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
	}
	ssize_t got;
	do
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags_of(wait));
	while (got < 0 && errno == EINTR);
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (fd && got > 0 && header && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	if (got == 0)
		errno = EPIPE;
	if (got <= 0)
		return -1;
	return (size_t)got < head_bytes || (message.msg_flags & MSG_TRUNC)
		       ? -2
		       : got - (ssize_t)head_bytes;
}
