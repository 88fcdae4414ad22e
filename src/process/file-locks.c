/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/file-locks.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/small-file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	LOCKS_BYTES = 256 << 10, /* of /proc/locks; what is beyond is not read */
	FDINFO_BYTES = 512,
	LINE_BYTES = 160,
	READ_EVERY_MS = 200,
};

bool file_locks_waits(const struct snapshot_call *call)
{
	return call->nr == SYS_flock ||
	       (call->nr == SYS_fcntl &&
		       (call->args[1] == F_SETLKW || call->args[1] == F_OFD_SETLKW));
}

/* A line of /proc/locks. */
struct lock_line {
	uint64_t number, inode;
	bool is_waiting, is_flock;
	pid_t pid;
};

static bool parse_line(const char *line, struct lock_line *out)
{
	char type[16], mode[16], access[16];
	long pid;
	int length = 0;
	if (sscanf(line, "%" SCNu64 ": %n", &out->number, &length) != 1 || !length)
		return false;
	line += length;
	line += strspn(line, " "); /* who waits for one that waits stands further right */
	out->is_waiting = strncmp(line, "-> ", 3) == 0;
	if (out->is_waiting)
		line += 3;
	if (sscanf(line, "%15s %15s %15s %ld %*x:%*x:%" SCNu64, type, mode, access, &pid,
		    &out->inode) != 5)
		return false;
	out->is_flock = strcmp(type, "FLOCK") == 0;
	out->pid = pid > 0 ? (pid_t)pid : 0;
	return true;
}

pid_t file_locks_find(const char *text, bool is_flock, pid_t pid, uint64_t inode)
{
	struct lock_line held = {0}, line;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		char one[LINE_BYTES]; /* sscanf would measure all that follows */
		end = strchrnul(text, '\n');
		snprintf(one, sizeof(one), "%.*s", (int)(end - text), text);
		if (!parse_line(one, &line))
			continue;
		if (!line.is_waiting)
			held = line;
		else if (line.pid == pid && line.is_flock == is_flock &&
			 (line.inode == inode || inode == 0) &&
			 held.number == line.number)
			return held.pid;
	}
	return 0;
}

/* fdinfo has the inode since Linux 5.14. */
static uint64_t inode_of(int proc_fd, int fd)
{
	char path[32], text[FDINFO_BYTES];
	unsigned long long inode;
	snprintf(path, sizeof(path), "fdinfo/%d", fd);
	small_file_read(proc_fd, path, text, sizeof(text));
	return status_number(text, "\nino:", 0, 10, &inode) ? inode : 0;
}

pid_t file_locks_holder(struct file_locks *locks, const struct snapshot_call *call,
	int proc_fd, pid_t pid, uint64_t now_ns)
{
	if (!locks->text)
		locks->text = mem_alloc(LOCKS_BYTES);
	if (!locks->read_ns || now_ns - locks->read_ns > READ_EVERY_MS * NS_PER_MS)
		small_file_read(AT_FDCWD, "/proc/locks", locks->text, LOCKS_BYTES);
	else
		now_ns = locks->read_ns;
	locks->read_ns = now_ns;
	return file_locks_find(locks->text, call->nr == SYS_flock, pid,
		inode_of(proc_fd, (int)call->args[0]));
}

void file_locks_finish(struct file_locks *locks)
{
	free(locks->text);
	locks->text = NULL;
}
