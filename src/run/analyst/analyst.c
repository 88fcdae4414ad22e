/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/analyst/analyst.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/own-cpu.h"
#include "src/count/report-build.h"
#include "src/keep/retention.h"
#include "src/keep/taker.h"
#include "src/read/tell/code-facts.h"
#include "src/read/tell/code-question.h"
#include "src/run/analyst/alive.h"
#include "src/run/analyst/mailbox.h"
#include "src/run/analyst/reader-link.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
	LOOK_EVERY_MS = 200, /* in case a wake-up was lost */
	PENDING_LOOK_EVERY_MS = 5,
	/* so many readers may die in vain, one soon after the other; and when sampling ends */
	READER_DEATHS_MOST = 20,
	LAST_DEATHS_MOST = 3,
};

/* Wait so long for a survey and a mark: the tracer makes four a second, unless held. */
#define TOLD_WITHIN_NS NS_PER_SEC

/* A reader without a sign of work for so long: who asks for a report gets what there is; and
   another one is begun if it had a CPU. */
#define SILENT_NS (3 * NS_PER_SEC / 2)
#define HANGS_NS  (10 * NS_PER_SEC)
#define ENDS_NS	  (4 * NS_PER_SEC) /* the same, when sampling ends */

static const char NO_READER[] = "the process that reads it has died again and again";

/* A request that is not answered yet. */
struct pending {
	bool is_there;
	struct report_request request;
	/* until when to wait for lines, and for accounts and marks */
	uint64_t lines_by_ns, told_by_ns;
	uint64_t sync; /* what the reader was asked for; 0: it was not */
};

/* A debug file that the reader wants. */
struct wish {
	char *build_id, *module;
};

struct analyst {
	struct history history;
	struct reader_link link;
	struct taker taker;
	bool several;
	struct debug_fetch *fetch;
	VEC(struct wish) wishes;
	struct pending pending;
	uint64_t syncs, synced;
	uint64_t samples;	 /* taken when this reader began */
	bool wants_generation;	 /* the reader was asked for one */
	struct addition *adding; /* what the reader was asked to read; NULL: nothing */
	uint32_t adding_number;
	/* The newest FACT_STATE. */
	struct fact state;
	char refusal[REPORT_REFUSAL_MAX], too_large[REPORT_TOO_LARGE_MAX];
	char languages[REPORT_LANGUAGES_MAX], places[REPORT_PLACES_MAX];
	struct event event;
	bool any; /* at least one process was added */

	struct mailbox mailbox;
	pthread_t thread;
	_Atomic bool quit, clear, ended, is_ending;
	_Atomic enum native_frames native; /* that are wanted */
};

static struct report *build(struct analyst *analyst, const struct report_request *request)
{
	size_t n_alive;
	struct report_thread *alive =
		alive_list(&analyst->history, &analyst->link, request, &n_alive);
	struct report_input input = {
		.profile = analyst->history.profile,
		.naming = analyst->history.naming,
		.stacktab = analyst->history.stacktab,
		.samples = &analyst->history.samples,
		.several = analyst->several,
		.evens_cpu = true,
		.event = &analyst->event,
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
	snprintf(report->refusal, sizeof(report->refusal), "%s", analyst->refusal);
	report->refusal_pid = analyst->state.state.refusal_pid;
	snprintf(report->too_large, sizeof(report->too_large), "%s", analyst->too_large);
	snprintf(report->languages, sizeof(report->languages), "%s", analyst->languages);
	snprintf(report->places, sizeof(report->places), "%s", analyst->places);
	if (analyst->fetch)
		debug_fetch_progress(
			analyst->fetch, report->fetching, sizeof(report->fetching));
	report->lines_deaths = analyst->state.state.lines_deaths;
	report->reader_deaths = analyst->link.deaths;
	report->renamings = analyst->history.renamings;
	report->memory_bytes = history_memory(&analyst->history);
	free(alive);
	return report;
}

/* --- requests -------------------------------------------------------------------------- */

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
		.lines_by_ns = request.lines_wait_ns ? now_ns + request.lines_wait_ns : 0,
		.told_by_ns = now_ns + TOLD_WITHIN_NS,
	};
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

static void ask_sync(struct analyst *analyst)
{
	struct pending *pending = &analyst->pending;
	struct order order = {.kind = ORDER_SYNC,
		.number = ++analyst->syncs,
		.lines_by_ns = pending->lines_by_ns};
	pending->sync = analyst->syncs;
	reader_link_send(&analyst->link, &order, -1);
}

/* Has the reader told all that is in the rings, and all lines that are waited for? Sampling goes on
   meanwhile. One that gives no sign of work is not waited for. */
static bool is_synced(struct analyst *analyst)
{
	const struct pending *pending = &analyst->pending;
	if (!pending->sync)
		ask_sync(analyst);
	if (analyst->synced >= pending->sync || analyst->link.pid == 0)
		return true;
	/* When sampling has ended, there is no later report: another reader has the rest. */
	return !analyst->is_ending &&
	       reader_link_is_silent(&analyst->link, SILENT_NS, clock_monotonic_ns());
}

static void answer(struct analyst *analyst)
{
	struct pending *pending = &analyst->pending;
	struct time_mark mark;
	take_request(analyst);
	while (mailbox_take_mark(&analyst->mailbox, &mark))
		history_add_time_mark(&analyst->history, &mark);
	if (!pending->is_there || !has_all(analyst, pending) || !is_synced(analyst))
		return;
	struct report *report = build(analyst, &pending->request);
	if (pending->request.forget)
		retention_forget(&analyst->history, pending->request.until_ns);
	pending->is_there = false;
	mailbox_publish(&analyst->mailbox, report);
}

/* --- what is kept ---------------------------------------------------------------------- */

/* A recording keeps all names until some stacks are merged; one in parts forgets, too. */
static bool wants_renewal(const struct history *history)
{
	if (history->limits.keep_everything && retention_wants_condensing(history))
		return true;
	return (!history->limits.keep_everything || history->since_ns) &&
	       retention_wants_renewal(history);
}

/* Ids change when names are renewed, and then the reader must not know the old ones. */
static void ask_generation(struct analyst *analyst)
{
	struct order order = {.kind = ORDER_GENERATION};
	if (!wants_renewal(&analyst->history) || analyst->wants_generation)
		return;
	analyst->wants_generation = true;
	reader_link_send(&analyst->link, &order, -1);
}

/* A generation has begun: of the last one nothing but what was carried is referred to. */
static void renew(struct analyst *analyst)
{
	struct history *history = &analyst->history;
	struct renewal renewal;
	analyst->wants_generation = false;
	if (!wants_renewal(history))
		return;
	if (history->limits.keep_everything && retention_wants_condensing(history))
		retention_condense(history);
	renewal_init(&renewal, history->profile);
	retention_renew(history, &renewal);
	taker_renew(&analyst->taker, &renewal);
	renewal_finish(&renewal);
}

static void tidy(struct analyst *analyst, uint64_t now_ns)
{
	/* Trimming a recording would merge samples before the cut with samples after
	   it. */
	if (analyst->history.limits.keep_everything && analyst->pending.is_there &&
		analyst->pending.request.forget)
		return;
	retention_trim(&analyst->history, now_ns);
	ask_generation(analyst);
}

/* --- the reader ------------------------------------------------------------------------ */

static void end_addition(struct analyst *analyst, const char *why)
{
	struct addition *addition = analyst->adding;
	analyst->adding = NULL;
	addition->good = !why[0];
	if (why[0]) {
		error_set(&addition->error, "%s", why);
		reader_link_remove(&analyst->link, analyst->adding_number);
		mailbox_list_rings(&analyst->mailbox, &analyst->link);
	}
	analyst->any |= addition->good;
	mailbox_added(&analyst->mailbox, addition);
}

static void take_addition(struct analyst *analyst)
{
	struct addition *addition = mailbox_addition(&analyst->mailbox);
	if (!addition || addition == analyst->adding)
		return;
	const struct analyst_process *process = &addition->process;
	analyst->adding = addition;
	analyst->adding_number = reader_link_add(&analyst->link, process->pid,
		process->ring, process->proc_fd, process->is_met);
	mailbox_list_rings(&analyst->mailbox, &analyst->link);
	if (analyst->link.pid == 0) /* nobody would ever say that it was added */
		end_addition(analyst, NO_READER);
}

static void take_added(struct analyst *analyst, const struct fact *fact, const char *why)
{
	struct reader_subject *subject =
		reader_link_find(&analyst->link, fact->subject.subject);
	if (subject && !why[0])
		subject->was_told = true;
	if (analyst->adding && fact->subject.subject == analyst->adding_number)
		end_addition(analyst, why);
	else if (why[0]) /* a new reader could not have it any more */
		reader_link_remove(&analyst->link, fact->subject.subject);
}

static void take_end(struct analyst *analyst, const struct fact *fact)
{
	struct reader_subject *subject =
		reader_link_find(&analyst->link, fact->subject.subject);
	if (subject && fact->kind == FACT_ENDED)
		subject->has_ended = true;
	if (fact->kind == FACT_ENDED)
		return;
	reader_link_remove(&analyst->link, fact->subject.subject);
	mailbox_list_rings(&analyst->mailbox, &analyst->link);
}

static void take_state(
	struct analyst *analyst, const struct fact *fact, const unsigned char *payload)
{
	analyst->state = *fact;
	snprintf(
		analyst->refusal, sizeof(analyst->refusal), "%s", taker_text(payload, 0));
	snprintf(analyst->too_large, sizeof(analyst->too_large), "%s",
		taker_text(payload, 1));
	snprintf(analyst->languages, sizeof(analyst->languages), "%s",
		taker_text(payload, 2));
	snprintf(analyst->places, sizeof(analyst->places), "%s", taker_text(payload, 3));
}

static void take_wish(struct analyst *analyst, const unsigned char *payload)
{
	const char *build_id = taker_text(payload, 0);
	if (!analyst->fetch || strlen(build_id) > 128 ||
		strspn(build_id, "0123456789abcdef") != strlen(build_id))
		return;
	vec_push(&analyst->wishes,
		(struct wish){mem_strdup(build_id), mem_strdup(taker_text(payload, 1))});
}

static void take_news(
	struct analyst *analyst, const struct fact *fact, const unsigned char *payload)
{
	struct assembly *assembly;
	struct code_lines *lines;
	switch (fact->kind) {
	case FACT_SETTLED:
		renew(analyst);
		break;
	case FACT_ADDED:
		take_added(analyst, fact, taker_text(payload, 0));
		break;
	case FACT_ENDED:
	case FACT_RETIRED:
		take_end(analyst, fact);
		break;
	case FACT_SYNCED:
		if (fact->synced.number <= analyst->syncs)
			analyst->synced = fact->synced.number;
		break;
	case FACT_STATE:
		take_state(analyst, fact, payload);
		break;
	case FACT_WANTED:
		take_wish(analyst, payload);
		break;
	case FACT_ASSEMBLY:
		assembly = code_facts_assembly(payload, fact->bytes);
		if (assembly)
			mailbox_publish_assembly(&analyst->mailbox, assembly);
		break;
	case FACT_LINES:
		lines = code_facts_lines(payload, fact->bytes);
		if (lines)
			mailbox_publish_lines(&analyst->mailbox, lines);
		break;
	}
}

/* False: there was a fact that no reader tells. */
static bool take_facts(struct analyst *analyst)
{
	struct reader_link *link = &analyst->link;
	const unsigned char *payload;
	struct fact fact;
	size_t used = 0, now;
	enum taken taken;
	do {
		taken = taker_take(&analyst->taker, link->bytes.data + used,
			link->bytes.len - used, &now, clock_monotonic_ns(), &fact,
			&payload);
		used += now;
		if (taken == TAKEN_NEWS)
			take_news(analyst, &fact, payload);
	} while (taken == TAKEN_NEWS);
	reader_link_used(link, used);
	return taken != TAKEN_WRONG;
}

/* What was asked of the last reader is asked again. */
static void replace_reader(struct analyst *analyst)
{
	unsigned most = analyst->is_ending ? LAST_DEATHS_MOST : READER_DEATHS_MOST;
	bool goes_on = reader_link_replace(
		&analyst->link, analyst->taker.samples == analyst->samples, most);
	analyst->samples = analyst->taker.samples;
	taker_begin_anew(&analyst->taker);
	analyst->pending.sync = 0;
	analyst->wants_generation = false;
	if (!goes_on && analyst->adding)
		end_addition(analyst, NO_READER);
}

static void hear_reader(struct analyst *analyst)
{
	bool lives, goes_on, hangs;
	size_t before;
	reader_link_tend(&analyst->link);
	do {
		before = analyst->link.bytes.len;
		lives = reader_link_receive(&analyst->link);
		bool has_more = analyst->link.bytes.len > before;
		goes_on = take_facts(analyst);
		hangs = reader_link_hangs(&analyst->link,
			analyst->is_ending ? ENDS_NS : HANGS_NS, clock_monotonic_ns());
		if (!has_more)
			break;
	} while (lives && goes_on);
	if (!lives || !goes_on || hangs)
		replace_reader(analyst);
}

static void fetch(struct analyst *analyst)
{
	size_t kept = 0;
	vec_each (&analyst->wishes, wish) {
		const char *path = "";
		struct order order = {.kind = ORDER_FETCHED};
		enum debug_fetch_state state = debug_fetch_ask(
			analyst->fetch, wish->build_id, wish->module, &path);
		if (state == DEBUG_FETCH_PENDING) {
			analyst->wishes.data[kept++] = *wish;
			continue;
		}
		int length = snprintf(order.text, sizeof(order.text), "%s%c%s",
			wish->build_id, '\0', state == DEBUG_FETCH_FOUND ? path : "");
		order.text_bytes = (uint32_t)length + 1;
		if (order.text_bytes <= sizeof(order.text))
			reader_link_send(&analyst->link, &order, -1);
		free(wish->build_id);
		free(wish->module);
	}
	analyst->wishes.len = kept;
}

static void ask_code(struct analyst *analyst)
{
	struct assembly_request request;
	struct order order = {.kind = ORDER_CODE};
	if (!mailbox_take_assembly_request(&analyst->mailbox, &request))
		return;
	if (request.mapping != PROFILE_NONE)
		opener_add_path(analyst->link.opener,
			profile_mapping(request.profile, request.mapping)->path);
	order.text_bytes =
		(uint32_t)code_question_write(&request, (unsigned char *)order.text);
	if (order.text_bytes)
		reader_link_send(&analyst->link, &order, -1);
	profile_unref(request.profile);
}

/* --- the thread ------------------------------------------------------------------------ */

static void note_end(struct analyst *analyst)
{
	bool ended = analyst->any;
	vec_each (&analyst->link.subjects, subject)
		ended &= subject->has_ended;
	ended |= analyst->any && analyst->link.pid == 0;
	if (ended == analyst->ended)
		return;
	analyst->ended = ended;
	mailbox_announce_end(&analyst->mailbox, ended);
}

static void note_strains(struct analyst *analyst, uint64_t now_ns)
{
	vec_each (&analyst->link.subjects, subject)
		strains_note(&analyst->history.strains, &subject->strain_reading,
			ring_meter(subject->ring), now_ns);
}

static void *analyst_main(void *argument)
{
	struct analyst *analyst = argument;
	prctl(PR_SET_NAME, "analyst");
	while (!analyst->quit) {
		take_addition(analyst);
		hear_reader(analyst);
		note_end(analyst);
		uint64_t now_ns = clock_monotonic_ns();
		note_strains(analyst, now_ns);
		own_cpu_look();
		if (atomic_exchange(&analyst->clear, false))
			retention_clear(&analyst->history);
		reader_link_set_native(&analyst->link, analyst->native);
		tidy(analyst, now_ns);
		fetch(analyst);
		answer(analyst);
		ask_code(analyst);
		int fds[] = {analyst->link.facts, -1};
		mailbox_sleep(&analyst->mailbox, fds,
			analyst->pending.is_there ? PENDING_LOOK_EVERY_MS
						  : LOOK_EVERY_MS);
	}
	return NULL;
}

static void release(struct analyst *analyst)
{
	mailbox_finish(&analyst->mailbox);
	reader_link_finish(&analyst->link);
	taker_finish(&analyst->taker);
	history_finish(&analyst->history);
	vec_each (&analyst->wishes, wish) {
		free(wish->build_id);
		free(wish->module);
	}
	vec_free(&analyst->wishes);
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
	const struct reader_options reader = {
		.several = options->several,
		.with_lines = options->lines,
		.lines_at_once = options->lines_at_once,
		.with_code = options->code,
		.fetches = options->fetch != NULL,
		.native = options->native,
		.source_maps = options->source_maps,
		.event = options->event,
		.unwind_by = options->unwind_by,
		.file_bytes = options->file_bytes,
		.debug_dirs = options->debug_dirs,
	};
	analyst->several = options->several;
	analyst->event = options->event;
	analyst->native = options->native;
	analyst->fetch = options->fetch;
	history_init(&analyst->history, options->keep_everything, options->history_ns,
		options->history_bytes);
	analyst->taker.history = &analyst->history;
	if (reader_link_init(&analyst->link, &reader, err) && start(analyst, err))
		return analyst;
	release(analyst);
	return NULL;
}

void analyst_destroy(struct analyst *analyst)
{
	if (!analyst)
		return;
	analyst->quit = true;
	mailbox_wake(&analyst->mailbox);
	pthread_join(analyst->thread, NULL);
	release(analyst);
}

bool analyst_add(
	struct analyst *analyst, const struct analyst_process *process, struct error *err)
{
	struct addition addition = {.process = *process};
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
	reader_link_wake(&analyst->link);
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
		poll(&wait, 1, LOOK_EVERY_MS);
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

void analyst_expect_end(struct analyst *analyst)
{
	analyst->is_ending = true;
	mailbox_wake(&analyst->mailbox);
}

void analyst_clear(struct analyst *analyst)
{
	analyst->clear = true;
	mailbox_wake(&analyst->mailbox);
}

void analyst_set_native(struct analyst *analyst, enum native_frames native)
{
	analyst->native = native;
	mailbox_wake(&analyst->mailbox);
}

int analyst_end_fd(const struct analyst *analyst)
{
	return analyst->mailbox.end_fd;
}

bool analyst_ended(const struct analyst *analyst)
{
	return analyst->ended;
}
