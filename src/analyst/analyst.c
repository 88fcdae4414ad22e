/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/analyst/analyst.h"

#include "src/analyst/alive.h"
#include "src/analyst/assemblies.h"
#include "src/analyst/intakes.h"
#include "src/analyst/late-names.h"
#include "src/analyst/mailbox.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/history/retention.h"
#include "src/report/report-build.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum {
	IDLE_LOOK_EVERY_MS = 200, /* in case a wake-up was lost */
	PENDING_LOOK_EVERY_MS = 5,
};

/* Wait so long for a survey and a mark: the tracer makes four a second, unless held. */
#define TOLD_WITHIN_NS NS_PER_SEC

/* A request that is not answered yet. */
struct pending {
	bool is_there;
	struct report_request request;
	/* until when to wait for lines, and for accounts and marks */
	uint64_t lines_by_ns, told_by_ns;
};

struct analyst {
	struct history history;
	struct intakes intakes;
	bool several;
	char *debug_dirs;
	struct debug_fetch *fetch;
	struct line_resolver *lines; /* borrowed; NULL: no lines */
	bool perf_map;
	struct late_names late_names;
	struct assemblies assemblies;
	struct pending pending;

	struct mailbox mailbox;
	pthread_t thread;
	_Atomic bool quit, clear, ended;
};

struct report *analyst_build(
	struct analyst *analyst, const struct report_request *request)
{
	size_t n_alive;
	struct report_thread *alive =
		alive_list(&analyst->history, &analyst->intakes, request, &n_alive);
	struct report_input input = {
		.profile = analyst->history.profile,
		.naming = analyst->history.naming,
		.stacktab = analyst->history.stacktab,
		.samples = &analyst->history.samples,
		.several = analyst->several,
		.evens_cpu = true,
		.since_ns = analyst->history.since_ns,
		.now_ns = clock_monotonic_ns(),
		.now_wall_ns = clock_wall_ns(),
		.marks = analyst->history.marks.data,
		.n_marks = analyst->history.marks.len,
		.strains = &analyst->history.strains,
		.time_marks = analyst->history.time_marks.data,
		.n_time_marks = analyst->history.time_marks.len,
		.accounts = &analyst->history.accounts,
		.alive = alive,
		.n_alive = n_alive,
	};
	struct report *report = report_build(&input, request);
	intakes_beat(&analyst->intakes);
	report->refusal = intakes_refusal(&analyst->intakes, &report->refusal_pid);
	intakes_too_large(&analyst->intakes, report->too_large);
	if (analyst->fetch)
		debug_fetch_progress(
			analyst->fetch, report->fetching, sizeof(report->fetching));
	report->lines_deaths = line_resolver_deaths(analyst->lines);
	report->renamings = analyst->history.renamings;
	report->memory_bytes = history_memory(&analyst->history);
	free(alive);
	return report;
}

/* Take the newest request; it replaces one that is not answered yet. */
static void take_request(struct analyst *analyst)
{
	struct report_request request;
	if (!mailbox_take_request(&analyst->mailbox, &request))
		return;
	uint64_t now_ns = clock_monotonic_ns();
	analyst->pending = (struct pending){
		.is_there = true,
		.request = request,
		.lines_by_ns = now_ns + request.lines_wait_ns,
		.told_by_ns = now_ns + TOLD_WITHIN_NS,
	};
}

/* Sampling goes on while a request waits, so no samples are lost. */
static bool has_lines(struct analyst *analyst, const struct pending *pending)
{
	if (!pending->request.lines_wait_ns)
		return true;
	line_resolver_start(analyst->lines);
	if (!late_names_are_complete(&analyst->late_names) &&
		clock_monotonic_ns() < pending->lines_by_ns)
		return false;
	late_names_take(&analyst->late_names);
	return true;
}

/* Has everything up to until_ns arrived? Records come in order, so a survey and a mark of
   a later time mean yes. */
static bool has_all(const struct analyst *analyst, const struct pending *pending)
{
	const struct history *history = &analyst->history;
	uint64_t until_ns = pending->request.until_ns;
	if (!pending->request.forget || analyst->ended)
		return true;
	size_t marks = history->marks.len;
	bool told = history->accounts.surveyed_ns >= until_ns && marks > 0 &&
		    history->marks.data[marks - 1].time_ns >= until_ns;
	return told || clock_monotonic_ns() >= pending->told_by_ns;
}

static void forget(struct analyst *analyst, uint64_t until_ns)
{
	retention_forget(&analyst->history, until_ns);
	late_names_renew_worn(&analyst->late_names);
}

static void answer(struct analyst *analyst)
{
	struct pending *pending = &analyst->pending;
	struct time_mark mark;
	take_request(analyst);
	while (mailbox_take_mark(&analyst->mailbox, &mark))
		history_add_time_mark(&analyst->history, &mark);
	if (!pending->is_there || !has_all(analyst, pending) ||
		!has_lines(analyst, pending))
		return;
	struct report *report = analyst_build(analyst, &pending->request);
	if (pending->request.forget)
		forget(analyst, pending->request.until_ns);
	pending->is_there = false;
	mailbox_publish(&analyst->mailbox, report);
}

static void tidy(struct analyst *analyst, uint64_t now_ns)
{
	/* Trimming a recording would merge samples before the cut with samples after
	   it. */
	if (analyst->history.limits.keep_everything && analyst->pending.is_there &&
		analyst->pending.request.forget)
		return;
	retention_trim(&analyst->history, now_ns);
	if (analyst->history.limits.keep_everything)
		late_names_condense_full(&analyst->late_names);
	else
		late_names_renew_worn(&analyst->late_names);
}

static int patience_ms(const struct analyst *analyst)
{
	return analyst->pending.is_there ? PENDING_LOOK_EVERY_MS
	       : analyst->ended		 ? IDLE_LOOK_EVERY_MS
					 : intakes_patience_ms(&analyst->intakes);
}

static void take_addition(struct analyst *analyst)
{
	struct addition *addition = mailbox_addition(&analyst->mailbox);
	if (!addition)
		return;
	addition->good =
		intakes_add(&analyst->intakes, &addition->options, &addition->error);
	mailbox_list_rings(&analyst->mailbox, &analyst->intakes);
	mailbox_added(&analyst->mailbox, addition);
}

static void retire(struct analyst *analyst, uint64_t now_ns)
{
	struct idmap renamed = {0};
	if (intakes_retire(&analyst->intakes, now_ns, &renamed)) {
		line_resolver_start(analyst->lines); /* not for all at the end */
		if (renamed.len > 0)
			history_move_stacks(&analyst->history, &renamed, NULL);
		mailbox_list_rings(&analyst->mailbox, &analyst->intakes);
	}
	idmap_finish(&renamed);
}

static void note_end(struct analyst *analyst)
{
	bool ended = intakes_ended(&analyst->intakes);
	if (ended == analyst->ended)
		return;
	analyst->ended = ended;
	mailbox_announce_end(&analyst->mailbox, ended);
}

static void *analyst_main(void *argument)
{
	struct analyst *analyst = argument;
	prctl(PR_SET_NAME, "analyst");
	while (!analyst->quit) {
		intakes_beat(&analyst->intakes);
		take_addition(analyst);
		intakes_drain(&analyst->intakes);
		analyst->history.accounts.surveyed_ns = analyst->intakes.surveyed_ns;
		note_end(analyst);
		intakes_note_strains(&analyst->intakes);
		if (atomic_exchange(&analyst->clear, false))
			retention_clear(&analyst->history);
		uint64_t now_ns = clock_monotonic_ns();
		intakes_refresh(&analyst->intakes, now_ns);
		late_names_follow(&analyst->late_names, now_ns);
		retire(analyst, now_ns);
		tidy(analyst, now_ns);
		answer(analyst);
		assemblies_advance(&analyst->assemblies);
		int fds[] = {line_resolver_fd(analyst->lines),
			assemblies_fd(&analyst->assemblies)};
		mailbox_sleep(&analyst->mailbox, fds, patience_ms(analyst));
	}
	return NULL;
}

static void release(struct analyst *analyst)
{
	assemblies_finish(&analyst->assemblies);
	mailbox_finish(&analyst->mailbox);
	intakes_finish(&analyst->intakes);
	history_finish(&analyst->history);
	free(analyst->debug_dirs);
	free(analyst);
}

static bool start(struct analyst *analyst, struct error *err)
{
	if (!mailbox_init(&analyst->mailbox, err))
		return false;
	int errnum = pthread_create(&analyst->thread, NULL, analyst_main, analyst);
	return errnum == 0 || error_errno(err, errnum, "cannot start the analyst thread");
}

struct analyst *analyst_create(const struct analyst_options *options, struct error *err)
{
	struct analyst *analyst = mem_zalloc(sizeof(*analyst));
	analyst->several = options->several;
	analyst->debug_dirs =
		options->debug_dirs ? mem_strdup(options->debug_dirs) : NULL;
	analyst->intakes.file_bytes = options->file_bytes;
	analyst->fetch = options->fetch;
	analyst->perf_map = options->perf_map;
	analyst->lines = options->lines;
	analyst->intakes.pulse = options->pulse;
	analyst->late_names = (struct late_names){
		.history = &analyst->history,
		.intakes = &analyst->intakes,
		.lines = options->lines,
		.lines_at_once = options->lines_at_once,
	};
	analyst->assemblies = (struct assemblies){
		.mailbox = &analyst->mailbox,
		.intakes = &analyst->intakes,
		.disassembler = options->disassembler,
		.lines = options->lines,
		.debug_dirs = analyst->debug_dirs,
	};
	history_init(&analyst->history, options->keep_everything, options->history_ns,
		options->history_bytes);
	if (start(analyst, err))
		return analyst;
	release(analyst);
	return NULL;
}

void analyst_destroy(struct analyst *analyst)
{
	if (!analyst)
		return;
	analyst->quit = true;
	analyst_wake(analyst);
	pthread_join(analyst->thread, NULL);
	release(analyst);
}

bool analyst_add(
	struct analyst *analyst, const struct analyst_process *process, struct error *err)
{
	struct addition addition = {.options = {
					    .pid = process->pid,
					    .several = analyst->several,
					    .ring = process->ring,
					    .proc_fd = process->proc_fd,
					    .is_met = process->is_met,
					    .history = &analyst->history,
					    .debug_dirs = analyst->debug_dirs,
					    .resolver = analyst->lines,
					    .fetch = analyst->fetch,
					    .perf_map = analyst->perf_map,
				    }};
	mailbox_add(&analyst->mailbox, &addition);
	if (!addition.good && err)
		*err = addition.error;
	return addition.good;
}

bool analyst_reads(struct analyst *analyst, const struct ring *ring)
{
	return mailbox_reads(&analyst->mailbox, ring);
}

void analyst_wake(void *context)
{
	struct analyst *analyst = context;
	mailbox_wake(&analyst->mailbox);
}

void analyst_request(struct analyst *analyst, const struct report_request *request)
{
	mailbox_request(&analyst->mailbox, request);
}

struct report *analyst_take(struct analyst *analyst)
{
	return mailbox_take(&analyst->mailbox);
}

void analyst_ask_assembly(struct analyst *analyst, const struct assembly_request *request)
{
	mailbox_ask_assembly(&analyst->mailbox, request);
}

struct assembly *analyst_take_assembly(struct analyst *analyst)
{
	return mailbox_take_assembly(&analyst->mailbox);
}

struct code_lines *analyst_take_lines(struct analyst *analyst)
{
	return mailbox_take_lines(&analyst->mailbox);
}

int analyst_ready_fd(const struct analyst *analyst)
{
	return analyst->mailbox.ready_fd;
}

struct report *analyst_await(struct analyst *analyst)
{
	struct report *report;
	while (!(report = analyst_take(analyst))) {
		struct pollfd wait = {.fd = analyst_ready_fd(analyst), .events = POLLIN};
		poll(&wait, 1, IDLE_LOOK_EVERY_MS);
	}
	return report;
}

struct report *analyst_report(
	struct analyst *analyst, const struct report_request *request)
{
	analyst_request(analyst, request);
	return analyst_await(analyst);
}

void analyst_mark(struct analyst *analyst, uint64_t time_ns, const char *text)
{
	struct time_mark mark = time_mark_make(time_ns, text);
	mailbox_mark(&analyst->mailbox, &mark);
}

void analyst_clear(struct analyst *analyst)
{
	analyst->clear = true;
	analyst_wake(analyst);
}

int analyst_end_fd(const struct analyst *analyst)
{
	return analyst->mailbox.end_fd;
}

bool analyst_ended(const struct analyst *analyst)
{
	return analyst->ended;
}
