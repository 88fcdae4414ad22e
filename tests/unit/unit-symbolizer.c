/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbolizer: names of this process's own code, and of code that has none. */

#include "tests/lib/awaited.h"
#include "tests/lib/begins.h"
#include "tests/lib/self.h"

#include "src/read/names/line-names.h"
#include "src/read/names/symbolizer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- this process ------------------------------------------------------------------ */

struct fixture {
	struct self self;
	struct line_resolver *resolver;
	struct symbolizer *symbolizer;
};

static struct fixture open_self(void)
{
	struct fixture f = {.self = self_open(), .resolver = line_resolver_create(NULL)};
	f.symbolizer = symbolizer_create(f.self.space, f.self.profile, f.resolver);
	return f;
}

static void finish(struct fixture *f)
{
	symbolizer_destroy(f->symbolizer);
	line_resolver_destroy(f->resolver);
	self_finish(&f->self);
}

static const struct function *function_at(
	struct fixture *f, uint64_t pc, bool is_activation)
{
	uint32_t id = symbolizer_locate(
		f->symbolizer, (struct frame){.pc = pc, .is_activation = is_activation});
	const struct location *location = profile_location(f->self.profile, id);
	assert_int_equal(location->address, is_activation ? pc : pc - 1);
	assert_int_equal(location->n_lines, 1);
	return profile_function(f->self.profile, location->lines[0].function);
}

static uint64_t address_of(void *function)
{
	return (uint64_t)(uintptr_t)function;
}

enum {
	HERE_LINE = __LINE__ + 2
};
static int here(int x)
{
	return x * 7 + 1;
}

static void test_own_functions_have_their_names(void **state)
{
	(void)state;
	struct fixture f = open_self();
	const struct function *function = function_at(&f, address_of((void *)here), true);
	assert_string_equal(function->name, "here");
	assert_string_equal(function->module, "unit-symbolizer");
	assert_false(function->is_synthetic);
	/* A return address just past its end belongs to the call before it, and the first
	   byte, as a return address, to whatever is in front. */
	assert_string_not_equal(
		function_at(&f, address_of((void *)here), false)->name, "here");
	assert_ptr_equal(function_at(&f, address_of((void *)here) + 1, false), function);

	/* Asked again: the same location. */
	struct frame frame = {.pc = address_of((void *)here), .is_activation = true};
	uint32_t first = symbolizer_locate(f.symbolizer, frame);
	assert_int_equal(symbolizer_locate(f.symbolizer, frame), first);
	finish(&f);
}

static void test_own_functions_get_their_lines_later(void **state)
{
	(void)state;
	struct fixture f = open_self();
	struct frame frame = {.pc = address_of((void *)here), .is_activation = true};
	uint32_t before = symbolizer_locate(f.symbolizer, frame);
	struct idmap renamed = {0};
	line_resolver_start(f.resolver);
	assert_true(lines_awaited(f.resolver, UINT64_C(60000000000)));
	line_names_take(f.resolver, f.self.profile, &renamed);
	if (renamed.len == 0) {
		finish(&f);
		skip(); /* built without -g */
	}
	uint32_t after = symbolizer_locate(f.symbolizer, frame);
	assert_int_equal(*idmap_get(&renamed, before, 0), after);
	const struct location *old = profile_location(f.self.profile, before);
	const struct location *now = profile_location(f.self.profile, after);
	assert_int_equal(old->lines[0].line, 0);
	const struct line *line = &now->lines[now->n_lines - 1];
	const struct function *function =
		profile_function(f.self.profile, line->function);
	assert_string_equal(function->name, "here");
	assert_non_null(strstr(function->file, "/unit-symbolizer.c"));
	assert_int_equal(function->start_line, HERE_LINE);
	assert_in_range(line->line, HERE_LINE, HERE_LINE + 3);
	assert_int_equal(function->kin, old->lines[0].function);
	idmap_finish(&renamed);
	finish(&f);
}

static void test_libc_functions_agree_with_the_linker(void **state)
{
	(void)state;
	static const char *const names[] = {
		"qsort", "strtol", "fopen", "getenv", "malloc"};
	struct fixture f = open_self();
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	assert_non_null(libc);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		/* The name itself or another of that address, from whichever table. */
		uint64_t pc = address_of(dlsym(libc, names[i]));
		const struct function *function = function_at(&f, pc, true);
		assert_string_equal(function->module, "libc.so.6");
		assert_int_equal(address_of(dlsym(libc, function->name)), pc);
	}
	dlclose(libc);
	finish(&f);
}

static void test_vdso_functions_have_names(void **state)
{
	(void)state;
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	if (!start)
		skip();
	struct fixture f = open_self();
	bool found = false;
	for (uint64_t pc = start; pc < start + 8192 && !found; pc += 16)
		found = strstr(function_at(&f, pc, true)->name, "clock_gettime") != NULL;
	assert_true(found);
	finish(&f);
}

static void test_code_without_a_file_has_one_name(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(
		NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fixture f = open_self();
	const struct function *function = function_at(&f, address_of(code), true);
	assert_string_equal(function->name, "[anon]");
	assert_ptr_equal(function_at(&f, address_of(code) + 64, true), function);
	munmap(code, page);

	/* Neither code nor data; and data. */
	function = function_at(&f, 0x10, true);
	assert_string_equal(function->name, "[unknown]");
	assert_ptr_equal(function_at(&f, address_of(&f), true), function);
	assert_ptr_equal(function_at(&f, 0, false), function);
	uint32_t id = symbolizer_locate(f.symbolizer, (struct frame){.pc = 0x11});
	assert_int_equal(profile_location(f.self.profile, id)->mapping, PROFILE_NONE);
	finish(&f);
}

/* --- a stripped library ------------------------------------------------------------ */

static const char library_source[] =
	"__attribute__((noinline)) static int hidden(int x) { return x * 5 + 3; }\n"
	"void *where_hidden(void) { return (void *)hidden; }\n"
	"__attribute__((visibility(\"default\"))) int shown(int x) { return hidden(x); "
	"}\n";

static void test_stripped_code_is_shown_by_address(void **state)
{
	(void)state;
	char dir[] = "./symbolizer-XXXXXX", source[64], library[64], command[512];
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	assert_non_null(mkdtemp(dir));
	snprintf(source, sizeof(source), "%s/tiny.c", dir);
	snprintf(library, sizeof(library), "%s/libtiny.so", dir);
	FILE *out = fopen(source, "w");
	fputs(library_source, out);
	fclose(out);
	snprintf(command, sizeof(command), "%s -O1 -fPIC -shared -s -o %s %s", cc,
		library, source);
	int status = system(command);
	void *tiny = status == 0 ? dlopen(library, RTLD_NOW) : NULL;
	if (tiny) {
		void *(*where_hidden)(void);
		*(void **)&where_hidden = dlsym(tiny, "where_hidden");
		uint64_t shown = address_of(dlsym(tiny, "shown"));
		uint64_t hidden = address_of(where_hidden());
		Dl_info info;
		assert_true(dladdr(dlsym(tiny, "shown"), &info) != 0);

		struct fixture f = open_self();
		char expected[64];
		snprintf(expected, sizeof(expected), "[libtiny.so+0x%" PRIx64 "]",
			hidden - (uint64_t)(uintptr_t)info.dli_fbase);
		assert_string_equal(function_at(&f, hidden, true)->name, expected);
		assert_string_equal(function_at(&f, hidden, true)->module, "libtiny.so");
		assert_string_equal(function_at(&f, shown, true)->name, "shown");
		finish(&f);
		dlclose(tiny);
	}
	unlink(source);
	unlink(library);
	rmdir(dir);
	if (status != 0)
		skip(); /* no compiler here */
	assert_non_null(tiny);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_functions_have_their_names),
		cmocka_unit_test(test_own_functions_get_their_lines_later),
		cmocka_unit_test(test_libc_functions_agree_with_the_linker),
		cmocka_unit_test(test_vdso_functions_have_names),
		cmocka_unit_test(test_code_without_a_file_has_one_name),
		cmocka_unit_test(test_stripped_code_is_shown_by_address),
	};
	return unit_run(tests);
}
