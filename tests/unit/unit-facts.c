/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts: what a teller says arrives in a history, over a socket; nothing malformed does, and it
 * leaves the history as it was. */
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/keep/retention.h"
#include "src/keep/taker.h"
#include "src/read/tell/teller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOW_NS UINT64_C(1000000000000)

enum {
	TID = 100,
};

struct wire {
	int sockets[2];
	struct teller teller;
	struct history history;
	struct taker taker;
	VEC(unsigned char) bytes;
	/* the newest fact that was for others */
	struct fact news;
	unsigned n_news;
	char text[64]; /* its first */
};

static void begin(struct wire *wire)
{
	*wire = (struct wire){0};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, wire->sockets), 0);
	teller_init(&wire->teller, wire->sockets[0]);
	history_init(&wire->history, false, 60 * NS_PER_SEC, 64 << 20);
	wire->taker.history = &wire->history;
}

static void end(struct wire *wire)
{
	teller_finish(&wire->teller);
	taker_finish(&wire->taker);
	history_finish(&wire->history);
	vec_free(&wire->bytes);
	close(wire->sockets[0]);
	close(wire->sockets[1]);
}

static void receive(struct wire *wire)
{
	ssize_t got;
	assert_true(teller_flush(&wire->teller));
	do {
		vec_reserve(&wire->bytes, wire->bytes.len + 65536);
		got = recv(wire->sockets[1], wire->bytes.data + wire->bytes.len, 65536,
			MSG_DONTWAIT);
		wire->bytes.len += got > 0 ? (size_t)got : 0;
	} while (got > 0);
}

/* Take what was received, all but LATER bytes. */
static enum taken take_but(struct wire *wire, size_t later)
{
	enum taken taken;
	do {
		size_t used;
		const unsigned char *payload;
		struct fact fact;
		taken = taker_take(&wire->taker, wire->bytes.data,
			wire->bytes.len - later, &used, NOW_NS, &fact, &payload);
		if (taken == TAKEN_NEWS) {
			wire->news = fact;
			wire->n_news++;
			snprintf(wire->text, sizeof(wire->text), "%s",
				fact.bytes && fact.kind <= FACT_WANTED
					? taker_text(payload, 0)
					: "");
		}
		memmove(wire->bytes.data, wire->bytes.data + used,
			wire->bytes.len - used);
		wire->bytes.len -= used;
	} while (taken == TAKEN_NEWS);
	return taken;
}

/* All that was told arrives. */
static void arrive(struct wire *wire)
{
	receive(wire);
	assert_int_equal(take_but(wire, 0), TAKEN_ALL);
	assert_int_equal(wire->bytes.len, 0);
	assert_null(wire->taker.wrong);
}

/* --- what is told ------------------------------------------------------------------------ */

static uint32_t add_function(struct profile *profile, const char *name)
{
	const struct function function = {
		.name = name, .system_name = name, .module = "m", .file = "/m.c"};
	return profile_intern_function(profile, &function);
}

/* A location of the teller's, with an inlined function. */
static uint32_t add_location(struct profile *profile, const char *name, uint64_t address)
{
	const struct line lines[] = {
		{add_function(profile, "inlined"), 3}, {add_function(profile, name), 7}};
	if (profile->mappings->len == 0) {
		const struct mapping mapping = {.start = 0x1000,
			.limit = 0x9000,
			.path = "/bin/m",
			.module = "m",
			.build_id = "00ff",
			.is_main = true};
		profile_add_mapping(profile, &mapping);
	}
	return profile_add_location(profile, 0, address, lines, 2);
}

static void tell_sample(
	struct wire *wire, const uint32_t *locations, size_t length, uint64_t time_ns)
{
	const struct sample sample = {
		.time_ns = time_ns, .cpu_ns = 10, .wall_ns = 20, .count = 1};
	teller_sample(&wire->teller, TID, locations, length, UNWIND_ROOT, &sample);
}

/* The names of the newest sample's functions, leaf first: "a b". */
static const char *stack_of(const struct wire *wire, uint32_t stack, char text[256])
{
	const struct history *history = &wire->history;
	text[0] = '\0';
	for (; !stacktab_is_root(stack);
		stack = stacktab_node(history->stacktab, stack)->parent) {
		const struct location *location = profile_location(history->profile,
			stacktab_node(history->stacktab, stack)->location);
		const struct function *function = profile_function(history->profile,
			location->lines[location->n_lines - 1].function);
		size_t length = strlen(text);
		snprintf(text + length, 256 - length, "%s%s", length ? " " : "",
			function->name);
	}
	return text;
}

static struct sample *newest(const struct wire *wire)
{
	assert_true(wire->history.samples.len > 0);
	return sample_log_at(&wire->history.samples, wire->history.samples.len - 1);
}

static void assert_stack(const struct wire *wire, const char *expected)
{
	char text[256];
	assert_string_equal(stack_of(wire, newest(wire)->stack, text), expected);
}

static void test_samples_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct profile *profile = wire.teller.profile;
	uint32_t stack[] = {add_location(profile, "leaf", 0x1100),
		add_location(profile, "main", 0x1200)};
	teller_name(&wire.teller, TID, "worker");
	tell_sample(&wire, stack, 2, NOW_NS - 5);
	arrive(&wire);
	assert_stack(&wire, "leaf main");
	const struct sample *sample = newest(&wire);
	assert_int_equal(sample->time_ns, NOW_NS - 5);
	assert_int_equal(sample->cpu_ns, 10);
	assert_int_equal(sample->wall_ns, 20);
	const struct profile *names = wire.history.profile;
	assert_string_equal(profile_thread(names, sample->thread)->name, "worker");
	const struct location *leaf = profile_location(
		names, stacktab_node(wire.history.stacktab, sample->stack)->location);
	assert_int_equal(leaf->n_lines, 2);
	assert_int_equal(leaf->lines[0].line, 3);
	assert_int_equal(leaf->address, 0x1100);
	const struct mapping *mapping = profile_mapping(names, leaf->mapping);
	assert_int_equal(mapping->start, 0x1000);
	assert_int_equal(mapping->limit, 0x9000);
	assert_true(mapping->is_main);
	assert_string_equal(mapping->path, "/bin/m");
	assert_string_equal(mapping->build_id, "00ff");
	const struct function *inlined = profile_function(names, leaf->lines[0].function);
	assert_string_equal(inlined->name, "inlined");
	assert_string_equal(inlined->file, "/m.c");

	/* what is known is not told again */
	tell_sample(&wire, stack, 2, NOW_NS - 4);
	receive(&wire);
	assert_int_equal(wire.bytes.len, sizeof(struct fact) + 2 * sizeof(uint32_t));
	assert_int_equal(take_but(&wire, 0), TAKEN_ALL);
	assert_int_equal(wire.history.samples.len, 2);
	end(&wire);
}

static void test_all_kinds_of_locations_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct profile *profile = wire.teller.profile;
	uint32_t past = add_location(profile, "old", 0x1100);
	uint32_t now = add_location(profile, "new", 0x1100);
	struct line line = {.function = add_function(profile, "nowhere")};
	uint32_t stack[] = {past, now, profile_intern_kernel(profile, "ep_poll"),
		profile_intern_detailed(profile, "[read]", "fd 5"),
		profile_add_location(profile, PROFILE_NONE, 0x77, &line, 1)};
	tell_sample(&wire, stack, 5, NOW_NS);
	arrive(&wire);
	assert_stack(&wire, "old new ep_poll [read] nowhere");
	const struct profile *names = wire.history.profile;
	uint32_t mapping = 0;
	assert_string_equal(profile_mapping(names, mapping)->module, "m");
	uint32_t found = profile_find_location(names, mapping, 0x1100);
	assert_string_equal(
		profile_function(names, profile_location(names, found)->lines[1].function)
			->name,
		"new");
	uint32_t node = newest(&wire)->stack;
	for (int i = 0; i < 3; i++)
		node = stacktab_node(wire.history.stacktab, node)->parent;
	assert_string_equal(profile_location(names,
				    stacktab_node(wire.history.stacktab, node)->location)
				    ->detail,
		"fd 5");
	end(&wire);
}

static uint64_t sum(const struct wire *wire, enum thread_state state, const char *stack)
{
	uint64_t wall_ns = 0;
	char text[256];
	for (size_t i = 0; i < wire->history.samples.len; i++) {
		const struct sample *sample = sample_log_at(&wire->history.samples, i);
		if (sample->state == state &&
			strcmp(stack_of(wire, sample->stack, text), stack) == 0)
			wall_ns += sample->wall_ns;
	}
	return wall_ns;
}

static void test_waits_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct teller *teller = &wire.teller;
	struct profile *profile = teller->profile;
	uint32_t stack[] = {profile_intern_detailed(profile, "[futex]", "0x10"),
		add_location(profile, "lock", 0x1100)};
	uint32_t other = profile_intern_detailed(profile, "[futex]", "0x20");
	const struct sample sample = {.time_ns = NOW_NS - 90,
		.wall_ns = 1,
		.count = 1,
		.state = THREAD_BLOCKED};
	teller_sample(teller, TID, stack, 2, UNWIND_ROOT, &sample);
	struct fact blocked = {.kind = FACT_BLOCKED,
		.thread = {.tid = TID, .count = 1, .time_ns = NOW_NS - 80, .ns = 100}};
	teller_tell(teller, &blocked, NULL);
	teller_thread(teller, FACT_RUNQ, TID, NOW_NS - 70, 1000);
	teller_thread(teller, FACT_RUNNING, TID, NOW_NS - 60, 10000);
	teller_thread(teller, FACT_CONTEND, TID, 0, 0);
	teller_thread(teller, FACT_WITNESS, TID, NOW_NS - 50, 0);
	teller_change_wait(teller, TID, other);
	blocked.thread.time_ns = NOW_NS - 40;
	blocked.thread.ns = 100000;
	teller_tell(teller, &blocked, NULL);
	arrive(&wire);
	assert_int_equal(sum(&wire, THREAD_BLOCKED, "[futex] lock"), 1 + 100 + 100000);
	assert_int_equal(sum(&wire, THREAD_RUNNABLE, "[waiting for a CPU] lock"), 1000);
	assert_int_equal(sum(&wire, THREAD_RUNNING, "lock"), 10000);
	assert_int_equal(wire.history.samples.len, 6);
	/* the second time it waited for another one */
	assert_int_not_equal(
		newest(&wire)->stack, sample_log_at(&wire.history.samples, 0)->stack);
	end(&wire);
}

static void test_accounts_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct teller *teller = &wire.teller;
	const struct accounts *accounts = &wire.history.accounts;
	struct fact account = {.kind = FACT_ACCOUNT,
		.thread = {.tid = TID,
			.from_ns = NOW_NS - 50,
			.time_ns = NOW_NS - 40,
			.ns = 7,
			.runq_ns = 3}};
	struct fact mark = {
		.kind = FACT_MARK, .mark = {.time_ns = NOW_NS - 30, .cpu_ns = 70}};
	teller_thread(teller, FACT_THREAD, TID, NOW_NS - 60, 0);
	teller_tell(teller, &account, NULL);
	teller_tell(teller, &mark, NULL);
	teller_tell(teller, &mark, NULL);
	mark.kind = FACT_SURVEYED;
	teller_tell(teller, &mark, NULL);
	struct fact rest = {.kind = FACT_POOLED,
		.sample = {.tid = TID, .time_ns = NOW_NS - 20, .cpu_ns = 9, .pool = 5}};
	uint32_t leaf = add_location(teller->profile, "leaf", 0x1100);
	const struct sample sample = {
		.time_ns = NOW_NS - 25, .cpu_ns = 1, .count = 1, .pool = 5};
	teller_sample(teller, TID, &leaf, 1, UNWIND_TRUNCATED, &sample);
	teller_tell(teller, &rest, NULL);
	teller_thread(teller, FACT_THREAD_EXIT, TID, NOW_NS - 10, 0);
	arrive(&wire);
	assert_int_equal(accounts->slices.len, 1);
	assert_int_equal(accounts->slices.data[0].from_ns, NOW_NS - 50);
	assert_int_equal(accounts->slices.data[0].to_ns, NOW_NS - 40);
	assert_int_equal(accounts->slices.data[0].cpu_ns, 7);
	assert_int_equal(accounts->slices.data[0].runq_ns, 3);
	assert_int_equal(accounts->lives.len, 1);
	assert_int_equal(accounts->lives.data[0].to_ns, NOW_NS - 10);
	assert_int_equal(accounts->surveyed_ns, NOW_NS - 30);
	assert_int_equal(wire.history.charged_ns, 140);
	assert_int_equal(newest(&wire)->cpu_ns, 10);
	assert_stack(&wire, "leaf [truncated stack]");
	assert_false(wire.history.threads.data[0].alive);

	/* who is said to end before it began has not lived */
	teller_thread(teller, FACT_THREAD, TID + 1, NOW_NS - 5, 0);
	teller_thread(teller, FACT_THREAD_EXIT, TID + 1, NOW_NS - 6, 0);
	arrive(&wire);
	assert_int_equal(accounts->lives.data[1].to_ns, NOW_NS - 5);
	end(&wire);
}

static void test_several_processes_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct teller *teller = &wire.teller;
	uint32_t leaf = add_location(teller->profile, "leaf", 0x1100);
	uint32_t one = profile_intern_process(teller->profile, 10, "one", "one -x");
	uint32_t two = profile_intern_process(teller->profile, 20, "two", "");
	uint32_t new = profile_intern_process(teller->profile, 20, "new", "");
	teller_of(teller, one);
	tell_sample(&wire, &leaf, 1, NOW_NS - 9);
	arrive(&wire);
	assert_stack(&wire, "leaf one");
	teller_of(teller, two);
	const struct sample sample = {.time_ns = NOW_NS - 8, .cpu_ns = 1, .count = 1};
	teller_sample(teller, 20, &leaf, 1, UNWIND_ROOT, &sample);
	arrive(&wire);
	assert_stack(&wire, "leaf two");
	uint32_t thread = newest(&wire)->thread;
	const struct profile *names = wire.history.profile;
	assert_string_equal(
		profile_process(names, profile_thread(names, thread)->process)->name,
		"two");

	teller_rename_process(teller, two, new);
	teller_of(teller, new);
	tell_sample(&wire, &leaf, 1, NOW_NS - 7);
	arrive(&wire);
	assert_stack(&wire, "leaf new");
	assert_int_equal(wire.history.threads.len, 2);
	vec_each (&wire.history.threads, known)
		assert_string_not_equal(
			profile_process(names, known->process)->name, "two");

	/* another reader says again of which process it tells */
	taker_begin_anew(&wire.taker);
	assert_int_equal(wire.history.process, PROFILE_NONE);
	end(&wire);
}

static void test_names_that_come_later_arrive(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct profile *profile = wire.teller.profile;
	uint32_t stack[] = {add_location(profile, "?", 0x1100),
		add_location(profile, "main", 0x1200)};
	uint32_t untold = add_location(profile, "untold", 0x1300);
	tell_sample(&wire, stack, 2, NOW_NS - 5);
	arrive(&wire);
	assert_stack(&wire, "? main");
	struct idmap renamed = {0};
	idmap_put(&renamed, stack[0], 0, add_location(profile, "name", 0x1100));
	idmap_put(&renamed, untold, 0, add_location(profile, "never", 0x1300));
	teller_renamed(&wire.teller, &renamed);
	arrive(&wire);
	assert_stack(&wire, "name main");
	for (uint32_t id = 0; id < wire.history.profile->functions->len; id++)
		assert_string_not_equal(
			profile_function(wire.history.profile, id)->name, "never");
	idmap_finish(&renamed);
	end(&wire);
}

/* --- generations ------------------------------------------------------------------------- */

/* The reader goes on with only CARRIED, and main, if it does RENEWs, with what it has. */
static void renew(struct wire *wire, uint32_t *carried, bool renews)
{
	struct renewal renewal;
	renewal_init(&renewal, wire->teller.profile);
	*carried = renewal_location(&renewal, *carried);
	teller_renew(&wire->teller, &renewal);
	renewal_finish(&renewal);
	arrive(wire);
	assert_int_equal(wire->news.kind, FACT_SETTLED);
	if (!renews)
		return;
	renewal_init(&renewal, wire->history.profile);
	retention_renew(&wire->history, &renewal);
	taker_renew(&wire->taker, &renewal);
	renewal_finish(&renewal);
}

static void generations(bool renews)
{
	struct wire wire;
	begin(&wire);
	struct teller *teller = &wire.teller;
	uint32_t other = add_location(teller->profile, "other", 0x1300);
	uint32_t kept = add_location(teller->profile, "kept", 0x1100);
	uint32_t process = profile_intern_process(teller->profile, 10, "one", "");
	for (uint64_t i = 0; i < 5; i++) {
		const uint32_t stack[] = {other, kept};
		teller_of(teller, process);
		tell_sample(&wire, stack, 2, NOW_NS - 50 + 2 * i);
		arrive(&wire);
		assert_stack(&wire, "other kept one");
		renew(&wire, &kept, renews);
		assert_int_equal(wire.taker.locations.len, 1);
		/* of the others the names come again */
		other = add_location(teller->profile, "other", 0x1300);
		process = profile_intern_process(teller->profile, 10, "one", "");
	}
	assert_int_equal(wire.n_news, 5);
	/* the history has each once, and all samples have the same stack */
	const struct profile *names = wire.history.profile;
	assert_int_equal(names->functions->len, 4); /* and inlined, and the process */
	assert_int_equal(names->mappings->len, 1);
	assert_int_equal(names->processes->len, 1);
	assert_int_equal(names->locations->len, 3);
	for (size_t i = 0; i < wire.history.samples.len; i++)
		assert_int_equal(sample_log_at(&wire.history.samples, i)->stack,
			newest(&wire)->stack);
	end(&wire);
}

static void test_generations_keep_what_is_carried(void **state)
{
	(void)state;
	generations(false);
	generations(true);
}

/* Lines are found again after a generation; until then the old location is as good. */
static void test_lines_are_not_lost_by_a_generation(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	struct profile *profile = wire.teller.profile;
	uint32_t leaf = add_location(profile, "leaf", 0x1100), kept = leaf;
	uint32_t main = add_location(profile, "main", 0x1200);
	tell_sample(&wire, &leaf, 1, NOW_NS - 5);
	tell_sample(&wire, &main, 1, NOW_NS - 4);
	arrive(&wire);
	uint32_t stack = newest(&wire)->stack;
	renew(&wire, &kept, false);
	profile = wire.teller.profile;
	const struct line line = {.function = add_function(profile, "main")};
	main = profile_add_location(profile, 0, 0x1200, &line, 1);
	tell_sample(&wire, &main, 1, NOW_NS - 3);
	arrive(&wire);
	assert_int_equal(newest(&wire)->stack, stack);
	end(&wire);
}

/* --- what is for others ------------------------------------------------------------------ */

static void test_answers_are_handed_on(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	static const char *const texts[] = {"why", "more", "and more", "and most"};
	for (uint32_t kind = FACT_ADDED; kind < FACT_KINDS; kind++) {
		struct fact fact = {.kind = kind, .subject = {.subject = 3}};
		size_t count = kind == FACT_ADDED    ? 1
			       : kind == FACT_WANTED ? 2
			       : kind == FACT_STATE  ? 4
						     : 0;
		teller_tell_texts(&wire.teller, &fact, texts, count);
		arrive(&wire);
		assert_int_equal(wire.news.kind, kind);
		assert_int_equal(wire.news.subject.subject, 3);
		assert_string_equal(wire.text, count ? "why" : "");
	}
	assert_int_equal(wire.n_news, FACT_KINDS - FACT_ADDED);
	end(&wire);
}

/* However the bytes come, one by one in the end, the facts are the same. */
static void test_facts_may_come_in_pieces(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	uint32_t stack[] = {add_location(wire.teller.profile, "leaf", 0x1100),
		add_location(wire.teller.profile, "main", 0x1200)};
	teller_name(&wire.teller, TID, "worker");
	tell_sample(&wire, stack, 2, NOW_NS - 5);
	receive(&wire);
	for (size_t later = wire.bytes.len; later > 0; later--) {
		assert_int_equal(take_but(&wire, later), TAKEN_ALL);
		assert_int_equal(wire.history.samples.len, 0);
	}
	assert_int_equal(take_but(&wire, 0), TAKEN_ALL);
	assert_stack(&wire, "leaf main");
	end(&wire);
}

/* --- what is malformed ------------------------------------------------------------------- */

/* A location, two functions, a mapping and a process are known, all with the number 0, and a
   sample of TID. */
static void tell_some(struct wire *wire)
{
	uint32_t leaf = add_location(wire->teller.profile, "leaf", 0x1100);
	teller_of(&wire->teller,
		profile_intern_process(wire->teller.profile, 10, "one", ""));
	tell_sample(wire, &leaf, 1, NOW_NS - 100);
	arrive(wire);
}

struct extent {
	size_t numbers[11];
};

static struct extent extent_of(const struct wire *wire)
{
	const struct history *history = &wire->history;
	const struct profile *names = history->profile;
	return (struct extent){{history->samples.len, history->threads.len,
		history->marks.len, history->accounts.slices.len,
		history->accounts.lives.len, stacktab_nodes(history->stacktab),
		names->locations->len, names->functions->len, names->mappings->len,
		names->processes->len, names->threads->len}};
}

static void append(struct wire *wire, const void *bytes, size_t length)
{
	vec_reserve(&wire->bytes, wire->bytes.len + length + 1);
	memcpy(wire->bytes.data + wire->bytes.len, bytes, length);
	wire->bytes.len += length;
}

/* FACT is refused, and everything behind it. Of a payload that is too large its size is enough. */
static void refuse(const char *what, const struct fact *fact, const void *payload)
{
	struct wire wire;
	begin(&wire);
	tell_some(&wire);
	struct extent before = extent_of(&wire), after;
	append(&wire, fact, sizeof(*fact));
	append(&wire, payload, fact->bytes <= FACT_PAYLOAD_MAX ? fact->bytes : 0);
	teller_name(&wire.teller, TID + 1, "good");
	receive(&wire);
	enum taken taken = take_but(&wire, 0);
	after = extent_of(&wire);
	bool is_same = memcmp(&before, &after, sizeof(before)) == 0;
	if (taken != TAKEN_WRONG || !wire.taker.wrong || !is_same)
		print_error("%s: taken %d, %s, %s\n", what, (int)taken,
			wire.taker.wrong ? wire.taker.wrong : "nothing wrong",
			is_same ? "as before" : "the history has changed");
	assert_int_equal(taken, TAKEN_WRONG);
	assert_non_null(wire.taker.wrong);
	assert_true(is_same);
	assert_int_equal(take_but(&wire, 0), TAKEN_WRONG);

	/* another reader is listened to */
	taker_begin_anew(&wire.taker);
	assert_null(wire.taker.wrong);
	end(&wire);
}

#define LONG_NS (UINT64_C(367) * 24 * 3600 * NS_PER_SEC)

#define TEXT(...) .payload = "" __VA_ARGS__, .fact.bytes = sizeof("" __VA_ARGS__)
#define NUMBERS(...)                                \
	.payload = (const uint32_t[]){__VA_ARGS__}, \
	.fact.bytes = sizeof((const uint32_t[]){__VA_ARGS__})
#define MAPPING(...)	   .fact.kind = FACT_MAPPING, .fact.mapping = {__VA_ARGS__}
#define LOCATION(...)	   .fact.kind = FACT_LOCATION, .fact.location = {__VA_ARGS__}
#define PROCESS(KIND, ...) .fact.kind = KIND, .fact.process = {__VA_ARGS__}
#define THREAD(KIND, ...)  .fact.kind = KIND, .fact.thread = {__VA_ARGS__}
#define SAMPLE(...)	   .fact.kind = FACT_SAMPLE, .fact.sample = {__VA_ARGS__}
#define MOVED(KIND, ...)   .fact.kind = KIND, .fact.moved = {__VA_ARGS__}
#define MARK(KIND, ...)	   .fact.kind = KIND, .fact.mark = {__VA_ARGS__}

static const struct {
	const char *what;
	const void *payload;
	struct fact fact;
} malformed[] = {
	{"no kind", .fact.kind = FACT_KINDS},
	{"no kind at all", .fact.kind = UINT32_MAX},
	{"more payload than any has",
		.fact = {.kind = FACT_LINES, .bytes = FACT_PAYLOAD_MAX + 1}},
	{"a mapping that ends before it begins", MAPPING(2, 1), TEXT("p\0m\0")},
	{"a build id that is none", MAPPING(1, 2), TEXT("p\0m\0../x")},
	{"a mapping without a text", MAPPING(1, 2), TEXT("p\0m")},
	{"a mapping with one more", MAPPING(1, 2), TEXT("p\0m\0\0x")},
	{"a mapping without texts", MAPPING(1, 2)},
	{"a path that drives the terminal", MAPPING(1, 2), TEXT("\033[2J\0m\0")},
	{"a function with half a character", .fact.kind = FACT_FUNCTION,
		TEXT("f\xc3\0f\0m\0")},
	{"a function with a mark of direction", .fact.kind = FACT_FUNCTION,
		TEXT("f\0f\0m\0\xe2\x80\xae")},
	{"a location without lines", LOCATION(1, 0, FACT_CODE, 0)},
	{"a location of more lines than there are", LOCATION(1, 0, FACT_CODE, 2),
		NUMBERS(0, 1)},
	{"a location of fewer lines", LOCATION(1, 0, FACT_CODE, 1), NUMBERS(0, 1, 0, 1)},
	{"a location of very many lines", LOCATION(1, 0, FACT_CODE, UINT32_MAX),
		NUMBERS(0, 1)},
	{"a location in no mapping", LOCATION(1, 1, FACT_CODE, 1), NUMBERS(0, 1)},
	{"a location of no kind", LOCATION(1, 0, FACT_DETAILED + 1, 1), NUMBERS(0, 1)},
	{"a location in no function", LOCATION(1, 0, FACT_CODE, 1), NUMBERS(2, 1)},
	{"a location without its detail", LOCATION(1, FACT_NONE, FACT_DETAILED, 1),
		NUMBERS(0, 0)},
	{"a location with an unclean one", LOCATION(1, FACT_NONE, FACT_DETAILED, 1),
		NUMBERS(0, 0, 0x0a0a0a)},
	{"a process without a number", PROCESS(FACT_PROCESS, 0), TEXT("p\0")},
	{"a process with one that the kernel has not", PROCESS(FACT_PROCESS, INT32_MAX),
		TEXT("p\0")},
	{"a process with a tab", PROCESS(FACT_PROCESS, 9), TEXT("p\0\t")},
	{"something carried from nowhere", MOVED(FACT_CARRIED, 0, 1)},
	{"the end of no generation", .fact.kind = FACT_SETTLED},
	{"facts of no process", PROCESS(FACT_OF, .now = 1)},
	{"a process renamed to none",
		PROCESS(FACT_RENAME_PROCESS, .was = 0, .now = FACT_NONE)},
	{"a process renamed to an unknown one",
		PROCESS(FACT_RENAME_PROCESS, .was = 0, .now = 1)},
	{"an unknown process renamed", PROCESS(FACT_RENAME_PROCESS, .was = 1, .now = 0)},
	{"a thread without a number", THREAD(FACT_NAME, 0)},
	{"a thread with a negative one", THREAD(FACT_NAME, -1)},
	{"a thread with one that the kernel has not", THREAD(FACT_NAME, INT32_MAX)},
	{"a thread that will begin", THREAD(FACT_THREAD, TID, .time_ns = NOW_NS + 1)},
	{"a thread with a payload", THREAD(FACT_THREAD, TID), TEXT("n")},
	{"a thread that will end", THREAD(FACT_THREAD_EXIT, TID, .time_ns = NOW_NS + 1)},
	{"waiting in the future", THREAD(FACT_RUNQ, TID, .time_ns = NOW_NS + 1)},
	{"waiting for years", THREAD(FACT_RUNQ, TID, .ns = LONG_NS)},
	{"running in the future", THREAD(FACT_RUNNING, TID, .time_ns = UINT64_MAX)},
	{"running for years", THREAD(FACT_RUNNING, TID, .ns = UINT64_MAX)},
	{"blocked in the future", THREAD(FACT_BLOCKED, TID, .time_ns = NOW_NS + 1)},
	{"blocked for years", THREAD(FACT_BLOCKED, TID, .ns = LONG_NS)},
	{"blocked too often", THREAD(FACT_BLOCKED, TID, .count = UINT32_MAX)},
	{"waiting for what is unknown", THREAD(FACT_CHANGE_WAIT, TID, .location = 1)},
	{"waiting for nothing", THREAD(FACT_CHANGE_WAIT, TID, .location = FACT_NONE)},
	{"a holder without a number", THREAD(FACT_CONTEND, 0)},
	{"a witness of the future", THREAD(FACT_WITNESS, TID, .time_ns = NOW_NS + 1)},
	{"an account that ends before it begins",
		THREAD(FACT_ACCOUNT, TID, .from_ns = 2, .time_ns = 1)},
	{"an account of the future",
		THREAD(FACT_ACCOUNT, TID, .from_ns = 2, .time_ns = NOW_NS + 1)},
	{"an account of years", THREAD(FACT_ACCOUNT, TID, .ns = LONG_NS)},
	{"an account of years of waiting", THREAD(FACT_ACCOUNT, TID, .runq_ns = LONG_NS)},
	{"a sample of the future", SAMPLE(.tid = TID, .time_ns = NOW_NS + 1)},
	{"a sample of no thread", SAMPLE(.tid = 0)},
	{"a sample of no thread that may be", SAMPLE(.tid = INT32_MAX)},
	{"a sample of years", SAMPLE(.tid = TID, .cpu_ns = LONG_NS)},
	{"a sample of years of wall clock", SAMPLE(.tid = TID, .wall_ns = LONG_NS)},
	{"a sample for all", SAMPLE(.tid = TID, .count = UINT32_MAX)},
	{"a sample in no state", SAMPLE(.tid = TID, .state = THREAD_BLOCKED + 1)},
	{"a sample that ended nowhere", SAMPLE(.tid = TID, .end = UNWIND_END_COUNT)},
	{"a sample without its stack", SAMPLE(.tid = TID, .n_locations = 1)},
	{"a sample with more of it", SAMPLE(.tid = TID, .n_locations = 1), NUMBERS(0, 0)},
	{"a sample with half a number", SAMPLE(.tid = TID, .n_locations = 1),
		TEXT("\0\0\0\0\0")},
	{"a sample nowhere", SAMPLE(.tid = TID, .n_locations = 1), NUMBERS(1)},
	{"the rest of a sample with a stack", .fact.kind = FACT_POOLED,
		.fact.sample = {.tid = TID, .n_locations = 1}, NUMBERS(0)},
	{"a rest for years", .fact.kind = FACT_POOLED,
		.fact.sample = {.tid = TID, .cpu_ns = LONG_NS}},
	{"a mark of the future", MARK(FACT_MARK, NOW_NS + 1, 1)},
	{"a mark of years", MARK(FACT_MARK, NOW_NS, LONG_NS)},
	{"a survey of the future", MARK(FACT_SURVEYED, NOW_NS + 1)},
	{"another name of what is unknown", MOVED(FACT_RENAMED, 1, 0)},
	{"an unknown name", MOVED(FACT_RENAMED, 0, 1)},
	{"an answer without its text", .fact.kind = FACT_ADDED},
	{"an unclean answer", .fact.kind = FACT_ADDED, TEXT("\r")},
	{"an end with a text", .fact.kind = FACT_ENDED, TEXT("x")},
	{"a state with one text", .fact.kind = FACT_STATE, TEXT("x")},
	{"a wish with three", .fact.kind = FACT_WANTED, TEXT("x\0x\0x")},
};

static void test_nothing_malformed_arrives(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		struct fact fact = malformed[i].fact;
		unsigned char *payload = NULL;
		/* what is not there is not read: the sanitizer would see it */
		if (fact.bytes && malformed[i].payload) {
			payload = mem_alloc(fact.bytes);
			memcpy(payload, malformed[i].payload, fact.bytes);
		} else {
			payload = mem_zalloc(1);
		}
		refuse(malformed[i].what, &fact, payload);
		free(payload);
	}
}

/* The deepest stack arrives, and is moved with all that is added to it; a deeper one is none. */
static void test_stacks_have_a_limit(void **state)
{
	(void)state;
	struct wire wire;
	uint32_t numbers[FACT_STACK_MAX + 1] = {0};
	struct fact fact = {.kind = FACT_SAMPLE,
		.bytes = FACT_STACK_MAX * sizeof(uint32_t),
		.sample = {.tid = TID,
			.time_ns = NOW_NS,
			.count = 1,
			.n_locations = FACT_STACK_MAX,
			.end = UNWIND_TOO_DEEP}};
	begin(&wire);
	tell_some(&wire);
	teller_tell(&wire.teller, &fact, numbers);
	teller_thread(&wire.teller, FACT_RUNQ, TID, NOW_NS, 1);
	arrive(&wire);
	assert_int_equal(wire.history.samples.len, 3);
	uint32_t nodes = stacktab_nodes(wire.history.stacktab);
	history_move_stacks(&wire.history, NULL, NULL);
	assert_int_equal(stacktab_nodes(wire.history.stacktab), nodes);
	end(&wire);
	fact.bytes += sizeof(uint32_t);
	fact.sample.n_locations++;
	refuse("a stack that is too deep", &fact, numbers);
}

/* Locations that are renamed in one profile are none in the next. */
static void test_no_name_survives_its_profile(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	tell_some(&wire);
	struct teller *teller = &wire.teller;
	for (uint64_t i = 0; i < 100; i++)
		add_location(wire.history.profile, "x", 0x4000 + i);
	uint32_t late = add_location(teller->profile, "late", 0x1300);
	struct fact generation = {.kind = FACT_GENERATION},
		    settled = {.kind = FACT_SETTLED}, renames = {.kind = FACT_RENAMES};
	struct fact carried = {.kind = FACT_CARRIED}, renamed = {.kind = FACT_RENAMED};
	teller_tell(teller, &generation, NULL);
	teller_tell(teller, &carried, NULL);
	idmap_clear(&teller->mappings);
	idmap_clear(&teller->functions);
	tell_sample(&wire, &late, 1, NOW_NS); /* number 1, of a high id in the history */
	renamed.moved.now = 1;
	teller_tell(teller, &renamed, NULL);
	teller_tell(teller, &settled, NULL);
	arrive(&wire);
	struct renewal renewal;
	renewal_init(&renewal, wire.history.profile);
	retention_renew(&wire.history, &renewal);
	taker_renew(&wire.taker, &renewal);
	renewal_finish(&renewal);
	teller_tell(teller, &renames, NULL);
	arrive(&wire);
	uint32_t locations = wire.history.profile->locations->len;
	for (uint32_t i = UNWIND_END_COUNT; i < stacktab_nodes(wire.history.stacktab);
		i++)
		assert_true(
			stacktab_node(wire.history.stacktab, i)->location < locations);
	end(&wire);
}

/* What was carried once is not carried again, or a reader could fill main's memory. */
static void test_what_is_carried_has_a_limit(void **state)
{
	(void)state;
	struct wire wire;
	begin(&wire);
	tell_some(&wire);
	struct fact generation = {.kind = FACT_GENERATION},
		    carried = {.kind = FACT_CARRIED};
	teller_tell(&wire.teller, &generation, NULL);
	teller_tell(&wire.teller, &carried, NULL);
	arrive(&wire);
	carried.moved.now = 1;
	teller_tell(&wire.teller, &carried, NULL);
	receive(&wire);
	assert_int_equal(take_but(&wire, 0), TAKEN_WRONG);

	taker_begin_anew(&wire.taker);
	wire.bytes.len = 0;
	teller_tell(&wire.teller, &generation, NULL);
	teller_tell(&wire.teller, &generation, NULL);
	receive(&wire);
	assert_int_equal(take_but(&wire, 0), TAKEN_WRONG);
	end(&wire);
}

/* Take FACT, many of which are taken without a socket. */
static enum taken take_one(struct wire *wire, const struct fact *fact)
{
	size_t used;
	struct fact news;
	const unsigned char *payload;
	return taker_take(
		&wire->taker, fact, sizeof(*fact), &used, NOW_NS, &news, &payload);
}

static void test_the_history_has_a_limit(void **state)
{
	(void)state;
	struct wire wire;
	struct fact fact = {.kind = FACT_CONTEND, .thread = {.tid = 1}};
	begin(&wire);
	for (; fact.thread.tid <= 1 << 20; fact.thread.tid++)
		assert_int_equal(take_one(&wire, &fact), TAKEN_ALL);
	assert_int_equal(take_one(&wire, &fact), TAKEN_WRONG);
	end(&wire);

	/* samples that are older than very many others */
	begin(&wire);
	fact = (struct fact){.kind = FACT_SAMPLE,
		.sample = {.tid = TID, .time_ns = NOW_NS, .count = 1}};
	for (int i = 0; i <= 256 << 10; i++)
		assert_int_equal(take_one(&wire, &fact), TAKEN_ALL);
	struct fact late = fact;
	late.sample.time_ns--;
	assert_int_equal(take_one(&wire, &late), TAKEN_WRONG);
	taker_begin_anew(&wire.taker);
	late = (struct fact){
		.kind = FACT_RUNQ, .thread = {.tid = TID, .time_ns = 5, .ns = 1}};
	assert_int_equal(take_one(&wire, &late), TAKEN_WRONG);
	taker_begin_anew(&wire.taker);
	late.kind = FACT_THREAD;
	assert_int_equal(take_one(&wire, &late), TAKEN_ALL);

	/* names that change all the time */
	fact = (struct fact){.kind = FACT_RENAMES};
	unsigned count = 0;
	while (count < 1000 && take_one(&wire, &fact) == TAKEN_ALL)
		count++;
	assert_in_range(count, 10, 100);
	end(&wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_arrive),
		cmocka_unit_test(test_all_kinds_of_locations_arrive),
		cmocka_unit_test(test_waits_arrive),
		cmocka_unit_test(test_accounts_arrive),
		cmocka_unit_test(test_several_processes_arrive),
		cmocka_unit_test(test_names_that_come_later_arrive),
		cmocka_unit_test(test_generations_keep_what_is_carried),
		cmocka_unit_test(test_lines_are_not_lost_by_a_generation),
		cmocka_unit_test(test_answers_are_handed_on),
		cmocka_unit_test(test_facts_may_come_in_pieces),
		cmocka_unit_test(test_nothing_malformed_arrives),
		cmocka_unit_test(test_stacks_have_a_limit),
		cmocka_unit_test(test_no_name_survives_its_profile),
		cmocka_unit_test(test_what_is_carried_has_a_limit),
		cmocka_unit_test(test_the_history_has_a_limit),
	};
	return unit_run(tests);
}
