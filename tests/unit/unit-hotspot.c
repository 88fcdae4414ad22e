/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hotspot: a made-up machine in a piece of memory, as two versions lay it out, and as
   nobody should. */

#include "tests/lib/made-java.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/runtimes/hotspot/hotspot-code.h"
#include "src/read/runtimes/hotspot/hotspot-monitor.h"

#include <stdlib.h>
#include <string.h>

static bool find(struct machine *machine, uint64_t pc, struct hotspot_code *out)
{
	struct hotspot *hotspot = hotspot_create(&machine->memory, machine->addresses);
	bool is_found = hotspot && hotspot_find_code(hotspot, pc, out);
	hotspot_destroy(hotspot);
	return is_found;
}

static void test_code_of_either_layout(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_machine(is_new);
		uint64_t first = add_code(machine, 0, 2, "Interpreter", 0, 0);
		uint64_t second = add_code(machine, 3, 5, "nmethod", 6, 12);
		add_code(machine, 10, 200, "RuntimeStub - one", 2, -1);
		uint64_t last = add_code(machine, 10, 200, "RuntimeStub - one", 2, -1);
		struct hotspot_code code;
		assert_true(find(machine, first + 3, &code));
		assert_int_equal(code.kind, HOTSPOT_INTERPRETER);
		assert_true(find(machine, second + 400, &code));
		assert_int_equal(code.kind, HOTSPOT_FRAME);
		assert_int_equal(code.frame_bytes, 48);
		assert_true(code.start == second && code.complete == second + 12);
		assert_true(find(machine, last + 199 * SEGMENT - 200, &code));
		assert_int_equal(code.frame_bytes, 16);
		assert_true(code.complete == last - 1);
		/* Headers, free segments and what lies elsewhere. */
		assert_false(find(machine, second - 1, &code));
		assert_false(find(machine, BASE + CODE + 2 * SEGMENT + 5, &code));
		assert_false(find(machine, BASE + CODE_END, &code));
		assert_false(find(machine, 0, &code));
		assert_false(find(machine, UINT64_MAX, &code));
		free(machine);
	}
}

static void test_kinds_by_name(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum hotspot_kind kind;
	} kinds[] = {
		{"vtable chunks", HOTSPOT_DISPATCH},
		{"StubRoutines (continuation stubs)", HOTSPOT_CONTINUATION},
		{"StubRoutines (1)", HOTSPOT_OTHER},
		{"a name that is longer than any that HotSpot has for its own code",
			HOTSPOT_OTHER},
	};
	struct machine *machine = make_machine(true);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct hotspot_code code;
		uint64_t at = add_code(machine, 0, 4, kinds[i].name, 0, 0);
		assert_true(find(machine, at, &code));
		assert_int_equal(code.kind, kinds[i].kind);
	}
	free(machine);
}

static void test_where_virtual_threads_stand(void **state)
{
	(void)state;
	for (int is_new = 0; is_new < 2; is_new++) {
		struct machine *machine = make_machine(is_new);
		struct hotspot *hotspot =
			hotspot_create(&machine->memory, machine->addresses);
		uint64_t pc = hotspot_continuation_pc(hotspot);
		assert_true(pc == (is_new ? BASE + CODE + 100 : 0));
		hotspot_destroy(hotspot);
		free(machine);
	}
}

/* Code that is freed, and headers that cannot be. */
static void test_what_is_not_believed(void **state)
{
	(void)state;
	enum {
		BLOCK = CODE + 3 * SEGMENT,
		BLOB = BLOCK + 16
	};
	static const struct {
		size_t at;
		uint64_t value;
		size_t bytes;
		bool is_found; /* its frame is not believed */
	} changes[] = {
		{BLOCK + 8, 0, 1, false},		    /* not in use */
		{MAP + 4, 0xff, 1, false},		    /* free */
		{MAP + 4, 9, 1, false},			    /* before the heap */
		{HEAP + 140, 63, 4, false},		    /* segments */
		{HEAP + 72 + 24, BASE + MAP + 2, 8, false}, /* the map */
		{ARRAY, 0, 4, false}, {ARRAY_DATA, 0x10, 8, false},
		{STATICS, 0, 8, false},
		{BLOB + 8, UINT32_MAX, 4, false}, /* bytes in all */
		{BLOB + 24, 0x10, 8, false},	  /* where the code begins */
		{BLOB + 32, BASE + CODE_END, 8, false},
		{BLOB + 12, UINT32_MAX, 4, true}, /* words of a frame */
		{BLOB + 12, 1 << 20, 4, true}, {BLOB, 0x10, 8, true}, /* its name */
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct machine *machine = make_machine(false);
		struct hotspot_code code;
		uint64_t at = add_code(machine, 3, 5, "nmethod", 6, 12) + SEGMENT;
		assert_true(find(machine, at, &code));
		put(machine, changes[i].at, changes[i].value, changes[i].bytes);
		assert_int_equal(find(machine, at, &code), changes[i].is_found);
		if (changes[i].bytes == 4 && changes[i].is_found)
			assert_int_equal(code.kind, HOTSPOT_OTHER);
		free(machine);
	}
}

static void test_tables_that_are_none(void **state)
{
	(void)state;
	static const struct {
		size_t at;
		uint64_t value;
	} changes[] = {
		{VARIABLES, 0},			      /* not relocated yet */
		{VARIABLES, BASE + BYTES - 10},	      /* ends before it begins */
		{VARIABLES + 8, 0},		      /* no end */
		{VARIABLES + 8, 1 << 30},	      /* huge entries */
		{VARIABLES + 8 * HOTSPOT_OFFSET, 41}, /* an offset past the entry */
		{VARIABLES + 8 * HOTSPOT_TYPE, UINT64_MAX},
		{TABLE + 3 * STRIDE, 0}, /* ends too soon */
		{TABLE + 3 * STRIDE + 32, UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct machine *machine = make_machine(false);
		put(machine, changes[i].at, changes[i].value, 8);
		assert_null(hotspot_create(&machine->memory, machine->addresses));
		assert_true(machine->reads < 50000);
		free(machine);
	}
	struct machine *machine = make_machine(false);
	machine->addresses[HOTSPOT_TABLE] = 0;
	assert_null(hotspot_create(&machine->memory, machine->addresses));
	free(machine);
}

/* Whatever is there, an answer comes soon, and is one that can be. */
static void test_any_bytes(void **state)
{
	(void)state;
	srandom(1);
	unsigned found = 0;
	for (int round = 0; round < 3000; round++) {
		struct machine *machine = make_machine(round % 2);
		uint64_t at = add_code(machine, 3, 200, "nmethod", 6, 12) + 1000;
		for (int i = 0; i < 20; i++) {
			size_t where = (size_t)random() % (round % 3 ? CODE : BYTES);
			machine->bytes[where] = (unsigned char)random();
		}
		struct hotspot_code code;
		if (find(machine, at, &code)) {
			found++;
			assert_true(code.start <= at && at < code.limit);
			assert_true(code.frame_bytes <= 8 << 16);
		}
		assert_true(machine->reads < 50000);
		free(machine);
	}
	assert_true(found > 100 && found < 3000);
}

/* --- monitors ------------------------------------------------------------------------- */

enum {
	LIST = 0x5000,
	LIST_THREADS = 0x5100,
	MONITOR = 0x5200,
	JAVA_THREADS = 0x6000,
	OS_THREADS = 0x7000,
	OF_THREAD = 0x100, /* bytes */
	STACK_BYTES = 0x1000,
};

#define STACKS (BASE + 0x100000)

static void put_thread(struct machine *machine, unsigned i, pid_t tid)
{
	size_t thread = JAVA_THREADS + i * OF_THREAD, os = OS_THREADS + i * OF_THREAD;
	put(machine, thread + 16, BASE + os, 8);
	put(machine, thread + 24, STACKS + (i + 1) * STACK_BYTES, 8);
	put(machine, thread + 32, STACK_BYTES, 8);
	put(machine, os + 8, (uint64_t)tid, 4);
	put(machine, LIST_THREADS + i * 8, BASE + thread, 8);
}

static uint64_t thread_at(unsigned i)
{
	return BASE + JAVA_THREADS + i * OF_THREAD;
}

/* Threads 101, 102, 103; 101 waits for a monitor that 102 has. */
static struct machine *make_waiting(void)
{
	struct machine *machine = make_machine(false);
	add_field(machine, "JavaThread", "_current_pending_monitor", "ObjectMonitor*",
		false, 8);
	add_field(machine, "JavaThread", "_osthread", "OSThread*", false, 16);
	add_field(machine, "JavaThread", "_stack_base", "address", false, 24);
	add_field(machine, "JavaThread", "_stack_size", "size_t", false, 32);
	add_field(machine, "OSThread", "_thread_id", "OSThread::thread_id_t", false, 8);
	add_field(machine, "ObjectMonitor", "_owner", "", false, 64);
	add_field(machine, "ThreadsList", "_length", "const uint", false, 4);
	add_field(machine, "ThreadsList", "_threads", "JavaThread**", false, 16);
	add_field(machine, "ThreadsSMRSupport", "_java_thread_list", "ThreadsList*", true,
		BASE + STATICS + 16);
	put(machine, STATICS + 16, BASE + LIST, 8);
	put(machine, LIST + 4, 3, 4);
	put(machine, LIST + 16, BASE + LIST_THREADS, 8);
	for (unsigned i = 0; i < 3; i++)
		put_thread(machine, i, (pid_t)(101 + i));
	put(machine, JAVA_THREADS + 8, BASE + MONITOR, 8);
	put(machine, MONITOR + 64, thread_at(1), 8);
	return machine;
}

static void test_monitors_have_owners(void **state)
{
	(void)state;
	struct machine *machine = make_waiting();
	struct hotspot_monitors *monitors =
		hotspot_monitors_create(&machine->memory, machine->addresses);
	struct hotspot_wait wait;
	assert_non_null(monitors);
	assert_true(hotspot_find_wait(monitors, 101, NS_PER_SEC, &wait));
	assert_int_equal(wait.monitor, BASE + MONITOR);
	assert_int_equal(wait.owner, 102);
	assert_false(hotspot_find_wait(monitors, 102, NS_PER_SEC, &wait)); /* waits not */
	assert_false(hotspot_find_wait(monitors, 7, NS_PER_SEC, &wait)); /* not Java's */
	/* a word on the stack of one; of the one that waits; on nobody's; a mark */
	const uint64_t owners[] = {
		STACKS + 2 * STACK_BYTES + 64, STACKS + 64, STACKS - 8, 1, 0};
	const pid_t tids[] = {103, 0, 0, 0, 0};
	for (size_t i = 0; i < 5; i++) {
		put(machine, MONITOR + 64, owners[i], 8);
		assert_true(hotspot_find_wait(monitors, 101, NS_PER_SEC, &wait));
		assert_int_equal(wait.owner, tids[i]);
	}
	/* What was a thread is another one now: it is listed anew, a second later. */
	put(machine, MONITOR + 64, thread_at(1), 8);
	put(machine, OS_THREADS + OF_THREAD + 8, 104, 4);
	assert_true(hotspot_find_wait(monitors, 101, NS_PER_SEC + 1, &wait));
	assert_int_equal(wait.owner, 0);
	assert_true(hotspot_find_wait(monitors, 101, 3 * NS_PER_SEC, &wait));
	assert_int_equal(wait.owner, 104);
	hotspot_monitors_destroy(monitors);
	free(machine);
}

static void test_what_is_not_said_of_monitors(void **state)
{
	(void)state;
	struct machine *machine = make_machine(false);
	assert_null(hotspot_monitors_create(&machine->memory, machine->addresses));
	free(machine);
	machine = make_waiting();
	put(machine, LIST + 4, UINT32_MAX, 4); /* a list without an end, of nothing */
	put(machine, JAVA_THREADS + 16, 0, 8);
	struct hotspot_monitors *monitors =
		hotspot_monitors_create(&machine->memory, machine->addresses);
	struct hotspot_wait wait;
	machine->reads = 0;
	assert_false(hotspot_find_wait(monitors, 101, NS_PER_SEC, &wait));
	assert_true(machine->reads < 5 * 4096);
	hotspot_monitors_destroy(monitors);
	free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_of_either_layout),
		cmocka_unit_test(test_kinds_by_name),
		cmocka_unit_test(test_where_virtual_threads_stand),
		cmocka_unit_test(test_what_is_not_believed),
		cmocka_unit_test(test_tables_that_are_none),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_monitors_have_owners),
		cmocka_unit_test(test_what_is_not_said_of_monitors),
	};
	return unit_run(tests);
}
