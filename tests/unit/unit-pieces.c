/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture: a stack in the heap, in several pieces, that the frame pointer points to. */

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
	ROOM = 1 << 20,
	WORD = 8,
	SP = 2 * WORD,
	FIRST = 0x11111,
	CHUNK = 0x22222,
};

/* Memory of this process as that of a target: first the thread's stack, then the heap. */
struct heap {
	unsigned char *bytes;
	struct stack_link link;
	struct capture_memory memory;
	struct snapshot *snapshot;
};

static uint64_t at(const struct heap *heap, size_t offset)
{
	return (uint64_t)(uintptr_t)heap->bytes + offset;
}

static void put_word(struct heap *heap, size_t offset, uint64_t word)
{
	memcpy(heap->bytes + offset, &word, sizeof(word));
}

static ssize_t read_never(
	void *context, int memory, void *out, size_t length, uint64_t address)
{
	(void)context, (void)memory, (void)out, (void)length, (void)address;
	fail();
	return -1;
}

/* A stack from page 4 on, which goes on in page 6, as GHC's do. */
static int begin(void **state)
{
	struct heap *heap = mem_zalloc(sizeof(*heap));
	*state = heap;
	heap->bytes = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(heap->bytes != MAP_FAILED);
	put_word(heap, 4 * PAGE + 64, CHUNK);
	put_word(heap, 4 * PAGE + 64 + WORD, at(heap, 6 * PAGE));
	put_word(heap, 6 * PAGE + SP, at(heap, 6 * PAGE + 256));
	put_word(heap, 6 * PAGE + 256, 4711);
	put_word(heap, 6 * PAGE + 512, FIRST);
	heap->link = (struct stack_link){
		.frame_pointer_bytes = 2 * PAGE,
		.first = FIRST,
		.chunk = CHUNK,
		.chunk_sp = SP,
		.n_areas = 1,
		.areas = {{at(heap, 4 * PAGE), at(heap, PAGES * PAGE)}},
	};
	heap->memory = (struct capture_memory){
		.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
		.bounds = {at(heap, 0), at(heap, 2 * PAGE)},
		.link = &heap->link,
		.frame_pointer = at(heap, 4 * PAGE),
		.slow = read_never,
	};
	heap->snapshot = mem_zalloc(sizeof(*heap->snapshot) + ROOM);
	return 0;
}

static int end(void **state)
{
	struct heap *heap = *state;
	close(heap->memory.memory);
	munmap(heap->bytes, PAGES * PAGE);
	free(heap->snapshot);
	free(heap);
	return 0;
}

/* Capture, where the thread's stack begins in page 1, with room for BYTES. */
static const struct snapshot *capture(struct heap *heap, size_t bytes)
{
	struct capture_habit habit = {0};
	assert_int_equal(capture_stack_at(&heap->memory, at(heap, PAGE), bytes, &habit,
				 heap->snapshot),
		CAPTURE_DONE);
	return heap->snapshot;
}

static void test_all_pieces_are_copied_and_no_more(void **state)
{
	struct heap *heap = *state;
	const struct snapshot *snapshot = capture(heap, ROOM);
	assert_int_equal(snapshot->stack_length, PAGE + CAPTURE_RED_ZONE);
	assert_int_equal(snapshot->other_address, at(heap, 4 * PAGE));
	assert_int_equal(snapshot->other_length, 64 + 2 * WORD);
	assert_int_equal(snapshot->n_pieces, 1);
	assert_int_equal(snapshot->pieces[0].address, at(heap, 6 * PAGE + 256));
	assert_int_equal(snapshot->pieces[0].length, 256 + 2 * WORD);
	assert_int_equal(
		snapshot_used(snapshot), PAGE + CAPTURE_RED_ZONE + 64 + 256 + 4 * WORD);
	assert_memory_equal(snapshot_stack_at(snapshot, at(heap, 6 * PAGE + 256), 264),
		heap->bytes + 6 * PAGE + 256, 264);
	assert_null(snapshot_stack_at(snapshot, at(heap, 6 * PAGE), WORD));
}

static void test_words_that_are_not_known_yet_end_nothing(void **state)
{
	struct heap *heap = *state;
	heap->link.first = heap->link.chunk = 0;
	const struct snapshot *snapshot = capture(heap, ROOM);
	assert_int_equal(snapshot->other_length, 2 * PAGE);
	assert_int_equal(snapshot->n_pieces, 0);
}

static void test_pieces_in_a_circle_and_without_an_end(void **state)
{
	struct heap *heap = *state;
	put_word(heap, 6 * PAGE + 512, CHUNK);
	put_word(heap, 6 * PAGE + 512 + WORD, at(heap, 6 * PAGE));
	const struct snapshot *snapshot = capture(heap, ROOM);
	assert_int_equal(snapshot->n_pieces, SNAPSHOT_PIECES);
	size_t room = PAGE + CAPTURE_RED_ZONE + 64 + 2 * WORD + 100;
	assert_int_equal(snapshot_used(capture(heap, room)), room);
	put_word(heap, 6 * PAGE + SP, at(heap, 3 * PAGE));
	assert_int_equal(capture(heap, ROOM)->n_pieces, 0);
	put_word(heap, 4 * PAGE + 64 + WORD, UINT64_MAX - 3);
	assert_int_equal(capture(heap, ROOM)->n_pieces, 0);
}

/* In C the frame pointer is a register like any other. */
static void test_a_frame_pointer_that_points_elsewhere(void **state)
{
	struct heap *heap = *state;
	const uint64_t values[] = {at(heap, PAGE + 64), at(heap, 3 * PAGE),
		at(heap, 4 * PAGE + 3), 0, UINT64_MAX, UINT64_MAX - 7};
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		heap->memory.frame_pointer = values[i];
		assert_int_equal(capture(heap, ROOM)->other_length, 0);
	}
	heap->memory.frame_pointer = at(heap, 4 * PAGE);
	heap->link.frame_pointer_bytes = 0;
	assert_int_equal(capture(heap, ROOM)->other_length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_all_pieces_are_copied_and_no_more, begin, end),
		cmocka_unit_test_setup_teardown(
			test_words_that_are_not_known_yet_end_nothing, begin, end),
		cmocka_unit_test_setup_teardown(
			test_pieces_in_a_circle_and_without_an_end, begin, end),
		cmocka_unit_test_setup_teardown(
			test_a_frame_pointer_that_points_elsewhere, begin, end),
	};
	return unit_run(tests);
}
