/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export-pprof: the file is read back, and checked for what its readers require and for
   each sample. */

#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/base/proto/profile.pb-c.h"
#include "src/facts/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static Perftools__Profiles__Profile *read_pprof(struct file file)
{
	static unsigned char raw[1 << 20];
	z_stream stream = {
		.next_in = (unsigned char *)file.bytes,
		.avail_in = (unsigned)file.size,
		.next_out = raw,
		.avail_out = sizeof(raw),
	};
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.avail_in, 0);
	inflateEnd(&stream);
	free(file.bytes);
	Perftools__Profiles__Profile *profile = perftools__profiles__profile__unpack(
		NULL, sizeof(raw) - stream.avail_out, raw);
	assert_non_null(profile);
	return profile;
}

static void destroy(Perftools__Profiles__Profile *profile)
{
	perftools__profiles__profile__free_unpacked(profile, NULL);
}

static const char *text(const Perftools__Profiles__Profile *profile, int64_t index)
{
	assert_in_range(index, 0, profile->n_string_table - 1);
	return profile->string_table[index];
}

/* What Parca's and pprof's own validators ask of a file. */
static void assert_valid(const Perftools__Profiles__Profile *p)
{
	assert_string_equal(p->string_table[0], "");
	for (size_t i = 0; i < p->n_string_table; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(p->string_table[i], p->string_table[k]);
	for (size_t i = 0; i < p->n_mapping; i++) {
		assert_int_equal(p->mapping[i]->id, i + 1);
		assert_true(p->mapping[i]->memory_start < p->mapping[i]->memory_limit);
		text(p, p->mapping[i]->filename);
		text(p, p->mapping[i]->build_id);
	}
	for (size_t i = 0; i < p->n_function; i++) {
		assert_int_equal(p->function[i]->id, i + 1);
		assert_string_not_equal(text(p, p->function[i]->name), "");
		text(p, p->function[i]->system_name);
		text(p, p->function[i]->filename);
	}
	for (size_t i = 0; i < p->n_location; i++) {
		const Perftools__Profiles__Location *location = p->location[i];
		assert_int_equal(location->id, i + 1);
		assert_in_range(location->mapping_id, 0, p->n_mapping);
		assert_true(location->n_line >= 1);
		for (size_t k = 0; k < location->n_line; k++)
			assert_in_range(location->line[k]->function_id, 1, p->n_function);
		if (location->mapping_id) {
			const Perftools__Profiles__Mapping *mapping =
				p->mapping[location->mapping_id - 1];
			assert_in_range(location->address, mapping->memory_start,
				mapping->memory_limit - 1);
		}
	}
	for (size_t i = 0; i < p->n_sample; i++) {
		const Perftools__Profiles__Sample *sample = p->sample[i];
		int64_t sum = 0;
		assert_int_equal(sample->n_value, p->n_sample_type);
		for (size_t k = 0; k < sample->n_value; k++) {
			assert_true(sample->value[k] >= 0);
			sum |= sample->value[k];
		}
		assert_int_not_equal(sum, 0);
		assert_true(sample->n_location_id >= 1);
		for (size_t k = 0; k < sample->n_location_id; k++)
			assert_in_range(sample->location_id[k], 1, p->n_location);
	}
}

static int64_t sum_of(const Perftools__Profiles__Profile *profile, size_t type)
{
	int64_t sum = 0;
	for (size_t i = 0; i < profile->n_sample; i++)
		sum += profile->sample[i]->value[type];
	return sum;
}

static void assert_type(const Perftools__Profiles__Profile *profile,
	const Perftools__Profiles__ValueType *type, const char *name, const char *unit)
{
	assert_string_equal(text(profile, type->type), name);
	assert_string_equal(text(profile, type->unit), unit);
}

static void test_pprof_says_what_was_counted_and_when(void **state)
{
	(void)state;
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, NULL));
	assert_valid(p);
	assert_int_equal(p->n_sample_type, 2);
	assert_type(p, p->sample_type[0], "samples", "count");
	assert_type(p, p->sample_type[1], "cpu", "nanoseconds");
	assert_string_equal(text(p, p->default_sample_type), "cpu");
	assert_int_equal(sum_of(p, 0), 1389);
	assert_int_equal(sum_of(p, 1), 12761600000);
	assert_int_equal(p->time_nanos, FIXTURE_START_WALL_NS);
	assert_int_equal(p->duration_nanos, 10000000000);
	assert_type(p, p->period_type, "cpu", "nanoseconds");
	assert_int_equal(p->period, 10000000);
	assert_int_equal(p->n_comment, 4);
	assert_string_equal(
		text(p, p->comment[1]), "pid 4711: /opt/primes/primes --limit 1000000");
	destroy(p);
}

static void test_pprof_has_wall_time_only_if_it_was_sampled(void **state)
{
	(void)state;
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", true, false, NULL));
	assert_valid(p);
	assert_int_equal(p->n_sample_type, 3);
	assert_type(p, p->sample_type[1], "cpu", "nanoseconds");
	assert_type(p, p->sample_type[2], "wall", "nanoseconds");
	assert_type(p, p->period_type, "wall", "nanoseconds");
	assert_string_equal(text(p, p->default_sample_type), "wall");
	assert_int_equal(sum_of(p, 1), 12761600000);
	assert_true(sum_of(p, 2) > 0);
	destroy(p);
}

/* The label KEY of SAMPLE, or NULL. */
static const char *label(const Perftools__Profiles__Profile *p,
	const Perftools__Profiles__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++)
		if (strcmp(text(p, sample->label[i]->key), key) == 0)
			return text(p, sample->label[i]->str);
	return NULL;
}

static void test_pprof_labels_say_what_a_thread_did(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, true);
	/* The last three samples stop running: a lock, a page fault, no CPU. */
	static const struct {
		const char *leaf, *object, *state, *syscall;
		enum thread_state is;
	} waits[] = {
		{"[futex]", "0x7f10", "blocked", "futex", THREAD_BLOCKED},
		{"[page fault]", "", "blocked", NULL, THREAD_BLOCKED},
		{"[waiting for a CPU]", "", "runq", NULL, THREAD_RUNNABLE},
	};
	for (size_t i = 0; i < 3; i++) {
		struct sample *sample =
			sample_log_at(&fixture.samples, fixture.samples.len - 1 - i);
		uint32_t leaf = profile_intern_detailed(
			fixture.profile, waits[i].leaf, waits[i].object);
		sample->stack = stacktab_child(fixture.stacktab, sample->stack, leaf);
		sample->state = waits[i].is;
	}
	struct report *report = fixture_report(&fixture, NULL);
	Perftools__Profiles__Profile *p =
		read_pprof(write_report("pprof", report, false));
	unsigned found[3] = {0}, running = 0;
	for (size_t i = 0; i < p->n_sample; i++) {
		const Perftools__Profiles__Sample *sample = p->sample[i];
		const char *said = label(p, sample, "state");
		const char *call = label(p, sample, "syscall");
		assert_non_null(said);
		const Perftools__Profiles__Location *leaf =
			p->location[sample->location_id[0] - 1];
		const char *name =
			text(p, p->function[leaf->line[0]->function_id - 1]->name);
		running += strcmp(said, "on_cpu") == 0;
		for (size_t w = 0; w < 3; w++) {
			if (strcmp(name, waits[w].leaf) != 0)
				continue;
			found[w]++;
			assert_string_equal(said, waits[w].state);
			assert_int_equal(call != NULL, waits[w].syscall != NULL);
			if (call)
				assert_string_equal(call, waits[w].syscall);
			const char *object = label(p, sample, "object");
			assert_string_equal(object ? object : "", waits[w].object);
		}
	}
	for (size_t w = 0; w < 3; w++)
		assert_int_equal(found[w], 1);
	assert_int_equal(running + 3, p->n_sample);
	destroy(p);
	report_destroy(report);
	fixture_finish(&fixture);
}

static void test_pprof_mappings_are_those_in_use_and_the_main_one_first(void **state)
{
	(void)state;
	static const struct {
		const char *path, *build_id;
		uint64_t start, limit, offset;
		bool functions, filenames;
	} expected[] = {
		{"/opt/primes/primes", "0123456789abcdef0123456789abcdef01234567",
			0x555555556000, 0x55555555a000, 0x2000, true, false},
		{"/usr/lib/x86_64-linux-gnu/libc.so.6",
			"c0ffee00112233445566778899aabbccddeeff00", 0x7f0000028000,
			0x7f00001bd000, 0x28000, true, false},
		{"/opt/primes/lib \"calc; old\".so (deleted)", "", 0x7f0000401000,
			0x7f0000409000, 0x1000, true, false},
		{"[vdso]", "", 0x7ffff7fc1000, 0x7ffff7fc3000, 0, true, false},
	};
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, NULL));
	assert_int_equal(p->n_mapping, 4);
	for (size_t i = 0; i < p->n_mapping; i++) {
		const Perftools__Profiles__Mapping *mapping = p->mapping[i];
		assert_string_equal(text(p, mapping->filename), expected[i].path);
		assert_string_equal(text(p, mapping->build_id), expected[i].build_id);
		assert_int_equal(mapping->memory_start, expected[i].start);
		assert_int_equal(mapping->memory_limit, expected[i].limit);
		assert_int_equal(mapping->file_offset, expected[i].offset);
		assert_int_equal(mapping->has_functions, expected[i].functions);
		assert_int_equal(mapping->has_filenames, expected[i].filenames);
		assert_int_equal(mapping->has_line_numbers, expected[i].filenames);
		assert_int_equal(mapping->has_inline_frames, 0);
	}
	destroy(p);
}

/* In the worker's own time, every location of the main executable has a line. */
static void test_pprof_flags_hold_for_every_location(void **state)
{
	(void)state;
	struct report_request request = {
		.window_ns = FIXTURE_END_NS - FIXTURE_START_NS,
		.until_ns = FIXTURE_END_NS,
		.tids = {4712},
		.n_tids = 1,
	};
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, &request));
	assert_valid(p);
	assert_int_equal(p->n_mapping, 2);
	assert_int_equal(p->mapping[0]->has_functions, 1);
	assert_int_equal(p->mapping[0]->has_filenames, 1);
	assert_int_equal(p->mapping[0]->has_line_numbers, 1);
	assert_int_equal(p->mapping[0]->has_inline_frames, 1);
	assert_int_equal(p->mapping[1]->has_functions, 1);
	assert_int_equal(p->mapping[1]->has_line_numbers, 0);
	destroy(p);
}

static void test_pprof_names_the_main_executable_even_if_it_never_ran(void **state)
{
	(void)state;
	struct report_request request = {
		.window_ns = FIXTURE_END_NS - FIXTURE_START_NS,
		.until_ns = FIXTURE_END_NS,
		.tids = {4715},
		.n_tids = 1,
	};
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, &request));
	assert_valid(p);
	assert_int_equal(p->n_mapping, 3);
	assert_string_equal(text(p, p->mapping[0]->filename), "/opt/primes/primes");
	assert_int_equal(p->mapping[0]->has_functions, 0);
	for (size_t i = 0; i < p->n_location; i++)
		assert_int_not_equal(p->location[i]->mapping_id, 1);
	destroy(p);
}

static void test_pprof_labels_tell_threads_apart(void **state)
{
	(void)state;
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, NULL));
	int64_t renamed = 0;
	for (size_t i = 0; i < p->n_sample; i++) {
		Perftools__Profiles__Label **label = p->sample[i]->label;
		assert_int_equal(p->sample[i]->n_label, 2);
		assert_string_equal(text(p, label[0]->key), "thread");
		assert_int_equal(label[0]->num, 0);
		assert_string_equal(text(p, label[1]->key), "tid");
		assert_int_equal(label[1]->str, 0);
		if (strcmp(text(p, label[0]->str), "pool-7") != 0)
			continue;
		assert_int_equal(label[1]->num, 4712);
		renamed += p->sample[i]->value[0];
	}
	assert_int_equal(renamed, 100);
	destroy(p);
}

static void test_pprof_broken_stacks_end_in_their_reason(void **state)
{
	(void)state;
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, NULL));
	int64_t truncated = 0, broken = 0;
	for (size_t i = 0; i < p->n_sample; i++) {
		const Perftools__Profiles__Sample *sample = p->sample[i];
		const Perftools__Profiles__Location *outermost =
			p->location[sample->location_id[sample->n_location_id - 1] - 1];
		if (outermost->mapping_id)
			continue;
		const Perftools__Profiles__Function *function =
			p->function[outermost->line[0]->function_id - 1];
		if (strcmp(text(p, function->name), "[truncated stack]") == 0)
			truncated += sample->value[0];
		broken += sample->value[0];
	}
	assert_int_equal(truncated, 10);
	assert_int_equal(broken, 20);
	destroy(p);
}

static void test_pprof_weights_are_neither_negative_nor_all_nought(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, false);
	uint32_t location = profile_intern_synthetic(fixture.profile, "[nothing]");
	struct sample sample = {
		.time_ns = FIXTURE_END_NS - 1,
		.stack = stacktab_intern(fixture.stacktab, &location, 1, UNWIND_ROOT),
	};
	sample_log_add(&fixture.samples, &sample);
	sample.thread = 1;
	sample.count = 1;
	sample.cpu_ns = UINT64_MAX / 2 + 7;
	sample_log_add(&fixture.samples, &sample);
	struct report *report = fixture_report(&fixture, NULL);
	Perftools__Profiles__Profile *p =
		read_pprof(write_report("pprof", report, false));
	assert_valid(p);
	assert_int_equal(p->n_sample, report->n_stacks - 1);
	bool found = false;
	for (size_t i = 0; i < p->n_sample; i++)
		found |= p->sample[i]->value[1] == INT64_MAX;
	assert_true(found);
	destroy(p);
	report_destroy(report);
	fixture_finish(&fixture);
}

static void test_an_empty_report_is_a_file_too(void **state)
{
	(void)state;
	struct report_request request = {.window_ns = 1, .until_ns = FIXTURE_START_NS};
	Perftools__Profiles__Profile *p =
		read_pprof(write_fixture("pprof", false, false, &request));
	assert_valid(p);
	assert_int_equal(p->n_sample, 0);
	assert_int_equal(p->n_mapping, 1);
	destroy(p);
	struct file folded = write_fixture("folded", false, false, &request);
	assert_int_equal(folded.size, 0);
	free(folded.bytes);
	struct file report = write_fixture("text", false, false, &request);
	assert_non_null(strstr(report.bytes, "Nothing ran."));
	free(report.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof_says_what_was_counted_and_when),
		cmocka_unit_test(test_pprof_has_wall_time_only_if_it_was_sampled),
		cmocka_unit_test(
			test_pprof_mappings_are_those_in_use_and_the_main_one_first),
		cmocka_unit_test(test_pprof_flags_hold_for_every_location),
		cmocka_unit_test(
			test_pprof_names_the_main_executable_even_if_it_never_ran),
		cmocka_unit_test(test_pprof_labels_say_what_a_thread_did),
		cmocka_unit_test(test_pprof_labels_tell_threads_apart),
		cmocka_unit_test(test_pprof_broken_stacks_end_in_their_reason),
		cmocka_unit_test(test_pprof_weights_are_neither_negative_nor_all_nought),
		cmocka_unit_test(test_an_empty_report_is_a_file_too),
	};
	return unit_run(tests);
}
