#include "src/analyst.h"

#include "src/clock.h"
#include "src/history.h"
#include "src/intakes.h"
#include "src/mem.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 25,
	IDLE_LOOK_EVERY_MS = 200, /* not for ever: a wake-up may fail, as any call */
	PENDING_LOOK_EVERY_MS = 5,
	RENAME_EVERY_MS = 500,
};

/* The sampler surveys four times a second, unless it is held. */
#define TOLD_WITHIN_NS NS_PER_SEC

/* A request that is not answered yet. */
struct pending {
	bool is_there;
	struct report_request request;
	uint64_t lines_by_ns, told_by_ns; /* how long it is waited for what is missing */
};

/* One process more; the caller waits. */
struct addition {
	struct intake_options options;
	struct error error;
	bool done, good;
};

struct analyst {
	struct history history;
	struct intakes intakes;
	bool several;
	char *debug_dirs;
	struct pending pending;
	bool lines_at_once;
	uint64_t renamed_ns; /* when lines were put into the history */

	pthread_t thread;
	int wake_fd, ready_fd;
	_Atomic bool quit, clear, ended;

	pthread_mutex_t mutex; /* of what follows; held for a copy, never for work */
	bool is_asked;
	struct report_request request;
	struct report *published;
	struct addition *addition; /* to be seen to; NULL: none */
	VEC(struct ring *) rings;  /* that records are taken from */
	pthread_cond_t added;
};

static void signal_fd(int fd)
{
	uint64_t one = 1;
	ssize_t ignored = write(fd, &one, sizeof(one));
	(void)ignored; /* full means signalled already */
}

static void clear_fd(int fd)
{
	uint64_t count;
	ssize_t ignored = read(fd, &count, sizeof(count));
	(void)ignored; /* empty means cleared already */
}

static pid_t pid_of(const struct analyst *analyst, const struct history_thread *thread)
{
	const struct profile *profile = analyst->history.profile;
	uint32_t process = profile_thread(profile, thread->thread)->process;
	return process == PROFILE_NONE ? 0 : profile_process(profile, process)->pid;
}

/* The threads alive, and with STATES what each is doing now. To be freed. */
static struct report_thread *list_alive(
	const struct analyst *analyst, bool states, size_t *count)
{
	const struct history *history = &analyst->history;
	struct report_thread *rows =
		mem_alloc(history->threads.len * sizeof(struct report_thread));
	*count = 0;
	vec_each (&history->threads, thread) {
		if (!thread->alive)
			continue;
		struct report_thread row = {.thread = thread->thread, .state = '?'};
		if (states)
			row.state = intakes_thread_state(
				&analyst->intakes, pid_of(analyst, thread), thread->tid);
		rows[(*count)++] = row;
	}
	return rows;
}

static struct report *build(
	const struct analyst *analyst, const struct report_request *request)
{
	size_t n_alive;
	struct report_thread *alive =
		list_alive(analyst, request->thread_states, &n_alive);
	struct report_input input = {
		.profile = analyst->history.profile,
		.naming = analyst->history.naming,
		.stacktab = analyst->history.stacktab,
		.samples = &analyst->history.samples,
		.several = analyst->several,
		.since_ns = analyst->history.since_ns,
		.now_ns = clock_monotonic_ns(),
		.now_wall_ns = clock_wall_ns(),
		.marks = analyst->history.marks.data,
		.n_marks = analyst->history.marks.len,
		.accounts = &analyst->history.accounts,
		.alive = alive,
		.n_alive = n_alive,
	};
	struct report *report = report_build(&input, request);
	report->refusal = intakes_refusal(&analyst->intakes, &report->refusal_pid);
	report->memory_bytes = history_memory(&analyst->history);
	free(alive);
	return report;
}

/* Swap the new report in and destroy the one that nobody took. */
static void publish(struct analyst *analyst, struct report *report)
{
	pthread_mutex_lock(&analyst->mutex);
	struct report *unwanted = analyst->published;
	analyst->published = report;
	signal_fd(analyst->ready_fd);
	pthread_mutex_unlock(&analyst->mutex);
	report_destroy(unwanted);
}

/* Put the lines that are known into the history; not with each one, because that means to
   go through all of it. */
static void take_lines(struct analyst *analyst)
{
	struct map renamed = {0};
	intakes_take_lines(&analyst->intakes, &renamed);
	if (renamed.len > 0)
		history_rename(&analyst->history, &renamed);
	map_finish(&renamed);
	analyst->renamed_ns = clock_monotonic_ns();
}

static void follow_lines(struct analyst *analyst)
{
	if (analyst->lines_at_once)
		intakes_ask_lines(&analyst->intakes);
	if (clock_monotonic_ns() - analyst->renamed_ns >= RENAME_EVERY_MS * NS_PER_MS)
		take_lines(analyst);
}

/* Take over what was asked last; what is at hand and not answered yet gives way. */
static void take_request(struct analyst *analyst)
{
	struct pending *pending = &analyst->pending;
	pthread_mutex_lock(&analyst->mutex);
	if (analyst->is_asked) {
		uint64_t now_ns = clock_monotonic_ns();
		*pending = (struct pending){
			.is_there = true,
			.request = analyst->request,
			.lines_by_ns = now_ns + analyst->request.lines_wait_ns,
			.told_by_ns = now_ns + TOLD_WITHIN_NS,
		};
	}
	analyst->is_asked = false;
	pthread_mutex_unlock(&analyst->mutex);
}

/* Samples are taken on while a request waits, so waiting costs none. */
static bool has_lines(struct analyst *analyst, const struct pending *pending)
{
	if (!pending->request.lines_wait_ns)
		return true;
	intakes_ask_lines(&analyst->intakes);
	if (!intakes_have_lines(&analyst->intakes) &&
		clock_monotonic_ns() < pending->lines_by_ns)
		return false;
	take_lines(analyst);
	return true;
}

/* Records come in order: once the survey and the mark of a later instant are there, so is
   everything of an earlier one. */
static bool has_all(const struct analyst *analyst, const struct pending *pending)
{
	const struct history *history = &analyst->history;
	uint64_t until_ns = pending->request.until_ns;
	size_t marks = history->marks.len;
	if (!pending->request.forget || analyst->ended)
		return true;
	bool told = history->accounts.surveyed_ns >= until_ns && marks > 0 &&
		    history->marks.data[marks - 1].time_ns >= until_ns;
	return told || clock_monotonic_ns() >= pending->told_by_ns;
}

/* What others may know of which rings are read. Holds the mutex. */
static void list_rings(struct analyst *analyst)
{
	analyst->rings.len = 0;
	vec_each (&analyst->intakes.list, intake)
		vec_push(&analyst->rings, intake_ring(*intake));
}

/* Names are forgotten, too, when there are many: what was written is not needed, and what
   runs gets its name again. */
static void forget(struct analyst *analyst, uint64_t until_ns)
{
	history_forget(&analyst->history, until_ns);
	if (!history_is_worn(&analyst->history) || !intakes_have_lines(&analyst->intakes))
		return;
	take_lines(analyst);
	intakes_renew(&analyst->intakes, &analyst->history);
	pthread_mutex_lock(&analyst->mutex);
	list_rings(analyst);
	pthread_mutex_unlock(&analyst->mutex);
}

static void answer(struct analyst *analyst)
{
	struct pending *pending = &analyst->pending;
	take_request(analyst);
	if (!pending->is_there || !has_all(analyst, pending) ||
		!has_lines(analyst, pending))
		return;
	struct report *report = build(analyst, &pending->request);
	if (pending->request.forget)
		forget(analyst, pending->request.until_ns);
	pending->is_there = false;
	publish(analyst, report);
}

static void tidy(struct analyst *analyst, uint64_t now_ns)
{
	/* Merging samples would merge those after the cut with those before. */
	if (!analyst->pending.is_there || !analyst->pending.request.forget)
		history_trim(&analyst->history, now_ns);
}

static int patience_ms(const struct analyst *analyst)
{
	return analyst->pending.is_there ? PENDING_LOOK_EVERY_MS
	       : analyst->ended		 ? IDLE_LOOK_EVERY_MS
					 : LOOK_EVERY_MS;
}

static void take_addition(struct analyst *analyst)
{
	pthread_mutex_lock(&analyst->mutex);
	struct addition *addition = analyst->addition;
	pthread_mutex_unlock(&analyst->mutex);
	if (!addition)
		return;
	addition->good =
		intakes_add(&analyst->intakes, &addition->options, &addition->error);
	pthread_mutex_lock(&analyst->mutex);
	list_rings(analyst);
	analyst->addition = NULL;
	addition->done = true;
	pthread_cond_broadcast(&analyst->added);
	pthread_mutex_unlock(&analyst->mutex);
}

static void retire(struct analyst *analyst, uint64_t now_ns)
{
	struct map renamed = {0};
	if (intakes_retire(&analyst->intakes, now_ns, &renamed)) {
		if (renamed.len > 0)
			history_rename(&analyst->history, &renamed);
		pthread_mutex_lock(&analyst->mutex);
		list_rings(analyst);
		pthread_mutex_unlock(&analyst->mutex);
	}
	map_finish(&renamed);
}

static void *analyst_main(void *argument)
{
	struct analyst *analyst = argument;
	prctl(PR_SET_NAME, "analyst");
	while (!analyst->quit) {
		take_addition(analyst);
		intakes_drain(&analyst->intakes);
		analyst->history.accounts.surveyed_ns = analyst->intakes.surveyed_ns;
		analyst->ended = intakes_ended(&analyst->intakes);
		if (atomic_exchange(&analyst->clear, false))
			history_clear(&analyst->history);
		uint64_t now_ns = clock_monotonic_ns();
		intakes_refresh(&analyst->intakes, now_ns);
		follow_lines(analyst);
		retire(analyst, now_ns);
		tidy(analyst, now_ns);
		answer(analyst);
		struct pollfd wait = {.fd = analyst->wake_fd, .events = POLLIN};
		if (poll(&wait, 1, patience_ms(analyst)) > 0)
			clear_fd(analyst->wake_fd);
	}
	return NULL;
}

static void release(struct analyst *analyst)
{
	report_destroy(analyst->published);
	intakes_finish(&analyst->intakes);
	vec_free(&analyst->rings);
	history_finish(&analyst->history);
	pthread_cond_destroy(&analyst->added);
	pthread_mutex_destroy(&analyst->mutex);
	free(analyst->debug_dirs);
	if (analyst->wake_fd >= 0)
		close(analyst->wake_fd);
	if (analyst->ready_fd >= 0)
		close(analyst->ready_fd);
	free(analyst);
}

static bool start(struct analyst *analyst, struct error *err)
{
	if (analyst->wake_fd < 0 || analyst->ready_fd < 0)
		return error_errno(err, errno, "cannot open descriptors for the analyst");
	int errnum = pthread_create(&analyst->thread, NULL, analyst_main, analyst);
	if (errnum)
		return error_errno(err, errnum, "cannot start the analyst thread");
	return true;
}

struct analyst *analyst_create(const struct analyst_options *options, struct error *err)
{
	struct analyst *analyst = mem_zalloc(sizeof(*analyst));
	analyst->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	analyst->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	analyst->lines_at_once = options->lines_at_once;
	analyst->several = options->several;
	analyst->debug_dirs =
		options->debug_dirs ? mem_strdup(options->debug_dirs) : NULL;
	pthread_mutex_init(&analyst->mutex, NULL);
	pthread_cond_init(&analyst->added, NULL);
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
					    .history = &analyst->history,
					    .debug_dirs = analyst->debug_dirs,
				    }};
	pthread_mutex_lock(&analyst->mutex);
	while (analyst->addition)
		pthread_cond_wait(&analyst->added, &analyst->mutex);
	analyst->addition = &addition;
	analyst_wake(analyst);
	while (!addition.done)
		pthread_cond_wait(&analyst->added, &analyst->mutex);
	pthread_mutex_unlock(&analyst->mutex);
	if (!addition.good && err)
		*err = addition.error;
	return addition.good;
}

bool analyst_reads(struct analyst *analyst, const struct ring *ring)
{
	bool reads = false;
	pthread_mutex_lock(&analyst->mutex);
	vec_each (&analyst->rings, known)
		reads |= *known == ring;
	pthread_mutex_unlock(&analyst->mutex);
	return reads;
}

void analyst_wake(void *context)
{
	struct analyst *analyst = context;
	signal_fd(analyst->wake_fd);
}

void analyst_request(struct analyst *analyst, const struct report_request *request)
{
	pthread_mutex_lock(&analyst->mutex);
	analyst->request = *request;
	analyst->is_asked = true;
	pthread_mutex_unlock(&analyst->mutex);
	analyst_wake(analyst);
}

struct report *analyst_take(struct analyst *analyst)
{
	pthread_mutex_lock(&analyst->mutex);
	struct report *report = analyst->published;
	analyst->published = NULL;
	clear_fd(analyst->ready_fd);
	pthread_mutex_unlock(&analyst->mutex);
	return report;
}

int analyst_ready_fd(const struct analyst *analyst)
{
	return analyst->ready_fd;
}

struct report *analyst_report(
	struct analyst *analyst, const struct report_request *request)
{
	analyst_request(analyst, request);
	struct report *report;
	while (!(report = analyst_take(analyst))) {
		struct pollfd wait = {.fd = analyst->ready_fd, .events = POLLIN};
		poll(&wait, 1, IDLE_LOOK_EVERY_MS);
	}
	return report;
}

void analyst_clear(struct analyst *analyst)
{
	analyst->clear = true;
	analyst_wake(analyst);
}

bool analyst_ended(const struct analyst *analyst)
{
	return analyst->ended;
}
