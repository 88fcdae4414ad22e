/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/fixture.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/count/report-build.h"
#include "src/facts/demangle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIBC, /* before the main executable, as a low address may well be */
	PRIMES,
	CALC,
	VDSO,
	IDLE
};

/* clang-format off */
static const struct mapping mappings[] = {
	[LIBC] = {0x7f0000028000, 0x7f00001bd000, 0x28000,
		"/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6",
		"c0ffee00112233445566778899aabbccddeeff00"},
	[PRIMES] = {0x555555556000, 0x55555555a000, 0x2000,
		"/opt/primes/primes", "primes",
		"0123456789abcdef0123456789abcdef01234567", true},
	[CALC] = {0x7f0000401000, 0x7f0000409000, 0x1000,
		"/opt/primes/lib \"calc; old\".so (deleted)", "lib \"calc; old\".so (deleted)",
		""},
	[VDSO] = {0x7ffff7fc1000, 0x7ffff7fc3000, 0, "[vdso]", "[vdso]", ""},
	[IDLE] = {0x7f0000501000, 0x7f0000509000, 0x1000, "/usr/lib/libidle.so", "libidle.so", "aa"},
};

/* A function: the key that stacks are written with, its mapping, its names and place. */
static const struct {
	const char *key;
	uint32_t mapping;
	const char *name, *system_name, *file;
	uint32_t start_line;
} functions[] = {
	{"_start", PRIMES, "_start", "_start", "", 0},
	{"libc_start", LIBC, "__libc_start_main", "__libc_start_main", "", 0},
	{"clone", LIBC, "clone3", "clone3", "", 0},
	{"start_thread", LIBC, "start_thread", "start_thread", "", 0},
	{"qsort", LIBC, "qsort_r", "qsort_r", "", 0},
	{"libc+", LIBC, "[libc.so.6+0x9c3a1]", "[libc.so.6+0x9c3a1]", "", 0},
	{"main", PRIMES, "main", "main", "/src/primes/main.c", 40},
	{"compute", PRIMES, "compute", "compute", "/src/primes/main.c", 20},
	{"division", PRIMES, "is_prime_by_division", "is_prime_by_division", "/src/primes/prime.c", 10},
	{"sieve", PRIMES, "is_prime_by_sieve", "is_prime_by_sieve", "/src/primes/prime.c", 50},
	{"fib", PRIMES, "fibonacci", "fibonacci", "/src/primes/main.c", 5},
	{"worker", PRIMES, "worker(void*)", "_Z6workerPv", "/src/primes/worker.cc", 100},
	{"multiply", PRIMES, "Matrix<double>::operator*(Matrix<double> const&) const",
		"_ZNK6MatrixIdEmlERKS0_", "/src/primes/matrix.h", 80},
	{"dot", PRIMES, "dot", "_ZL3dotPKdS0_i", "/src/primes/matrix.h", 30},
	{"push", PRIMES, "std::vector<Point, std::allocator<Point> >::push_back(Point const&)",
		"_ZNSt6vectorI5PointSaIS0_EE9push_backERKS0_", "/usr/include/c++/12/bits/stl_vector.h", 1276},
	{"lambda", PRIMES, "<core::iter::Map<I,F> as Iterator>::next::{{closure}}",
		"_ZN4core4iter3map8map_next28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "", 0},
	{"wide", CALC, "\346\225\260\343\202\222\346\225\260\343\201\210\343\202\213",
		"\346\225\260\343\202\222\346\225\260\343\201\210\343\202\213", "/src/\346\225\260.c", 3},
	{"umlaut", CALC, "gr\303\266\303\237e_berechnen", "gr\303\266\303\237e_berechnen", "/src/calc.c", 9},
	{"awkward", CALC, "say \"hi; there\" \\x0a<&>' 50%", "say \"hi; there\" \\x0a<&>' 50%", "", 0},
	{"clock", VDSO, "__vdso_clock_gettime", "__vdso_clock_gettime", "", 0},
};

/* A code address: its key, offset in its mapping, and the functions there, innermost
   first (two if one is inlined). A function's own key is an address, too. */
static const struct {
	const char *key;
	uint32_t mapping, offset;
	struct { const char *function; uint32_t line; } lines[2];
} locations[] = {
	{"_start", PRIMES, 0x20, {{"_start", 0}}},
	{"libc_start", LIBC, 0x1305, {{"libc_start", 0}}},
	{"clone", LIBC, 0xd4a0c, {{"clone", 0}}},
	{"start_thread", LIBC, 0x600a4, {{"start_thread", 0}}},
	{"qsort", LIBC, 0x18a77, {{"qsort", 0}}},
	{"libc+", LIBC, 0x743a1, {{"libc+", 0}}},
	{"main", PRIMES, 0x110, {{"main", 44}}},
	{"main.2", PRIMES, 0x12c, {{"main", 47}}},
	{"compute", PRIMES, 0x208, {{"compute", 23}}},
	{"division", PRIMES, 0x304, {{"division", 12}}},
	{"division.2", PRIMES, 0x310, {{"division", 13}}},
	{"sieve", PRIMES, 0x404, {{"sieve", 57}}},
	{"fib", PRIMES, 0x504, {{"fib", 7}}},
	{"fib.2", PRIMES, 0x518, {{"fib", 8}}},
	{"worker", PRIMES, 0x620, {{"worker", 104}}},
	{"multiply", PRIMES, 0x734, {{"dot", 33}, {"multiply", 86}}},
	{"push", PRIMES, 0x808, {{"push", 1281}}},
	{"lambda", PRIMES, 0x908, {{"lambda", 0}}},
	{"wide", CALC, 0x104, {{"wide", 4}}},
	{"umlaut", CALC, 0x208, {{"umlaut", 11}}},
	{"awkward", CALC, 0x30c, {{"awkward", 0}}},
	{"clock", VDSO, 0xa1c, {{"clock", 0}}},
};

static const struct {
	pid_t tid;
	const char *name;
} threads[] = {
	{FIXTURE_PID, "primes"},
	{4712, "worker/0"},
	{4713, "worker/1"},
	{4714, "io; \"log\" \303\244"},
	{4715, "\350\250\210\347\256\227"},
	{4712, "pool-7"}, /* it renamed itself */
};

/* COUNT samples of one stack, outermost first, every STEP_MS from FIRST_MS on. */
static const struct {
	uint32_t thread, count, cpu_us, first_ms, step_ms;
	enum unwind_end end;
	const char *stack;
} samples[] = {
	{0, 300, 10000,    3,  20, UNWIND_ROOT, "_start libc_start main compute division"},
	{0, 150, 10000,   13,  20, UNWIND_ROOT, "_start libc_start main compute division.2"},
	{0, 120, 10010, 3013,  50, UNWIND_ROOT, "_start libc_start main compute sieve"},
	{0,  60,  9990, 6001,  20, UNWIND_ROOT, "_start libc_start main.2 fib fib.2 fib fib.2 fib"},
	{0,  30, 10000, 6011,  20, UNWIND_ROOT, "_start libc_start main.2 fib fib.2"},
	{0,   5,  1000, 9000, 100, UNWIND_ROOT, "_start libc_start main.2 clock"},
	{1, 200, 10000,    5,  20, UNWIND_ROOT, "clone start_thread worker multiply"},
	{5, 100, 10000, 5007,  40, UNWIND_ROOT, "clone start_thread worker multiply"},
	{1,  40,  9000,   15, 100, UNWIND_ROOT, "clone start_thread worker push"},
	{2, 250,  8000,    7,  39, UNWIND_ROOT, "clone start_thread worker multiply"},
	{2,  80,  7000, 2009,  60, UNWIND_ROOT, "clone start_thread worker qsort lambda"},
	{2,  10, 10000, 8003, 100, UNWIND_TRUNCATED, "qsort lambda"},
	{3,  25,  2000,  500, 300, UNWIND_ROOT, "clone start_thread awkward umlaut wide"},
	{3,   8,  2000,  600, 500, UNWIND_NO_CFI, "libc+"},
	{4,   6, 10000, 4001, 500, UNWIND_ROOT, "clone start_thread wide umlaut"},
	{4,   2,  5000, 4301, 500, UNWIND_BAD_MEMORY, ""},
	{4,   3,     0, 4401, 700, UNWIND_ROOT, "clone start_thread awkward"},
};
/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t intern_function(struct profile *profile, const char *key)
{
	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		if (strcmp(functions[i].key, key) != 0)
			continue;
		char short_name[256];
		demangle_short(functions[i].system_name, short_name, sizeof(short_name));
		struct function function = {
			.name = functions[i].name,
			.short_name = short_name,
			.system_name = functions[i].system_name,
			.module = mappings[functions[i].mapping].module,
			.file = functions[i].file,
			.start_line = functions[i].start_line,
		};
		return profile_intern_function(profile, &function);
	}
	assert(!"a function of that key");
	return PROFILE_NONE;
}

static uint32_t intern_location(struct profile *profile, const char *key)
{
	for (size_t i = 0; i < COUNT_OF(locations); i++) {
		if (strcmp(locations[i].key, key) != 0)
			continue;
		uint32_t mapping = locations[i].mapping;
		uint64_t address = mappings[mapping].start + locations[i].offset;
		uint32_t known = profile_find_location(profile, mapping, address);
		if (known != PROFILE_NONE)
			return known;
		struct line lines[2];
		uint32_t n = 0;
		for (; n < 2 && locations[i].lines[n].function; n++)
			lines[n] = (struct line){
				.function = intern_function(
					profile, locations[i].lines[n].function),
				.line = locations[i].lines[n].line,
			};
		return profile_add_location(profile, mapping, address, lines, n);
	}
	assert(!"a location of that key");
	return PROFILE_NONE;
}

/* TEXT is written as a person reads it, outermost first; stacks are kept leaf first. */
static uint32_t intern_stack(
	struct fixture *fixture, const char *text, enum unwind_end end)
{
	uint32_t chain[16];
	char copy[256];
	size_t length = 0;

	assert(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	for (char *space; copy[0]; *space = '\0') {
		space = strrchr(copy, ' ');
		const char *key = space ? space + 1 : copy;
		assert(length < COUNT_OF(chain));
		chain[length++] = intern_location(fixture->profile, key);
		if (!space)
			break;
	}
	if (end != UNWIND_ROOT)
		chain[length++] =
			profile_intern_synthetic(fixture->profile, unwind_end_label(end));
	return stacktab_intern(fixture->stacktab, chain, length, end);
}

/* The samples in time order, as a sampler would take them. */
static void take_samples(struct fixture *fixture, const uint32_t *thread_ids,
	const uint32_t *stacks, bool wall_clock)
{
	for (uint32_t ms = 0; ms < 10000; ms++) {
		for (size_t i = 0; i < COUNT_OF(samples); i++) {
			uint32_t since = ms - samples[i].first_ms;
			if (ms < samples[i].first_ms || since % samples[i].step_ms ||
				since / samples[i].step_ms >= samples[i].count)
				continue;
			struct sample sample = {
				.time_ns = FIXTURE_START_NS + ms * NS_PER_MS,
				.cpu_ns = samples[i].cpu_us * NS_PER_US,
				.wall_ns =
					wall_clock ? samples[i].step_ms * NS_PER_MS : 0,
				.thread = thread_ids[samples[i].thread],
				.stack = stacks[i],
				.count = 1,
			};
			sample_log_add(&fixture->samples, &sample);
		}
	}
}

static void fill(struct fixture *fixture, bool wall_clock)
{
	for (size_t i = 0; i < COUNT_OF(mappings); i++)
		profile_add_mapping(fixture->profile, &mappings[i]);

	uint32_t thread_ids[COUNT_OF(threads)], stacks[COUNT_OF(samples)];
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		thread_ids[i] = profile_intern_thread(
			fixture->profile, threads[i].tid, threads[i].name);
	for (size_t i = 0; i < COUNT_OF(samples); i++)
		stacks[i] = intern_stack(fixture, samples[i].stack, samples[i].end);
	take_samples(fixture, thread_ids, stacks, wall_clock);

	const struct account_slice slices[] = {
		{FIXTURE_START_NS, FIXTURE_END_NS, 6610000000, 1460000000, 4711},
		{FIXTURE_START_NS, FIXTURE_END_NS, 2660000000, 0, 4713},
	};
	for (size_t i = 0; i < COUNT_OF(slices); i++) {
		accounts_begin(&fixture->accounts, slices[i].tid, FIXTURE_START_NS);
		accounts_add(&fixture->accounts, &slices[i]);
	}
	fixture->accounts.surveyed_ns = FIXTURE_END_NS;
}

void fixture_init(struct fixture *fixture, bool wall_clock)
{
	*fixture = (struct fixture){
		.profile = profile_create(),
		.stacktab = stacktab_create(),
		.wall_clock = wall_clock,
	};
	fixture->naming = naming_create(fixture->profile);
	fill(fixture, wall_clock);
}

void fixture_renew(struct fixture *fixture)
{
	struct fixture fresh = {
		.profile = profile_create(),
		.stacktab = stacktab_create(),
		.wall_clock = fixture->wall_clock,
		.renewals = fixture->renewals + 1,
	};
	for (unsigned i = 0; i < fresh.renewals; i++) {
		char *name = mem_printf("[in the way %u]", i);
		profile_intern_synthetic(fresh.profile, name);
		free(name);
	}
	fresh.naming = naming_create(fresh.profile);
	fill(&fresh, fresh.wall_clock);
	fixture_finish(fixture);
	*fixture = fresh;
}

void fixture_finish(struct fixture *fixture)
{
	sample_log_finish(&fixture->samples);
	accounts_finish(&fixture->accounts);
	stacktab_unref(fixture->stacktab);
	naming_unref(fixture->naming);
	profile_unref(fixture->profile);
	*fixture = (struct fixture){0};
}

struct report *fixture_report(
	const struct fixture *fixture, const struct report_request *request)
{
	static const struct report_request everything = {
		.window_ns = FIXTURE_END_NS - FIXTURE_START_NS,
		.until_ns = FIXTURE_END_NS,
	};
	/* The kernel charged a little more than was sampled, as it does. */
	struct cpu_mark marks[11];
	for (uint64_t i = 0; i < COUNT_OF(marks); i++)
		marks[i] = (struct cpu_mark){
			FIXTURE_START_NS + i * NS_PER_SEC, i * 1280000000};
	struct report_input input = {
		.marks = marks,
		.n_marks = COUNT_OF(marks),
		.profile = fixture->profile,
		.naming = fixture->naming,
		.stacktab = fixture->stacktab,
		.samples = &fixture->samples,
		.accounts = &fixture->accounts,
		.now_ns = FIXTURE_END_NS,
		.now_wall_ns = FIXTURE_START_WALL_NS + FIXTURE_END_NS - FIXTURE_START_NS,
	};
	struct report_request asked = request ? *request : everything;
	asked.wall = fixture->wall_clock;
	return report_build(&input, &asked);
}

const struct export_facts *fixture_facts(bool weigh_cpu)
{
	static const char *const comments[] = {
		"host: build-7",
		"stop p50 12 us, p99 38 us, max 210 us; target paused 0.12 %",
	};
	static const struct export_facts facts[] = {
		{
			.frequency_hz = FIXTURE_FREQUENCY_HZ,
			.command = "/opt/primes/primes --limit 1000000",
			.pid = FIXTURE_PID,
			.weigh_cpu = false,
			.comments = comments,
			.n_comments = COUNT_OF(comments),
		},
		{
			.frequency_hz = FIXTURE_FREQUENCY_HZ,
			.command = "/opt/primes/primes --limit 1000000",
			.pid = FIXTURE_PID,
			.weigh_cpu = true,
			.comments = comments,
			.n_comments = COUNT_OF(comments),
		},
	};
	return &facts[weigh_cpu];
}
