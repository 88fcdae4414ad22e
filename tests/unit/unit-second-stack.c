/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second stack: what a recipe copies of a thread that is stopped, or sleeps, is what was
   there at one instant; and it copies no more than it may, whatever it meets. */

#include "tests/lib/chained.h"
#include "tests/lib/live.h"
#include "tests/lib/unit.h"

#include "ptrace/capture.h"
#include "ptrace/second-stack.h"
#include "ptrace/target.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/rights/sanitized.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STACK_BYTES = 512 << 10,
	SAMPLES = 3000,
	RING_SLOTS = 64,
};

/* --- one stop ------------------------------------------------------------------------- */

struct looking {
	struct target target;
	struct recipe recipe;
	struct snapshot *slot, *native;
	size_t stack_bytes;
};

static struct looking begin(pid_t child)
{
	struct looking looking = {
		.slot = mem_zalloc(sizeof(struct snapshot) + STACK_BYTES),
		.native = mem_zalloc(sizeof(struct snapshot) + STACK_BYTES),
		.stack_bytes = STACK_BYTES,
	};
	struct error err;
	assert_true(target_open(&looking.target, child, &err));
	chained_recipe(child, &looking.recipe);
	assert_true(recipe_is_valid(&looking.recipe));
	return looking;
}

static void end(struct looking *looking)
{
	chained_end(looking->target.pid);
	target_close(&looking->target);
	free(looking->slot);
	free(looking->native);
}

static void copy_stack(struct looking *looking, struct snapshot *slot)
{
	struct capture_habit habit = {0};
	struct capture_memory memory = {.memory = looking->target.mem_fd};
	assert_true(capture_registers(looking->target.pid, &slot->regset));
	assert_int_equal(
		capture_stack(&memory, STACK_BYTES / 2, &habit, slot), CAPTURE_DONE);
}

/* The native stack is the same with a second one and without. */
static void assert_native_is_untouched(const struct looking *looking)
{
	const struct snapshot *slot = looking->slot, *native = looking->native;
	assert_true(native->stack_length > 0);
	assert_int_equal(snapshot_native(slot), snapshot_used(native));
	assert_memory_equal(slot->stack, native->stack, snapshot_used(native));
	assert_true(slot->second_at >= snapshot_used(native));
	assert_true(snapshot_used(slot) <= looking->stack_bytes);
}

static enum recipe_result look(struct looking *looking)
{
	pid_t pid = looking->target.pid;
	siginfo_t info;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | __WALL), 0);
	copy_stack(looking, looking->native);
	copy_stack(looking, looking->slot);
	second_stack_copy(&looking->recipe, looking->target.mem_fd,
		looking->target.maps_fd, 0, looking->stack_bytes, looking->slot);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	assert_native_is_untouched(looking);
	assert_true(looking->slot->second_blocks <= RECIPE_BLOCKS);
	return looking->slot->second_result;
}

/* The time limit is that of a quiet machine: a result RECIPE_LIMIT may have that reason. */
static enum recipe_result look_in_time(struct looking *looking)
{
	enum recipe_result result = RECIPE_LIMIT;
	for (int i = 0; i < 100 && result == RECIPE_LIMIT; i++)
		result = look(looking);
	return result;
}

static void test_a_stop_is_one_instant(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_GOOD, 1));
	size_t done = 0;
	for (int i = 0; i < SAMPLES; i++) {
		usleep((useconds_t)(rand() % 100));
		if (look(&looking) != RECIPE_DONE)
			continue;
		assert_int_equal(
			chained_judge(looking.slot, looking.target.pid), CHAINED_WHOLE);
		done++;
	}
	print_message("# %zu of %d in time\n", done, SAMPLES);
	assert_true(done > SAMPLES / 2);
	end(&looking);
}

/* The control: the same reads while it runs are not one. */
static void test_without_a_stop_it_is_none(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_GOOD, 1));
	struct snapshot *slot = looking.slot;
	size_t torn = 0, copies = 0;
	look(&looking);
	uint64_t thread_pointer = slot->second_thread;
	slot->stack_length = 0;
	slot->regset.size = 0;
	/* On one CPU with us it stands still for most of the time. */
	for (; copies < 100 * SAMPLES && torn < 3; copies++) {
		slot->second_blocks = 0;
		second_stack_copy(&looking.recipe, looking.target.mem_fd, 0,
			thread_pointer, STACK_BYTES, slot);
		torn += chained_judge(slot, looking.target.pid) == CHAINED_TORN;
	}
	print_message("# %zu of %zu are torn\n", torn, copies);
	assert_true(torn > 0);
	end(&looking);
}

static void test_what_does_not_end_has_limits(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_CIRCLE, 1));
	assert_int_equal(look(&looking), RECIPE_LIMIT);
	assert_true(looking.slot->second_blocks < RECIPE_BLOCKS);
	looking.recipe.steps[1].most = 3;
	assert_int_equal(look(&looking), RECIPE_LIMIT);
	end(&looking);
	looking = begin(chained_start(CHAINED_LONG, 1));
	/* On a busy machine hardly any copy comes so far within the time of a stop. */
	uint64_t until_ns = clock_monotonic_ns() + 20 * NS_PER_SEC;
	while (looking.slot->second_blocks < RECIPE_BLOCKS &&
		clock_monotonic_ns() < until_ns)
		assert_int_equal(look(&looking), RECIPE_LIMIT);
#ifndef SANITIZED /* which may not come so far within the time of a stop */
	assert_int_equal(looking.slot->second_blocks, RECIPE_BLOCKS);
#endif
	/* Neither is there more than there is room for. */
	looking.stack_bytes = snapshot_native(looking.slot) + 2 * RECIPE_BLOCK + 8;
	assert_int_equal(look(&looking), RECIPE_LIMIT);
	assert_in_range(looking.slot->second_blocks, 0, 2);
	looking.stack_bytes = snapshot_native(looking.slot);
	assert_int_equal(look(&looking), RECIPE_LIMIT);
	assert_int_equal(looking.slot->second_blocks, 0);
	end(&looking);
}

/* A file's server might not answer, and who handles page faults might not. */
static void test_what_may_block_is_not_read(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_FILE, 1));
	target_open_maps(&looking.target);
	assert_int_equal(look_in_time(&looking), RECIPE_OUTSIDE);
	assert_true(looking.slot->second_blocks > 0);
	end(&looking);
	pid_t child = chained_start(CHAINED_USERFAULT, 1);
	if (child < 0) {
		print_message("# no userfaultfd\n");
		return;
	}
	looking = begin(child);
	assert_int_equal(look_in_time(&looking), RECIPE_UNREADABLE);
	assert_true(looking.slot->second_blocks > 0);
	end(&looking);
}

static void test_what_is_not_there_is_not_copied(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_WILD, 1));
	assert_int_equal(look_in_time(&looking), RECIPE_OUTSIDE);
	looking.recipe.n_areas = 0;
	looking.recipe.steps[0].offset += 1 << 20; /* far from any thread */
	assert_int_equal(look_in_time(&looking), RECIPE_OUTSIDE);
	assert_int_equal(looking.slot->second_blocks, 0);
	looking.recipe.steps[0].from = RECIPE_B;
	assert_int_equal(look_in_time(&looking), RECIPE_NOTHING);
	looking.recipe.steps[0].op = RECIPE_END;
	assert_int_equal(look_in_time(&looking), RECIPE_NONE);
	end(&looking);
}

/* Memory that the recipe does not know yet is asked for. */
static void test_new_memory_is_found(void **state)
{
	(void)state;
	struct looking looking = begin(chained_start(CHAINED_GOOD, 1));
	looking.recipe.n_areas = 0;
	assert_int_equal(look_in_time(&looking), RECIPE_OUTSIDE);
	target_open_maps(&looking.target);
	if (look_in_time(&looking) == RECIPE_OUTSIDE)
		print_message("# no PROCMAP_QUERY\n");
	else
		assert_int_equal(
			chained_judge(looking.slot, looking.target.pid), CHAINED_WHOLE);
	end(&looking);
}

/* Frames on the stack lead to what they are of: here to the second of two pages of our own. */
static void test_frames_on_the_stack_are_followed(void **state)
{
	(void)state;
	const uint64_t stack = 0x7000, tag = 1;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	unsigned char *pages = mmap(NULL, 2 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages, word = 7, found = 0;
	memcpy(pages + RECIPE_BLOCK + 16, &word, sizeof(word));
	struct recipe recipe = {
		.steps = {{.op = RECIPE_FRAMES,
			.ref = -8,
			.mask = 7,
			.offset = (int32_t)tag,
			.ref_mask = ~UINT64_C(7),
			.ref_length = 24,
			.most = 10}},
		.n_areas = 1,
		.areas = {{page, page + 2 * RECIPE_BLOCK}},
	};
	assert_true(recipe_is_valid(&recipe));
	const uint64_t words[] = {page | tag, stack,	 /* leads down */
		page | 2, stack + 56,			 /* another tag */
		8 | tag, stack + 56,			 /* nowhere */
		(page + RECIPE_BLOCK) | tag, stack + 64, /* a frame */
		0};
	memcpy(slot->stack, words, sizeof(words));
	slot->stack_address = stack;
	slot->stack_length = sizeof(words);
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_OUTSIDE);
	assert_int_equal(slot->second_blocks, 1);
	assert_true(snapshot_read(slot, page + RECIPE_BLOCK + 16, &found, sizeof(found)));
	assert_int_equal(found, word);
	close(memory);
	munmap(pages, 2 * RECIPE_BLOCK);
	free(slot);
}

/* Two arrays in pages of our own, of 300 elements of 40 bytes, and of 3, whose words refer to others. */
static void test_a_structure_is_searched_for(void **state)
{
	(void)state;
	const uint64_t stack = 0x7000, key = 77;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	unsigned char *pages = mmap(NULL, 4 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages, next = page + 3 * RECIPE_BLOCK, found = 0;
	memcpy(pages + RECIPE_BLOCK + 16 + 8, &key, sizeof(key));
	memcpy(pages + RECIPE_BLOCK + 16 + 16, &next, sizeof(next));
	memcpy(pages + 2 * RECIPE_BLOCK + 8 + 8, &key, sizeof(key));
	struct recipe recipe = {
		.steps = {{.op = RECIPE_SEARCH,
				  .to = RECIPE_A,
				  .offset = 8,
				  .mask = 15,
				  .most = 10},
			{.op = RECIPE_LOAD,
				.from = RECIPE_A,
				.to = RECIPE_B,
				.offset = 16,
				.mask = ~UINT64_C(0)},
			{.op = RECIPE_COPY, .from = RECIPE_B, .length = 8}},
		.n_areas = 1,
		.areas = {{page, page + 4 * RECIPE_BLOCK}},
		.n_known = 1,
		.known = {key},
	};
	assert_true(recipe_is_valid(&recipe));
	const uint64_t words[] = {page,		       /* without the key */
		page + 2 * RECIPE_BLOCK + 8,	       /* not as MASK has it */
		8, stack + 8, page + 5 * RECIPE_BLOCK, /* nowhere, outside */
		page + RECIPE_BLOCK + 16, page + RECIPE_BLOCK + 16};
	memcpy(slot->stack, words, sizeof(words));
	slot->stack_address = stack;
	slot->stack_length = sizeof(words);
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_DONE);
	assert_int_equal(slot->second_blocks, 2);
	assert_true(snapshot_read(slot, next, &found, sizeof(found)));
	assert_false(snapshot_read(slot, page + 2 * RECIPE_BLOCK, &found, sizeof(found)));
	slot->second_blocks = 0;
	recipe.known[0] = key + 1;
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_OUTSIDE);
	assert_int_equal(slot->second_blocks, 0);
	close(memory);
	munmap(pages, 4 * RECIPE_BLOCK);
	free(slot);
}

/* Words that are in a list, as frames are: the one behind each leads to a place farther up, or nowhere. */
static void test_a_list_of_frames_is_searched(void **state)
{
	(void)state;
	const uint64_t stack = 0x7000, key = 77;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	unsigned char *pages = mmap(NULL, 4 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages, found;
	for (size_t i = 0; i < 4; i++)
		memcpy(pages + i * RECIPE_BLOCK + 8, &key, sizeof(key));
	struct recipe recipe = {
		.steps = {{.op = RECIPE_SEARCH,
				  .to = RECIPE_A,
				  .offset = 8,
				  .next = 8,
				  .most = 10},
			{.op = RECIPE_COPY, .from = RECIPE_A, .length = 8}},
		.n_areas = 1,
		.areas = {{page, page + 4 * RECIPE_BLOCK}},
		.n_known = 1,
		.known = {key},
	};
	const uint64_t words[] = {page, stack + 32 + 1, /* the next, with a tag */
		page + RECIPE_BLOCK, stack,		/* farther down, */
		page + 2 * RECIPE_BLOCK, 0,		/* the last one */
		page + 3 * RECIPE_BLOCK};		/* nothing is behind it */
	memcpy(slot->stack, words, sizeof(words));
	slot->stack_address = stack;
	slot->stack_length = sizeof(words);
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_DONE);
	assert_int_equal(slot->second_blocks, 2);
	assert_true(snapshot_read(slot, page, &found, sizeof(found)));
	assert_true(snapshot_read(slot, page + 2 * RECIPE_BLOCK, &found, sizeof(found)));
	close(memory);
	munmap(pages, 4 * RECIPE_BLOCK);
	free(slot);
}

static void test_arrays_are_copied(void **state)
{
	enum {
		PAGES = 8,
		BYTES = 40,
	};
	(void)state;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	uint64_t *words = mmap(NULL, PAGES * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(words != MAP_FAILED);
	uint64_t page = (uintptr_t)words, first[] = {page + RECIPE_BLOCK, page + 1024},
		 other = page + 6 * RECIPE_BLOCK, word;
	const struct {
		uint64_t first, next;
		int32_t index, more;
	} headers[] = {{first[0], page + 64, 299, -1}, {first[1], 0, 2, -1}};
	for (unsigned i = 0; i < 2; i++)
		memcpy((char *)words + 64 * i, &headers[i], sizeof(headers[i]));
	memcpy((char *)words + 1024 + 2 * BYTES + 8, &other, sizeof(other));
	struct recipe recipe = {
		.fixed = page,
		.steps = {{.op = RECIPE_ARRAYS,
			.from = RECIPE_FIXED,
			.length = BYTES,
			.index = 16,
			.next = 8,
			.mask = UINT64_MAX,
			.most = 2,
			.ref = 8,
			.ref_mask = UINT64_MAX,
			.ref_length = 8}},
		.n_areas = 1,
		.areas = {{page, page + PAGES * RECIPE_BLOCK}},
	};
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	assert_true(recipe_is_valid(&recipe));
	for (int i = 0; i < 100 && slot->second_blocks != 5; i++) { /* in time */
		slot->second_blocks = 0;
		second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	}
	assert_int_equal(slot->second_result, RECIPE_DONE);
	assert_int_equal(slot->second_blocks, 5); /* of 8 */
	assert_true(snapshot_read(slot, first[0] + 299 * BYTES, &word, sizeof(word)));
	assert_true(snapshot_read(slot, other, &word, sizeof(word)));
	assert_false(snapshot_read(slot, page + 5 * RECIPE_BLOCK, &word, sizeof(word)));
	close(memory);
	munmap(words, PAGES * RECIPE_BLOCK);
	free(slot);
}

/* From the last of three elements down to the first; one refers to a page that refers to another. */
static void test_an_array_is_copied_downwards(void **state)
{
	(void)state;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	uint64_t *pages = mmap(NULL, 4 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages, found = 0;
	const uint64_t words = RECIPE_BLOCK / sizeof(*pages);
	pages[0] = page + 2 * RECIPE_BLOCK -
		   16; /* of 24 bytes: it goes on in the next page */
	pages[1] = pages[0] - 2 * 24;
	pages[2 * words - 2 - 3 + 1] = page + 3 * RECIPE_BLOCK - 8;
	pages[3 * words - 1] = page + 3 * RECIPE_BLOCK;
	struct recipe recipe = {
		.fixed = page,
		.steps = {{.op = RECIPE_LOAD,
				  .from = RECIPE_FIXED,
				  .to = RECIPE_A,
				  .mask = UINT64_MAX},
			{.op = RECIPE_DOWN,
				.from = RECIPE_A,
				.to = RECIPE_FIXED,
				.offset = 8,
				.length = 24,
				.most = 3,
				.ref = 8,
				.ref_mask = UINT64_MAX,
				.ref_length = 8,
				.deep_length = 16}},
		.n_areas = 1,
		.areas = {{page, page + 4 * RECIPE_BLOCK}},
	};
	assert_true(recipe_is_valid(&recipe));
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	slot->second_result = RECIPE_LIMIT; /* also what lasts too long */
	for (int i = 0; i < 100 && slot->second_result == RECIPE_LIMIT; i++) {
		slot->second_blocks = 0;
		second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	}
	assert_int_equal(slot->second_result, RECIPE_DONE);
	assert_int_equal(slot->second_blocks, 4);
	assert_true(snapshot_read(slot, page + 3 * RECIPE_BLOCK, &found, sizeof(found)));
	pages[1] -= 24; /* one more than is allowed */
	slot->second_blocks = 0;
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_LIMIT);
	recipe.steps[1].length = 0;
	assert_false(recipe_is_valid(&recipe));
	close(memory);
	munmap(pages, 4 * RECIPE_BLOCK);
	free(slot);
}

/* An array goes from the middle of memory to its end; its first element refers to another page. */
static void test_an_array_is_copied_to_its_end(void **state)
{
	(void)state;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	uint64_t *pages = mmap(NULL, 4 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages, found = 0;
	const uint64_t words = 2 * RECIPE_BLOCK / sizeof(*pages);
	pages[words - 3] = page + 3 * RECIPE_BLOCK;
	pages[words + 0] = page; /* what it is part of, behind it */
	pages[words + 1] = words;
	struct recipe recipe = {
		.fixed = page + 2 * RECIPE_BLOCK,
		.steps = {{.op = RECIPE_LOAD,
				  .from = RECIPE_FIXED,
				  .to = RECIPE_A,
				  .offset = 16,
				  .mask = UINT64_MAX},
			{.op = RECIPE_ARRAY,
				.from = RECIPE_A,
				.to = RECIPE_FIXED,
				.next = 8,
				.length = 16,
				.most = 10,
				.ref = 8,
				.ref_mask = UINT64_MAX,
				.ref_length = 24}},
		.n_areas = 1,
		.areas = {{page, page + 4 * RECIPE_BLOCK}},
	};
	pages[words + 2] = page + (words - 4) * sizeof(*pages);
	assert_true(recipe_is_valid(&recipe));
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	slot->second_result = RECIPE_LIMIT; /* also what lasts too long */
	for (int i = 0; i < 100 && slot->second_result == RECIPE_LIMIT; i++) {
		slot->second_blocks = 0;
		second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	}
	assert_int_equal(slot->second_result, RECIPE_DONE);
	assert_int_equal(slot->second_blocks, 3);
	assert_true(snapshot_read(slot, page + 3 * RECIPE_BLOCK, &found, sizeof(found)));
	assert_false(snapshot_read(slot, page, &found, sizeof(found)));
	/* It has more elements than are allowed; its end is wrong; it begins elsewhere. */
	pages[words + 2] = page;
	slot->second_blocks = 0;
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_LIMIT);
	pages[words + 1] = UINT64_MAX;
	slot->second_blocks = 0;
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_result, RECIPE_DONE);
	pages[words + 2] = 8;
	slot->second_blocks = 0;
	second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
	assert_int_equal(slot->second_blocks, 1);
	recipe.steps[1].length = 0;
	assert_false(recipe_is_valid(&recipe));
	close(memory);
	munmap(pages, 4 * RECIPE_BLOCK);
	free(slot);
}

/* A node in the first of two pages of our own refers to the second. */
static void test_what_is_known_is_not_copied(void **state)
{
	(void)state;
	struct snapshot *slot = mem_zalloc(sizeof(*slot) + STACK_BYTES);
	uint64_t *pages = mmap(NULL, 2 * RECIPE_BLOCK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	uint64_t page = (uintptr_t)pages;
	pages[1] = page + RECIPE_BLOCK;
	struct recipe recipe = {
		.fixed = page,
		.steps = {{.op = RECIPE_CHAIN,
			.from = RECIPE_FIXED,
			.length = 16,
			.most = 10,
			.mask = UINT64_MAX,
			.ref = 8,
			.ref_mask = UINT64_MAX,
			.ref_length = 24}},
		.n_areas = 1,
		.areas = {{page, page + 2 * RECIPE_BLOCK}},
		.known = {page + RECIPE_BLOCK},
	};
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	for (recipe.n_known = 0; recipe.n_known < 2; recipe.n_known++) {
		slot->second_blocks = 0;
		second_stack_copy(&recipe, memory, 0, 0, STACK_BYTES, slot);
		assert_int_equal(slot->second_result, RECIPE_DONE);
		assert_int_equal(slot->second_blocks, 2 - recipe.n_known);
	}
	close(memory);
	munmap(pages, 2 * RECIPE_BLOCK);
	free(slot);
}

/* --- through the tracer ------------------------------------------------------------------ */

static void nobody(void *context)
{
	(void)context;
}

struct sampled {
	struct looking looking;
	struct ring *ring;
	struct tracer *tracer;
	size_t running, asleep, complete, whole_asleep;
};

static void judge(struct sampled *sampled, const struct snapshot *record)
{
	bool is_asleep = record->state == THREAD_BLOCKED;
	sampled->running += !is_asleep;
	sampled->asleep += is_asleep;
	if (record->second_result != RECIPE_DONE || record->second_blocks == 0)
		return;
	assert_int_equal(chained_judge(record, record->tid), CHAINED_WHOLE);
	sampled->complete += !is_asleep;
	sampled->whole_asleep += is_asleep;
}

/* A ring full, and no more: on a slow machine samples come as fast as they can be judged. */
static void drain(void *context)
{
	struct sampled *sampled = context;
	const struct snapshot *record;
	for (int i = 0; i < RING_SLOTS && (record = ring_peek(sampled->ring)); i++) {
		if (record->kind == SNAPSHOT_SAMPLE)
			judge(sampled, record);
		if (record->kind == SNAPSHOT_THREAD &&
			record->tid == sampled->looking.target.pid)
			live_tell_bounds(sampled->ring, record->tid);
		ring_release(sampled->ring);
	}
}

static void sample(struct sampled *sampled, pid_t child, bool wall, unsigned hz)
{
	struct error err = {""};
	struct tracer_options options = live_options();
	options.stack_bytes = STACK_BYTES;
	*sampled = (struct sampled){.looking = begin(child)};
	sampled->ring = ring_create(RING_SLOTS, STACK_BYTES);
	sampled->tracer = tracer_create(&options, hz, wall, nobody, NULL, &err);
	assert_non_null(sampled->tracer);
	assert_true(tracer_add(
		sampled->tracer, &sampled->looking.target, sampled->ring, &err));
	recipe_put(ring_recipe(sampled->ring), &sampled->looking.recipe);
}

static void finish(struct sampled *sampled)
{
	live_end_tracer(sampled->tracer, drain, sampled);
	ring_destroy(sampled->ring);
	end(&sampled->looking);
}

static void test_samples_are_of_one_instant(void **state)
{
	(void)state;
	struct sampled sampled;
	sample(&sampled, chained_start(CHAINED_GOOD, 4), false, 2000);
	while (sampled.complete < SAMPLES) {
		usleep(1000);
		drain(&sampled);
	}
	print_message("# %zu of %zu are complete\n", sampled.complete, sampled.running);
	struct meter *meter = ring_meter(sampled.ring);
	assert_true(meter_get(&meter->second_results[RECIPE_DONE]) >= sampled.complete);
	assert_true(meter_second_percentile(meter, 500) > 0);
	/* An invalid one ends it. */
	sampled.looking.recipe.n_areas = RECIPE_AREAS + 1;
	recipe_put(ring_recipe(sampled.ring), &sampled.looking.recipe);
	size_t before, unchanged = 0;
	for (int i = 0; i < 20000 && unchanged < 50; i++) {
		before = sampled.complete;
		size_t running = sampled.running;
		usleep(1000);
		drain(&sampled);
		unchanged = sampled.complete > before
				    ? 0
				    : unchanged + (sampled.running > running);
	}
	assert_int_equal(unchanged, 50);
	finish(&sampled);
}

/* Threads that sleep are copied without a stop, and none of these was ever stopped. */
static void test_sleepers_are_of_one_instant(void **state)
{
	(void)state;
	struct sampled sampled;
	sample(&sampled, chained_start(CHAINED_ASLEEP, 4), true, 1);
	while (sampled.asleep < 200) {
		usleep(1000);
		drain(&sampled);
	}
	print_message("# %zu of %zu asleep, %zu of %zu running\n", sampled.whole_asleep,
		sampled.asleep, sampled.complete, sampled.running);
	assert_true(sampled.whole_asleep > sampled.asleep / 2);
	finish(&sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stop_is_one_instant),
		cmocka_unit_test(test_without_a_stop_it_is_none),
		cmocka_unit_test(test_what_does_not_end_has_limits),
		cmocka_unit_test(test_what_may_block_is_not_read),
		cmocka_unit_test(test_what_is_not_there_is_not_copied),
		cmocka_unit_test(test_new_memory_is_found),
		cmocka_unit_test(test_frames_on_the_stack_are_followed),
		cmocka_unit_test(test_a_structure_is_searched_for),
		cmocka_unit_test(test_a_list_of_frames_is_searched),
		cmocka_unit_test(test_arrays_are_copied),
		cmocka_unit_test(test_an_array_is_copied_downwards),
		cmocka_unit_test(test_an_array_is_copied_to_its_end),
		cmocka_unit_test(test_what_is_known_is_not_copied),
		cmocka_unit_test(test_samples_are_of_one_instant),
		cmocka_unit_test(test_sleepers_are_of_one_instant),
	};
	return unit_run(tests);
}
