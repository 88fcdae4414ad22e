/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/confined/front.h"

#include "src/base/clean.h"
#include "src/confined/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum wish {
	WISH_NONE,
	WISH_CHOSEN,
	WISH_LIST,
	WISH_AGAIN,
};

enum {
	WORDS_AT_ONCE = 8,
	LOOK_MS = 20,
	LEFT_LOOKS = 250,   /* of what does not end */
	KEEPERS_LOOKS = 50, /* and while a keeper may be at work */
};

/* From a child, in one packet. */
struct word {
	int32_t wish;
	int32_t children; /* 0: no */
	int32_t pid;
	uint32_t size; /* of what is in DATA */
	char data[FRONT_STATE_MAX];
};

/* The process that was called. */
struct waiting {
	struct front next;
	int pidfds[OPTIONS_PIDS_MAX]; /* of NEXT.pids; they never stand for others */
	bool follows;		      /* children are, in this session */
	bool has_list;		      /* nobody was named */
	bool may_choose;	      /* and nobody is chosen yet */
	enum wish wish;
	/* of WISH_AGAIN */
	bool wished_children;
	char wished_state[FRONT_STATE_MAX];
	size_t wished_size;
	int fd, signals_fd;
	sigset_t before; /* signals that were blocked */
	pid_t child;
};

/* --- which processes ---------------------------------------------------------------------- */

static void add_process(struct waiting *waiting, pid_t pid)
{
	struct front *next = &waiting->next;
	int fd = next->n_pids < OPTIONS_PIDS_MAX ? pidfd_open(pid, 0) : -1;
	if (fd < 0)
		return;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	waiting->pidfds[next->n_pids] = fd;
	next->pids[next->n_pids++] = pid;
}

static void forget_ended(struct waiting *waiting)
{
	struct front *next = &waiting->next;
	size_t kept = 0;
	for (size_t i = 0; i < next->n_pids; i++) {
		struct pollfd ended = {.fd = waiting->pidfds[i], .events = POLLIN};
		if (poll(&ended, 1, 0) != 0) {
			close(waiting->pidfds[i]);
			continue;
		}
		waiting->pidfds[kept] = waiting->pidfds[i];
		next->pids[kept++] = next->pids[i];
	}
	next->n_pids = kept;
}

/* --- what a child says -------------------------------------------------------------------- */

/* A choice counts once in a session: the child says it before it gives up its rights. */
static void hear(struct waiting *waiting, const struct word *word)
{
	struct front *next = &waiting->next;
	if (word->wish == WISH_CHOSEN && waiting->may_choose) {
		waiting->may_choose = false;
		add_process(waiting, word->pid);
	} else if (word->wish == WISH_LIST && waiting->has_list) {
		clean_text(next->refusal.text, sizeof(next->refusal.text), word->data,
			strnlen(word->data, sizeof(word->data)));
		waiting->wish = WISH_LIST;
	} else if (word->wish == WISH_AGAIN && word->size <= sizeof(word->data)) {
		waiting->wished_children = word->children != 0;
		waiting->wished_size = word->size;
		memcpy(waiting->wished_state, word->data, word->size);
		waiting->wish = WISH_AGAIN;
	}
}

/* As much as a child has to say, and no more at a time. */
static void hear_all(struct waiting *waiting)
{
	struct word word = {.wish = WISH_NONE};
	for (int i = 0;
		i < WORDS_AT_ONCE && recv(waiting->fd, &word, sizeof(word),
					     MSG_DONTWAIT) == (ssize_t)sizeof(word);
		i++)
		hear(waiting, &word);
}

/* --- while it runs ------------------------------------------------------------------------ */

/* What a terminal sends goes to the child as well; what a person sends to us, on to it. */
static void pass_on(const struct waiting *waiting)
{
	struct signalfd_siginfo info;
	while (read(waiting->signals_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code == SI_USER)
			kill(waiting->child, (int)info.ssi_signo);
}

/* Its status, when it has ended. It stops for Ctrl-Z: then so do we, for the shell to see. One that
   hangs in a call that cannot be killed is not waited for when it has asked to be left. */
static int wait_for_child(struct waiting *waiting)
{
	int status = W_EXITCODE(EXIT_FAILURE, 0);
	struct pollfd wait[] = {{.fd = waiting->signals_fd, .events = POLLIN},
		{.fd = waiting->fd, .events = POLLIN}};
	for (int left = LEFT_LOOKS; left > 0;) {
		int ready = poll(wait, 2, waiting->wish == WISH_AGAIN ? LOOK_MS : -1);
		left -= ready == 0;
		hear_all(waiting);
		if (wait[1].revents & POLLHUP)
			wait[1].fd = -1;
		pid_t changed = waitpid(waiting->child, &status, WUNTRACED | WNOHANG);
		if (changed < 0 || (changed == waiting->child && !WIFSTOPPED(status)))
			break;
		if (changed == waiting->child) {
			raise(SIGSTOP);
			kill(waiting->child, SIGCONT);
		}
		pass_on(waiting);
	}
	hear_all(waiting);
	return status;
}

/* What a child has left behind, and could still write to the terminal: it comes to us (a child
   subreaper, prctl(2)). Keepers give the terminal back, and end by themselves. */
static void end_what_is_left(void)
{
	for (int left = LEFT_LOOKS; left > 0; left--) {
		char path[64], text[512] = "";
		snprintf(
			path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		char *end, *at = text;
		for (long pid; length > 0 && (pid = strtol(at, &end, 10)) > 0; at = end)
			if (left < LEFT_LOOKS - KEEPERS_LOOKS)
				kill((pid_t)pid, SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (length <= 0)
			return;
		poll(NULL, 0, LOOK_MS);
	}
}

static _Noreturn void end_as(int status)
{
	if (WIFSIGNALED(status)) {
		const struct rlimit none = {0, 0};
		sigset_t it;
		sigemptyset(&it);
		sigaddset(&it, WTERMSIG(status));
		setrlimit(RLIMIT_CORE, &none); /* the child's core says what went wrong */
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		pthread_sigmask(SIG_UNBLOCK, &it, NULL);
		_exit(128 + WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

/* --- between two sessions ----------------------------------------------------------------- */

/* Ctrl-C and the like do what they always do meanwhile. */
static bool person_agrees(const struct waiting *waiting, const char *question)
{
	char answer[64] = "";
	sigset_t ours;
	FILE *terminal = fopen("/dev/tty", "r+e");
	if (!terminal)
		return false;
	pthread_sigmask(SIG_SETMASK, &waiting->before, &ours);
	tcflush(fileno(terminal), TCIFLUSH); /* what was typed before is no answer */
	fprintf(terminal, "%s [y/N] ", question);
	fflush(terminal);
	bool agrees = fgets(answer, sizeof(answer), terminal) &&
		      (answer[0] == 'y' || answer[0] == 'Y');
	fclose(terminal);
	pthread_sigmask(SIG_SETMASK, &ours, NULL);
	return agrees;
}

static bool may_follow(const struct waiting *waiting)
{
	const struct front *next = &waiting->next;
	char question[160];
	if (geteuid() != 0)
		return true; /* nobody but their own can be sampled */
	if (next->n_pids == 1)
		snprintf(question, sizeof(question),
			"cproftop: sample the children of process %d, too? They may be "
			"other users'.",
			(int)next->pids[0]);
	else
		snprintf(question, sizeof(question),
			"cproftop: sample the children of these %zu processes, too? They "
			"may be other users'.",
			next->n_pids);
	return person_agrees(waiting, question);
}

/* Is there to be another session, after one that ended with STATUS? */
static bool prepare_next(struct waiting *waiting, int status)
{
	struct front *next = &waiting->next;
	if (!WIFEXITED(status))
		return false;
	next->is_first = false;
	if (waiting->wish == WISH_LIST) {
		for (size_t i = 0; i < next->n_pids; i++)
			close(waiting->pidfds[i]);
		next->n_pids = next->state_size = 0;
		next->children = waiting->follows;
		waiting->may_choose = true;
		return true;
	}
	if (waiting->wish != WISH_AGAIN)
		return false;
	next->refusal.text[0] = '\0';
	next->children =
		waiting->wished_children && (waiting->follows || may_follow(waiting));
	next->state_size = waiting->wished_size;
	memcpy(next->state, waiting->wished_state, waiting->wished_size);
	forget_ended(waiting);
	if (!next->n_pids) {
		fprintf(stderr, "cproftop: the target has ended\n");
		exit(EXIT_FAILURE);
	}
	return true;
}

/* --- both --------------------------------------------------------------------------------- */

static bool is_child(struct waiting *waiting, struct error *err)
{
	int pair[2];
	struct front *front = &waiting->next;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return error_errno(err, errno, "cannot make a socket");
	waiting->fd = pair[0];
	waiting->wish = WISH_NONE;
	waiting->follows = front->children;
	waiting->child = fork();
	if (waiting->child != 0) {
		close(pair[1]);
		return waiting->child < 0 &&
		       error_errno(err, errno, "cannot start a process");
	}
	prctl(PR_SET_NAME, "cproftop");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != front->pid)
		_exit(EXIT_FAILURE);
	close(pair[0]);
	close(waiting->signals_fd);
	for (size_t i = 0; i < front->n_pids; i++)
		close(waiting->pidfds[i]);
	pthread_sigmask(SIG_SETMASK, &waiting->before, NULL);
	front->fd = pair[1];
	return true;
}

static int take_signals(sigset_t *before)
{
	static const int passed[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2, SIGCHLD};
	struct sigaction hangup;
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&set, passed[i]);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		sigdelset(&set, SIGHUP); /* nohup(1) */
	pthread_sigmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool front_is_wanted(const struct options *options)
{
	char kept[CONFINED_WHY_MAX];
	struct error ignored;
	signal(SIGCHLD,
		SIG_DFL); /* who called us may have ignored it: then nobody can be waited for */
	return !options->launch && !options->ui_script && !options->batch &&
	       confined_check(options, &ignored) &&
	       confined_is_wanted(options, true, kept);
}

struct front *front_begin(const struct options *options, struct error *err)
{
	static struct waiting waiting; /* large */
	waiting.next.pid = getpid();
	waiting.next.is_first = true;
	waiting.next.children = options->children;
	waiting.has_list = waiting.may_choose = options->n_pids == 0;
	for (size_t i = 0; i < options->n_pids; i++)
		add_process(&waiting, options->pids[i]);
	waiting.signals_fd = take_signals(&waiting.before);
	if (waiting.signals_fd < 0) {
		error_errno(err, errno, "cannot wait for signals");
		return NULL;
	}
	prctl(PR_SET_NAME, "front");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (;;) {
		err->text[0] = '\0';
		if (is_child(&waiting, err))
			return &waiting.next;
		if (err->text[0])
			return NULL;
		int status = wait_for_child(&waiting);
		close(waiting.fd);
		end_what_is_left();
		if (!prepare_next(&waiting, status))
			end_as(status);
	}
}

static void say(const struct front *front, struct word *word, enum wish wish)
{
	word->wish = (int32_t)wish;
	if (front)
		send(front->fd, word, sizeof(*word), MSG_NOSIGNAL);
}

void front_tell_chosen(const struct front *front, pid_t pid)
{
	struct word word = {.pid = pid};
	say(front, &word, WISH_CHOSEN);
}

void front_ask_for_list(const struct front *front, const char *why)
{
	struct word word = {.size = 0};
	snprintf(word.data, sizeof(word.data), "%s", why);
	say(front, &word, WISH_LIST);
}

void front_ask_again(
	const struct front *front, bool children, const void *state, size_t size)
{
	struct word word = {.children = children, .size = (uint32_t)size};
	if (size > sizeof(word.data))
		return;
	memcpy(word.data, state, size);
	say(front, &word, WISH_AGAIN);
}
