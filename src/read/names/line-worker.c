/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/line-worker.h"

#include "src/base/clock.h"
#include "src/base/vec.h"
#include "src/base/worker/worker.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/code-lines.h"
#include "src/read/names/line-wire.h"

#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RANGE_CPU_NS   (2 * NS_PER_SEC)	   /* for all rows of a range */
#define OPEN_MAX_BYTES (UINT64_C(1) << 30) /* of debug sections together */

enum {
	NICE = 10,
	QUESTION_CPU_S = 20, /* CPU seconds for a question; then the child is ended */
	USELESS = -1,	     /* in place of a descriptor */
};

struct file {
	int fd; /* or USELESS */
	bool trusted;
	struct elf_lines *lines; /* NULL: not open */
	uint64_t used;		 /* a count that grows */
};

struct line_worker {
	VEC(struct file) files;
	uint64_t uses;
	size_t length; /* of the replies in PACKET */
	char packet[WORKER_PACKET_MAX];
};

static void flush(struct line_worker *worker)
{
	if (worker->length > 0)
		worker_answer(worker->packet, worker->length);
	worker->length = 0;
}

/* --- files ------------------------------------------------------------------------- */

/* Close what was used longest ago until there is room. */
static void make_room(struct line_worker *worker)
{
	for (;;) {
		uint64_t sum = 0, n = 0;
		struct file *oldest = NULL;
		vec_each (&worker->files, file) {
			if (!file->lines)
				continue;
			n++;
			sum += elf_lines_bytes(file->lines);
			if (!oldest || file->used < oldest->used)
				oldest = file;
		}
		if (sum <= OPEN_MAX_BYTES || n < 2)
			return;
		elf_lines_close(oldest->lines);
		oldest->lines = NULL;
	}
}

static void rest(struct line_worker *worker)
{
	vec_each (&worker->files, file) {
		elf_lines_close(file->lines);
		file->lines = NULL;
	}
	malloc_trim(0);
}

static void take_file(
	struct line_worker *worker, const struct line_request *request, int fd)
{
	while (worker->files.len <= request->file)
		vec_push(&worker->files, (struct file){.fd = USELESS});
	struct file *file = &worker->files.data[request->file];
	if (file->fd >= 0)
		close(file->fd);
	file->fd = fd;
	file->trusted = request->trusted;
}

/* The lines of file ID, opened now if need be; NULL if it has none. */
static struct elf_lines *lines_of(struct line_worker *worker, uint32_t id)
{
	struct file *file = id < worker->files.len ? &worker->files.data[id] : NULL;
	if (!file || file->fd < 0)
		return NULL;
	file->used = ++worker->uses;
	if (file->lines)
		return file->lines;
	flush(worker); /* this may take long */
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	file->lines = fd < 0 ? NULL : elf_lines_open(fd, file->trusted, NULL);
	if (file->lines) {
		make_room(worker);
		return file->lines;
	}
	close(file->fd);
	file->fd = USELESS;
	return NULL;
}

/* --- questions and answers --------------------------------------------------------- */

/* Receive a request. False if no more will come. Replies that are ready are sent before
   waiting. */
static bool receive(struct line_worker *worker, struct line_request *request, int *fd)
{
	size_t length;
	enum worker_arrival arrival =
		worker_await(request, sizeof(*request), &length, fd, false);
	if (arrival == WORKER_NOTHING_YET) {
		flush(worker);
		arrival = worker_await(request, sizeof(*request), &length, fd, true);
	}
	return arrival == WORKER_PACKET && length == sizeof(*request);
}

static void append(struct line_worker *worker, const void *bytes, size_t length)
{
	memcpy(worker->packet + worker->length, bytes, length);
	worker->length += length;
}

static void reply(struct line_worker *worker, struct line_reply *reply, const char *name,
	const char *file)
{
	reply->name_length = (uint32_t)strnlen(name, LINE_WIRE_NAME_MAX);
	reply->file_length = (uint32_t)strnlen(file, LINE_WIRE_FILE_MAX);
	if (sizeof(*reply) + reply->name_length + reply->file_length >
		sizeof(worker->packet) - worker->length)
		flush(worker);
	append(worker, reply, sizeof(*reply));
	append(worker, name, reply->name_length);
	append(worker, file, reply->file_length);
}

/* The COUNT frames at VADDR. */
static void reply_frames(struct line_worker *worker, const struct line_frame *frames,
	size_t count, uint64_t vaddr, enum line_reply_more more)
{
	struct line_reply head = {
		.kind = LINE_REPLY_NOTHING, .vaddr = vaddr, .more = more};
	if (count == 0)
		reply(worker, &head, "", "");
	for (size_t i = 0; i < count; i++) {
		head.kind = LINE_REPLY_FRAME;
		head.left = (uint32_t)(count - i - 1);
		head.line = frames[i].line;
		head.start_line = frames[i].start_line;
		reply(worker, &head, frames[i].name, frames[i].file);
	}
}

/* Row by row, as long as it does not cost too much. */
static void answer_range(struct line_worker *worker, struct elf_lines *lines,
	const struct line_request *request)
{
	static struct line_frame frames[LINE_FRAMES_MAX]; /* large */
	uint64_t until_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) + RANGE_CPU_NS;
	uint64_t vaddr = request->vaddr;
	for (size_t n = 1; vaddr < request->limit; n++) {
		size_t count = elf_lines_find(lines, vaddr, frames);
		uint64_t next = elf_lines_next(lines, vaddr, request->limit);
		bool is_too_much = n == CODE_ROWS_MAX ||
				   clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) > until_ns;
		reply_frames(worker, frames, count, vaddr,
			next >= request->limit ? LINE_MORE_NOTHING
			: is_too_much	       ? LINE_MORE_LEFT_OUT
					       : LINE_MORE_ROWS);
		if (is_too_much)
			return;
		vaddr = next;
	}
}

static void answer(struct line_worker *worker, const struct line_request *request)
{
	static struct line_frame frames[LINE_FRAMES_MAX]; /* large */
	struct elf_lines *lines = lines_of(worker, request->file);
	struct line_reply useless = {.kind = LINE_REPLY_USELESS};
	if (!lines)
		reply(worker, &useless, "", "");
	else if (request->limit > request->vaddr)
		answer_range(worker, lines, request);
	else
		reply_frames(worker, frames,
			elf_lines_find(lines, request->vaddr, frames), request->vaddr,
			LINE_MORE_NOTHING);
}

static void serve(const char *debug_dirs)
{
	const char *const folders[] = {DEBUG_FILE_SYSTEM_DIR, debug_dirs, NULL};
	static struct line_worker worker; /* large */
	struct line_request request;
	bool is_nice = false;
	int fd;
	worker_confine(folders);
	while (receive(&worker, &request, &fd)) {
		if (request.file == LINE_WIRE_REST) {
			rest(&worker);
			continue;
		}
		if (!request.in_hurry && !is_nice)
			is_nice = setpriority(PRIO_PROCESS, 0, NICE) == 0;
		if (fd >= 0)
			take_file(&worker, &request, fd);
		worker_set_alarm(QUESTION_CPU_S); /* libdw may loop for ever */
		answer(&worker, &request);
	}
}

const struct own_process_kind line_worker_kind = {"cproftop-lines", serve};
