/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A finished recording arrives as it was, and one that is wrong in any way does not arrive, and
   harms nobody. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include "src/count/import/recording-stream.h"
#include "src/write/export.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes {
	VEC(unsigned char) all;
	size_t at;
};

static bool put(void *context, void *bytes, size_t length)
{
	struct bytes *stream = context;
	vec_reserve(&stream->all, stream->all.len + length);
	if (length > 0)
		memcpy(stream->all.data + stream->all.len, bytes, length);
	stream->all.len += length;
	return true;
}

static bool get(void *context, void *bytes, size_t length)
{
	struct bytes *stream = context;
	if (stream->all.len - stream->at < length)
		return false;
	if (length > 0)
		memcpy(bytes, stream->all.data + stream->at, length);
	stream->at += length;
	return true;
}

static void give(const struct recording *recording, struct bytes *stream)
{
	const struct recording_stream to = {put, stream};
	stream->all.len = stream->at = 0;
	recording_give(recording, &to); /* a wrong one not to its end */
}

static const char *take(struct recording *recording, struct bytes *stream)
{
	const struct recording_stream from = {get, stream};
	stream->at = 0;
	return recording_take(recording, &from);
}

/* --- as it was ------------------------------------------------------------------------- */

static void read_profile(struct recording *recording, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char *path = mem_printf("%s/tests/profiles/%s", srcdir ? srcdir : ".", name);
	static char bytes[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, bytes, sizeof(bytes));
	assert_true(length > 0);
	close(fd);
	free(path);
	imported_read(recording, bytes, (size_t)length);
}

/* Not all formats have all types: then it is what is said of that. */
static struct file written(
	const struct export_format *format, const struct report *report)
{
	const struct export_facts facts = {0};
	struct file file = {0};
	struct error err = {""};
	FILE *out = open_memstream(&file.bytes, &file.size);
	if (!format->write(report, &facts, out, &err))
		fputs(err.text, out);
	fclose(out);
	return file;
}

/* In all formats, with the values of TYPE. */
static void assert_same(struct recording *a, struct recording *b, uint32_t type)
{
	const struct report_request request = {.sample_type = type, .moments = true};
	struct report *before = recording_report(a, &request);
	struct report *after = recording_report(b, &request);
	for (size_t i = 0; export_formats[i]; i++) {
		struct file one = written(export_formats[i], before);
		struct file other = written(export_formats[i], after);
		assert_int_equal(one.size, other.size);
		assert_memory_equal(one.bytes, other.bytes, one.size);
		free(one.bytes);
		free(other.bytes);
	}
	report_destroy(before);
	report_destroy(after);
}

static void arrives_as_it_was(void **state)
{
	static const char *const names[] = {
		"own.pb.gz", "go-heap.pb.gz", "perf-script.txt"};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes stream = {.at = 0};
		struct recording read, taken;
		recording_init(&read);
		recording_init(&taken);
		read_profile(&read, names[i]);
		give(&read, &stream);
		assert_null(take(&taken, &stream));
		assert_int_equal(stream.at, stream.all.len);
		for (uint32_t type = 0; type < read.origin->types.len; type++)
			assert_same(&read, &taken, type);
		recording_finish(&read);
		recording_finish(&taken);
		vec_free(&stream.all);
	}
}

/* --- each field wrong once ------------------------------------------------------------- */

static struct function *function(struct recording *recording)
{
	return table_at(recording->profile->functions, 0);
}

static struct location *location(struct recording *recording)
{
	return table_at(recording->profile->locations, 0);
}

static struct stack_node *node(struct recording *recording, uint32_t id)
{
	return (struct stack_node *)stacktab_node(
		recording->stacktab, UNWIND_END_COUNT + id);
}

static void later_kin(struct recording *recording)
{
	function(recording)->kin = 1;
}

static void kin_of_kin(struct recording *recording)
{
	struct function *second = table_at(recording->profile->functions, 1);
	struct function *third = table_at(recording->profile->functions, 2);
	second->kin = 0;
	third->kin = 1;
}

static void colours(struct recording *recording)
{
	function(recording)->name = "a\033[31m";
}

static void no_utf8(struct recording *recording)
{
	function(recording)->file = "a\377";
}

static void long_text(struct recording *recording)
{
	static char text[4 * RECORDING_TEXT_MAX + 2];
	memset(text, 'a', sizeof(text) - 1);
	function(recording)->name = text;
}

static void no_mapping(struct recording *recording)
{
	location(recording)->mapping = 7;
}

static void no_lines(struct recording *recording)
{
	location(recording)->n_lines = 0;
}

static void no_function(struct recording *recording)
{
	((struct line *)location(recording)->lines)->function = 99;
}

static void own_parent(struct recording *recording)
{
	node(recording, 1)->parent = UNWIND_END_COUNT + 1;
}

static void no_location(struct recording *recording)
{
	node(recording, 1)->location = 99;
}

static void same_node(struct recording *recording)
{
	*node(recording, 1) = *node(recording, 0);
}

static void deep(struct recording *recording)
{
	uint32_t stack = UNWIND_ROOT;
	for (int i = 0; i <= RECORDING_STACK_MAX; i++)
		stack = stacktab_child(recording->stacktab, stack, 0);
}

static void many_labels(struct recording *recording)
{
	recording->origin->of_thread.data[0].count = UINT32_MAX;
}

static void other_row(struct recording *recording, uint32_t thread, uint32_t stack)
{
	struct idmap *rows = &recording->origin->rows;
	idmap_clear(rows);
	recording->origin->values.len = recording->origin->types.len;
	recording->origin->moments.len = 0;
	idmap_put(rows, thread, stack, 0);
}

static void no_thread(struct recording *recording)
{
	other_row(recording, 99, 0);
}

static void no_stack(struct recording *recording)
{
	other_row(recording, 0, 9999);
}

static void huge(struct recording *recording)
{
	vec_each (&recording->origin->values, value)
		*value = INT64_MAX;
}

static void huge_below(struct recording *recording)
{
	vec_each (&recording->origin->values, value)
		*value = INT64_MIN;
}

static void add_moment(struct recording *recording, uint32_t row, uint64_t time_ns)
{
	struct origin *origin = recording->origin;
	vec_push(
		&origin->moments, (struct origin_moment){.row = row, .time_ns = time_ns});
	for (size_t i = 0; i < origin->types.len; i++)
		vec_push(&origin->moment_values, 1);
}

static void no_row(struct recording *recording)
{
	add_moment(recording, 99, 1);
}

static void late(struct recording *recording)
{
	add_moment(recording, 0, UINT64_C(1) << 62);
}

static void huge_at_a_time(struct recording *recording)
{
	add_moment(recording, 0, 1);
	add_moment(recording, 0, 1);
	vec_each (&recording->origin->moment_values, value)
		*value = INT64_MAX;
}

static void flags_of_none(struct recording *recording)
{
	idmap_put(&recording->origin->location_flags, 99, 0, 1);
}

static void column_of_none(struct recording *recording)
{
	idmap_put(&recording->origin->columns, 99, 0, 1);
}

static void no_type(struct recording *recording)
{
	recording->origin->types.len = 0;
}

static void many_types(struct recording *recording)
{
	for (int i = 0; i <= RECORDING_TYPES_MAX; i++)
		vec_push(&recording->origin->types, recording->origin->types.data[0]);
}

static void is_refused_if_a_field_is_wrong(void **state)
{
	static const struct {
		void (*make)(struct recording *recording);
		const char *what;
	} wrongs[] = {
		{later_kin, "whose kin a function is"},
		{kin_of_kin, "whose kin a function is"},
		{colours, "a text"},
		{no_utf8, "a text"},
		{long_text, "a long text"},
		{no_mapping, "a location"},
		{no_lines, "a location"},
		{no_function, "the function of a line"},
		{own_parent, "a frame"},
		{no_location, "a frame"},
		{same_node, "a frame that was there"},
		{deep, "more frames than may be"},
		{many_labels, "the number of labels"},
		{no_thread, "whose values there are"},
		{no_stack, "whose values there are"},
		{huge, "a sum"},
		{huge_below, "a sum"},
		{no_row, "a time"},
		{late, "a time"},
		{huge_at_a_time, "a sum"},
		{flags_of_none, "what is said of a location"},
		{column_of_none, "what is said of a location"},
		{no_type, "the number of types"},
		{many_types, "the number of types"},
	};
	static const char text[] = "main;a;b 1\nmain;a 2\nmain;c 3\n";
	struct bytes stream = {.at = 0};
	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct recording read, taken;
		recording_init(&read);
		recording_init(&taken);
		imported_read(&read, text, sizeof(text) - 1);
		wrongs[i].make(&read);
		give(&read, &stream);
		const char *what = take(&taken, &stream);
		assert_non_null(what);
		assert_string_equal(what, wrongs[i].what);
		recording_finish(&read);
		recording_finish(&taken);
	}
	vec_free(&stream.all);
}

/* --- any bytes ------------------------------------------------------------------------- */

/* A number at each place becomes another: it is refused, or can be shown. */
static void harms_nobody(void **state)
{
	static const uint32_t numbers[] = {0, 1, 100, 1 << 24, UINT32_MAX};
	static const char text[] = "main;a;b 1\nmain;a 2\nmain;c 3\n";
	struct bytes stream = {.at = 0};
	struct recording read;
	size_t refused = 0;
	(void)state;
	recording_init(&read);
	imported_read(&read, text, sizeof(text) - 1);
	give(&read, &stream);
	for (size_t i = 0; i + 4 <= stream.all.len; i++)
		for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
			struct recording taken;
			unsigned char before[4];
			memcpy(before, stream.all.data + i, 4);
			memcpy(stream.all.data + i, &numbers[n], 4);
			recording_init(&taken);
			if (take(&taken, &stream))
				refused++;
			else
				report_destroy(imported_report(&taken));
			recording_finish(&taken);
			memcpy(stream.all.data + i, before, 4);
		}
	assert_true(refused > stream.all.len);
	for (size_t length = 0; length < stream.all.len; length++) {
		struct bytes part = {.all = {.data = stream.all.data, .len = length}};
		struct recording taken;
		recording_init(&taken);
		assert_string_equal(take(&taken, &part), "its end");
		recording_finish(&taken);
	}
	recording_finish(&read);
	vec_free(&stream.all);
}

static void takes_no_more_than_may_be(void **state)
{
	struct bytes stream = {.at = 0};
	struct recording read, taken;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	(void)state;
	for (int i = 0; i < 5000; i++)
		fprintf(out, "main;function_%d 1\n", i);
	fclose(out);
	recording_init(&read);
	recording_init(&taken);
	imported_read(&read, text, size);
	give(&read, &stream);
	taken.most_bytes = 1000;
	const char *what = take(&taken, &stream);
	assert_non_null(what);
	assert_string_equal(what, "too much");
	recording_finish(&read);
	recording_finish(&taken);
	vec_free(&stream.all);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrives_as_it_was),
		cmocka_unit_test(is_refused_if_a_field_is_wrong),
		cmocka_unit_test(harms_nobody),
		cmocka_unit_test(takes_no_more_than_may_be),
	};
	return unit_run(tests);
}
