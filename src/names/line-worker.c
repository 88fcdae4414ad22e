/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/line-worker.h"

#include "src/base/clock.h"
#include "src/base/confine.h"
#include "src/base/vec.h"
#include "src/elf/elf-lines.h"
#include "src/names/line-wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_MAX_BYTES (UINT64_C(1) << 30) /* of debug sections together */

enum {
	NICE = 10,
	QUESTION_CPU_S = 20, /* CPU seconds for a question; then SIGPROF ends the child */
	SOCKET = 3,
	USELESS = -1, /* in place of a descriptor */
};

struct file {
	int fd; /* or USELESS */
	bool trusted;
	struct elf_lines *lines; /* NULL: not open */
	uint64_t used;		 /* a count that grows */
};

struct worker {
	VEC(struct file) files;
	uint64_t uses;
	size_t length; /* of the replies in PACKET */
	char packet[LINE_WIRE_PACKET_MAX];
};

static void flush(struct worker *worker)
{
	struct iovec part = {.iov_base = worker->packet, .iov_len = worker->length};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	while (worker->length > 0 && sendmsg(SOCKET, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(0); /* the reader has ended */
	worker->length = 0;
}

/* --- files ------------------------------------------------------------------------- */

/* Close what was used longest ago until there is room. */
static void make_room(struct worker *worker)
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

static void rest(struct worker *worker)
{
	vec_each (&worker->files, file) {
		elf_lines_close(file->lines);
		file->lines = NULL;
	}
	malloc_trim(0);
}

static void take_file(struct worker *worker, const struct line_request *request, int fd)
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
static struct elf_lines *lines_of(struct worker *worker, uint32_t id)
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
static bool receive(struct worker *worker, struct line_request *request, int *fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {.iov_base = request, .iov_len = sizeof(*request)};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t length = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (length < 0 && errno == EAGAIN)
		flush(worker);
	while (length < 0 && (errno == EAGAIN || errno == EINTR))
		length = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC);
	*fd = -1;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (length > 0 && header && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return length == sizeof(*request);
}

static void append(struct worker *worker, const void *bytes, size_t length)
{
	memcpy(worker->packet + worker->length, bytes, length);
	worker->length += length;
}

static void reply(struct worker *worker, struct line_reply *reply, const char *name,
	const char *file)
{
	reply->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	reply->name_length = (uint32_t)strnlen(name, LINE_WIRE_NAME_MAX);
	reply->file_length = (uint32_t)strnlen(file, LINE_WIRE_FILE_MAX);
	if (sizeof(*reply) + reply->name_length + reply->file_length >
		sizeof(worker->packet) - worker->length)
		flush(worker);
	append(worker, reply, sizeof(*reply));
	append(worker, name, reply->name_length);
	append(worker, file, reply->file_length);
}

static void answer(struct worker *worker, const struct line_request *request)
{
	static struct line_frame frames[LINE_FRAMES_MAX]; /* large */
	struct elf_lines *lines = lines_of(worker, request->file);
	size_t count = lines ? elf_lines_find(lines, request->vaddr, frames) : 0;
	struct line_reply head = {
		.kind = lines ? LINE_REPLY_NOTHING : LINE_REPLY_USELESS,
	};
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

/* If libdw is in an endless loop, the kernel ends this process. */
static void set_alarm(void)
{
	struct itimerval alarm = {.it_value = {.tv_sec = QUESTION_CPU_S}};
	setitimer(ITIMER_PROF, &alarm, NULL);
}

/* CHILD: as in struct line_request. */
static _Noreturn void serve(uint32_t child)
{
	static struct worker worker; /* large */
	struct line_request request;
	bool is_nice = false;
	int fd;
	confine_calls();
	while (receive(&worker, &request, &fd)) {
		if (request.child != child) {
			if (fd >= 0)
				close(fd);
			continue;
		}
		if (request.file == LINE_WIRE_REST) {
			rest(&worker);
			continue;
		}
		if (!request.in_hurry && !is_nice)
			is_nice = setpriority(PRIO_PROCESS, 0, NICE) == 0;
		if (fd >= 0)
			take_file(&worker, &request, fd);
		set_alarm();
		answer(&worker, &request);
	}
	_exit(0);
}

/* --- the processes ----------------------------------------------------------------- */

static void keep_only(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1); /* standard error stays open, for messages of abort() */
	}
	if (socket != SOCKET)
		dup2(socket, SOCKET);
	close_range(SOCKET + 1, UINT_MAX, 0);
}

static void live_as_long_as(pid_t parent, int signal)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent)
		_exit(0);
}

static void reset_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Wait for CHILD to end. False if no other one is needed: it ended because no more
   questions will come, or we were told to end. */
static bool wait_for(pid_t child, const sigset_t *watched)
{
	for (;;) {
		int status, number = sigwaitinfo(watched, NULL);
		if (number == SIGTERM)
			kill(child, SIGKILL);
		else if (number != SIGCHLD || waitpid(child, &status, WNOHANG) != child)
			continue;
		else
			return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		waitpid(child, &status, 0); /* reap it: no other process does */
		return false;
	}
}

_Noreturn void line_worker_main(int socket, pid_t parent)
{
	sigset_t watched;
	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	prctl(PR_SET_NAME, "cproftop-lines");
	/* A process group of its own, so that keys that end or stop our job do not reach
	   it. Not a session, which may get less CPU time (sched_autogroup_enabled): at a
	   load of 25 to 40, a process that only computes got 5 % of a CPU in a session of
	   its own, and 13 % in ours. */
	setpgid(0, 0);
	reset_signals();
	keep_only(socket);
	confine_identity();
	sigprocmask(SIG_BLOCK, &watched, NULL);
	live_as_long_as(parent, SIGTERM);
	for (uint32_t number = 0;; number++) {
		pid_t self = getpid(), child = fork();
		if (child == 0) {
			reset_signals();
			live_as_long_as(self, SIGKILL);
			serve(number);
		}
		if (child < 0 || !wait_for(child, &watched))
			_exit(0);
		struct line_reply anew = {.kind = LINE_REPLY_ANEW};
		if (send(SOCKET, &anew, sizeof(anew), MSG_NOSIGNAL) < 0)
			_exit(0); /* the reader has ended */
	}
}
