/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text formats that are read, and what is none of them: what a file may not say is refused
   in one line that says where. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/count/import/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_folded_stacks_of_others_are_read(void **state)
{
	(void)state;
	static const char text[] = "# stackcollapse\n"
				   "\n"
				   "java;main_[j];read_[k] 12\r\n"
				   "java;operator new(unsigned long) 3\n"
				   "swapper 1.5\n"
				   "java;main_[j];read_[k] 8\n"
				   "a;b\t0.49";
	struct file file = imported_as("folded", text, sizeof(text) - 1);
	assert_string_equal(file.bytes, "java;main_[j];read_[k] 20\n"
					"java;operator new(unsigned long) 3\n"
					"swapper 2\n");
	free(file.bytes);
}

static void test_perf_script_is_read(void **state)
{
	(void)state;
	static const char text[] =
		"# captured on: Sun Nov 22\n"
		"\n"
		"my server 4711/4712 [001]  6512.345678:     250000 cpu-clock:pppH: \n"
		"\t    7f3a2c1d5e10 operator new(unsigned long)+0x20 (/usr/lib/my lib.so "
		"(deleted))\n"
		"\t    55d0c7a3f208 main+0x1c8 (/opt/my server)\n"
		"\t    55d0c7a3f000 [unknown] (/opt/my server)\n"
		"\n"
		"swapper     0 [000] 6512.400000:     125000 cpu-clock:pppH:  ffffffff81 "
		"native_safe_halt+0xe ([kernel.kallsyms])\n"
		"my server 4711/4712 6512.500000: page-faults: \n"
		"\t55d0c7a3f208 main+0x1c8 (/opt/my server)\n";
	struct file file = imported_as("folded", text, sizeof(text) - 1);
	/* What [unknown] lies in, and what is no part of a name. */
	assert_string_equal(file.bytes,
		"my server;[my server];main;operator new(unsigned long) 250000\n"
		"swapper;native_safe_halt 125000\n");
	free(file.bytes);

	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, sizeof(text) - 1);
	const struct report_request samples = {.sample_type = 0};
	struct report *report = recording_report(&recording, &samples);
	assert_int_equal(report->total.cpu_ns, 3);
	assert_int_equal(report->n_threads, 2);
	report_destroy(report);
	recording_finish(&recording);

	static const char header[] = "a 1 2.5: 7 cycles:\n";
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"what is this\n", "line 2: does not begin a sample"},
		{"\tmain\n", "line 2: is no frame"},
		{"\n\t401000 main (x)\n", "line 3: is a frame of no sample"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char whole[256];
		snprintf(whole, sizeof(whole), "%s%s", header, cases[i].text);
		imported_refused(whole, strlen(whole), cases[i].why);
	}
}

/* More frames and stacks than are kept to be found at once, each of them again, and some that
   differ only in where their name ends. */
static void test_many_frames_are_kept_apart(void **state)
{
	(void)state;
	enum {
		STACKS = 150000
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	for (int i = 0; i < 2 * STACKS; i++)
		fprintf(out,
			"a 1 2.5: %d cycles:\n\t4010 f%d+0x%x (/x)\n\t40 main (/x)\n\n",
			i % STACKS + 1, i % STACKS, i / STACKS);
	fputs("a 1 2.5: 1000000 cycles:\n\t1 ab (cd)\n\t1 main (/x)\n\n"
	      "a 1 2.5: 2000000 cycles:\n\t1 a (bcd)\n\t1 main (/x)\n\n",
		out);
	fclose(out);

	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, size);
	free(text);
	struct report *report = imported_report(&recording);
	assert_int_equal(report->n_stacks, STACKS + 2);
	size_t others = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const struct function *function =
			profile_function(report->profile, row->function);
		int number;
		if (sscanf(function->name, "f%d", &number) == 1) {
			assert_int_equal(row->self.cpu_ns, 2 * (number + 1));
			continue;
		}
		others++;
		if (strcmp(function->name, "ab") == 0 ||
			strcmp(function->name, "a") == 0) {
			bool is_short = function->name[1] == '\0';
			assert_string_equal(function->module, is_short ? "bcd" : "cd");
			assert_int_equal(row->self.cpu_ns, is_short ? 2000000 : 1000000);
		}
	}
	assert_int_equal(report->n_functions, STACKS + others);
	assert_int_equal(others, 3); /* main, ab, a */
	report_destroy(report);
	recording_finish(&recording);
}

static void test_what_is_no_profile_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "is empty"},
		{"hello\n", "is none of the formats that can be read"},
		{"a;b 1\nhello\n", "line 2: is no folded stack"},
		{"a;b 1\nc;d 99999999999999999999\n", "line 2: is no folded stack"},
		{"a;b 9223372036854775806\nc 9\n",
			"line 2: the values of samples/count add up to more"},
		{"\x7f"
		 "ELF\2\1\1",
			"is none of the formats that can be read"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		imported_refused(cases[i].text, strlen(cases[i].text), cases[i].why);
	/* A header of gzip, and then what is no block; and nothing more of one. */
	static const char no_block[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\xff\xff\xff\xff\xff",
			  no_more[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\0\0";
	imported_refused(no_block, sizeof(no_block), "cannot be unpacked");
	imported_refused(
		no_more, sizeof(no_more) - 1, "the compressed data ends too early");
}

static void test_a_stack_of_any_depth_is_bounded(void **state)
{
	(void)state;
	size_t deep = RECORDING_STACK_MAX, size = 2 * (deep + 1) + 2;
	char *text = malloc(size + 1);
	for (size_t i = 0; i <= deep; i++)
		memcpy(text + 2 * i, "f;", 2);
	memcpy(text + 2 * (deep + 1) - 1, " 1\n", 4);
	imported_refused(text, strlen(text), "line 1: a stack of more than 65536 frames");
	struct file file = imported_as("folded", text + 2, strlen(text + 2));
	assert_int_equal(file.size, strlen(text + 2));
	free(file.bytes);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_stacks_of_others_are_read),
		cmocka_unit_test(test_perf_script_is_read),
		cmocka_unit_test(test_many_frames_are_kept_apart),
		cmocka_unit_test(test_what_is_no_profile_is_refused),
		cmocka_unit_test(test_a_stack_of_any_depth_is_bounded),
	};
	return unit_run(tests);
}
