/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: names as their authors wrote them, and less of them. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/facts/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		{"_D2rt5tlsgc14processGCMarksFNbPvMDFNbQhZiZv",
			"rt.tlsgc.processGCMarks(void*, scope int(void*) nothrow "
			"delegate)"},
		{"_D3std12experimental9allocator18RCISharedAllocator10__"
		 "postblitMOFNaNbNiNfZv",
			"std.experimental.allocator.RCISharedAllocator.__postblit() "
			"shared"},
		{"_D3foo6__initZ", "initializer for foo"},
		{"_D3foo3Bar6__ctorMFZC3foo3Bar", "foo.Bar.this()"},
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

/* f(A<A<...>, X, X>...), where X is the A<...> before it: three times as much at each
   LEVEL, and no pack in any of it. */
static char *make_expansion(int levels)
{
	char *type = mem_printf("i");
	for (int i = 1; i <= levels; i++) {
		/* f is S_, then the names of the templates, then the types */
		int known = 1 + levels + i - 2;
		char reference[16] = "i";
		if (i > 1)
			snprintf(reference, sizeof(reference),
				known > 36 ? "S1%c_" : "S%c_",
				"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(known - 1) % 36]);
		char *next = mem_printf("1AI%s%s%sE", type, reference, reference);
		free(type);
		type = next;
	}
	char *name = mem_printf("_Z1fIiEvDp%s", type);
	free(type);
	return name;
}

static void test_a_pack_is_not_searched_for_ever(void **state)
{
	(void)state;
	char *name = make_expansion(4);
	char *plain = demangle(name, DEMANGLE_FULL);
	assert_non_null(plain);
	assert_non_null(strstr(plain, "A<A<A<A<int, int, int>, A<int, int, int>, "));
	free(plain);
	free(name);
	name = make_expansion(35); /* 3^35 visits */
	assert_true(strlen(name) < 533);
	assert_null(demangle(name, DEMANGLE_FULL));
	assert_demangled(name, DEMANGLE_NO_PARAMS, "f<int>"); /* which has no pack */
	free(name);
}

/* PART COUNT times, between BEGIN and END. */
static char *make_repeated(
	const char *begin, const char *part, int count, const char *end)
{
	char *name = mem_strdup(begin);
	for (int i = 0; i < count; i++) {
		char *longer = mem_printf("%s%s", name, part);
		free(name);
		name = longer;
	}
	char *whole = mem_printf("%s%s", name, end);
	free(name);
	return whole;
}

static void assert_refused(char *name)
{
	for (enum demangle_style style = 0; style < DEMANGLE_STYLES; style++)
		assert_demangled(name, style, NULL);
	free(name);
}

/* The shortest of each kind is read, so it is a name. */
static void test_nothing_is_read_for_ever(void **state)
{
	(void)state;
	assert_demangled(
		"_ZN1AIiEcvT_IiEEv", DEMANGLE_FULL, "A<int>::operator int<int>()");
	assert_refused(make_repeated("_ZN1AIiEcv", "T_I", 60, "iEv"));
	assert_demangled("_RMC0FG_Eu", DEMANGLE_FULL, "<for<'a> fn()>");
	assert_demangled("_RNvMIC1aFG_EuEu1f", DEMANGLE_FULL, "<()>::f");
	assert_refused(mem_strdup("_RMC0FGzzzzzzzzz_Eu"));
	assert_refused(mem_strdup("_RNvMIC1aFGzzzzzzzzz_EuEu1f"));
	assert_refused(mem_strdup("_RNvMIC1aDGzzzzzzzzz_ELEu1f"));
	/* only letters of an identifier; a few lifetimes */
	assert_demangled("_RNvC1a7CFGuard", DEMANGLE_FULL, "a::CFGuard");
	assert_demangled("_RNvMIC1aFGzz_EuEu1f", DEMANGLE_FULL, "<()>::f");
	/* wraps around at 2^64: 62^11 + ... */
	assert_refused(mem_strdup("_RNvMIC1aFGzzzzzzzzzzzzz_EuEu1f"));
	assert_demangled("_D1aFC1aZv", DEMANGLE_FULL, "a(a)");
	assert_refused(make_repeated("_D1a", "FC1a", 900, ""));
	/* It may take too long. */
	assert_refused(make_repeated("_D1a", "FC1a", 20, ""));
	assert_refused(make_repeated("_D1fFA", "HQbQe", 20, "Zv"));
	assert_refused(make_repeated("_D1aF", "A", 4000, "iZv"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_as_their_authors_wrote_them),
		cmocka_unit_test(test_tiers_of_a_function_are_one),
		cmocka_unit_test(test_less_of_a_name_can_be_shown),
		cmocka_unit_test(test_a_pack_is_not_searched_for_ever),
		cmocka_unit_test(test_nothing_is_read_for_ever),
		cmocka_unit_test(test_no_name_is_too_much),
	};
	return unit_run(tests);
}
