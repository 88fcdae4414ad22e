/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cproftop demo: the live screen with a built-in workload. */

#include "src/base/clock.h"
#include "src/base/own-cpu.h"
#include "src/count/summary.h"
#include "src/run/command.h"
#include "src/run/demo/demo-workload.h"
#include "src/run/messages.h"
#include "src/run/options-session.h"
#include "src/run/signals.h"
#include "src/write/export.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEMO_SECONDS = 3,
	LINES_WAIT_S = 20,
};

/* Fork a child that runs the workload. It ends when this process ends, however that
   happens. */
static pid_t start_workload(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	_exit(demo_workload_run());
}

static void end_workload(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool print_report(const struct options *options, struct session *session,
	int signals_fd, struct error *err)
{
	fprintf(stderr, "cproftop: sampling the built-in workload for %d seconds\n",
		DEMO_SECONDS);
	struct pollfd wait = {.fd = signals_fd, .events = POLLIN};
	poll(&wait, 1, DEMO_SECONDS * 1000);
	session_stop_sampling(session);
	struct report_request request = {
		.until_ns = meter_get(&session_meter(session)->ended_ns) + 1,
		.wall = options->wall,
		.naming = options->naming,
		.lines_wait_ns = LINES_WAIT_S * NS_PER_SEC,
	};
	struct report *report = analyst_report(session->analyst, &request);
	struct export_facts facts = {
		.frequency_hz = options->frequency_hz,
		.command = "the built-in workload",
		.pid = session_target(session)->pid,
	};
	bool done = export_to_file(
		export_format_by_name("text"), report, &facts, "-", NULL, err);
	struct summary summary = summary_of(
		session_meter(session), report, clock_monotonic_ns(), own_cpu_ns());
	char line[512];
	summary_print_line(&summary, line, sizeof(line));
	fprintf(stderr, "cproftop: %s\n", line);
	message_names(report, options->fetch);
	report_destroy(report);
	return done;
}

static bool report_on(const struct options *options, int signals_fd, struct error *err)
{
	struct session_options session_options = options_session(options);
	struct session session;
	if (!session_start(&session, &session_options, err))
		return false;
	bool done = print_report(options, &session, signals_fd, err) &&
		    !message_gave_up(session_meter(&session), err);
	session_finish(&session);
	return done;
}

int command_demo(const struct options *options)
{
	struct error err;
	pid_t pid = start_workload();
	if (pid < 0) {
		error_errno(&err, errno, "cannot start the demo workload");
		return message_failure(&err);
	}
	struct options on_demo = *options;
	on_demo.pids[on_demo.n_pids++] = pid;
	int status = EXIT_SUCCESS;
	if (options->ui_script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
		status = command_top(&on_demo);
	} else {
		session_block_signals();
		int signals_fd = signals_open();
		if (!report_on(&on_demo, signals_fd, &err))
			status = message_failure(&err);
		close(signals_fd);
	}
	end_workload(pid);
	return status;
}
