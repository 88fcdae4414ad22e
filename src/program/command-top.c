/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop: the live screen, for a running process, a launched command, or a process
   chosen from a list. */

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/confined/confined.h"
#include "src/confined/front.h"
#include "src/control/control.h"
#include "src/files/opened.h"
#include "src/names/line-resolver.h"
#include "src/program/command.h"
#include "src/program/messages.h"
#include "src/program/options-session.h"
#include "src/program/terminal.h"
#include "src/rights/caller-state.h"
#include "src/watch/watchdog.h"
#include "ui/screen/again.h"
#include "ui/screen/app.h"
#include "ui/screen/picker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct top {
	const struct options *options;
	struct terminal terminal;
	struct session session;
	int output_fd;		/* the output of a launched command; -1: none */
	bool children;		/* are followed; a key changes it */
	struct app_again again; /* what the screen was when it was changed */
	/* of a session that began anew; NULL: the first one's */
	struct line_resolver *lines;
	pid_t launched; /* the command, once it runs; 0: there is none yet */
	bool picked;	/* from the list; it may be asked for again */
	pid_t chosen;
	const pid_t *pids;
	size_t n_pids;
	struct caller_state caller;
	bool confines;		   /* this session gives up its rights */
	struct front front;	   /* begins another one then; or none */
	struct watchdog *watchdog; /* of the end of a session; NULL: none has ended */
	struct control control;
	bool is_paused;	       /* by `cproftop ctl` */
	pthread_mutex_t mutex; /* guards what follows */
	VEC(char *) complaints;
};

/* As which process this screen is known; 0: it has no front. */
static pid_t front_pid(const struct options *options)
{
	return options->front ? options->front->pid : 0;
}

/* REFUSAL: why the process that was picked before cannot be profiled, or NULL. False with an
   empty ERR: the user left the picker. */
static bool choose_target(struct top *top, const char *refusal, struct error *err)
{
	const struct options *options = top->options;
	pid_t pids[2], *pid = &top->chosen;
	size_t found = 0;
	top->pids = pid;
	top->n_pids = 1;
	if (options->launch)
		return true;
	if (options->name && !options_named_pids(options->name, pids, 2, &found, err))
		return false;
	struct picker_options picker = {
		.filter = options->name,
		.hidden = {getpid(), front_pid(options)},
		.uid = geteuid(),
		.refusal = refusal,
		.script = top->terminal.script,
	};
	top->picked |= found != 1;
	*pid = top->picked ? *pid : pids[0];
	if (top->picked && (!picker_run(top->terminal.term, &picker, pid, err) || !*pid))
		return false;
	front_tell_chosen(options->front, *pid);
	return true;
}

/* Keep the message until the screen is gone; it would spoil the screen. */
static void complain(void *context, const char *text)
{
	struct top *top = context;
	pthread_mutex_lock(&top->mutex);
	vec_push(&top->complaints, mem_strdup(text));
	pthread_mutex_unlock(&top->mutex);
}

static void print_complaints(struct top *top)
{
	vec_each (&top->complaints, text) {
		fprintf(stderr, "cproftop: %s; went on without it\n", *text);
		free(*text);
	}
	vec_free(&top->complaints);
}

static bool start_session(struct top *top, struct error *err)
{
	const struct options *options = top->options;
	int pipe_fds[2] = {-1, -1};
	bool launches = options->launch && !top->launched;
	if (launches && pipe2(pipe_fds, O_CLOEXEC) != 0)
		return error_errno(err, errno, "cannot make a pipe");
	struct session_options session = options_session(options);
	session.pids = top->pids;
	session.n_pids = top->n_pids;
	session.children = top->children;
	if (top->lines)
		session.lines = top->lines;
	if (top->again.wanted) /* as m has left it */
		session.wall = top->again.wall;
	if (!launches)
		session.command = NULL; /* it runs already */
	session.output_fd = pipe_fds[1];
	session.output_read_fd = launches ? pipe_fds[0] : top->output_fd;
	session.silent = true;
	session.complain = complain;
	session.complain_context = top;
	struct error ignored; /* without a folder for it nobody can ask */
	control_open(&top->control, getenv("XDG_RUNTIME_DIR"), CONTROL_SCREEN,
		options->front ? front_pid(options) : getpid(), &ignored);
	struct confined confined = {.options = options,
		.socket = top->control.fd >= 0 ? top->control.path : NULL,
		.pids = top->pids,
		.n_pids = top->n_pids,
		.children = top->children,
		.exports = true,
		.front = front_pid(options)};
	if (top->confines) {
		session.give_up = confined_give_up;
		session.give_up_context = &confined;
	}
	bool started = session_start(&top->session, &session, err);
	if (!started)
		control_close(&top->control);
	if (launches) {
		top->output_fd = pipe_fds[0];
		close(pipe_fds[1]);
		fcntl(top->output_fd, F_SETFL, O_NONBLOCK);
	}
	return started;
}

/* A command that the live screen launched is ended with it, because nobody would read its
   output any more. */
static void end_session(struct top *top)
{
	session_stop_sampling(&top->session);
	const struct session_process *first = top->session.processes.data[0];
	if (top->options->launch && !top->again.wanted &&
		!meter_get(&ring_meter(first->ring)->target_exited))
		kill(first->target.pid, SIGTERM);
	session_finish(&top->session);
}

static void pause_sampling(void *context, bool paused)
{
	struct top *top = context;
	top->is_paused = paused;
	session_pause(&top->session, paused);
}

static void set_mark(void *context, const char *text)
{
	struct top *top = context;
	analyst_mark(top->session.analyst, clock_monotonic_ns(), text);
}

static void tell_status(void *context, char *text, size_t size)
{
	struct top *top = context;
	message_status(session_meter(&top->session), top->is_paused, text, size);
}

static void serve(void *context)
{
	struct top *top = context;
	const struct control_orders orders = {
		.context = top,
		.pause = pause_sampling,
		.mark = set_mark,
		.status = tell_status,
	};
	control_serve(&top->control, &orders);
}

static int serve_fd(void *context)
{
	return control_fd(&((struct top *)context)->control);
}

static bool show(struct top *top, struct error *err)
{
	const struct options *options = top->options;
	struct source source = session_source(&top->session);
	char notice[sizeof(struct error)] = "";
	pthread_mutex_lock(&top->mutex);
	if (top->complaints.len) /* such as a PID of -p that nobody has */
		snprintf(notice, sizeof(notice), "%s", top->complaints.data[0]);
	pthread_mutex_unlock(&top->mutex);
	struct app_options ui = terminal_app(&top->terminal, options);
	ui.window_ns = (uint64_t)(options->window_s * NS_PER_SEC);
	ui.output_fd = top->output_fd;
	ui.control = serve;
	ui.control_fd = serve_fd;
	ui.control_context = top;
	ui.sources = options_source_reader(options, top->confines);
	ui.is_confined = top->confines;
	ui.again = top->confines && !options->front ? NULL : &top->again;
	ui.leaves_stuck = options->front != NULL;
	ui.caller = &top->caller;
	if (notice[0])
		ui.notice = notice;
	if (top->again.is_stuck)
		ui.notice = "begun anew: the one before did not answer any more";
	if (top->again.wanted) {
		ui.window_ns = top->again.window_ns;
		ui.naming = top->again.naming;
		ui.side_by_side = top->again.side_by_side;
		ui.view = top->again.view;
		ui.looks = top->again.looks;
	}
	top->again.wanted = false;
	bool shown = app_run(top->terminal.term, &source, &ui, err);
	control_close(&top->control);
	source_reader_destroy(ui.sources);
	return shown;
}

/* After a refusal the list comes back, and says why. */
static bool choose_and_start(struct top *top, struct error *err)
{
	const struct front *front = top->options->front;
	struct error why = front ? front->refusal : (struct error){""};
	bool is_named = top->n_pids > 0;
	for (;;) {
		const char *refusal = why.text[0] ? why.text : NULL;
		if (!is_named && !choose_target(top, refusal, err))
			return false;
		if (start_session(top, &why))
			return true;
		*err = why;
		if (!top->picked || (top->confines && !front))
			return false;
		err->text[0] = '\0';
		if (front) { /* our rights are gone */
			front_ask_for_list(front, why.text);
			return false;
		}
	}
}

/* What ends now may hang, with a thread that reads hostile files. */
static bool watch_end(struct top *top, struct error *err)
{
	const struct watchdog_duty nothing_to_write = {0};
	if (!top->watchdog)
		top->watchdog = watchdog_create(&nothing_to_write, err);
	watchdog_end_writing(top->watchdog, false);
	return top->watchdog != NULL;
}

/* Another process is to begin the next session, when this one has ended. If a thread of ours hangs,
   it ends here, and the kernel lets go of the target. */
static void leave_to_next(struct top *top)
{
	char state[FRONT_STATE_MAX];
	bool is_stuck = top->again.is_stuck;
	top->again.is_paused = top->is_paused;
	front_ask_again(top->options->front, top->children != !is_stuck, state,
		again_pack(&top->again, state, sizeof(state)));
	if (is_stuck)
		_exit(EXIT_SUCCESS);
}

/* Show the session until the user leaves it, or wants another one, with children or without. */
static bool show_session(struct top *top, struct error *err)
{
	terminal_guard(&top->terminal, &top->session);
	bool shown = show(top, err);
	if (!top->again.wanted || top->options->front) /* first: it is usable at once */
		terminal_close(&top->terminal);
	bool watched = watch_end(top, err);
	session_release_terminal(&top->session);
	if (top->again.wanted && top->options->front)
		leave_to_next(top);
	bool gave_up = shown && message_gave_up(session_meter(&top->session), err);
	const struct target *target = session_target(&top->session);
	if (top->options->launch) {
		top->launched = target->pid;
		top->pids = &top->launched;
		top->n_pids = 1;
	}
	end_session(top);
	if (top->again.wanted)
		watchdog_end_writing(top->watchdog, true); /* it did end */
	return shown && !gave_up && watched;
}

/* The questions about lines that are still open are about the profile of the session before.
   No other thread runs between two sessions, so another reader can be forked. */
static void renew_lines(struct top *top)
{
	line_resolver_destroy(top->lines);
	top->lines = top->options->lines ? line_resolver_create(top->options->debug_dirs)
					 : NULL;
}

/* What the session before has left, which is for one without rights as well. */
static void take_over(struct top *top)
{
	const struct front *front = top->options->front;
	if (!front || front->is_first)
		return;
	top->children = front->children;
	top->picked = front->n_pids == 0;
	top->pids = front->pids;
	top->n_pids = front->n_pids;
	again_unpack(&top->again, front->state, front->state_size);
	top->is_paused = top->again.wanted && top->again.is_paused;
}

static bool begin_anew(struct top *top, struct error *err)
{
	top->children = !top->children;
	renew_lines(top);
	if (start_session(top, err))
		return true;
	if (top->launched) /* as when the screen ends */
		kill(top->launched, SIGTERM);
	return false;
}

static bool run(struct top *top, struct error *err)
{
	char kept[CONFINED_WHY_MAX];
	if (!confined_check(top->options, err))
		return false;
	/* With a front it was found that they can be given up: if not now, the session fails. */
	top->confines =
		top->options->front || confined_is_wanted(top->options, true, kept);
	if (!top->options->front)
		confined_tell(top->options, kept);
	take_over(top);
	if (!terminal_open(&top->terminal, top->options, err) ||
		!choose_and_start(top, err))
		return false;
	do {
		if (top->is_paused)
			session_pause(&top->session, true);
		if (!show_session(top, err))
			return false;
	} while (top->again.wanted && !top->options->front && begin_anew(top, err));
	return !top->again.wanted || top->options->front;
}

int command_top(const struct options *options)
{
	if (opened_are_meant(options))
		return command_open(options);
	struct top top = {.options = options,
		.output_fd = -1,
		.children = options->children,
		.pids = options->pids,
		.n_pids = options->n_pids,
		.caller = caller_state_read()};
	struct error err = {""};
	pthread_mutex_init(&top.mutex, NULL);
	session_block_signals();
	bool done = run(&top, &err);
	terminal_close(&top.terminal);
	line_resolver_destroy(top.lines);
	print_complaints(&top);
	pthread_mutex_destroy(&top.mutex);
	if (top.output_fd >= 0)
		close(top.output_fd);
	return done || !err.text[0] ? EXIT_SUCCESS
				    : message_failed_launch(&err, options->launch != NULL,
					      top.session.launch_errnum);
}
