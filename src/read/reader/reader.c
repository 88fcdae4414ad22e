/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/reader.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"
#include "src/base/packet.h"
#include "src/base/rights/confine-calls.h"
#include "src/read/names/line-resolver.h"
#include "src/read/names/wanted-files.h"
#include "src/read/reader/assemblies.h"
#include "src/read/reader/intakes.h"
#include "src/read/reader/late-names.h"
#include "src/read/reader/order.h"
#include "src/read/reader/reader-options.h"
#include "src/read/tell/teller.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	IDLE_LOOK_EVERY_MS = 200, /* in case a wake-up was lost */
	PENDING_LOOK_EVERY_MS = 5,
	STATE_TEXTS = 4,
};

struct reader {
	struct reader_options options;
	char debug_dirs[ORDER_TEXT_MAX];
	atomic_ulong *pulse;
	struct ring *ring; /* of the process that is added next; NULL: none */
	struct teller teller;
	struct intakes intakes;
	struct late_names late_names;
	struct wanted_files wanted;
	struct line_resolver *lines; /* NULL: no lines */
	struct assemblies assemblies;
	bool wants_generation, is_over;
	/* what ORDER_SYNC has asked for; number 0: nothing */
	uint64_t sync, lines_by_ns;
	/* what was told last */
	uint64_t surveyed_ns;
	uint32_t told_awaits;
	unsigned told_deaths;
	char told_texts[STATE_TEXTS][256];
};

static void beat(const struct reader *reader)
{
	atomic_fetch_add(reader->pulse, 1);
}

/* --- orders ---------------------------------------------------------------------------- */

static void add(struct reader *reader, const struct order *order, int proc_fd)
{
	struct error err = {""};
	if (!reader->ring)
		error_set(&err, "there is no room for its ring");
	struct intake_options options = {
		.pid = order->pid,
		.several = reader->options.several,
		.resolver = reader->lines,
		.subject = order->subject,
		.ring = reader->ring,
		.proc_fd = proc_fd,
		.is_met = order->is_met || order->is_again,
		.is_again = order->is_again,
		.teller = &reader->teller,
		.debug_dirs = reader->options.debug_dirs,
		.native = &reader->options.native,
		.source_maps = reader->options.source_maps,
		.event = &reader->options.event,
		.unwind_by = reader->options.unwind_by,
		.wanted = reader->options.fetches ? &reader->wanted : NULL,
	};
	reader->ring = NULL;
	if (order->skips && options.ring && ring_peek(options.ring))
		ring_release(options.ring);
	bool added = options.ring && intakes_add(&reader->intakes, &options, &err);
	const char *const text = added ? "" : err.text;
	struct fact fact = {.kind = FACT_ADDED, .subject = {.subject = order->subject}};
	teller_tell_texts(&reader->teller, &fact, &text, 1);
}

static void obey(struct reader *reader, const struct order *order, int fd)
{
	switch (order->kind) {
	case ORDER_RING:
		ring_destroy(reader->ring);
		reader->ring = ring_open(fd, &order->place);
		break;
	case ORDER_ADD:
		add(reader, order, fd);
		break;
	case ORDER_SYNC:
		reader->sync = order->number;
		reader->lines_by_ns = order->lines_by_ns;
		break;
	case ORDER_GENERATION:
		reader->wants_generation = true;
		break;
	case ORDER_CODE:
		assemblies_answer(&reader->assemblies, order->text, order->text_bytes);
		break;
	case ORDER_NATIVE:
		reader->options.native = order->native;
		break;
	case ORDER_FETCHED:
		wanted_files_answer(&reader->wanted, order->text,
			order->text + strlen(order->text) + 1);
		break;
	}
}

/* False: there is none now, or main is gone. */
static bool take_order(struct reader *reader)
{
	struct order order;
	int fd;
	ssize_t got = packet_receive(READER_ORDERS, PACKET_AT_ONCE, &order,
		offsetof(struct order, text), order.text, sizeof(order.text), &fd);
	reader->is_over |= got < 0 && errno != EAGAIN;
	if (got < 0)
		return false;
	obey(reader, &order, fd);
	if (fd >= 0)
		close(fd);
	return true;
}

/* --- telling --------------------------------------------------------------------------- */

static void tell_surveyed(struct reader *reader)
{
	struct fact fact = {
		.kind = FACT_SURVEYED, .mark = {.time_ns = reader->intakes.surveyed_ns}};
	if (reader->intakes.surveyed_ns != reader->surveyed_ns)
		teller_tell(&reader->teller, &fact, NULL);
	reader->surveyed_ns = reader->intakes.surveyed_ns;
}

/* What a report says of names that are not there. */
static void tell_state(struct reader *reader)
{
	pid_t pid = 0;
	const char *refusal = intakes_refusal(&reader->intakes, &pid);
	char languages[128];
	intakes_languages(&reader->intakes, languages, sizeof(languages));
	const char *const texts[] = {refusal ? refusal : "",
		intakes_too_large(&reader->intakes), languages,
		intakes_places(&reader->intakes)};
	bool is_told = true;
	for (size_t i = 0; i < STATE_TEXTS; i++)
		is_told &= strcmp(texts[i], reader->told_texts[i]) == 0;
	unsigned deaths = line_resolver_deaths(reader->lines);
	uint32_t awaits = !late_names_are_complete(&reader->late_names);
	if (is_told && deaths == reader->told_deaths && awaits == reader->told_awaits)
		return;
	for (size_t i = 0; i < STATE_TEXTS; i++)
		snprintf(reader->told_texts[i], sizeof(reader->told_texts[i]), "%s",
			texts[i]);
	reader->told_deaths = deaths;
	reader->told_awaits = awaits;
	struct fact fact = {.kind = FACT_STATE,
		.state = {.lines_deaths = deaths, .awaits = awaits, .refusal_pid = pid}};
	teller_tell_texts(&reader->teller, &fact, texts, STATE_TEXTS);
}

static void tell_wanted(struct reader *reader)
{
	const struct wanted_file *file;
	while ((file = wanted_files_next(&reader->wanted))) {
		const char *const texts[] = {file->build_id, file->module};
		struct fact fact = {.kind = FACT_WANTED};
		teller_tell_texts(&reader->teller, &fact, texts, 2);
	}
}

static void retire(struct reader *reader, uint64_t now_ns)
{
	struct idmap renamed = {0};
	if (intakes_retire(&reader->intakes, now_ns, &renamed)) {
		line_resolver_start(reader->lines); /* not for all at the end */
		if (renamed.len > 0)
			teller_renamed(&reader->teller, &renamed);
	}
	idmap_finish(&renamed);
}

/* Sampling goes on while lines are waited for, so no samples are lost. */
static void answer_sync(struct reader *reader)
{
	struct fact fact = {.kind = FACT_SYNCED, .synced = {.number = reader->sync}};
	if (!reader->sync)
		return;
	if (reader->lines_by_ns) {
		line_resolver_hurry(reader->lines); /* somebody waits for them */
		line_resolver_start(reader->lines);
		if (!late_names_are_complete(&reader->late_names) &&
			clock_monotonic_ns() < reader->lines_by_ns)
			return;
		late_names_take(&reader->late_names);
	}
	tell_surveyed(reader);
	tell_state(reader);
	teller_tell(&reader->teller, &fact, NULL);
	reader->sync = 0;
}

/* --- all ------------------------------------------------------------------------------- */

static void sleep_for(struct reader *reader, int patience_ms)
{
	struct pollfd wait[] = {
		{.fd = READER_ORDERS, .events = POLLIN},
		{.fd = READER_WAKE, .events = POLLIN},
		{.fd = line_resolver_fd(reader->lines), .events = POLLIN},
	};
	uint64_t count;
	if (poll(wait, sizeof(wait) / sizeof(*wait), patience_ms) > 0 &&
		wait[1].revents) {
		ssize_t ignored = read(READER_WAKE, &count, sizeof(count));
		(void)ignored; /* empty means cleared already */
	}
}

static void turn(struct reader *reader)
{
	beat(reader);
	while (take_order(reader))
		;
	intakes_drain(&reader->intakes);
	tell_surveyed(reader);
	uint64_t now_ns = clock_monotonic_ns();
	intakes_refresh(&reader->intakes, now_ns);
	late_names_follow(&reader->late_names, now_ns);
	retire(reader, now_ns);
	if (late_names_renew(&reader->late_names, reader->wants_generation))
		reader->wants_generation = false;
	answer_sync(reader);
	assemblies_tell_lines(&reader->assemblies);
	tell_state(reader);
	tell_wanted(reader);
	reader->is_over |= !teller_flush(&reader->teller);
	if (!reader->is_over)
		sleep_for(reader, reader->sync ? PENDING_LOOK_EVERY_MS
					       : intakes_patience_ms(&reader->intakes));
}

static bool receive_options(struct reader *reader)
{
	struct reader_options *options = &reader->options;
	ssize_t length = packet_receive(READER_ORDERS, PACKET_WAIT, options,
		sizeof(*options), reader->debug_dirs, sizeof(reader->debug_dirs), NULL);
	options->debug_dirs = length > 0 ? reader->debug_dirs : NULL;
	reader->pulse = mmap(NULL, sizeof(*reader->pulse), PROT_READ | PROT_WRITE,
		MAP_SHARED, READER_PULSE, 0);
	return length >= 0 && reader->pulse != MAP_FAILED;
}

static void serve(const char *argument)
{
	static struct reader reader; /* large */
	const char *const none[] = {NULL};
	const struct reader_options *options = &reader.options;
	(void)argument;
	if (!receive_options(&reader))
		return;
	/* A library: it is loaded while there are files. */
	reader.assemblies.decoder = options->with_code ? decoder_create() : NULL;
	own_process_confine(none, options->ring_bytes);
	confine_reader_process_calls();
	ask_opener_over(READER_OPENER);
	reader.lines =
		options->with_lines ? line_resolver_create(options->debug_dirs) : NULL;
	teller_init(&reader.teller, READER_FACTS);
	reader.intakes.pulse = reader.pulse;
	reader.intakes.file_bytes = options->file_bytes;
	reader.late_names = (struct late_names){
		.teller = &reader.teller,
		.intakes = &reader.intakes,
		.lines = reader.lines,
		.lines_at_once = options->lines_at_once,
	};
	reader.assemblies.teller = &reader.teller;
	reader.assemblies.intakes = &reader.intakes;
	reader.assemblies.lines = reader.lines;
	reader.assemblies.debug_dirs = options->debug_dirs;
	while (!reader.is_over)
		turn(&reader);
}

const struct own_process_kind reader_kind = {"cproftop-reads", serve};
