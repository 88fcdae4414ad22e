/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source view: golden screens of it, with a made-up function in place of machine code, and
   what its keys do. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "tests/lib/fake-source.h"
#include "tests/lib/golden.h"
#include "tests/lib/play.h"
#include "ui/screen/app.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "unit-view-source.tmp" /* relative, because its name is on the screen */

/* Of the mapping that the function is in. */
#define FIXTURE_BUILD_ID "0123456789abcdef0123456789abcdef01234567"

enum {
	CODE_BYTES = 4, /* of each instruction */
};

/* is_prime_by_division, which begins at 0x300 of its mapping; it was sampled at 0x304 and
   0x310. */
static const struct {
	const char *att, *intel;
	enum instruction_kind kind;
	int to; /* an instruction; -1: none */
	const char *name;
	uint32_t line;
	const char *inlined;
} code[] = {
	{"cmpq $3, %rdi", "cmp rdi, 3", INSTRUCTION_OTHER, -1, "", 11, NULL},
	{"jbe 0x55d0c7a00320", "jbe 0x55d0c7a00320", INSTRUCTION_BRANCH, 8, "", 12, NULL},
	{"movl $2, %ecx", "mov ecx, 2", INSTRUCTION_OTHER, -1, "", 12, NULL},
	{"xorl %edx, %edx", "xor edx, edx", INSTRUCTION_OTHER, -1, "", 13, "remainder"},
	{"divq %rcx", "div rcx", INSTRUCTION_OTHER, -1, "", 13, "remainder"},
	{"testq %rdx, %rdx", "test rdx, rdx", INSTRUCTION_OTHER, -1, "", 13, NULL},
	{"jne 0x55d0c7a00308", "jne 0x55d0c7a00308", INSTRUCTION_BRANCH, 2, "", 13, NULL},
	{"callq 0x55d0c7a00400", "call 0x55d0c7a00400", INSTRUCTION_CALL, -1,
		"is_prime_by_sieve", 14, NULL},
	{"retq", "ret", INSTRUCTION_RETURN, -1, "", 15, NULL},
};

static const char source[] =
	"/* Is a number prime?\n"
	"   Two ways to find out. */\n"
	"#include \"prime.h\"\n"
	"\n"
	"static unsigned long remainder(unsigned long n, unsigned long by)\n"
	"{\n"
	"	return n % by; // slow\n"
	"}\n"
	"\n"
	"bool is_prime_by_division(unsigned long n)\n"
	"{\n"
	"	for (unsigned long i = 2; i * i <= n; i++)\n"
	"		if (remainder(n, i) == 0)\n"
	"			return printf(\"not %s\\n\", \"prime\") == 0;\n"
	"	return true; /* 素数 */\n"
	"}\n";

struct with_code {
	struct fake_source fake; /* first: what the functions of a source get */
	struct assembly *assembly;
	struct code_lines *lines;
	unsigned asked;
};

static struct assembly *assembly_around(const struct assembly_request *request)
{
	size_t n = sizeof(code) / sizeof(*code);
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	uint64_t base = profile_mapping(request->profile, request->mapping)->start;
	*assembly = (struct assembly){.serial = request->serial,
		.name = mem_strdup("is_prime_by_division"),
		.module = mem_strdup("primes"),
		.path = mem_strdup("/opt/primes/primes"),
		.start = base + 0x300,
		.limit = base + 0x300 + n * CODE_BYTES,
		.bias = base,
		.problem = mem_strdup(""),
		.remark = mem_strdup(""),
		.instructions = mem_zalloc(n * sizeof(struct instruction)),
		.n_instructions = n,
		.bytes = mem_zalloc(n * CODE_BYTES),
		.strings = mem_strdup("")};
	for (size_t i = 0; i < n; i++) {
		assembly->bytes[i * CODE_BYTES] = (unsigned char)(0x48 + i);
		assembly->instructions[i] = (struct instruction){
			.address = assembly->start + i * CODE_BYTES,
			.length = CODE_BYTES,
			.kind = code[i].kind,
			.has_target = code[i].kind != INSTRUCTION_OTHER,
			.to = code[i].to < 0 ? ASSEMBLY_NONE : (uint32_t)code[i].to,
			.target_name = code[i].name,
			.texts = {code[i].att, code[i].intel}};
	}
	return assembly;
}

static struct code_lines *lines_of(const struct assembly *assembly)
{
	struct code_lines *lines = code_lines_create(
		assembly->serial, 0x300, assembly->limit - assembly->bias);
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		code_lines_add_row(lines, 0x300 + i * CODE_BYTES);
		if (code[i].inlined)
			code_lines_add_frame(
				lines, code[i].inlined, "/src/primes/prime.c", 7, 5);
		code_lines_add_frame(lines, "is_prime_by_division", "/src/primes/prime.c",
			code[i].line, 10);
	}
	return lines;
}

static void ask_assembly(void *context, const struct assembly_request *request)
{
	struct with_code *with = context;
	with->asked++;
	assembly_destroy(with->assembly);
	code_lines_destroy(with->lines);
	with->assembly = assembly_around(request);
	with->lines = lines_of(with->assembly);
}

static struct assembly *take_assembly(void *context)
{
	struct with_code *with = context;
	struct assembly *assembly = with->assembly;
	with->assembly = NULL;
	return assembly;
}

static struct code_lines *take_lines(void *context)
{
	struct with_code *with = context;
	struct code_lines *lines = with->lines;
	with->lines = NULL;
	return lines;
}

static uint64_t clock_ns(void)
{
	return FIXTURE_END_NS;
}

static uint64_t own_cpu_ns(void)
{
	return 0;
}

/* --- sessions ------------------------------------------------------------------------- */

static void write_source(void)
{
	mkdir(FOLDER, 0755); /* one that failed may have left it */
	FILE *out = fopen(FOLDER "/prime.c", "we");
	assert_non_null(out);
	fputs(source, out);
	assert_int_equal(fclose(out), 0);
}

static void remove_source(void)
{
	unlink(FOLDER "/prime.c");
	rmdir(FOLDER);
}

/* What has been read before the session begins is there when the view asks. */
static struct source_reader *reader_of_sources(void)
{
	static const struct source_rules rules = {.dirs = FOLDER};
	static const struct source_person person = {.is_privileged = false};
	const struct source_file *file;
	char why[SOURCE_WHY_MAX];
	struct source_reader *reader = source_reader_create(&rules, &person, NULL);
	source_reader_ask(reader, "/src/primes/prime.c", FIXTURE_BUILD_ID, &file, why);
	source_reader_wait(reader, 60 * NS_PER_SEC);
	return reader;
}

enum parts_there {
	ALL_THERE,
	NO_CODE,
	NO_SOURCE,
};

/* Play SCRIPT; the terminal has the last screen, and the caller destroys it. */
static struct term *play_there(
	const char *script, int rows, int columns, bool ascii, enum parts_there there)
{
	struct term_options term_options = {.ascii = ascii, .mouse = true};
	struct term *term = term_headless_create(rows, columns, &term_options);
	struct app_options options = {.output_fd = -1,
		.clock_ns = clock_ns,
		.own_cpu_ns = own_cpu_ns,
		.sources = there == NO_SOURCE ? NULL : reader_of_sources(),
		.script = play_script(script)};
	struct with_code with = {.asked = 0};
	struct error err;
	fake_source_init(&with.fake);
	with.fake.source.context = &with;
	if (there != NO_CODE) {
		with.fake.source.ask_assembly = ask_assembly;
		with.fake.source.take_assembly = take_assembly;
		with.fake.source.take_lines = take_lines;
	}
	if (!app_run(term, &with.fake.source, &options, &err))
		fail_msg("%s", err.text);
	script_close(options.script);
	source_reader_destroy(options.sources);
	assembly_destroy(with.assembly);
	code_lines_destroy(with.lines);
	fake_source_finish(&with.fake);
	return term;
}

/* The second row of the table is is_prime_by_division. */
#define OPEN "key Down a\nwait-report\nwait-report\n"

static void check_screens(const char *name, const char *script, enum parts_there there)
{
	static const struct {
		int rows, columns;
	} sizes[] = {{24, 80}, {40, 120}, {50, 200}, {10, 40}};
	write_source();
	for (int i = 0; i < 5; i++) {
		bool ascii = i == 4;
		int rows = sizes[i % 4].rows, columns = sizes[i % 4].columns;
		struct term *term = play_there(script, rows, columns, ascii, there);
		char file[128];
		snprintf(file, sizeof(file), "source-%s-%dx%d%s", name, columns, rows,
			ascii ? "-ascii" : "");
		golden_check(file, term_headless_screen(term));
		term_destroy(term);
	}
	remove_source();
}

static void test_lines_with_instructions_folded(void **state)
{
	(void)state;
	check_screens("folded", OPEN, ALL_THERE);
}

static void test_instructions_below_their_lines(void **state)
{
	(void)state;
	check_screens("unfolded", OPEN "key s A A\nkey Down Down", ALL_THERE);
}

static void test_by_address_as_intel_writes(void **state)
{
	(void)state;
	check_screens("by-address", OPEN "key s s A\nkey K\nkey Down", ALL_THERE);
}

static void test_lines_without_instructions(void **state)
{
	(void)state;
	check_screens("without-code", OPEN, NO_CODE);
}

static void test_instructions_without_source(void **state)
{
	(void)state;
	check_screens("without-source", OPEN "key s", NO_SOURCE);
}

/* --- keys ----------------------------------------------------------------------------- */

/* Has the last screen of SCRIPT this TEXT? */
static void assert_leads(bool wanted, const char *script, const char *text)
{
	char *screen = NULL;
	size_t size;
	write_source();
	struct term *term = play_there(script, 40, 120, false, ALL_THERE);
	FILE *out = open_memstream(&screen, &size);
	assert_non_null(out);
	grid_dump(term_headless_screen(term), out);
	fclose(out);
	bool found = strstr(screen, text) != NULL;
	if (found != wanted)
		print_message("'%s' %s in\n%s", text, wanted ? "is not" : "is", screen);
	free(screen);
	term_destroy(term);
	remove_source();
	assert_int_equal(found, wanted);
}

static void test_hot_lines_one_after_the_other(void **state)
{
	(void)state;
	assert_leads(true, OPEN, "prime.c:12  self 3.00s");
	assert_leads(true, OPEN "key Home K", "prime.c:12  self 3.00s");
	assert_leads(true, OPEN "key J", "prime.c:13  self 1.50s");
	assert_leads(true, OPEN "key J J", "prime.c:12  self 3.00s");
}

static void test_jumps_and_calls_are_followed_and_back(void **state)
{
	(void)state;
	/* line 12 has a jump to the last instruction, in line 15, which is folded */
	assert_leads(true, OPEN "key Enter Down Enter", "0x320");
	assert_leads(true, OPEN "key Enter Down Enter Esc", "0x304");
	/* line 14 calls a function that has samples */
	assert_leads(true, OPEN "key s\nkeys /callq<Enter>\nkey Enter",
		"is_prime_by_sieve  primes");
	assert_leads(true,
		OPEN "key s\nkeys /callq<Enter>\nkey Enter Esc\nwait-report\nwait-report",
		"0x31c");
	assert_leads(true, OPEN "key Esc", "is_prime_by_division                    ");
}

static void test_only_what_costs_something(void **state)
{
	(void)state;
	assert_leads(true, OPEN, "bool is_prime_by_division");
	assert_leads(false, OPEN "key +", "bool is_prime_by_division");
	assert_leads(true, OPEN "key +", "if (remainder(n, i) == 0)");
}

static void test_bytes_and_both_syntaxes(void **state)
{
	(void)state;
	assert_leads(true, OPEN "key s", "divq %rcx");
	assert_leads(true, OPEN "key s A", "div rcx");
	assert_leads(false, OPEN "key s", "4c 00 00 00");
	assert_leads(true, OPEN "key s A A", "4c 00 00 00");
}

static void test_from_every_view(void **state)
{
	(void)state;
	assert_leads(true, "key Tab\nkey Down Down Down a\nwait-report", "Line Source");
	assert_leads(true, "key Tab Tab a\nwait-report", "Line Source");
	assert_leads(true, "key y a\nwait-report", "Line Source");
}

/* By its digit, too, it begins with what is selected; the callers do the same. */
static void test_the_selected_function_goes_along(void **state)
{
	(void)state;
	assert_leads(true, "key Down 5\nwait-report", "is_prime_by_division  primes");
	assert_leads(true, "key 5\nwait-report", "dot  primes");
	assert_leads(true, "key Down 4\nwait-report\nkey 5\nwait-report",
		"is_prime_by_division  primes");
	assert_leads(
		true, "key Down 5\nwait-report\nkey 1 Up 5\nwait-report", "dot  primes");
}

/* By another name, or with inlined functions folded, it is the same function. */
static void test_it_stays_with_other_names(void **state)
{
	(void)state;
	assert_leads(true, OPEN "key M\nwait-report", "is_prime_by_division  primes");
	assert_leads(true, OPEN "key i\nwait-report", "is_prime_by_division  primes");
	assert_leads(true, OPEN "key L\nwait-report", "is_prime_by_division  primes");
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_with_instructions_folded),
		cmocka_unit_test(test_instructions_below_their_lines),
		cmocka_unit_test(test_by_address_as_intel_writes),
		cmocka_unit_test(test_lines_without_instructions),
		cmocka_unit_test(test_instructions_without_source),
		cmocka_unit_test(test_hot_lines_one_after_the_other),
		cmocka_unit_test(test_jumps_and_calls_are_followed_and_back),
		cmocka_unit_test(test_only_what_costs_something),
		cmocka_unit_test(test_bytes_and_both_syntaxes),
		cmocka_unit_test(test_from_every_view),
		cmocka_unit_test(test_the_selected_function_goes_along),
		cmocka_unit_test(test_it_stays_with_other_names),
	};
	return unit_run(tests);
}
