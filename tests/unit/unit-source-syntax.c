/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source-syntax: comments, strings and keywords of five languages. */
#include "tests/lib/unit.h"

#include "src/read/sources/source-syntax.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* A letter for each byte: k, s, c, or '.'. */
static void classes_of(enum syntax_language language, struct syntax_state *state,
	const char *text, char *out)
{
	size_t at = 0, done = 0;
	while (text[at]) {
		enum syntax_class class = syntax_next(language, state, text, &at);
		assert_true(at > done);
		while (done < at)
			out[done++] = ".csk"[class];
	}
	out[done] = '\0';
}

static void test_comments_strings_and_keywords(void **state)
{
	static const struct {
		const char *path, *text, *classes;
	} cases[] = {
		{"a.c", "int i = \"a\\\"b\"; // x", "kkk.....ssssss..cccc"},
		{"a.c", "  #include <x.h>", "..kkkkkkkk......"},
		{"a.c", "printint = 'x'", "...........sss"},
		{"a.c", "a /* b */ if", "..ccccccc.kk"},
		{"a.rs", "fn f<'a>(x: &'a str) 'b'", "kk..............kkk..sss"},
		{"a.rs", "r#\"a\"b\"# let", "ssssssss.kkk"},
		{"a.rs", "/* a /* b */ c */ let", "ccccccccccccccccc.kkk"},
		{"a.go", "func f() `a//b` // c", "kkkk.....ssssss.cccc"},
		{"a.py", "def f(): # x", "kkk......ccc"},
		{"a.py", "x = \"\"\"a'b\"\"\" if", "....sssssssss.kk"},
		{"a.js", "const a = `b`", "kkkkk.....sss"},
		{"a.txt", "int \"a\" // b", "............"},
		{"/usr/include/c++/12/vector", "class A", "kkkkk.."},
	};
	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct syntax_state begin = {0};
		char classes[64];
		classes_of(syntax_language_of(cases[i].path), &begin, cases[i].text,
			classes);
		assert_string_equal(classes, cases[i].classes);
	}
}

static void test_comments_go_on_over_lines(void **state)
{
	static const struct {
		const char *text, *classes;
	} lines[] = {
		{"int a; /* one", "kkk....cccccc"},
		{"if \"two", "ccccccc"},
		{"three */ if", "cccccccc.kk"},
		{"x = 1", "....."},
	};
	struct syntax_state goes_on = {0};
	char classes[64];
	(void)state;
	for (size_t i = 0; i < LENGTH(lines); i++) {
		struct syntax_state begin = goes_on;
		classes_of(SYNTAX_C, &begin, lines[i].text, classes);
		assert_string_equal(classes, lines[i].classes);
		syntax_go_on(SYNTAX_C, &goes_on, lines[i].text);
	}
}

/* Whatever a line is, it is gone through to its end. */
static void test_every_line_ends(void **state)
{
	static const char signs[] = "/*\"'`#r \\a(";
	char text[24], classes[32];
	(void)state;
	for (unsigned seed = 0; seed < 20000; seed++) {
		unsigned number = seed * 2654435761u;
		size_t length = 1 + seed % (sizeof(text) - 1);
		for (size_t i = 0; i < length; i++) {
			number = number * 1103515245u + 12345u;
			text[i] = signs[(number >> 16) % (sizeof(signs) - 1)];
		}
		text[length] = '\0';
		struct syntax_state goes_on = {0};
		enum syntax_language language = 1 + seed % SYNTAX_JS;
		classes_of(language, &goes_on, text, classes);
		assert_int_equal(strlen(classes), length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comments_strings_and_keywords),
		cmocka_unit_test(test_comments_go_on_over_lines),
		cmocka_unit_test(test_every_line_ends),
	};
	return unit_run(tests);
}
