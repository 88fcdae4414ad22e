/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-attach.h"

#include "src/base/ask-opener.h"
#include "src/base/rights/close-range.h"
#include "src/base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STATUS_BYTES = 4096,
	TEXT_BYTES = 128 << 10, /* of arguments or environment; the rest is not read */
	ANSWER_BYTES = 4096,
	NAME_BYTES = 32,
	LOOK_EVERY_MS = 20,
	LOOKS = 400, /* 8 seconds; jcmd gives up after 10 */
	ALARM_S = 10,
};

/* What the child has to know. It may call only what is safe after a fork in a process
   with threads: no memory, no stdio. */
struct question {
	int proc_fd, answer_fd;
	pid_t pid; /* as we see it */
	uid_t uid;
	gid_t gid;
	char socket[NAME_BYTES], trigger[NAME_BYTES];
};

/* --- what /proc says ------------------------------------------------------------------ */

/* The process would not die of it. */
static bool handles_quit(const char *status)
{
	unsigned long long caught;
	return status_number(status, "\nSigCgt:", 0, 16, &caught) &&
	       (caught & 1ull << (SIGQUIT - 1));
}

/* --- in the child --------------------------------------------------------------------- */

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};
	nanosleep(&time, NULL);
}

/* Does file NAME of /proc/PID have TEXT in it? */
static bool mentions(int proc_fd, const char *name, const char *text)
{
	static char bytes[TEXT_BYTES + 1];
	size_t length = small_file_read(proc_fd, name, bytes, sizeof(bytes));
	return memmem(bytes, length, text, strlen(text)) != NULL;
}

/* Whatever else of ours is open is not held open by us. */
static void close_others(const struct question *question)
{
	unsigned low = (unsigned)question->proc_fd, high = (unsigned)question->answer_fd;
	if (low > high) {
		unsigned other = low;
		low = high;
		high = other;
	}
	if (low > 3)
		close_all(3, low - 1);
	close_all(low + 1, high - 1);
	close_all(high + 1, UINT_MAX);
}

/* The machine listens to its own user and to root. The plain system calls: libc's would
   tell threads that this process does not have. */
static bool become(const struct question *question)
{
	if (geteuid() == 0 && syscall(SYS_setgroups, 0, NULL) != 0)
		return false;
	if (getegid() != question->gid &&
		syscall(SYS_setresgid, question->gid, question->gid, question->gid) != 0)
		return false;
	return (geteuid() == question->uid && getuid() == question->uid) ||
	       syscall(SYS_setresuid, question->uid, question->uid, question->uid) == 0;
}

/* To the socket in the working directory, if the process itself listens there. */
static int connect_to(const struct question *question)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t size = sizeof(peer);
	memcpy(address.sun_path, question->socket, sizeof(question->socket));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
		peer.pid == question->pid)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool make_trigger(const struct question *question, int dir_fd)
{
	int fd = dir_fd < 0
			 ? -1
			 : openat(dir_fd, question->trigger,
				   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				   0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Have the machine make its socket. */
static enum hotspot_answer wake(const struct question *question, int *socket_fd)
{
	static char status[STATUS_BYTES + 1];
	if (!small_file_read(question->proc_fd, "status", status, sizeof(status)))
		return HOTSPOT_FAILED;
	if (!handles_quit(status))
		return HOTSPOT_NOT_READY;
	/* /proc/PID stands for this process, whoever has its number later. */
	if (syscall(SYS_pidfd_send_signal, question->proc_fd, SIGQUIT, NULL, 0) != 0)
		return HOTSPOT_FAILED;
	for (int i = 0; i < LOOKS; i++) {
		*socket_fd = connect_to(question);
		if (*socket_fd >= 0)
			return HOTSPOT_PENDING;
		sleep_ms(LOOK_EVERY_MS);
	}
	return HOTSPOT_SILENT;
}

static enum hotspot_answer open_socket(
	const struct question *question, int cwd_fd, int tmp_fd, int *socket_fd)
{
	static const char off[] = "+DisableAttachMechanism";
	*socket_fd = connect_to(question);
	if (*socket_fd >= 0)
		return HOTSPOT_PENDING;
	/* With attaching switched off SIGQUIT has it print its stacks. */
	if (mentions(question->proc_fd, "cmdline", off) ||
		mentions(question->proc_fd, "environ", off))
		return HOTSPOT_REFUSED;
	int dir_fd = make_trigger(question, cwd_fd)   ? cwd_fd
		     : make_trigger(question, tmp_fd) ? tmp_fd
						      : -1;
	if (dir_fd < 0)
		return HOTSPOT_FAILED;
	enum hotspot_answer answer = wake(question, socket_fd);
	unlinkat(dir_fd, question->trigger, 0);
	return answer;
}

/* Protocol version, command, three arguments; each ends with a NUL. */
static enum hotspot_answer talk(int fd)
{
	static const char words[] = "1\0jcmd\0Compiler.perfmap\0\0";
	static char answer[ANSWER_BYTES + 1];
	size_t length = 0;
	if (send(fd, words, sizeof(words), MSG_NOSIGNAL) != sizeof(words))
		return HOTSPOT_FAILED;
	for (ssize_t got = 1;
		got > 0 && length<ANSWER_BYTES; length += got> 0 ? (size_t)got : 0)
		got = read(fd, answer + length, ANSWER_BYTES - length);
	return hotspot_read_answer(answer, length);
}

static enum hotspot_answer ask(const struct question *question)
{
	int socket_fd;
	int cwd_fd = openat(question->proc_fd, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int root_fd = openat(question->proc_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tmp_fd = root_fd < 0 ? -1
				 : openat(root_fd, "tmp",
					   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (tmp_fd < 0 || !become(question) || fchdir(tmp_fd) != 0)
		return HOTSPOT_FAILED;
	enum hotspot_answer answer = open_socket(question, cwd_fd, tmp_fd, &socket_fd);
	return answer == HOTSPOT_PENDING ? talk(socket_fd) : answer;
}

static _Noreturn void run_child(const struct question *question)
{
	sigset_t none;
	sigemptyset(&none);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(ALARM_S);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "cproftop-asks");
	close_others(question);
	char answer = (char)ask(question);
	ssize_t written = write(question->answer_fd, &answer, 1);
	_exit(written == 1 ? 0 : 1);
}

/* --- in the parent -------------------------------------------------------------------- */

enum hotspot_answer hotspot_read_answer(const char *answer, size_t length)
{
	/* "0\n" and what the command printed; or another number, and an exception. */
	if (length >= 2 && answer[0] == '0' && answer[1] == '\n')
		return HOTSPOT_WRITTEN;
	return memmem(answer, length, "Unknown diagnostic command", 26) ? HOTSPOT_TOO_OLD
									: HOTSPOT_REFUSED;
}

static bool describe(struct question *question, const char *status)
{
	unsigned long long pid, own_pid, uid, gid;
	if (!status_number(status, "\nPid:", 0, 10, &pid) ||
		!status_number(status, "\nNSpid:", STATUS_LAST, 10, &own_pid) ||
		!status_number(status, "\nUid:", 1, 10, &uid) ||
		!status_number(status, "\nGid:", 1, 10, &gid))
		return false;
	question->pid = (pid_t)pid;
	question->uid = (uid_t)uid;
	question->gid = (gid_t)gid;
	snprintf(question->socket, NAME_BYTES, ".java_pid%llu", own_pid);
	snprintf(question->trigger, NAME_BYTES, ".attach_pid%llu", own_pid);
	return true;
}

static enum hotspot_answer begin_by_opener(struct hotspot_attach *attach, int proc_fd)
{
	struct opener_question question = {.kind = OPENER_ATTACH};
	struct opener_answer answer;
	int fd;
	*attach = (struct hotspot_attach){.proc_fd = proc_fd};
	if (ask_opener(&question, proc_fd, NULL, 0, &answer, NULL, 0, &fd) < 0)
		return HOTSPOT_FAILED;
	attach->is_pending = fd >= 0;
	attach->answer_fd = fd;
	return attach->is_pending ? HOTSPOT_PENDING : (enum hotspot_answer)answer.number;
}

enum hotspot_answer hotspot_attach_begin(struct hotspot_attach *attach, int proc_fd)
{
	if (ask_opener_is_used())
		return begin_by_opener(attach, proc_fd);
	struct question question = {.proc_fd = proc_fd};
	char status[STATUS_BYTES + 1];
	int fds[2];
	*attach = (struct hotspot_attach){.proc_fd = proc_fd};
	if (!small_file_read(proc_fd, "status", status, sizeof(status)) ||
		!describe(&question, status))
		return HOTSPOT_FAILED;
	if (!handles_quit(status))
		return HOTSPOT_NOT_READY;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return HOTSPOT_FAILED;
	question.answer_fd = fds[1];
	attach->child = fork();
	if (attach->child == 0)
		run_child(&question);
	close(fds[1]);
	attach->answer_fd = fds[0];
	attach->is_pending = attach->child > 0;
	if (attach->is_pending)
		return HOTSPOT_PENDING;
	close(fds[0]);
	*attach = (struct hotspot_attach){0};
	return HOTSPOT_FAILED;
}

enum hotspot_answer hotspot_attach_poll(struct hotspot_attach *attach)
{
	char answer;
	ssize_t got = read(attach->answer_fd, &answer, 1);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return HOTSPOT_PENDING;
	hotspot_attach_end(attach);
	return got == 1 ? (enum hotspot_answer)answer : HOTSPOT_SILENT;
}

void hotspot_attach_end(struct hotspot_attach *attach)
{
	struct opener_question ended = {.kind = OPENER_ATTACH_ENDED};
	struct opener_answer answer;
	if (!attach->is_pending)
		return;
	if (attach->child > 0)
		kill(attach->child, SIGKILL);
	else
		ask_opener(&ended, attach->proc_fd, NULL, 0, &answer, NULL, 0, NULL);
	while (attach->child > 0 && waitpid(attach->child, NULL, 0) < 0 && errno == EINTR)
		;
	close(attach->answer_fd);
	*attach = (struct hotspot_attach){0};
}
