/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

unsigned tracer_control_hz(const struct tracer_control *control)
{
	unsigned hz = control->frequency_hz;
	return hz < TRACER_MAX_HZ ? hz : TRACER_MAX_HZ;
}

bool tracer_control_wall(const struct tracer_control *control)
{
	return control->wall != 0;
}

bool tracer_send(
	int socket, const struct tracer_message *message, const int *fds, size_t n_fds)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(TRACER_FDS * sizeof(int))] = {0};
	struct iovec part = {(void *)(uintptr_t)message, sizeof(*message)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (n_fds > 0) {
		header.msg_control = space;
		header.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(rights), fds, n_fds * sizeof(int));
	}
	ssize_t sent;
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == sizeof(*message);
}

bool tracer_receive(
	int socket, struct tracer_message *message, int fds[TRACER_FDS], bool *end)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(TRACER_FDS * sizeof(int))];
	struct iovec part = {message, sizeof(*message)};
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	memset(fds, -1, TRACER_FDS * sizeof(*fds));
	ssize_t got;
	do
		got = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*end = got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
	if (got != sizeof(*message))
		return false;
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	if (rights &&
		rights->cmsg_type == SCM_RIGHTS) /* no more than there is room for */
		memcpy(fds, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
	return true;
}
