#include "src/analyst.h"

#include "src/address-space.h"
#include "src/clean.h"
#include "src/clock.h"
#include "src/history.h"
#include "src/mem.h"
#include "src/symbolizer.h"
#include "src/task.h"
#include "src/unwinder.h"
#include "src/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	LOOK_EVERY_MS = 25,
	IDLE_LOOK_EVERY_MS = 200, /* not for ever: a wake-up may fail, as any call */
	RENAME_EVERY_MS = 500,
};

struct analyst {
	struct ring *ring;
	int proc_fd;
	struct address_space *space;
	struct symbolizer *symbolizer;
	struct unwinder *unwinder;
	struct history history;
	uint64_t renamed_ns;		       /* when lines were put into the history */
	struct callchain chain;		       /* of the sample at hand */
	uint32_t locations[CALLCHAIN_MAX + 2]; /* of the same; see take_sample */

	pthread_t thread;
	int wake_fd, ready_fd;
	_Atomic bool quit, clear, ended;

	pthread_mutex_t mutex; /* of what follows; held for a copy, never for work */
	bool is_asked;
	struct report_request request;
	struct report *published;
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

static void take_name(struct analyst *analyst, const struct snapshot *record)
{
	char name[4 * SNAPSHOT_NAME_BYTES + 1];
	clean_text(name, sizeof(name), record->name, sizeof(record->name));
	history_name_thread(&analyst->history, record->tid, name);
}

/* What the thread did before this record, if wall clock is sampled. */
static void charge_before(struct analyst *analyst, const struct snapshot *record)
{
	history_charge_wall(&analyst->history, record->tid, record->time_ns,
		record->waited_ns, record->looks);
}

/* The leaf comes first, before it what the thread waits for; history_add may put how the
   stack ended behind the last. */
static void take_sample(struct analyst *analyst, const struct snapshot *record)
{
	struct callchain *chain = &analyst->chain;
	take_name(analyst, record); /* it may have changed */
	charge_before(analyst, record);
	unwinder_unwind(analyst->unwinder, record, chain);
	size_t length = 0;
	if (record->state == THREAD_BLOCKED) {
		char label[WAITING_MAX];
		waiting_label(&record->call, analyst->proc_fd, label);
		analyst->locations[length++] =
			profile_intern_synthetic(analyst->history.profile, label);
	}
	for (uint32_t i = 0; i < chain->length; i++)
		analyst->locations[length++] =
			symbolizer_locate(analyst->symbolizer, chain->frames[i]);
	struct sample sample = {
		.time_ns = record->time_ns,
		.cpu_ns = record->cpu_ns,
		.wall_ns = record->wall_ns,
		.count = 1,
		.state = record->state,
	};
	history_add(&analyst->history, record->tid, analyst->locations, length,
		chain->end, &sample);
}

static void take_wait(struct analyst *analyst, const struct snapshot *record)
{
	struct history *history = &analyst->history;
	charge_before(analyst, record);
	if (record->state == THREAD_RUNNABLE)
		history_wait_for_cpu(history, record->tid);
	history_charge_wall(history, record->tid, record->time_ns, record->wall_ns, 0);
}

static void take_account(struct accounts *accounts, const struct snapshot *record)
{
	struct account_slice slice = {
		.from_ns = record->from_ns,
		.to_ns = record->time_ns,
		.cpu_ns = record->cpu_ns,
		.runq_ns = record->runq_ns,
		.tid = record->tid,
	};
	accounts_add(accounts, &slice);
}

static void take_record(struct analyst *analyst, const struct snapshot *record)
{
	struct accounts *accounts = &analyst->history.accounts;
	switch (record->kind) {
	case SNAPSHOT_SAMPLE:
		take_sample(analyst, record);
		break;
	case SNAPSHOT_THREAD:
		take_name(analyst, record);
		accounts_begin(accounts, record->tid, record->time_ns);
		break;
	case SNAPSHOT_WAIT:
		take_wait(analyst, record);
		break;
	case SNAPSHOT_THREAD_EXIT:
		charge_before(analyst, record);
		history_charge_wall(&analyst->history, record->tid, record->time_ns,
			record->wall_ns, 0);
		history_thread_exit(&analyst->history, record->tid);
		accounts_end(accounts, record->tid, record->time_ns);
		break;
	case SNAPSHOT_ACCOUNT:
		take_account(accounts, record);
		break;
	case SNAPSHOT_SURVEY:
		accounts->surveyed_ns = record->time_ns;
		break;
	case SNAPSHOT_EXEC:
		address_space_exec(analyst->space, NULL);
		symbolizer_exec(analyst->symbolizer);
		break;
	case SNAPSHOT_TICK:
		history_mark(&analyst->history, record->time_ns, record->cpu_ns);
		break;
	case SNAPSHOT_END:
		analyst->ended = true;
		break;
	}
}

static void drain(struct analyst *analyst)
{
	const struct snapshot *record;
	while ((record = ring_peek(analyst->ring))) {
		take_record(analyst, record);
		ring_release(analyst->ring);
	}
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
		char path[64];
		snprintf(path, sizeof(path), "task/%d/stat", thread->tid);
		int fd = states ? openat(analyst->proc_fd, path, O_RDONLY | O_CLOEXEC)
				: -1;
		struct task_stat stat;
		if (fd >= 0 && task_read_stat(fd, &stat))
			row.state = stat.state;
		if (fd >= 0)
			close(fd);
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
		.stacktab = analyst->history.stacktab,
		.samples = &analyst->history.samples,
		.now_ns = clock_monotonic_ns(),
		.now_wall_ns = clock_wall_ns(),
		.marks = analyst->history.marks.data,
		.n_marks = analyst->history.marks.len,
		.accounts = &analyst->history.accounts,
		.alive = alive,
		.n_alive = n_alive,
	};
	struct report *report = report_build(&input, request);
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
	symbolizer_take_lines(analyst->symbolizer, &renamed);
	if (renamed.len > 0)
		history_rename(&analyst->history, &renamed);
	map_finish(&renamed);
	analyst->renamed_ns = clock_monotonic_ns();
}

static void follow_lines(struct analyst *analyst)
{
	if (!analyst->history.keep_everything)
		symbolizer_ask_lines(analyst->symbolizer);
	if (clock_monotonic_ns() - analyst->renamed_ns >= RENAME_EVERY_MS * NS_PER_MS)
		take_lines(analyst);
}

static void wait_for_lines(struct analyst *analyst, uint64_t limit_ns)
{
	symbolizer_ask_lines(analyst->symbolizer);
	symbolizer_wait_lines(analyst->symbolizer, limit_ns);
	take_lines(analyst);
}

static void answer(struct analyst *analyst)
{
	pthread_mutex_lock(&analyst->mutex);
	bool is_asked = analyst->is_asked;
	struct report_request request = analyst->request;
	analyst->is_asked = false;
	pthread_mutex_unlock(&analyst->mutex);
	if (is_asked && request.lines_wait_ns)
		wait_for_lines(analyst, request.lines_wait_ns);
	if (is_asked)
		publish(analyst, build(analyst, &request));
}

static void *analyst_main(void *argument)
{
	struct analyst *analyst = argument;
	prctl(PR_SET_NAME, "analyst");
	while (!analyst->quit) {
		drain(analyst);
		if (atomic_exchange(&analyst->clear, false))
			history_clear(&analyst->history);
		uint64_t now_ns = clock_monotonic_ns();
		if (!analyst->ended)
			address_space_refresh_if_due(analyst->space, now_ns, false);
		follow_lines(analyst);
		history_trim(&analyst->history, now_ns);
		answer(analyst);
		struct pollfd wait = {.fd = analyst->wake_fd, .events = POLLIN};
		int patience_ms = analyst->ended ? IDLE_LOOK_EVERY_MS : LOOK_EVERY_MS;
		if (poll(&wait, 1, patience_ms) > 0)
			clear_fd(analyst->wake_fd);
	}
	return NULL;
}

static void release(struct analyst *analyst)
{
	report_destroy(analyst->published);
	unwinder_destroy(analyst->unwinder);
	symbolizer_destroy(analyst->symbolizer);
	address_space_destroy(analyst->space);
	history_finish(&analyst->history);
	pthread_mutex_destroy(&analyst->mutex);
	close(analyst->proc_fd);
	if (analyst->wake_fd >= 0)
		close(analyst->wake_fd);
	if (analyst->ready_fd >= 0)
		close(analyst->ready_fd);
	free(analyst);
}

static bool start(
	struct analyst *analyst, const struct analyst_options *options, struct error *err)
{
	int proc_fd = fcntl(analyst->proc_fd, F_DUPFD_CLOEXEC, 3);
	if (analyst->wake_fd < 0 || analyst->ready_fd < 0 || proc_fd < 0)
		return error_errno(err, errno, "cannot open descriptors for the analyst");
	analyst->space = address_space_create(
		proc_fd, analyst->history.profile, options->debug_dirs, err);
	if (!analyst->space)
		return false;
	analyst->symbolizer = symbolizer_create(analyst->space, analyst->history.profile);
	analyst->unwinder = unwinder_create(analyst->space, err);
	if (!analyst->unwinder)
		return false;
	int errnum = pthread_create(&analyst->thread, NULL, analyst_main, analyst);
	if (errnum)
		return error_errno(err, errnum, "cannot start the analyst thread");
	return true;
}

struct analyst *analyst_create(const struct analyst_options *options, struct error *err)
{
	struct analyst *analyst = mem_zalloc(sizeof(*analyst));
	analyst->ring = options->ring;
	analyst->proc_fd = options->proc_fd;
	analyst->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	analyst->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&analyst->mutex, NULL);
	history_init(&analyst->history, options->keep_everything, options->history_ns,
		options->history_bytes);
	if (start(analyst, options, err))
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
