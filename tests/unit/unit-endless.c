/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An hour at 1000 Hz, in seconds, of a target that changes all the time: new threads, new
   JIT-compiled code, new sockets. The memory used must stay bounded, and what is kept
   must stay correct. */

#include "tests/lib/allocated.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/keep/condense.h"
#include "src/keep/retention.h"

#include <stdio.h>
#include <string.h>

enum {
	HZ = 1000,
	SECONDS = 3600,
	TRIM_EVERY = 25,   /* samples: as the analyst does */
	NAME_EVERY = 10,   /* samples: a new function */
	THREAD_EVERY = 50, /* samples: a new thread */
	LIVE_BYTES = 64 << 20,
};

struct world {
	struct history history;
	uint32_t mapping;
	uint32_t leaf, trunk; /* the newest code, and what calls it */
	pid_t tid;
};

static uint32_t locate(struct world *world, const char *name, uint64_t address)
{
	struct profile *profile = world->history.profile;
	struct function function = {
		.name = name, .system_name = name, .module = "jit", .file = ""};
	struct line line = {.function = profile_intern_function(profile, &function)};
	return profile_add_location(profile, world->mapping, address, &line, 1);
}

static void begin(struct world *world, bool keep_everything)
{
	*world = (struct world){.tid = 1000};
	history_init(&world->history, keep_everything, 600 * NS_PER_SEC,
		keep_everything ? 0 : LIVE_BYTES);
	world->mapping = profile_add_mapping(world->history.profile,
		&(struct mapping){.limit = UINT32_MAX, .path = "jit", .module = "jit"});
	world->trunk = locate(world, "main", 1);
}

static void renew(struct world *world)
{
	struct renewal renewal;
	renewal_init(&renewal, world->history.profile);
	retention_renew(&world->history, &renewal);
	world->mapping = renewal_mapping(&renewal, world->mapping);
	world->trunk = renewal_location(&renewal, world->trunk);
	world->leaf = renewal_location(&renewal, world->leaf);
	renewal_finish(&renewal);
}

static uint64_t time_of(uint32_t number)
{
	return NS_PER_SEC + (uint64_t)number * (NS_PER_SEC / HZ);
}

static void add(struct world *world, uint32_t number)
{
	struct history *history = &world->history;
	char name[32];
	if (number % NAME_EVERY == 0) {
		snprintf(name, sizeof(name), "compiled %u", number / NAME_EVERY);
		world->leaf = locate(world, name, 0x1000 + number / NAME_EVERY % 5000);
	}
	if (number % THREAD_EVERY == 0) {
		if (number)
			history_thread_exit(history, world->tid);
		world->tid = (pid_t)(1000 + number / THREAD_EVERY % 30000);
		snprintf(name, sizeof(name), "t%u", number / THREAD_EVERY);
		history_name_thread(history, world->tid, name);
	}
	uint32_t locations[4] = {world->leaf, world->trunk};
	struct sample sample = {.time_ns = time_of(number), .cpu_ns = number, .count = 1};
	history_add(history, world->tid, locations, 2, UNWIND_ROOT, &sample);
}

static const char *leaf_name(const struct world *world, uint32_t stack)
{
	const struct history *history = &world->history;
	uint32_t leaf = stacktab_node(history->stacktab, stack)->location;
	uint32_t function = profile_location(history->profile, leaf)->lines[0].function;
	return profile_function(history->profile, function)->name;
}

/* Sample NUMBER has the name and the thread that it was added with. */
static void assert_true_to(const struct world *world, const struct sample *sample)
{
	const struct history *history = &world->history;
	uint32_t number = (uint32_t)sample->cpu_ns;
	char name[32];
	snprintf(name, sizeof(name), "compiled %u", number / NAME_EVERY);
	assert_string_equal(leaf_name(world, sample->stack), name);
	snprintf(name, sizeof(name), "t%u", number / THREAD_EVERY);
	assert_string_equal(profile_thread(history->profile, sample->thread)->name, name);
}

static void test_the_live_screen_stays_flat(void **state)
{
	(void)state;
	struct world world;
	size_t before = allocated_bytes(), most[2] = {0};
	uint32_t renewals = 0;
	begin(&world, false);
	for (uint32_t number = 0; number < HZ * SECONDS; number++) {
		add(&world, number);
		if (number % TRIM_EVERY)
			continue;
		history_mark(&world.history, time_of(number), number);
		retention_trim(&world.history, time_of(number));
		if (retention_wants_renewal(&world.history)) {
			renew(&world);
			renewals++;
		}
		/* The second and the fourth quarter: the first fills the ten minutes. */
		size_t now = allocated_bytes() - before;
		uint32_t quarter = number / (HZ * SECONDS / 4);
		if (quarter % 2 && now > most[quarter / 2])
			most[quarter / 2] = now;
	}
	print_message("# at most %zu KB, then %zu KB; %u renewals\n", most[0] / 1024,
		most[1] / 1024, renewals);
	assert_in_range(renewals, 2, 100);
	assert_true(most[1] <= most[0] + most[0] / 20);
	assert_true(most[1] < 200 << 20);
	assert_true(history_memory(&world.history) < 3 * (size_t)LIVE_BYTES);
	const struct sample_log *samples = &world.history.samples;
	assert_in_range(samples->len, 600 * HZ - TRIM_EVERY, 600 * HZ + TRIM_EVERY);
	for (size_t i = 0; i < samples->len; i += 997)
		assert_true_to(&world, sample_log_at(samples, i));
	history_finish(&world.history);
}

/* Where all that is kept needs a name of its own the bound is kept by keeping less. */
static void test_names_have_a_bound_of_their_own(void **state)
{
	(void)state;
	struct world world;
	char name[64];
	size_t most = 0;
	begin(&world, false);
	for (uint32_t number = 0; number < 400 * HZ; number++) {
		snprintf(name, sizeof(name), "a name that is met once: %u", number);
		uint32_t locations[4] = {
			locate(&world, name, 0x1000 + number), world.trunk};
		struct sample sample = {.time_ns = time_of(number), .count = 1};
		history_add(&world.history, 1, locations, 2, UNWIND_ROOT, &sample);
		world.leaf = locations[0];
		if (number % TRIM_EVERY)
			continue;
		retention_trim(&world.history, time_of(number));
		for (int i = 0; retention_wants_renewal(&world.history); i++) {
			renew(&world);
			assert_true(i < 30);
		}
		size_t names = profile_bytes(world.history.profile);
		most = names > most ? names : most;
	}
	print_message("# at most %zu KB of names; %zu samples kept\n", most / 1024,
		world.history.samples.len);
	assert_true(most <= LIVE_BYTES);
	assert_in_range(world.history.samples.len, 10 * HZ, 300 * HZ);
	history_finish(&world.history);
}

/* Every second sample is of code that stays, on a thread that stays. */
static void test_a_recording_is_condensed(void **state)
{
	(void)state;
	struct world world;
	size_t before = allocated_bytes(), most[2] = {0};
	uint32_t n = HZ * SECONDS, condensed = 0;
	begin(&world, true);
	history_name_thread(&world.history, 1, "steady");
	for (uint32_t number = 0; number < n; number++) {
		if (number % 2) {
			uint32_t hot_leaf = profile_find_location(
				world.history.profile, world.mapping, 2);
			if (hot_leaf == PROFILE_NONE)
				hot_leaf = locate(&world, "hot", 2);
			uint32_t locations[4] = {hot_leaf, world.trunk};
			struct sample sample = {
				.time_ns = time_of(number), .cpu_ns = 7, .count = 1};
			history_add(
				&world.history, 1, locations, 2, UNWIND_ROOT, &sample);
		} else {
			add(&world, number);
		}
		if (number % TRIM_EVERY)
			continue;
		retention_trim(&world.history, time_of(number));
		for (int i = 0; retention_wants_condensing(&world.history); i++) {
			retention_condense(&world.history);
			renew(&world);
			condensed++;
			assert_true(i < 10);
		}
		size_t now = allocated_bytes() - before;
		size_t *half = &most[number / (n / 2)];
		*half = now > *half ? now : *half;
	}
	print_message("# at most %zu KB, then %zu KB; condensed %u times\n",
		most[0] / 1024, most[1] / 1024, condensed);
	assert_in_range(condensed, 1, 50);
	assert_true(most[1] < 40 << 20);
	assert_true(most[1] <= most[0] + most[0] / 10);

	uint64_t count = 0, cpu_ns = 0, hot = 0, rare = 0, ended = 0;
	for (size_t i = 0; i < world.history.samples.len; i++) {
		const struct sample *sample = sample_log_at(&world.history.samples, i);
		const struct thread *thread =
			profile_thread(world.history.profile, sample->thread);
		const char *name = leaf_name(&world, sample->stack);
		count += sample->count;
		cpu_ns += sample->cpu_ns;
		hot += strcmp(name, "hot") == 0 && thread->tid == 1 ? sample->count : 0;
		rare += strcmp(name, RARE_STACKS) == 0 ? sample->count : 0;
		ended += strcmp(thread->name, ENDED_THREADS) == 0 ? sample->count : 0;
	}
	assert_int_equal(count, n);
	assert_int_equal(hot, n / 2);
	uint64_t churning = n / 2, last = n - 2; /* 0 + 2 + ... + LAST */
	assert_int_equal(cpu_ns, churning * 7 + last / 2 * (last / 2 + 1));
	assert_in_range(rare, n / 8, n / 2);
	assert_in_range(ended, n / 8, n / 2);
	history_finish(&world.history);
}

/* A recursion in which each stack is another: whose time it was remains known. */
static void test_time_itself_outlives_its_callers(void **state)
{
	(void)state;
	enum {
		FUNCTIONS = 16,
		FRAMES = 2000,
		SAMPLES = 4000
	};
	static uint32_t locations[FRAMES + 2];
	struct world world;
	uint32_t condensed = 0, rare = 0, count[2] = {0};
	begin(&world, true);
	for (uint32_t number = 0; number < SAMPLES; number++) {
		uint32_t functions[FUNCTIONS], bits = number * 2654435761u;
		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			char name[32];
			snprintf(name, sizeof(name), "f%u", i);
			functions[i] = profile_find_location(
				world.history.profile, world.mapping, 16 + i);
			if (functions[i] == PROFILE_NONE)
				functions[i] = locate(&world, name, 16 + i);
		}
		locations[0] = functions[number % 4 == 0];
		for (uint32_t i = 1; i <= FRAMES; i++) {
			bits = bits * 1664525u + 1013904223u;
			locations[i] = functions[2 + (bits >> 24) % (FUNCTIONS - 2)];
		}
		locations[FRAMES + 1] = world.trunk;
		struct sample sample = {.time_ns = time_of(number), .count = 1};
		history_add(
			&world.history, 1, locations, FRAMES + 2, UNWIND_ROOT, &sample);
		world.leaf = world.trunk;
		if (number % TRIM_EVERY)
			continue;
		retention_trim(&world.history, time_of(number));
		for (; retention_wants_condensing(&world.history); condensed++) {
			retention_condense(&world.history);
			renew(&world);
		}
	}
	const struct history *history = &world.history;
	for (size_t i = 0; i < history->samples.len; i++) {
		const struct sample *sample = sample_log_at(&history->samples, i);
		uint32_t depth = 0, node = sample->stack;
		count[leaf_name(&world, node)[1] == '1'] += sample->count;
		for (; !stacktab_is_root(node); depth++)
			node = stacktab_node(history->stacktab, node)->parent;
		rare += depth < FRAMES ? sample->count : 0;
	}
	print_message("# condensed %u times; %u of %u stacks are shorter\n", condensed,
		rare, (uint32_t)SAMPLES);
	assert_in_range(condensed, 2, 50);
	assert_in_range(rare, SAMPLES / 2, SAMPLES);
	assert_int_equal(count[0], SAMPLES - SAMPLES / 4);
	assert_int_equal(count[1], SAMPLES / 4);
	history_finish(&world.history);
}

/* SECOND of a target of two busy threads, which starts twenty others meanwhile. */
static void add_calm_second(struct world *world, uint64_t second)
{
	enum {
		CALM_HZ = 99,
		FUNCTIONS = 40,
		BORN = 20
	};
	struct history *history = &world->history;
	uint64_t begin_ns = second * NS_PER_SEC, end_ns = begin_ns + NS_PER_SEC;
	char name[32];
	for (uint32_t i = 0; i < 2 * CALM_HZ; i++) {
		uint32_t code = 2 + i * i % FUNCTIONS, locations[4] = {0, world->trunk};
		locations[0] =
			profile_find_location(history->profile, world->mapping, code);
		snprintf(name, sizeof(name), "function %u", code);
		if (locations[0] == PROFILE_NONE)
			locations[0] = locate(world, name, code);
		struct sample sample = {
			.time_ns = begin_ns + i * NS_PER_SEC / (2 * CALM_HZ),
			.cpu_ns = NS_PER_SEC / CALM_HZ,
			.count = 1};
		history_add(
			history, 1 + (pid_t)i % 2, locations, 2, UNWIND_ROOT, &sample);
	}
	for (uint32_t i = 0; i < BORN; i++) {
		pid_t tid = (pid_t)(1000 + (second * BORN + i) % 30000);
		struct account_slice slice = {
			.from_ns = begin_ns, .to_ns = end_ns, .cpu_ns = 1, .tid = tid};
		history_name_thread(history, tid, "brief");
		accounts_begin(&history->accounts, tid, begin_ns);
		accounts_add(&history->accounts, &slice);
		accounts_end(&history->accounts, tid, end_ns);
		history_thread_exit(history, tid);
	}
	history_mark(history, end_ns, second * 2 * NS_PER_SEC);
}

/* A recording of two hours takes no more memory than one of half an hour, and a few MB; what
   happened when is known all the while. */
static void test_a_recording_of_hours_stays_flat(void **state)
{
	(void)state;
	enum {
		CALM_SECONDS = 2 * 3600
	};
	struct world world;
	size_t before = allocated_bytes(), most[2] = {0};
	begin(&world, true);
	for (uint64_t second = 0; second < CALM_SECONDS; second++) {
		add_calm_second(&world, second);
		retention_trim(&world.history, second * NS_PER_SEC);
		if (retention_wants_condensing(&world.history)) {
			retention_condense(&world.history);
			renew(&world);
		}
		size_t now = allocated_bytes() - before;
		size_t *part = &most[second >= CALM_SECONDS / 4];
		*part = now > *part ? now : *part;
	}
	print_message("# at most %zu KB, then %zu KB\n", most[0] / 1024, most[1] / 1024);
	assert_true(most[1] <= most[0] + most[0] / 10);
	assert_true(most[1] < 16 << 20);
	const struct sample_log *samples = &world.history.samples;
	uint64_t count = 0, cpu_ns = 0, last_ns = 0;
	assert_false(samples->merged);
	for (size_t i = 0; i < samples->len; i++) {
		const struct sample *sample = sample_log_at(samples, i);
		assert_true(sample->time_ns >= last_ns &&
			    sample->time_ns <= last_ns + 16 * NS_PER_SEC);
		last_ns = sample->time_ns;
		count += sample->count;
	}
	assert_int_equal(count, CALM_SECONDS * 2 * 99);
	vec_each (&world.history.accounts.slices, slice)
		cpu_ns += slice->cpu_ns;
	assert_int_equal(cpu_ns, CALM_SECONDS * 20);
	history_finish(&world.history);
}

/* A second of 1,000 threads that live for a moment, each under a name of its own: few are
   sampled. */
static void add_brief_second(struct world *world, uint64_t second)
{
	enum {
		BORN = 1000,
		SAMPLED_EVERY = 50
	};
	struct history *history = &world->history;
	for (uint64_t i = 0; i < BORN; i++) {
		uint64_t from_ns = second * NS_PER_SEC + i * NS_PER_SEC / BORN;
		uint64_t number = second * BORN + i;
		pid_t tid = (pid_t)(1000 + number % 4000000);
		char name[16];
		snprintf(name, sizeof(name), "b%llx", (unsigned long long)number);
		history_name_thread(history, tid, name);
		accounts_begin(&history->accounts, tid, from_ns);
		accounts_add(
			&history->accounts, &(struct account_slice){.from_ns = from_ns,
						    .to_ns = from_ns + 300000,
						    .cpu_ns = 1,
						    .tid = tid});
		if (i % SAMPLED_EVERY == 0) {
			uint32_t locations[4] = {world->trunk};
			struct sample sample = {
				.time_ns = from_ns, .cpu_ns = number, .count = 1};
			history_add(history, tid, locations, 1, UNWIND_ROOT, &sample);
		}
		accounts_end(&history->accounts, tid, from_ns + 300000);
		history_thread_exit(history, tid);
		if (i % (2 * TRIM_EVERY) == 0)
			retention_trim(history, from_ns);
	}
	history_mark(history, (second + 1) * NS_PER_SEC, second * NS_PER_SEC);
}

/* Two hours of them: what no sample has is gone over, names and lives without CPU time among
   it. */
static void brief_threads(bool keep_everything)
{
	enum {
		BRIEF_SECONDS = 2 * 3600
	};
	struct world world;
	size_t before = allocated_bytes(), most[2] = {0};
	uint32_t renewals = 0;
	begin(&world, keep_everything);
	world.leaf = world.trunk;
	for (uint64_t second = 1; second <= BRIEF_SECONDS; second++) {
		add_brief_second(&world, second);
		bool condenses = retention_wants_condensing(&world.history);
		if (condenses)
			retention_condense(&world.history);
		if (condenses || retention_wants_renewal(&world.history)) {
			renew(&world);
			renewals++;
		}
		size_t now = allocated_bytes() - before;
		size_t *part = &most[second > BRIEF_SECONDS / 2];
		*part = now > *part ? now : *part;
	}
	print_message("# %s: at most %zu KB, then %zu KB; %u renewals\n",
		keep_everything ? "recorded" : "live", most[0] / 1024, most[1] / 1024,
		renewals);
	/* What is sampled of them is kept in a recording, and merged from some number on. */
	if (!keep_everything)
		assert_true(most[1] <= most[0] + most[0] / 10);
	assert_true(most[1] < 10 << 20);
	history_finish(&world.history);
}

static void test_brief_threads_leave_nothing(void **state)
{
	(void)state;
	brief_threads(false);
	brief_threads(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_live_screen_stays_flat),
		cmocka_unit_test(test_names_have_a_bound_of_their_own),
		cmocka_unit_test(test_a_recording_is_condensed),
		cmocka_unit_test(test_a_recording_of_hours_stays_flat),
		cmocka_unit_test(test_brief_threads_leave_nothing),
		cmocka_unit_test(test_time_itself_outlives_its_callers),
	};
	return unit_run(tests);
}
