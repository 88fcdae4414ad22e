/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop: the live screen, for a running process, a launched command, or a process
   chosen from a list. */

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/rights/caller-state.h"
#include "src/base/vec.h"
#include "src/run/command.h"
#include "src/run/control/control.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"
#include "src/run/options/option-order.h"
#include "src/run/profiles/opened.h"
#include "src/run/terminal.h"
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
	pid_t launched; /* the command, once it runs; 0: there is none yet */
	bool picked;	/* from the list; it may be asked for again */
	pid_t chosen;
	const pid_t *pids;
	size_t n_pids;
	struct caller_state caller;
	struct control control;
	bool is_paused;	       /* by `cproftop ctl` */
	pthread_mutex_t mutex; /* guards what follows */
	VEC(char *) complaints;
};

/* A single word that is no process may be a command that somebody has mistyped. */
static bool refuse_name(const char *name, struct error *err)
{
	const char *meant = option_command_meant(name);
	return meant ? error_set(err,
			       "no process is called '%s': did you mean 'cproftop %s'?",
			       name, meant)
		     : false;
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
		return refuse_name(options->name, err);
	struct picker_options picker = {
		.filter = options->name,
		.uid = geteuid(),
		.refusal = refusal,
	};
	top->picked |= found != 1;
	*pid = top->picked ? *pid : pids[0];
	if (!top->picked)
		return true;
	if (!terminal_open(&top->terminal, options, err))
		return false;
	picker.script = top->terminal.script;
	if (!picker_run(top->terminal.term, &picker, pid, err))
		return false;
	return *pid != 0;
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
	if (top->again.wanted) { /* as m and o have left it */
		session.wall = top->again.wall;
		session.native = top->again.native;
	}
	if (!launches)
		session.command = NULL; /* it runs already */
	session.output_fd = pipe_fds[1];
	session.output_read_fd = launches ? pipe_fds[0] : top->output_fd;
	session.silent = true;
	session.complain = complain;
	session.complain_context = top;
	struct error ignored; /* without a folder for it nobody can ask */
	control_open(&top->control, getenv("XDG_RUNTIME_DIR"), CONTROL_SCREEN, getpid(),
		&ignored);
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
	if (top->again.wanted)
		session_keep_output(&top->session);
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
	ui.sources = options_source_reader(options);
	ui.again = &top->again;
	ui.caller = &top->caller;
	if (notice[0])
		ui.notice = notice;
	ui.follows_children = options->launch && !top->again.wanted && !top->children;
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
	struct error why = {""};
	bool is_named = top->n_pids > 0;
	for (;;) {
		const char *refusal = why.text[0] ? why.text : NULL;
		if (!is_named && !choose_target(top, refusal, err))
			return false;
		if (start_session(top, &why))
			return true;
		*err = why;
		if (!top->picked)
			return false;
		err->text[0] = '\0';
	}
}

/* Show the session until the user leaves it, or wants another one, with children or without. */
static bool show_session(struct top *top, struct error *err)
{
	terminal_guard(&top->terminal, &top->session);
	bool shown = show(top, err);
	if (!top->again.wanted) /* first: it is usable at once */
		terminal_close(&top->terminal);
	session_release_terminal(&top->session);
	bool gave_up = shown && message_gave_up(session_meter(&top->session), err);
	const struct target *target = session_target(&top->session);
	if (top->options->launch) {
		top->launched = target->pid;
		top->pids = &top->launched;
		top->n_pids = 1;
	}
	end_session(top);
	return shown && !gave_up;
}

static bool begin_anew(struct top *top, struct error *err)
{
	top->children = !top->children;
	if (strcmp(top->again.view, "table") == 0) /* as with --children */
		top->again.view = NULL;
	if (start_session(top, err))
		return true;
	if (top->launched) /* as when the screen ends */
		kill(top->launched, SIGTERM);
	return false;
}

/* There is no terminal. If no process is called NAME, that is the mistake. */
static void prefer_name(const char *name, struct error *err)
{
	size_t found;
	pid_t pid;
	if (!options_named_pids(name, &pid, 1, &found, err))
		refuse_name(name, err);
}

static bool run(struct top *top, struct error *err)
{
	const struct options *options = top->options;
	if (!terminal_possible(options, err)) {
		if (options->name)
			prefer_name(options->name, err);
		return false;
	}
	/* The terminal is left alone until the target is known to be one that can be sampled: an
	   error is a line in the shell then, and no answer of the terminal comes behind it. */
	if (!choose_and_start(top, err))
		return false;
	if (!terminal_open(&top->terminal, options, err)) {
		control_close(&top->control);
		end_session(top);
		return false;
	}
	do {
		if (top->is_paused)
			session_pause(&top->session, true);
		if (!show_session(top, err))
			return false;
	} while (top->again.wanted && begin_anew(top, err));
	return !top->again.wanted;
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
	print_complaints(&top);
	pthread_mutex_destroy(&top.mutex);
	if (top.output_fd >= 0)
		close(top.output_fd);
	return done || !err.text[0] ? EXIT_SUCCESS
				    : message_failed_launch(&err, options->launch != NULL,
					      top.session.launch_errnum);
}
