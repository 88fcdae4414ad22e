/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/doorman/doorman.h"

#include "src/doorman/asked.h"
#include "src/doorman/doorman-calls.h"
#include "src/rights/close-range.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	KEPT_FROM = 256, /* descriptors of its own; no other is as high so early */
	TRIES = 2,	 /* of one call, if the doorman dies of it */
	SHIFTS_MAX = 40, /* doormen, one after the other, that died */
	LATE_MAX = 1000, /* and that were replaced because a call did not end */
	LATE_MS = 1000,	 /* if others wait */
	PATIENCE_MS = 30 * 1000,
	LOOK_EVERY_MS = 100,
};

/* --- the process ---------------------------------------------------------------------------- */

/* Where the kernel has put the code and the stack of the process whose entries of /proc are in
   FOLDER: at random at each exec, and the same for who was forked since. */
struct image {
	unsigned long long code, stack;
};

static bool read_image(const char *folder, struct image *image)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "%s/stat", folder);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *fields = strrchr(text, ')'); /* then state, the third */
	return fields &&
	       sscanf(fields + 1,
		       " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		       "%*s %*s %*s %*s %*s %*s %*s %llu %*s %llu",
		       &image->code, &image->stack) == 2;
}

/* A program of others that was started, such as dot, has the filter, too, but gets nothing; nor
   does this program if such a one starts it, with a library of its own in it. We are a fork of
   main's. */
static bool is_our_program(pid_t tid)
{
	char folder[32], path[64];
	struct stat theirs, ours;
	struct image their_image, our_image;
	snprintf(folder, sizeof(folder), "/proc/%d/task/%d", (int)tid, (int)tid);
	snprintf(path, sizeof(path), "%s/exe", folder);
	return stat(path, &theirs) == 0 && stat("/proc/self/exe", &ours) == 0 &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino &&
	       read_image(folder, &their_image) && read_image("/proc/self", &our_image) &&
	       their_image.code == our_image.code && their_image.stack == our_image.stack;
}

/* It may try with its own rights, if they are none; else only what changes and opens nothing. */
static void grant_nothing(
	const struct doorman *doorman, const struct asked *asked, int call)
{
	if (!doorman->stays_user || call == SYS_readlinkat || call == SYS_newfstatat) {
		asked_go_on(asked);
	} else {
		errno = call == SYS_kill || call == SYS_tgkill ? EPERM : EACCES;
		asked_answer(asked, -1);
	}
}

static void serve(
	struct doorman *doorman, const struct seccomp_notif *request, bool *may_wait)
{
	static struct asked asked;
	int call = request->data.nr;
	asked.may_wait = may_wait;
	asked.listener = doorman->listener;
	asked.id = request->id;
	asked.tid = (pid_t)request->pid;
	asked.dir = -1;
	asked_look_at(&asked);
	for (int i = 0; i < 6; i++)
		asked.args[i] = request->data.args[i];
	bool readable = !doorman_call_has_path(call) ||
			asked_read_path(&asked, asked.args[1], asked.path);
	if (doorman_call_has_path(call))
		asked_look_at_directory(&asked, (int)asked.args[0]);
	bool done = readable && is_our_program(asked.tid) && asked_is_valid(&asked) &&
		    doorman_call(doorman, call, &asked);
	if (!done && !(doorman->stays_user && readable &&
			     doorman_call_of_anybody(doorman, call, &asked)))
		grant_nothing(doorman, &asked, call);
	if (asked.dir >= 0)
		close(asked.dir);
	if (asked.mem >= 0)
		close(asked.mem);
}

static int receive_listener(int socket)
{
	char byte;
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	struct iovec part = {&byte, 1};
	struct msghdr header = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	int fd = -1;
	if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&header))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(fd));
	return fd;
}

/* Of all descriptors keep those of the rules and the socket: others would not be closed for
   who waits for their end. */
static void keep_only(struct doorman_rules *rules, int *socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	int last = *socket = fcntl(*socket, F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_pids; i++)
		last = rules->proc_fds[i] =
			fcntl(rules->proc_fds[i], F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_outputs; i++)
		last = rules->outputs[i].folder =
			fcntl(rules->outputs[i].folder, F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_inputs; i++)
		if (rules->inputs[i].fd >= 0)
			last = rules->inputs[i].fd =
				fcntl(rules->inputs[i].fd, F_DUPFD_CLOEXEC, KEPT_FROM);
	for (size_t i = 0; i < rules->n_folders; i++)
		if (rules->folders[i].fd >= 0)
			last = rules->folders[i].fd =
				fcntl(rules->folders[i].fd, F_DUPFD_CLOEXEC, KEPT_FROM);
	close_all(STDERR_FILENO + 1, KEPT_FROM - 1);
	close_all((unsigned)last + 1, UINT_MAX);
}

/* --- two processes: one serves, and is replaced by the other if it dies ------------------- */

/* What both see. */
struct shift {
	struct seccomp_notif
		request; /* that is being served; its ID is 0: there is none */
	unsigned tries;
	bool may_wait;	    /* it takes as long as the caller waits */
	uint64_t late_id;   /* the call that the one before did not end; 0: none */
	uint64_t served_ns; /* since when */
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void serve_once(struct doorman *doorman, struct shift *shift)
{
	const struct asked nobody = {
		.listener = doorman->listener, .id = shift->request.id};
	shift->may_wait = false;
	if (shift->late_id == shift->request.id) {
		errno = EIO;
		asked_answer(&nobody, -1);
	} else if (shift->tries < TRIES) {
		shift->served_ns = now_ns();
		shift->tries++;
		serve(doorman, &shift->request, &shift->may_wait);
	} else {
		grant_nothing(doorman, &nobody, shift->request.data.nr);
	}
	shift->late_id = 0;
	shift->tries = 0;
	shift->request.id = 0;
}

/* Does CHILD wait for something, and not only for a CPU? */
static bool is_blocked(pid_t child)
{
	char path[32], text[64] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	const char *state = length > 0 ? strrchr(text, ')') : NULL; /* the name is ours */
	return state && (state[2] == 'D' || state[2] == 'S');
}

/* Others that ask are not kept waiting for a file on a server that does not answer; who is alone
   may wait for a disk that must start first. */
static bool is_late(const struct doorman *doorman, const struct shift *shift, pid_t child)
{
	struct pollfd others = {.fd = doorman->listener, .events = POLLIN};
	if (shift->request.id == 0 || shift->tries == 0 || shift->may_wait)
		return false;
	uint64_t ms = (now_ns() - shift->served_ns) / 1000000;
	return (ms > PATIENCE_MS || (ms > LATE_MS && poll(&others, 1, 0) == 1)) &&
	       is_blocked(child);
}

static _Noreturn void serve_all(struct doorman *doorman, struct shift *shift)
{
	if (shift->request.id) /* whom the one before has left waiting */
		serve_once(doorman, shift);
	for (;;) {
		struct pollfd waits[] = {{.fd = doorman->listener, .events = POLLIN},
			{.fd = doorman->main_fd, .events = POLLIN}};
		/* Main has ended. What it has left behind may live on, and gets nothing. */
		if (doorman->listener < 0 || poll(waits, 2, -1) < 0 ||
			(waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) ||
			waits[1].revents)
			break;
		memset(&shift->request, 0, sizeof(shift->request));
		if (ioctl(doorman->listener, SECCOMP_IOCTL_NOTIF_RECV, &shift->request) ==
			0)
			serve_once(doorman, shift);
		else if (errno != ENOENT &&
			 errno != EINTR) /* ENOENT: who asked has ended */
			break; /* nobody is served any more, and is told so (ENOSYS) */
	}
	doorman_calls_finish(doorman);
	_exit(0);
}

/* One that has been served for too long by CHILD: that is killed, and may not end, because it waits
   for a file system. The next one answers in its place. True if nobody is served any more. */
static bool is_over(const struct doorman *doorman, struct shift *shift, pid_t child,
	int *deaths, int *lates)
{
	int status = 0;
	struct pollfd ended = {.fd = pidfd_open(child, 0), .events = POLLIN};
	bool late = false;
	while (!late && waitpid(child, &status, WUNTRACED | WNOHANG) == 0) {
		poll(&ended, 1, LOOK_EVERY_MS);
		uint64_t id = shift->request.id;
		late = is_late(doorman, shift, child);
		if (late)
			shift->late_id = id;
	}
	if (ended.fd >= 0)
		close(ended.fd);
	if (late ||
		WIFSTOPPED(
			status)) { /* one that is stopped would hold up whom it serves */
		kill(child, SIGKILL);
		poll(NULL, 0, 1);
		waitpid(child, NULL, late ? WNOHANG : 0);
	}
	*lates += late;
	*deaths += !late;
	return !late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What a doorman knew of mapped files dies with it: they are opened anew. */
static _Noreturn void doorman_main(struct doorman *doorman, int socket)
{
	sigset_t all;
	prctl(PR_SET_NAME, "doorman");
	prctl(PR_SET_DUMPABLE, 0);
	setpgid(0, 0); /* no key of the terminal is for it */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	keep_only(&doorman->rules, &socket);
	doorman->listener = receive_listener(socket);
	close(socket);
	doorman->main_fd = pidfd_open(doorman->main, 0);
	struct shift *shift = mmap(NULL, sizeof(*shift), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int deaths = 0, lates = 0;
	while (shift != MAP_FAILED && deaths < SHIFTS_MAX && lates < LATE_MAX) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			; /* those that did not end at once */
		pid_t child = fork();
		if (child == 0)
			serve_all(doorman, shift);
		if (child < 0 || is_over(doorman, shift, child, &deaths, &lates))
			break;
	}
	_exit(0);
}

pid_t doorman_start(const struct doorman_rules *rules, int *socket)
{
	static struct doorman doorman; /* large */
	int pair[2];
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
		limit.rlim_max <= 4 * KEPT_FROM + rules->n_inputs + rules->n_folders) {
		errno = EMFILE; /* keep_only needs them */
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	doorman = (struct doorman){
		.rules = *rules, .main = getpid(), .stays_user = geteuid() != 0};
	doorman.rules.main = doorman.main;
	pid_t child = fork();
	if (child == 0) {
		close(pair[0]);
		doorman_main(&doorman, pair[1]);
	}
	close(pair[1]);
	*socket = pair[0];
	if (child < 0)
		close(pair[0]);
	return child;
}

bool doorman_hand_over(int socket, int listener)
{
	char byte = 0;
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr header = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &listener, sizeof(listener));
	return sendmsg(socket, &header, MSG_NOSIGNAL) == 1;
}
