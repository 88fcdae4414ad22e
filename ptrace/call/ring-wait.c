/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/call/ring-wait.h"

#include "src/process/memory.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	ENTER_ABS_TIMER = 1U << 5, /* not in all versions of linux/io_uring.h */

	/* Looks at a ring that another thread uses just then. */
	LOOKS = 3,
	/* The ring of a thread that enters it by an index is searched for among so many
	   descriptors, and so many rings. */
	DESCRIPTORS_MOST = 256,
	RINGS_MOST = 16,
};

/* Arguments of the call. */
enum {
	FD,
	TO_SUBMIT,
	MIN_COMPLETE,
	FLAGS,
	ARGUMENT,
	ARGUMENT_BYTES,
};

/* --- the ring's counts -------------------------------------------------------------- */

void ring_text_add(struct ring_text *text, const char *line)
{
	const char *result = strstr(line, " res:");
	if (sscanf(line, "CQEs: %u", &text->completions) == 1)
		text->has_counts = true;
	else if (result && strncmp(result, " res:-62,", strlen(" res:-62,")) == 0)
		text->has_timeout = true;
}

/* Add the lines of TEXT, whose last one may be incomplete: moves that to the front, and
   returns its length. */
static size_t add_lines(struct ring_text *ring, char *text)
{
	char *line = text, *end;
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		ring_text_add(ring, line);
	}
	size_t rest = strlen(line);
	memmove(text, line, rest);
	return rest;
}

static struct ring_text read_ring(pid_t tid, int fd)
{
	struct ring_text ring = {0};
	char path[48], text[4096];
	size_t have = 0;
	ssize_t more;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)tid, fd);
	int info = open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return ring;
	while ((more = read(info, text + have, sizeof(text) - 1 - have)) > 0) {
		text[have + (size_t)more] = '\0';
		have = add_lines(&ring, text);
		if (have >= sizeof(text) - 1)
			break;
	}
	close(info);
	return ring;
}

static bool is_ring(pid_t tid, int fd)
{
	static const char is[] = "anon_inode:[io_uring]";
	char path[48], link[sizeof(is)];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, fd);
	return readlink(path, link, sizeof(link)) == (ssize_t)sizeof(is) - 1 &&
	       memcmp(link, is, sizeof(is) - 1) == 0;
}

/* Does the ring FD have fewer than LEAST completions, and none of a timer? False if that
   is not known. */
static bool has_too_few(pid_t tid, int fd, uint32_t least)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		struct ring_text ring = read_ring(tid, fd);
		if (ring.has_counts)
			return ring.completions < least && !ring.has_timeout;
	}
	return false;
}

/* That for all rings: the kernel does not tell which one a thread has registered. */
static bool have_all_too_few(pid_t tid, uint32_t least)
{
	unsigned rings = 0;
	for (int fd = 0; fd < DESCRIPTORS_MOST; fd++) {
		if (!is_ring(tid, fd))
			continue;
		if (++rings > RINGS_MOST || !has_too_few(tid, fd, least))
			return false;
	}
	return rings > 0;
}

/* --- the call ----------------------------------------------------------------------- */

/* Can the wait be made again? */
static bool has_no_relative_limit(int memory, const struct arch_call *call)
{
	uint32_t flags = (uint32_t)call->arguments[FLAGS];
	/* struct io_uring_getevents_arg; the third is called otherwise since Linux 6.12. */
	struct {
		uint64_t sigmask;
		uint32_t sigmask_bytes, least_us;
		uint64_t ts;
	} limit;
	if (!(flags & IORING_ENTER_EXT_ARG))
		return true;
	return call->arguments[ARGUMENT_BYTES] == sizeof(limit) &&
	       memory_read(memory, &limit, sizeof(limit), call->arguments[ARGUMENT]) ==
		       (ssize_t)sizeof(limit) &&
	       limit.least_us == 0 && (limit.ts == 0 || (flags & ENTER_ABS_TIMER));
}

bool ring_wait_is_cut(pid_t tid, int memory, const struct arch_call *call)
{
	uint32_t least = (uint32_t)call->arguments[MIN_COMPLETE];
	/* Without a least it did not wait: do not make the kernel print all that is there. */
	if (least == 0 || !has_no_relative_limit(memory, call))
		return false;
	return call->arguments[FLAGS] & IORING_ENTER_REGISTERED_RING
		       ? have_all_too_few(tid, least)
		       : has_too_few(tid, (int)call->arguments[FD], least);
}
