/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of ours with times, its blocks of time and rules for names, all together. */

#include "tests/lib/allocated.h"
#include "tests/lib/imported.h"
#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/base/clock.h"
#include "src/count/stack-frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCKS = 20
};

/* What the stacks of REPORT with a function called NAME weigh in each block. */
static void weigh_blocks(const struct report *report, const char *name, uint64_t *blocks)
{
	struct stack_frames frames = {0};
	memset(blocks, 0, BLOCKS * sizeof(*blocks));
	for (size_t i = 0; i < report->n_pieces; i++) {
		const struct report_piece *piece = &report->pieces[i];
		bool has = false;
		stack_frames_of(report, report->stacks[piece->stack].stack, &frames);
		for (size_t k = 0; k < frames.len; k++)
			has |= strcmp(profile_function(
					      report->profile, frames.data[k].function)
					       ->name,
				       name) == 0;
		if (has)
			blocks[piece->block] += piece->weight.cpu_ns;
	}
	vec_free(&frames);
}

/* Rules move stacks, and what they weigh in parts of a range of time moves with them, so a
   difference judges by the same blocks. */
static void test_blocks_of_a_range_follow_rules(void **state)
{
	(void)state;
	static const char *const rules[] = {
		"function s/^is_prime.*/prime/", "thread s/.*/all/"};
	struct report_request times = {.moments = true};
	struct file file = write_fixture("pprof", false, false, &times);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	struct report_request request = {
		.window_ns = 4 * NS_PER_SEC,
		.until_ns = ORIGIN_START_NS + 8 * NS_PER_SEC,
		.sample_type = recording_default_type(&recording),
		.blocks = BLOCKS,
	};
	struct report *plain = recording_report(&recording, &request);
	uint64_t before[BLOCKS], after[BLOCKS];
	weigh_blocks(
		plain, "Matrix<double>::operator*(Matrix<double> const&) const", before);
	assert_true(before[3] > 0);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		strcpy(request.naming.edits, rules[i]);
		struct report *report = recording_report(&recording, &request);
		assert_int_equal(report->n_blocks, BLOCKS);
		assert_int_equal(report->total.cpu_ns, plain->total.cpu_ns);
		for (int block = 0; block < BLOCKS; block++)
			assert_int_equal(report->blocks[block].cpu_ns,
				plain->blocks[block].cpu_ns);
		weigh_blocks(report,
			"Matrix<double>::operator*(Matrix<double> const&) const", after);
		assert_memory_equal(before, after, sizeof(before));
		uint64_t *sums = calloc(report->n_stacks, sizeof(*sums));
		for (size_t k = 0; k < report->n_pieces; k++)
			sums[report->pieces[k].stack] += report->pieces[k].weight.cpu_ns;
		for (size_t k = 0; k < report->n_stacks; k++)
			assert_int_equal(sums[k], report->stacks[k].weight.cpu_ns);
		free(sums);
		report_destroy(report);
	}
	report_destroy(plain);
	recording_finish(&recording);
	free(file.bytes);
}

/* A file of ever new functions: what there is no room for is counted, not kept. What was known
   before keeps its stacks, and the sum is whole. */
static void test_what_has_no_room_is_left_out(void **state)
{
	(void)state;
	enum {
		LINES = 40000,
		ROOM = 2 << 20,
	};
	char *bytes = NULL;
	size_t size = 0, before = allocated_bytes();
	FILE *out = open_memstream(&bytes, &size);
	for (unsigned i = 0; i < LINES; i++)
		fprintf(out, "main;hot 1\nmain;once%u;only%u;seen%u 1\n", i, i, i);
	fclose(out);
	struct recording recording;
	recording_init(&recording);
	recording.most_bytes = ROOM;
	imported_read(&recording, bytes, size);
	free(bytes);
	assert_true(allocated_bytes() - before < 3 * ROOM);
	assert_true(recording.is_full);
	double part = recording_part_left_out(&recording, 0);
	assert_true(part > 0.25 && part < 0.5);
	struct report *report = recording_report(&recording, &(struct report_request){0});
	assert_int_equal(report->total.samples, 2 * LINES);
	uint64_t hot = 0, rest = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		const char *name = profile_function(report->profile, row->function)->name;
		hot += strcmp(name, "hot") == 0 ? row->self.samples : 0;
		rest += strcmp(name, RECORDING_LEFT_OUT) == 0 ? row->self.samples : 0;
	}
	assert_int_equal(hot, LINES);
	assert_int_equal(rest, (uint64_t)(part * 2 * LINES + 0.5));
	report_destroy(report);
	recording_finish(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_of_a_range_follow_rules),
		cmocka_unit_test(test_what_has_no_room_is_left_out),
	};
	return unit_run(tests);
}
