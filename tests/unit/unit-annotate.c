/* SPDX-License-Identifier: GPL-2.0-or-later */
/* annotation: what lines and instructions cost adds up to what reports say of a function, and
   the rows of a listing are where they belong. */
#include "tests/lib/unit.h"

#include "src/count/annotate/annotation.h"
#include "src/count/annotate/parts.h"
#include "tests/lib/fixture.h"

#include <stdlib.h>
#include <string.h>

static uint64_t cpu(const struct weight *weight)
{
	return weight->cpu_ns;
}

/* --- cost ----------------------------------------------------------------------------- */

static void assert_adds_up(const struct report *report)
{
	size_t counted = 0, with_lines = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		struct cost cost = {0};
		if (!cost_count(&cost, report, row->function)) {
			cost_finish(&cost);
			continue;
		}
		uint64_t self = 0;
		vec_each (&cost.lines, line) {
			self += line->self.cpu_ns;
			assert_true(line->self.cpu_ns <= line->total.cpu_ns);
			assert_true(line->total.cpu_ns <= row->total.cpu_ns);
			with_lines += line->line > 0;
		}
		assert_int_equal(cost.self.cpu_ns, row->self.cpu_ns);
		assert_int_equal(cost.total.cpu_ns, row->total.cpu_ns);
		assert_int_equal(self, row->self.cpu_ns);
		vec_each (&cost.places, place)
			assert_true(place->total.cpu_ns <= row->total.cpu_ns);
		cost_finish(&cost);
		counted++;
	}
	assert_true(counted > 10 && with_lines > 10);
}

static void test_lines_add_up_to_the_function(void **state)
{
	struct fixture fixture;
	(void)state;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	assert_adds_up(report);
	report_destroy(report);
	struct report_request request = {.naming.fold_inlines = true};
	report = fixture_report(&fixture, &request);
	assert_adds_up(report);
	report_destroy(report);
	fixture_finish(&fixture);
}

static uint32_t function_named(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->n_functions; i++)
		if (strcmp(profile_function(
				   report->profile, report->functions[i].function)
				    ->name,
			    name) == 0)
			return report->functions[i].function;
	return PROFILE_NONE;
}

/* By line the rows of the table are lines; each stands for its function. */
static void test_a_row_by_line_stands_for_its_function(void **state)
{
	struct fixture fixture;
	struct cost cost = {0};
	(void)state;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	assert_true(cost_count(&cost, report, function_named(report, "fibonacci")));
	uint64_t self = cost.self.cpu_ns;
	assert_true(self > 0);
	assert_true(cost.lines.len >= 2);
	report_destroy(report);

	struct report_request request = {.naming.granularity = NAMING_LINE};
	report = fixture_report(&fixture, &request);
	uint32_t row = function_named(report, "fibonacci main.c:7");
	assert_int_not_equal(row, PROFILE_NONE);
	assert_true(cost_count(&cost, report, row));
	assert_int_equal(cost.self.cpu_ns, self);
	report_destroy(report);

	request.naming.granularity = NAMING_MODULE;
	report = fixture_report(&fixture, &request);
	assert_false(cost_count(&cost, report, report->functions[0].function));
	report_destroy(report);
	cost_finish(&cost);
	fixture_finish(&fixture);
}

static void test_what_is_no_code_has_no_source(void **state)
{
	struct fixture fixture;
	struct cost cost = {0};
	(void)state;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	uint32_t synthetic = function_named(report, "[truncated stack]");
	assert_int_not_equal(synthetic, PROFILE_NONE);
	assert_false(cost_count(&cost, report, synthetic));
	cost_finish(&cost);
	report_destroy(report);
	fixture_finish(&fixture);
}

/* --- rows ----------------------------------------------------------------------------- */

enum {
	INSTRUCTIONS = 6,
	INSTRUCTION_BYTES = 4,
};

/* Six instructions around the hottest place of fibonacci, which is in the third; the fourth
   and the fifth are inlined. */
struct code {
	struct instruction instructions[INSTRUCTIONS];
	struct assembly assembly;
	struct code_lines *lines;
	const struct cost_place *hottest;
};

static void make_code(struct code *code, const struct parts *parts)
{
	static char none[] = "";
	*code = (struct code){.hottest = cost_hottest(&parts->cost, cpu)};
	uint64_t start = code->hottest->address - 2 * INSTRUCTION_BYTES;
	for (size_t i = 0; i < INSTRUCTIONS; i++)
		code->instructions[i] =
			(struct instruction){.address = start + i * INSTRUCTION_BYTES,
				.length = INSTRUCTION_BYTES,
				.to = ASSEMBLY_NONE,
				.texts = {"nop", "nop"}};
	code->assembly = (struct assembly){.start = start,
		.limit = start + INSTRUCTIONS * INSTRUCTION_BYTES,
		.bias = 0x1000,
		.problem = none,
		.remark = none,
		.instructions = code->instructions,
		.n_instructions = INSTRUCTIONS};
	uint64_t vaddr = start - 0x1000;
	code->lines =
		code_lines_create(0, vaddr, vaddr + INSTRUCTIONS * INSTRUCTION_BYTES);
	static const struct {
		const char *inlined;
		uint32_t line;
	} rows[INSTRUCTIONS] = {
		{NULL, 6}, {NULL, 7}, {NULL, 7}, {"helper", 7}, {"helper", 7}, {NULL, 6}};
	for (size_t i = 0; i < INSTRUCTIONS; i++) {
		code_lines_add_row(code->lines, vaddr + i * INSTRUCTION_BYTES);
		if (rows[i].inlined)
			code_lines_add_frame(
				code->lines, rows[i].inlined, "/src/helper.h", 99, 90);
		code_lines_add_frame(
			code->lines, "fibonacci", "/src/primes/main.c", rows[i].line, 5);
	}
}

/* "L6 c c L7 c", a letter for each row: File, Line, Inline, code, gap, note. */
static void shape_of(const struct annotation *annotation, char *out)
{
	vec_each (&annotation->rows, row) {
		*out++ = "FLGIcn"[row->kind];
		if (row->kind == ANNOTATION_LINE)
			*out++ = (char)('0' + row->line);
	}
	*out = '\0';
}

/* The annotation of one function of the fixture. */
struct listing {
	struct fixture fixture;
	struct report *report;
	struct parts parts;
	struct code code; /* of make_code */
	struct annotation annotation;
	char shape[64];
};

static void begin(struct listing *listing, const char *function)
{
	*listing = (struct listing){.shape = ""};
	fixture_init(&listing->fixture, false);
	listing->report = fixture_report(&listing->fixture, NULL);
	assert_true(cost_count(&listing->parts.cost, listing->report,
		function_named(listing->report, function)));
	make_code(&listing->code, &listing->parts);
}

static void end(struct listing *listing)
{
	annotation_finish(&listing->annotation);
	code_lines_destroy(listing->code.lines);
	parts_finish(&listing->parts);
	report_destroy(listing->report);
	fixture_finish(&listing->fixture);
}

static void build(struct listing *listing, const struct annotation_input *input)
{
	annotation_build(&listing->annotation, input);
	shape_of(&listing->annotation, listing->shape);
}

static void build_code(struct listing *listing, bool by_address)
{
	const struct annotation_input input = {.report = listing->report,
		.cost = &listing->parts.cost,
		.assembly = &listing->code.assembly,
		.mapping = listing->code.hottest->mapping,
		.lines = listing->code.lines,
		.by_address = by_address,
		.remedy = "remedy"};
	build(listing, &input);
}

/* As when the line reader has answered that it knows none. */
static void forget_lines(struct listing *listing)
{
	code_lines_destroy(listing->code.lines);
	listing->code.lines = code_lines_create(0, 0, 0);
}

static void test_instructions_are_below_their_lines(void **state)
{
	struct listing listing;
	const struct annotation *annotation = &listing.annotation;
	(void)state;
	begin(&listing, "fibonacci");
	build_code(&listing, false);
	assert_string_equal(listing.shape, "FL6ccL7ccIccL8");
	assert_true(annotation->has_lines);
	/* instruction 2 is the second below line 7, and has the weight of its place */
	const struct annotation_row *row =
		&annotation->rows.data[annotation->row_of.data[2]];
	assert_int_equal(row->instruction, 2);
	assert_int_equal(row->self.cpu_ns, listing.code.hottest->self.cpu_ns);
	const struct annotation_row *line = &annotation->rows.data[row->parent];
	assert_int_equal(line->line, 7);
	assert_int_equal(line->n_below, 5);
	const struct annotation_row *inlined =
		&annotation->rows
			 .data[annotation->rows.data[annotation->row_of.data[3]].parent];
	assert_string_equal(inlined->text, "helper");
	assert_int_equal(inlined->n_below, 2);
	end(&listing);
}

static void test_by_address_lines_stand_where_they_change(void **state)
{
	struct listing listing;
	(void)state;
	begin(&listing, "fibonacci");
	build_code(&listing, true);
	assert_string_equal(listing.shape, "L6cL7ccIccL6c");
	/* what stands above has the weight of what is below */
	assert_int_equal(listing.annotation.rows.data[2].self.cpu_ns,
		listing.code.hottest->self.cpu_ns);
	end(&listing);
}

/* Code whose debugging information is not there. */
static void test_without_lines_there_is_the_assembly_and_what_helps(void **state)
{
	struct listing listing;
	(void)state;
	begin(&listing, "[libc.so.6+0x9c3a1]");
	forget_lines(&listing);
	build_code(&listing, false);
	assert_string_equal(listing.shape, "ncccccc");
	assert_string_equal(listing.annotation.rows.data[0].text, "remedy");
	assert_int_equal(listing.annotation.rows.data[3].self.cpu_ns,
		listing.code.hottest->self.cpu_ns);
	end(&listing);
}

/* Nobody could tell the lines of all the code: those of the samples are known all the same. */
static void test_lines_of_samples_stand_where_no_others_are(void **state)
{
	struct listing listing;
	(void)state;
	begin(&listing, "fibonacci");
	forget_lines(&listing);
	build_code(&listing, false);
	assert_true(listing.annotation.has_lines);
	assert_non_null(strstr(listing.shape, "L7c"));
	end(&listing);
}

static void test_lines_alone_say_what_is_not_there(void **state)
{
	struct listing listing;
	(void)state;
	begin(&listing, "fibonacci");
	struct annotation_source source = {
		.path = "/src/primes/main.c", .why = "/a: not there\n/b: not there"};
	const struct annotation_input input = {.report = listing.report,
		.cost = &listing.parts.cost,
		.sources = &source,
		.n_sources = 1};
	build(&listing, &input);
	assert_string_equal(listing.shape, "FnnL7L8");
	assert_string_equal(listing.annotation.rows.data[2].text, "/b: not there");
	end(&listing);
}

/* Two processes have the same library at other addresses. */
static void test_places_of_another_mapping_of_the_same_file(void **state)
{
	struct profile *profile = profile_create();
	struct mapping one = {.start = 0x1000,
		.limit = 0x9000,
		.file_offset = 0x400,
		.path = "/lib/a.so",
		.module = "a.so",
		.build_id = "aa"};
	struct mapping two = one, other = one;
	uint64_t address;
	(void)state;
	two.start = 0x70000;
	two.limit = 0x78000;
	other.build_id = "bb";
	uint32_t ids[] = {profile_add_mapping(profile, &one),
		profile_add_mapping(profile, &two), profile_add_mapping(profile, &other)};
	struct cost_place place = {.mapping = ids[1], .address = 0x70123};
	assert_true(annotation_address_in(profile, ids[0], &place, &address));
	assert_int_equal(address, 0x1123);
	assert_false(annotation_address_in(profile, ids[2], &place, &address));
	profile_unref(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_add_up_to_the_function),
		cmocka_unit_test(test_a_row_by_line_stands_for_its_function),
		cmocka_unit_test(test_what_is_no_code_has_no_source),
		cmocka_unit_test(test_instructions_are_below_their_lines),
		cmocka_unit_test(test_by_address_lines_stand_where_they_change),
		cmocka_unit_test(test_without_lines_there_is_the_assembly_and_what_helps),
		cmocka_unit_test(test_lines_of_samples_stand_where_no_others_are),
		cmocka_unit_test(test_lines_alone_say_what_is_not_there),
		cmocka_unit_test(test_places_of_another_mapping_of_the_same_file),
	};
	return unit_run(tests);
}
