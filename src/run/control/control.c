/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/control/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Of enum control_kind. */
static const char *const prefixes[] = {"cproftop-", "cproftop-screen-"};

enum {
	CONNECT_WITHIN_S = 10,
	BACKLOG = 8,
};

/* The socket of PID in FOLDER, into ADDRESS and PATH. */
static bool name_socket(struct sockaddr_un *address, char *path, const char *folder,
	enum control_kind kind, pid_t pid, struct error *err)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!folder || folder[0] != '/')
		return error_set(err,
			"XDG_RUNTIME_DIR is not set: there is no folder for "
			"control sockets");
	int length = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s%d",
		folder, prefixes[kind], (int)pid);
	if (length < 0 || (size_t)length >= sizeof(address->sun_path))
		return error_set(err, "%s: too long for a socket", folder);
	if (path)
		memcpy(path, address->sun_path, sizeof(address->sun_path));
	return true;
}

/* Whoever may write to the folder may put something else in the socket's place. */
static bool is_ours(const char *folder, struct error *err)
{
	struct stat status;
	if (lstat(folder, &status) != 0)
		return error_errno(err, errno, "%s", folder);
	if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
		status.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err,
			"%s: is no folder of yours that nobody else may write to: no "
			"control socket is made there",
			folder);
	return true;
}

/* --- the recording ----------------------------------------------------------------- */

bool control_open(struct control *control, const char *folder, enum control_kind kind,
	pid_t pid, struct error *err)
{
	struct sockaddr_un address;
	*control = (struct control){.fd = -1, .peer_fd = -1, .file_fd = -1};
	if (!name_socket(&address, control->path, folder, kind, pid, err) ||
		!is_ours(folder, err))
		return false;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_errno(err, errno, "control socket");
	unlink(control->path); /* of an earlier process with this number */
	mode_t before = umask(S_IRWXG | S_IRWXO | S_IXUSR);
	int failed = bind(fd, (struct sockaddr *)&address, sizeof(address));
	int errnum = errno;
	umask(before);
	if (failed || listen(fd, BACKLOG) != 0) {
		error_errno(err, failed ? errnum : errno, "%s", control->path);
		close(fd);
		return false;
	}
	control->fd = fd;
	return true;
}

static void close_peer(struct control *control)
{
	if (control->peer_fd >= 0)
		close(control->peer_fd);
	if (control->file_fd >= 0)
		close(control->file_fd);
	control->peer_fd = control->file_fd = -1;
}

void control_close(struct control *control)
{
	close_peer(control);
	if (control->fd < 0)
		return;
	unlinkat(AT_FDCWD, control->path, 0);
	close(control->fd);
	control->fd = -1;
}

int control_fd(const struct control *control)
{
	return control->peer_fd >= 0 ? control->peer_fd : control->fd;
}

/* recv(2), and the descriptor that came with it. */
static ssize_t receive(struct control *control, char *text, size_t size)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	struct iovec part = {text, size};
	struct msghdr header = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	ssize_t length = recvmsg(control->peer_fd, &header, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *came = length < 0 ? NULL : CMSG_FIRSTHDR(&header);
	if (came && came->cmsg_level == SOL_SOCKET && came->cmsg_type == SCM_RIGHTS)
		memcpy(&control->file_fd, CMSG_DATA(came), sizeof(int));
	return length;
}

/* The request of the next who connects, a text; false if there is none. Every request must
   be answered. */
static bool take(struct control *control, char request[CONTROL_TEXT_MAX])
{
	if (control->fd < 0)
		return false;
	if (control->peer_fd < 0)
		control->peer_fd =
			accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (control->peer_fd < 0)
		return false;
	ssize_t length = receive(control, request, CONTROL_TEXT_MAX - 1);
	if (length < 0 && errno == EAGAIN)
		return false; /* it has connected, and will speak */
	if (length <= 0) {
		close_peer(control);
		return false;
	}
	request[length] = '\0';
	return true;
}

static void answer(struct control *control, bool done, const char *text)
{
	char answer[CONTROL_TEXT_MAX];
	snprintf(answer, sizeof(answer), "%s %s", done ? "ok" : "error", text);
	if (control->peer_fd >= 0)
		send(control->peer_fd, answer, strlen(answer),
			MSG_NOSIGNAL | MSG_DONTWAIT);
	close_peer(control);
}

/* What follows WORD and a blank in REQUEST; NULL: it is another request. */
static const char *behind(const char *request, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(request, word, length) != 0)
		return NULL;
	return request[length] == ' ' ? request + length + 1
	       : request[length]      ? NULL
				      : request + length;
}

static void serve(
	struct control *control, const struct control_orders *orders, const char *request)
{
	char text[128];
	struct error err;
	const char *mark = behind(request, "mark"), *path = behind(request, "snapshot");
	bool stops = strcmp(request, "stop") == 0;
	if (path && orders->snapshot) {
		bool done = control->file_fd >= 0
				    ? orders->snapshot(orders->context, path,
					      control->file_fd, &err)
				    : error_set(&err, "ctl is of another version: it "
						      "gave no file");
		answer(control, done, done ? path : err.text);
		return;
	}
	if (stops || strcmp(request, "start") == 0) {
		orders->pause(orders->context, stops);
	} else if (mark) {
		orders->mark(orders->context, mark);
	} else if (strcmp(request, "status") != 0) {
		answer(control, false,
			path ? "it is a live screen: write a file with the key x there"
			     : "it does not know that");
		return;
	}
	orders->status(orders->context, text, sizeof(text));
	answer(control, true, text);
}

void control_serve(struct control *control, const struct control_orders *orders)
{
	char request[CONTROL_TEXT_MAX];
	while (take(control, request))
		serve(control, orders, request);
}

/* --- who asks ---------------------------------------------------------------------- */

/* A socket whose process was killed stays behind, so try; and remove it then. */
static int connect_to(
	const char *folder, enum control_kind kind, pid_t pid, struct error *err)
{
	struct sockaddr_un address;
	if (!name_socket(&address, NULL, folder, kind, pid, err))
		return -1;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	/* With enough who ask already, it waits, if the recording is stopped. */
	const struct timeval limit = {.tv_sec = CONNECT_WITHIN_S};
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	int errnum = errno;
	if (errnum == ECONNREFUSED && kill(pid, 0) != 0 && errno == ESRCH)
		unlink(address.sun_path);
	error_set(err, "process %d is no recording of yours that runs (%s)", (int)pid,
		strerror(errnum));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A connection to the only one of KIND that runs; -1: there is none, or *SEVERAL. */
static int connect_to_any(const char *folder, enum control_kind kind, bool *several)
{
	const char *prefix = prefixes[kind];
	int found = -1;
	DIR *dir = opendir(folder);
	*several = false;
	for (struct dirent *entry; dir && !*several && (entry = readdir(dir));) {
		struct error ignored;
		char *end;
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		long pid = strtol(entry->d_name + strlen(prefix), &end, 10);
		int fd = *end || pid <= 0
				 ? -1
				 : connect_to(folder, kind, (pid_t)pid, &ignored);
		if (fd >= 0 && found >= 0) {
			close(fd);
			*several = true;
		} else if (fd >= 0) {
			found = fd;
		}
	}
	if (dir)
		closedir(dir);
	if (!*several)
		return found;
	close(found);
	return -1;
}

/* PID, or if that is 0 the only recording; if there is none, the only screen. */
static int connect_to_one(const char *folder, pid_t pid, struct error *err)
{
	struct sockaddr_un unused;
	bool several;
	if (!name_socket(&unused, NULL, folder, CONTROL_RECORDING, pid, err))
		return -1;
	for (int kind = 0; kind < CONTROL_KINDS; kind++) {
		int fd = pid ? connect_to(folder, kind, pid, err)
			     : connect_to_any(folder, kind, &several);
		if (fd >= 0)
			return fd;
		if (!pid && several) {
			error_set(err, "several %s run: say which with -p PID",
				kind == CONTROL_RECORDING ? "recordings" : "screens");
			return -1;
		}
	}
	if (!pid)
		error_set(err, "no recording runs: start one with 'cproftop record'");
	return -1;
}

static bool exchange(int fd, const char *request, int file_fd, unsigned within_s,
	char *answer, struct error *err)
{
	const struct timeval limit = {.tv_sec = within_s};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {(char *)request, strlen(request)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (file_fd >= 0) {
		header.msg_control = space;
		header.msg_controllen = sizeof(space);
		struct cmsghdr *goes = CMSG_FIRSTHDR(&header);
		goes->cmsg_level = SOL_SOCKET;
		goes->cmsg_type = SCM_RIGHTS;
		goes->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(goes), &file_fd, sizeof(file_fd));
	}
	if (sendmsg(fd, &header, MSG_NOSIGNAL) < 0)
		return error_errno(err, errno, "control socket");
	ssize_t length = recv(fd, answer, CONTROL_TEXT_MAX - 1, 0);
	if (length < 0 && errno == EAGAIN)
		return error_set(err,
			"it has not answered for %u s: is it stopped, or does it have "
			"much to read?",
			within_s);
	if (length < 0)
		return error_errno(err, errno, "control socket");
	answer[length] = '\0';
	if (strncmp(answer, "ok ", 3) == 0) {
		memmove(answer, answer + 3, (size_t)length - 2);
		return true;
	}
	if (strncmp(answer, "error ", 6) == 0)
		return error_set(err, "%s", answer + 6);
	return error_set(err, "the recording gave no answer: it has ended");
}

bool control_ask(const char *folder, pid_t pid, const char *request, int file_fd,
	unsigned within_s, char answer[CONTROL_TEXT_MAX], struct error *err)
{
	int fd = connect_to_one(folder, pid, err);
	if (fd < 0)
		return false;
	bool done = exchange(fd, request, file_fd, within_s, answer, err);
	close(fd);
	return done;
}
