/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code-watch: two libraries at one address, one after the other. This process is the
   target. */

#include "tests/lib/compiled.h"
#include "tests/lib/self.h"

#include "src/read/names/symbolizer.h"
#include "src/read/space/told-code.h"

#include <dlfcn.h>
#include <sys/mman.h>

static const char source[] = "volatile int sink;\n"
			     "void WORK(void) { sink++; }\n";

struct fixture {
	struct compiled compiled;
	struct self self;
	struct symbolizer *symbolizer;
	void *library;
	uint64_t address; /* of its function; the same for both */
};

/* Load liba.so or libb.so; false if it is not where the first one was. */
static bool load(struct fixture *f, char which)
{
	char path[128], name[16];
	if (f->library)
		dlclose(f->library);
	snprintf(path, sizeof(path), "%s/lib%c.so", f->compiled.dir, which);
	snprintf(name, sizeof(name), "work_%c", which);
	f->library = dlopen(path, RTLD_NOW);
	assert_non_null(f->library);
	uint64_t address = (uint64_t)(uintptr_t)dlsym(f->library, name);
	bool same = !f->address || f->address == address;
	f->address = address;
	void (*work)(void);
	memcpy(&work, &address, sizeof(work));
	work();
	return same;
}

static const char *name_now(struct fixture *f)
{
	struct frame frame = {.pc = f->address, .is_activation = true};
	uint32_t id = symbolizer_locate(f->symbolizer, frame);
	const struct location *location = profile_location(f->self.profile, id);
	return profile_function(f->self.profile, location->lines[0].function)->name;
}

/* What is done each time that samples wait: look, name them, be done with it. */
static void check_and_name(struct fixture *f, const char *expected)
{
	address_space_check(f->self.space);
	assert_string_equal(name_now(f), expected);
}

/* Sooner or later it has the name, and never another. This process has page faults of its
   own while it looks, and after each of them nothing is sure. */
static void comes_to_be(struct fixture *f, const char *expected)
{
	for (int tries = 0; tries < 200; tries++) {
		address_space_check(f->self.space);
		const char *name = name_now(f);
		if (strcmp(name, expected) == 0)
			return;
		assert_string_equal(name, "[unknown]");
	}
	fail_msg("it is never called %s", expected);
}

static void test_no_library_is_taken_for_another(void **state)
{
	(void)state;
	struct fixture f = {.compiled = compiled_begin()};
	compiled_write(&f.compiled, "lib.c", source);
	bool has_compiler = compiled_run(&f.compiled,
		"for n in a b; do $CC -O1 -fPIC -shared -DWORK=work_$n -o lib$n.so lib.c "
		"|| exit 1; done");
	if (!has_compiler) {
		compiled_end(&f.compiled);
		skip();
	}
	bool same = load(&f, 'a');
	f.self = self_open();
	f.symbolizer = symbolizer_create(f.self.space, f.self.profile, NULL);
	check_and_name(&f, "work_a");
	check_and_name(&f, "work_a");
	same &= load(&f, 'b');
	if (same) {
		/* A sample that waits may be of a or of b: no name is better than a
		   wrong one. After that all are of b. */
		check_and_name(&f, "[unknown]");
		comes_to_be(&f, "work_b");
		/* a was there and went while samples waited. */
		same &= load(&f, 'a') && load(&f, 'b');
		if (same)
			check_and_name(&f, "[unknown]");
		comes_to_be(&f, "work_b");
		/* The same, but maps was read as usual before anybody looked. */
		same &= load(&f, 'a');
		address_space_refresh(f.self.space);
		if (same)
			assert_string_equal(name_now(&f), "[unknown]");
		comes_to_be(&f, "work_a");
	}
	dlclose(f.library);
	symbolizer_destroy(f.symbolizer);
	self_finish(&f.self);
	compiled_end(&f.compiled);
	if (!same)
		skip(); /* the loader did not put them at one place */
}

/* What did not change keeps its name, whatever else is mapped and unmapped. */
static void test_other_code_keeps_its_name(void **state)
{
	(void)state;
	struct self self = self_open();
	struct symbolizer *symbolizer = symbolizer_create(self.space, self.profile, NULL);
	for (int i = 0; i < 200; i++) {
		struct frame frame = {
			.pc = (uint64_t)(uintptr_t)check_and_name, .is_activation = true};
		free(malloc(1 << 20));
		address_space_check(self.space);
		uint32_t id = symbolizer_locate(symbolizer, frame);
		const struct location *location = profile_location(self.profile, id);
		assert_string_equal(
			profile_function(self.profile, location->lines[0].function)->name,
			"check_and_name");
	}
	symbolizer_destroy(symbolizer);
	self_finish(&self);
}

/* Pages of a file, which can be run. */
static void *map_code(const char *text, void *at, int flags)
{
	char path[] = "/tmp/unit-code-watch.XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	void *code = mmap(at, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | flags, fd, 0);
	assert_true(code != MAP_FAILED);
	close(fd);
	unlink(path);
	return code;
}

/* Where pages are filled in advance, other code can run without a page fault of its own. */
static void test_code_that_is_there_at_once_is_noticed(void **state)
{
	(void)state;
	struct self self = self_open();
	void *code = map_code("first", NULL, 0);
	address_space_refresh(self.space);
	for (int i = 0; i < 20; i++) {
		const struct region *region =
			address_space_region(self.space, (uint64_t)(uintptr_t)code);
		assert_non_null(region);
		uint64_t inode = region->inode;
		address_space_check(self.space);
		map_code("another", code, MAP_FIXED | MAP_POPULATE);
		address_space_check(self.space);
		region = address_space_region(self.space, (uint64_t)(uintptr_t)code);
		assert_non_null(region);
		assert_true(region->inode != inode);
	}
	munmap(code, 4096);
	self_finish(&self);
}

static struct region region_of(uint64_t inode, uint32_t mapping)
{
	return (struct region){.start = 0x1000,
		.limit = 0x3000,
		.file_offset = 0x1000,
		.inode = inode,
		.path = "/lib.so",
		.mapping = mapping};
}

static struct snapshot_mapped mapped_of(uint64_t inode)
{
	return (struct snapshot_mapped){
		.start = 0x1000, .limit = 0x3000, .file_offset = 0x1000, .inode = inode};
}

static void test_a_sample_is_of_what_was_mapped_then(void **state)
{
	(void)state;
	struct told_code told = {.n = 0};
	struct region a = region_of(1, 10), b = region_of(2, 20);
	struct snapshot_mapped then = mapped_of(1);
	const struct region *found;
	told_code_keep(&told, &a);
	told_code_keep(&told, &b);
	assert_false(told_code_find(&told, 0x1800, &found)); /* nothing was told */
	assert_true(told_code_set(&told, &then, 1));
	assert_false(told_code_set(&told, &then, 1));
	assert_true(told_code_find(&told, 0x1800, &found));
	assert_int_equal(found->mapping, 10);
	assert_false(told_code_find(&told, 0x3000, &found));
	then = mapped_of(2);
	assert_true(told_code_set(&told, &then, 1));
	assert_true(told_code_find(&told, 0x1800, &found));
	assert_int_equal(found->mapping, 20);
	/* One that maps has not shown, and the same file at another offset. */
	struct snapshot_mapped others[] = {mapped_of(3), mapped_of(1)};
	others[1].file_offset = 0x2000;
	for (size_t i = 0; i < 2; i++) {
		assert_true(told_code_set(&told, &others[i], 1));
		assert_true(told_code_find(&told, 0x1800, &found));
		assert_null(found);
	}
	assert_true(told_code_set(&told, &then, 0));
	assert_false(told_code_find(&told, 0x1800, &found));
	told_code_finish(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sample_is_of_what_was_mapped_then),
		cmocka_unit_test(test_no_library_is_taken_for_another),
		cmocka_unit_test(test_other_code_keeps_its_name),
		cmocka_unit_test(test_code_that_is_there_at_once_is_noticed),
	};
	return unit_run(tests);
}
