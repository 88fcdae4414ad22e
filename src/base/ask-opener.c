/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/ask-opener.h"

#include "src/base/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int opener_socket = -1;

void ask_opener_over(int socket)
{
	opener_socket = socket;
}

bool ask_opener_is_used(void)
{
	return opener_socket >= 0;
}

ssize_t ask_opener(struct opener_question *question, int dir_fd, const void *texts,
	size_t length, struct opener_answer *answer, void *out, size_t size, int *fd)
{
	struct stat folder;
	if (fd)
		*fd = -1;
	bool shows = dir_fd >= 0 && fstat(dir_fd, &folder) == 0;
	question->device = shows ? folder.st_dev : 0;
	question->folder = shows ? folder.st_ino : 0;
	if (!packet_send(opener_socket, PACKET_WAIT, question, sizeof(*question), texts,
		    length, shows ? -1 : dir_fd))
		return -1;
	ssize_t got = packet_receive(
		opener_socket, PACKET_WAIT, answer, sizeof(*answer), out, size, fd);
	if (got >= 0 && answer->errnum == 0)
		return got;
	errno = got < 0 ? EIO : answer->errnum;
	return -1;
}

int ask_opener_file(struct opener_question *question, int dir_fd, const char *text)
{
	struct opener_answer answer;
	int fd;
	ask_opener(question, dir_fd, text, strlen(text) + 1, &answer, NULL, 0, &fd);
	return fd;
}

int ask_opener_open(int dir_fd, const char *path, int flags)
{
	struct opener_question question = {.kind = OPENER_OPEN};
	return ask_opener_is_used() ? ask_opener_file(&question, dir_fd, path)
				    : openat(dir_fd, path, flags);
}

size_t ask_opener_links(
	int dir_fd, const char *texts, size_t count, char *out, size_t size, int *errnum)
{
	struct opener_question question = {
		.kind = OPENER_LINKS, .number = (int32_t)count};
	struct opener_answer answer;
	size_t length = 0;
	if (!ask_opener_is_used())
		return opener_packet_links(
			dir_fd, texts, count, out, size, &length, errnum);
	for (size_t i = 0; i < count; i++)
		length += strlen(texts + length) + 1;
	ssize_t got =
		ask_opener(&question, dir_fd, texts, length, &answer, out, size, NULL);
	*errnum = got < 0 ? errno : answer.link_errnum;
	return got < 0 ? 0 : (size_t)answer.number;
}

ssize_t ask_opener_link(int dir_fd, const char *path, char *out, size_t size)
{
	char link[PATH_MAX];
	int errnum;
	if (!ask_opener_is_used())
		return readlinkat(dir_fd, path, out, size);
	if (ask_opener_links(dir_fd, path, 1, link, sizeof(link), &errnum) == 0 ||
		!link[0]) {
		errno = errnum ? errnum : ENOENT;
		return -1;
	}
	size_t length = strlen(link);
	length = length < size ? length : size;
	memcpy(out, link, length);
	return (ssize_t)length;
}

bool ask_opener_exists(int dir_fd, const char *path)
{
	struct opener_question question = {.kind = OPENER_EXISTS};
	struct opener_answer answer;
	struct stat status;
	if (!ask_opener_is_used()) /* access(2) would ask with the real user's rights alone */
		return fstatat(dir_fd, path, &status, 0) == 0;
	return ask_opener(&question, dir_fd, path, strlen(path) + 1, &answer, NULL, 0,
		       NULL) >= 0;
}

ssize_t ask_opener_memory(
	int dir_fd, pid_t tid, void *out, size_t length, uint64_t address)
{
	struct iovec here = {out, length}, there = {(void *)(uintptr_t)address, length};
	struct opener_question question = {.kind = OPENER_MEMORY, .number = tid};
	struct opener_answer answer;
	if (!ask_opener_is_used())
		return process_vm_readv(tid, &here, 1, &there, 1, 0);
	size_t done = 0;
	ssize_t got;
	do {
		size_t rest = length - done;
		question.length = rest < OPENER_BYTES_MAX ? rest : OPENER_BYTES_MAX;
		question.address = address + done;
		got = ask_opener(&question, dir_fd, NULL, 0, &answer, (char *)out + done,
			rest, NULL);
		done += got > 0 ? (size_t)got : 0;
	} while (got == OPENER_BYTES_MAX && done < length);
	return done > 0 ? (ssize_t)done : got;
}
