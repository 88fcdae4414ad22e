/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbolizer and demangle: names of this process's own code, and of code that has
   none. */

#include "tests/lib/self.h"

#include "src/model/demangle.h"
#include "src/names/line-names.h"
#include "src/names/symbolizer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- demangle ---------------------------------------------------------------------- */

static void assert_demangled(
	const char *symbol, enum demangle_style style, const char *expected)
{
	char *plain = demangle(symbol, style);
	if (!expected)
		assert_null(plain);
	else if (!plain || strcmp(plain, expected) != 0)
		fail_msg("%s: %s, not %s", symbol, plain ? plain : "(null)", expected);
	free(plain);
}

static void test_names_are_as_their_authors_wrote_them(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{"main", NULL},
		{"", NULL},
		{"_start", NULL},
		{"@", NULL},
		{"_Z", NULL},
		{"_Z1", NULL},
		{"do_work.constprop.0", NULL},
		{"memcpy@@GLIBC_2.14", "memcpy"},
		{"memcpy@GLIBC_2.2.5", "memcpy"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi",
			"std::vector<int, std::allocator<int> >::push_back(int const&)"},
		{"_ZNSsC1ERKSs@@GLIBCXX_3.4", "std::basic_string<char, "
					      "std::char_traits<char>, "
					      "std::allocator<char> "
					      ">::basic_string(std::string const&)"},
		{"_Z7computei.isra.0", "compute(int) [clone .isra.0]"},
		{"_ZN3foo3barEv.cold", "foo::bar() [clone .cold]"},
		{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"},
		/* Rust: legacy, with its hash; v0, with punycode and a generic
		   argument */
		{"_ZN4core3fmt9Arguments3new17h684cd06b24bda960E",
			"core::fmt::Arguments::new"},
		{"_ZN34_$LT$Pool$u20$as$u20$app..Work$GT$3run17h09dcb94e14c604abE",
			"<Pool as app::Work>::run"},
		{"_RNvCsbn32HeAvU6s_5elf_r4main", "elf_r::main"},
		{"_RNvXCsbn32HeAvU6s_5elf_rINtB2_u11ncode_1pa8khENtB2_1T2goB2_",
			"<elf_r::\303\234n\303\257code<u8> as elf_r::T>::go"},
		/* D */
		{"_Dmain", "D main"},
		{"_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_demangled(table[i][0], DEMANGLE_FULL, table[i][1]);
}

static void test_less_of_a_name_can_be_shown(void **state)
{
	(void)state;
	static const struct {
		const char *symbol, *no_params, *no_templates;
	} table[] = {
		{"main", NULL, NULL},
		{"memcpy@@GLIBC_2.14", "memcpy", "memcpy"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi",
			"std::vector<int, std::allocator<int> >::push_back",
			"std::vector::push_back"},
		{"_Z7computei.isra.0", "compute", "compute"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi@plt",
			"std::vector<int, std::allocator<int> >::push_back@plt",
			"std::vector::push_back@plt"},
		{"memcpy@plt", NULL, NULL},
		{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()",
			"main::{lambda()#1}::operator()"},
		{"_ZNSt8functionIFvSt6vectorIiSaIiEEEEclES2_",
			"std::function<void (std::vector<int, std::allocator<int> "
			">)>::operator()",
			"std::function::operator()"},
		{"_ZN12_GLOBAL__N_13fooIiEEvT_", "(anonymous namespace)::foo<int>",
			"(anonymous namespace)::foo"},
		/* Brackets that are none */
		{"_ZlsIcESoRSoT_", "operator<< <char>", "operator<<"},
		{"_ZltIiEbRK1AIT_ES4_", "operator< <int>", "operator<"},
		{"_ZN1AptEv", "A::operator->", "A::operator->"},
		{"_ZN3FooIXgtLi3ELi2EEE3barEv", "Foo<((3)>(2))>::bar", "Foo::bar"},
		{"_ZN3FooIXlsLi3ELi2EEE3barEv", "Foo<(3)<<(2)>::bar", "Foo::bar"},
		{"_ZN1AIiEcvSt6vectorIiSaIiEEEv",
			"A<int>::operator std::vector<int, std::allocator<int> >",
			"A::operator std::vector"},
		/* Rust: what a trait is implemented for is part of the name */
		{"_ZN34_$LT$Pool$u20$as$u20$app..Work$GT$3run17h09dcb94e14c604abE",
			"<Pool as app::Work>::run", "<Pool as app::Work>::run"},
		{"_RNvXCsbn32HeAvU6s_5elf_rINtB2_u11ncode_1pa8khENtB2_1T2goB2_",
			"<elf_r::\303\234n\303\257code<u8> as elf_r::T>::go",
			"<elf_r::\303\234n\303\257code as elf_r::T>::go"},
		{"_ZN4core3str21_$LT$impl$u20$str$GT$5parse17h0123456789abcdefE",
			"core::str::<impl str>::parse", "core::str::<impl str>::parse"},
		{"_RINvNtC4core3mem4swapmE", "core::mem::swap::<u32>", "core::mem::swap"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_demangled(table[i].symbol, DEMANGLE_NO_PARAMS, table[i].no_params);
		assert_demangled(
			table[i].symbol, DEMANGLE_NO_TEMPLATES, table[i].no_templates);
		assert_demangled(table[i].symbol, DEMANGLE_NONE, NULL);
	}
}

static void test_tiers_of_a_function_are_one(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{"JS:*parse /srv/app/@babel/core/index.js:26:19",
			"JS:parse index.js:26:19"},
		{"JS:^parse /srv/app/@babel/core/index.js:26:19",
			"JS:parse index.js:26:19"},
		{"JS:~parse /srv/app/@babel/core/index.js:26:19",
			"JS:parse index.js:26:19"},
		{"JS:+parse /srv/app/@babel/core/index.js:26:19",
			"JS:parse index.js:26:19"},
		{"JS:parse /srv/app/@babel/core/index.js:26:19",
			"JS:parse index.js:26:19"},
		{"JS:*run file:///srv/my app/main.mjs:1:1", "JS:run main.mjs:1:1"},
		{"JS:~get a /srv/my app/main.js:1:1", "JS:get a main.js:1:1"},
		{"LazyCompile:*f /x.js:1:1", "LazyCompile:f x.js:1:1"},
		{"Eval:~ node:internal/main/eval:1:1",
			"Eval: node:internal/main/eval:1:1"},
		{"JS:*", "JS:"},
		{"JS:f", NULL},
		{"py::parse:/srv/app/parser.py", "py::parse:parser.py"},
		{"py::<module>:<string>", NULL},
		{"Builtin:CallFunction_ReceiverIsAny", NULL},
		{"JSON_parse", NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_demangled(table[i][0], DEMANGLE_NO_PARAMS, table[i][1]);
		assert_demangled(table[i][0], DEMANGLE_NO_TEMPLATES, table[i][1]);
		assert_demangled(table[i][0], DEMANGLE_FULL, NULL);
		assert_demangled(table[i][0], DEMANGLE_NONE, NULL);
	}
}

/* A name of a few hundred bytes that means 2^COUNT parameters. */
static char *make_exponential(int count)
{
	char *name = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&name, &size);
	fputs("_Z1fM1AS_",
		out); /* S0_ is A A::*; each next is a pair of the one before */
	for (int i = 0; i < count; i++)
		fprintf(out, "MS%c_S%c_", i < 10 ? '0' + i : 'A' + i - 10,
			i < 10 ? '0' + i : 'A' + i - 10);
	fclose(out);
	return name;
}

static void test_no_name_is_too_much(void **state)
{
	(void)state;
	char *name = make_exponential(3);
	char *plain = demangle(name, DEMANGLE_FULL);
	assert_non_null(plain);
	free(plain);
	free(name);

	name = make_exponential(35);
	assert_true(strlen(name) < 300);
	assert_null(demangle(name, DEMANGLE_FULL)); /* 2^35 characters */
	free(name);

	size_t length = 100000;
	name = malloc(length + 1);
	memset(name, 'P', length);
	memcpy(name, "_Z1f", 4);
	name[length] = '\0';
	assert_null(demangle(name, DEMANGLE_FULL)); /* too long to try */
	name[16000] = '\0';
	free(demangle(name, DEMANGLE_FULL)); /* as deep as it may be */
	free(name);
}

/* --- this process ------------------------------------------------------------------ */

struct fixture {
	struct self self;
	struct line_resolver *resolver;
	struct symbolizer *symbolizer;
};

static struct fixture open_self(void)
{
	struct fixture f = {.self = self_open(), .resolver = line_resolver_create()};
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
	struct map renamed = {0};
	line_resolver_start(f.resolver);
	assert_true(line_resolver_wait(f.resolver, UINT64_C(60000000000)));
	line_names_take(f.resolver, f.self.profile, &renamed);
	if (renamed.len == 0) {
		finish(&f);
		skip(); /* built without -g */
	}
	uint32_t after = symbolizer_locate(f.symbolizer, frame);
	assert_int_equal(*map_get(&renamed, before, 0), after);
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
	map_finish(&renamed);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_as_their_authors_wrote_them),
		cmocka_unit_test(test_tiers_of_a_function_are_one),
		cmocka_unit_test(test_less_of_a_name_can_be_shown),
		cmocka_unit_test(test_no_name_is_too_much),
		cmocka_unit_test(test_own_functions_have_their_names),
		cmocka_unit_test(test_own_functions_get_their_lines_later),
		cmocka_unit_test(test_libc_functions_agree_with_the_linker),
		cmocka_unit_test(test_vdso_functions_have_names),
		cmocka_unit_test(test_code_without_a_file_has_one_name),
		cmocka_unit_test(test_stripped_code_is_shown_by_address),
	};
	return unit_run(tests);
}
