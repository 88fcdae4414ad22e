/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code-watch: two libraries at one address, one after the other. This process is the
   target. */

#include "tests/lib/compiled.h"
#include "tests/lib/self.h"

#include "src/names/symbolizer.h"

#include <dlfcn.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_library_is_taken_for_another),
		cmocka_unit_test(test_other_code_keeps_its_name),
	};
	return unit_run(tests);
}
