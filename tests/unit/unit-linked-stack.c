/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that a thread has left for another one, found by loads: this process is the
   target, and its runtime a few words. */

#include "tests/lib/unit.h"

#include "ptrace/capture.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	PAGES = 8,
	STACK_BYTES = 64 * 1024,
	/* Where things are. */
	POINTER = 256,	       /* the thread pointer */
	FIRST = PAGE,	       /* the record of the stack in use, */
	BETWEEN = PAGE + 512,  /* which leads here, */
	LAST = PAGE + 1024,    /* and this to that of the stack that was left */
	USED = 4 * PAGE - 512, /* the stack pointer of the first, */
	LIMIT = 4 * PAGE,      /* where the thread began to use it, */
	LEFT = 5 * PAGE,       /* the stack pointer of the other one, */
	TOP = 6 * PAGE,	       /* and its limit */
};

struct runtime {
	unsigned char *bytes;
	struct stack_link link;
	struct capture_memory memory;
	struct snapshot *snapshot;
	size_t asked; /* in the slow way */
};

static uint64_t at(const struct runtime *runtime, size_t offset)
{
	return (uint64_t)(uintptr_t)runtime->bytes + offset;
}

static void write_word(struct runtime *runtime, size_t offset, uint64_t word)
{
	memcpy(runtime->bytes + offset, &word, sizeof(word));
}

static ssize_t read_slowly(
	void *context, int mem_fd, void *out, size_t length, uint64_t address)
{
	struct runtime *runtime = context;
	runtime->asked++;
	return pread(mem_fd, out, length, (off_t)address);
}

/* Let BETWEEN lead to the record at LAST, and all else be as above. */
static void link_records(struct runtime *runtime, uint64_t last)
{
	write_word(runtime, POINTER - 8, at(runtime, FIRST));
	write_word(runtime, FIRST, at(runtime, 2 * PAGE));
	write_word(runtime, FIRST + 8, at(runtime, LIMIT + 256));
	write_word(runtime, FIRST + 16, at(runtime, BETWEEN));
	write_word(runtime, BETWEEN + 24, last);
	write_word(runtime, FIRST + 32, at(runtime, LIMIT));
	write_word(runtime, LAST + 8, at(runtime, TOP));
	write_word(runtime, LAST + 32, at(runtime, LEFT));
	write_word(runtime, LAST + 40, 0x1234);
	write_word(runtime, LAST + 48, 0x5678);
}

static struct runtime *begin(void)
{
	struct runtime *runtime = mem_zalloc(sizeof(*runtime));
	runtime->bytes = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(runtime->bytes != MAP_FAILED);
	for (size_t i = 0; i < PAGES * PAGE; i++)
		runtime->bytes[i] = (unsigned char)(i * 31 >> 3);
	runtime->link = (struct stack_link){
		.loads = 3,
		.offsets = {-8, 16, 24},
		.sp = 32,
		.pc = 40,
		.fp = 48,
		.top = 8,
		.n_areas = 1,
		.areas = {{at(runtime, 0), at(runtime, PAGES * PAGE)}},
	};
	runtime->memory = (struct capture_memory){
		.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
		.link = &runtime->link,
		.thread_pointer = at(runtime, POINTER),
		.slow = read_slowly,
		.context = runtime,
	};
	runtime->snapshot = mem_zalloc(sizeof(*runtime->snapshot) + STACK_BYTES);
	link_records(runtime, at(runtime, LAST));
	return runtime;
}

static void end(struct runtime *runtime)
{
	close(runtime->memory.memory);
	munmap(runtime->bytes, PAGES * PAGE);
	free(runtime->snapshot);
	free(runtime);
}

static void capture(struct runtime *runtime, size_t sp, size_t bytes)
{
	struct capture_habit habit = {0};
	assert_int_equal(capture_stack_at(&runtime->memory, at(runtime, sp), bytes,
				 &habit, runtime->snapshot),
		CAPTURE_DONE);
}

static void test_a_stack_that_was_left(void **state)
{
	(void)state;
	struct runtime *runtime = begin();
	struct snapshot *snapshot = runtime->snapshot;
	capture(runtime, USED, STACK_BYTES);
	assert_int_equal(snapshot->stack_address, at(runtime, USED - CAPTURE_RED_ZONE));
	assert_int_equal(snapshot->stack_length, LIMIT - USED + CAPTURE_RED_ZONE);
	assert_memory_equal(snapshot->stack, runtime->bytes + USED - CAPTURE_RED_ZONE,
		snapshot->stack_length);
	assert_int_equal(snapshot->other_address, at(runtime, LEFT - CAPTURE_RED_ZONE));
	assert_int_equal(snapshot->other_length, TOP - LEFT + CAPTURE_RED_ZONE);
	assert_memory_equal(snapshot->stack + snapshot->stack_length,
		runtime->bytes + LEFT - CAPTURE_RED_ZONE, snapshot->other_length);
	assert_false(snapshot->other_cut);
	assert_int_equal(snapshot->link.sp, at(runtime, LEFT));
	assert_int_equal(snapshot->link.pc, 0x1234);
	assert_int_equal(snapshot->link.fp, 0x5678);
	assert_false(snapshot->link.is_none);
	assert_int_equal(runtime->asked, 0); /* all of it is memory of no file */

	/* Both have their share of what may be copied. */
	capture(runtime, USED, PAGE);
	assert_int_equal(snapshot->stack_length + snapshot->other_length, PAGE);
	assert_true(snapshot->other_cut);

	/* What is not known to be quick is read the slow way. */
	runtime->link.n_areas = 0;
	capture(runtime, USED, STACK_BYTES);
	assert_int_equal(snapshot->other_address, at(runtime, LEFT - CAPTURE_RED_ZONE));
	assert_true(runtime->asked > 0);
	end(runtime);
}

/* It is on the stack that its record tells of, and may have left it before. */
static void test_a_stack_of_known_bounds(void **state)
{
	(void)state;
	struct runtime *runtime = begin();
	const struct snapshot *snapshot = runtime->snapshot;
	for (int i = 0; i < 2; i++) {
		link_records(runtime, at(runtime, FIRST));
		write_word(runtime, FIRST + 32, i ? 0 : at(runtime, USED + 64));
		capture(runtime, USED, STACK_BYTES);
		assert_int_equal(
			snapshot->stack_address, at(runtime, USED - CAPTURE_RED_ZONE));
		assert_int_equal(
			snapshot->stack_length, LIMIT + 256 - USED + CAPTURE_RED_ZONE);
		assert_false(snapshot->stack_cut);
		assert_int_equal(snapshot->other_length, 0);
		assert_int_equal(snapshot->link.sp, 0);
		assert_false(snapshot->link.is_none);
	}
	end(runtime);
}

/* The record in use is that of the stack that was left. */
static void test_a_stack_that_was_left_for_a_moment(void **state)
{
	(void)state;
	struct runtime *runtime = begin();
	const struct snapshot *snapshot = runtime->snapshot;
	write_word(runtime, FIRST + 32, 0);
	write_word(runtime, BETWEEN + 64, at(runtime, USED));
	write_word(runtime, BETWEEN + 72, 0x1234);
	runtime->link.away_sp = 64;
	runtime->link.away_pc = 72;
	capture(runtime, LEFT, STACK_BYTES);
	assert_int_equal(snapshot->stack_address, at(runtime, LEFT - CAPTURE_RED_ZONE));
	assert_true(snapshot->stack_length > CAPTURE_RED_ZONE);
	assert_int_equal(snapshot->other_address, at(runtime, USED - CAPTURE_RED_ZONE));
	assert_int_equal(snapshot->other_length, LIMIT + 256 - USED + CAPTURE_RED_ZONE);
	assert_int_equal(snapshot->link.sp, at(runtime, USED));
	assert_int_equal(snapshot->link.pc, 0x1234);
	assert_true(snapshot->link.is_away);
	end(runtime);
}

static void assert_no_other(const struct runtime *runtime, size_t sp)
{
	const struct snapshot *snapshot = runtime->snapshot;
	assert_int_equal(snapshot->stack_address, at(runtime, sp - CAPTURE_RED_ZONE));
	assert_int_equal(snapshot->stack_length, PAGES * PAGE - sp + CAPTURE_RED_ZONE);
	assert_int_equal(snapshot->other_length, 0);
	assert_int_equal(snapshot->link.sp, 0);
}

static void test_a_thread_that_has_left_no_stack(void **state)
{
	(void)state;
	struct runtime *runtime = begin();
	link_records(runtime, 0); /* it works for nobody */
	capture(runtime, USED, STACK_BYTES);
	assert_no_other(runtime, USED);
	assert_true(runtime->snapshot->link.is_none);
	link_records(runtime, at(runtime, LAST)); /* on a stack that is none of these */
	capture(runtime, LEFT, STACK_BYTES);
	assert_no_other(runtime, LEFT);
	assert_false(runtime->snapshot->link.is_none);
	write_word(runtime, FIRST + 32, 0);
	capture(runtime, LEFT, STACK_BYTES);
	assert_no_other(runtime, LEFT);
	runtime->memory.thread_pointer = 0; /* a sleeper */
	capture(runtime, USED, STACK_BYTES);
	assert_no_other(runtime, USED);
	end(runtime);
}

/* Whatever stands where a pointer is expected, it is only an address to read from. */
static void test_loads_that_lead_nowhere(void **state)
{
	(void)state;
	static const size_t pointers[] = {POINTER - 8, FIRST + 16, BETWEEN + 24};
	struct runtime *runtime = begin();
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		link_records(runtime, at(runtime, LAST));
		write_word(runtime, pointers[i], UINT64_MAX - 4);
		capture(runtime, USED, STACK_BYTES);
		assert_no_other(runtime, USED);
	}
	runtime->link.loads = STACK_LINK_LOADS + 1;
	link_records(runtime, at(runtime, LAST));
	capture(runtime, USED, STACK_BYTES);
	assert_no_other(runtime, USED);
	/* The stack that was left cannot be read: it is said that there is one. */
	runtime->link.loads = 3;
	write_word(runtime, LAST + 32, 64);
	capture(runtime, USED, STACK_BYTES);
	assert_int_equal(runtime->snapshot->other_length, 0);
	assert_int_equal(runtime->snapshot->link.sp, 64);
	end(runtime);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stack_that_was_left),
		cmocka_unit_test(test_a_stack_of_known_bounds),
		cmocka_unit_test(test_a_stack_that_was_left_for_a_moment),
		cmocka_unit_test(test_a_thread_that_has_left_no_stack),
		cmocka_unit_test(test_loads_that_lead_nowhere),
	};
	return unit_run(tests);
}
