/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a pprof file says when its samples were taken: in a text of its table, in older
   files in a field of their own; what is damaged is refused in both. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/base/mem.h"
#include "src/base/proto/pprof-times.h"
#include "src/base/proto/profile.pb-c.h"
#include "src/facts/text/base64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct file with_times(bool wall)
{
	struct report_request request = {.moments = true, .wall = wall};
	return write_fixture("pprof", wall, false, &request);
}

/* What FILE unpacks to. */
static Perftools__Profiles__Profile *unpacked(const struct file *file)
{
	size_t size = 1 << 20;
	uint8_t *bytes = malloc(size);
	z_stream stream = {
		.next_in = (unsigned char *)file->bytes,
		.avail_in = (unsigned)file->size,
		.next_out = bytes,
		.avail_out = (unsigned)size,
	};
	assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	Perftools__Profiles__Profile *root =
		perftools__profiles__profile__unpack(NULL, stream.total_out, bytes);
	inflateEnd(&stream);
	free(bytes);
	assert_non_null(root);
	return root;
}

/* ROOT as the bytes of a file, with the SIZE bytes at TIMES in the field that older files
   have, unless TIMES is NULL. */
static struct file packed(
	const Perftools__Profiles__Profile *root, const uint8_t *times, size_t size)
{
	size_t length = perftools__profiles__profile__get_packed_size(root);
	uint8_t *bytes = malloc(length + size + 16);
	perftools__profiles__profile__pack(root, bytes);
	if (times) {
		const uint64_t tag = 7700 << 3 | 2;
		for (uint64_t i = 0, number = tag; i < 2; i++, number = size) {
			for (; number > 127; number >>= 7)
				bytes[length++] = (uint8_t)(number | 128);
			bytes[length++] = (uint8_t)number;
		}
		memcpy(bytes + length, times, size);
		length += size;
	}
	return (struct file){.bytes = (char *)bytes, .size = length};
}

/* Take the message of the last text of ROOT, and the text, too. */
static Perftools__Profiles__Times *take_times(Perftools__Profiles__Profile *root)
{
	const size_t prefix = strlen(PPROF_TIMES_PREFIX);
	char *text = root->string_table[--root->n_string_table];
	assert_memory_equal(text, PPROF_TIMES_PREFIX, prefix);
	uint8_t *bytes = malloc(strlen(text));
	size_t size;
	assert_true(base64_get(text + prefix, strlen(text) - prefix, bytes, &size));
	Perftools__Profiles__Times *times =
		perftools__profiles__times__unpack(NULL, size, bytes);
	assert_non_null(times);
	free(bytes);
	free(text);
	return times;
}

/* A text with the SIZE bytes at MESSAGE becomes the last one. */
static void put_text(
	Perftools__Profiles__Profile *root, const uint8_t *message, size_t size)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	fputs(PPROF_TIMES_PREFIX, out);
	base64_put(message, size, out);
	fclose(out);
	root->string_table[root->n_string_table++] = text;
}

/* Times with one thing wrong in them, in a text and in the field of older files. */
static void refuse(void (*damage)(Perftools__Profiles__Times *times))
{
	struct file file = with_times(false);
	Perftools__Profiles__Profile *root = unpacked(&file);
	Perftools__Profiles__Times *times = take_times(root);
	damage(times);
	size_t size = perftools__profiles__times__get_packed_size(times);
	uint8_t *message = malloc(size + 1);
	perftools__profiles__times__pack(times, message);
	struct file older = packed(root, message, size);
	imported_refused(older.bytes, older.size, "its times");
	put_text(root, message, size);
	struct file newer = packed(root, NULL, 0);
	imported_refused(newer.bytes, newer.size, "its times");
	perftools__profiles__times__free_unpacked(times, NULL);
	perftools__profiles__profile__free_unpacked(root, NULL);
	free(older.bytes);
	free(newer.bytes);
	free(message);
	free(file.bytes);
}

static struct file again(const struct file *file)
{
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file->bytes, file->size);
	assert_true(recording.origin->moments.len > 0);
	const struct report_request request = {
		.moments = true, .sample_type = recording_default_type(&recording)};
	struct report *report = recording_report(&recording, &request);
	struct file out = write_report("pprof", report, false);
	report_destroy(report);
	recording_finish(&recording);
	return out;
}

/* The field that older files have says the same as the text. */
static void test_older_files_have_a_field(void **state)
{
	(void)state;
	struct file file = with_times(true);
	Perftools__Profiles__Profile *root = unpacked(&file);
	Perftools__Profiles__Times *times = take_times(root);
	size_t size = perftools__profiles__times__get_packed_size(times);
	uint8_t *message = malloc(size + 1);
	perftools__profiles__times__pack(times, message);
	struct file older = packed(root, message, size);
	struct file of_newer = again(&file), of_older = again(&older);
	assert_int_equal(of_older.size, of_newer.size);
	assert_memory_equal(of_older.bytes, of_newer.bytes, of_newer.size);
	perftools__profiles__times__free_unpacked(times, NULL);
	perftools__profiles__profile__free_unpacked(root, NULL);
	free(of_older.bytes);
	free(of_newer.bytes);
	free(older.bytes);
	free(message);
	free(file.bytes);
}

/* A file that a version before wrote, which had the field. */
static void test_a_file_of_before_is_read(void **state)
{
	(void)state;
	const char *srcdir = getenv("srcdir");
	char *path = mem_printf("%s/tests/profiles/own.pb.gz", srcdir ? srcdir : ".");
	FILE *in = fopen(path, "rb");
	static char bytes[1 << 16];
	assert_non_null(in);
	struct file file = {.bytes = bytes, .size = fread(bytes, 1, sizeof(bytes), in)};
	fclose(in);
	Perftools__Profiles__Profile *root = unpacked(&file);
	for (size_t i = 0; i < root->n_string_table; i++)
		assert_int_not_equal(root->string_table[i][0], PPROF_TIMES_PREFIX[0]);
	struct file newer = again(&file);
	perftools__profiles__profile__free_unpacked(root, NULL);
	root = unpacked(&newer);
	perftools__profiles__times__free_unpacked(take_times(root), NULL);
	perftools__profiles__profile__free_unpacked(root, NULL);
	free(newer.bytes);
	free(path);
}

/* A text that only begins like ours is damaged; one without the first character is a name. */
static void test_a_text_is_ours_or_a_name(void **state)
{
	(void)state;
	static const char *const damaged[] = {"", "A", "AA*A", "====", "A=AA"};
	struct file file = with_times(false);
	for (size_t i = 0; i <= sizeof(damaged) / sizeof(damaged[0]); i++) {
		bool is_name = i == sizeof(damaged) / sizeof(damaged[0]);
		Perftools__Profiles__Profile *root = unpacked(&file);
		perftools__profiles__times__free_unpacked(take_times(root), NULL);
		char *text = malloc(64);
		snprintf(text, 64, "%s%s", &PPROF_TIMES_PREFIX[is_name],
			is_name ? "" : damaged[i]);
		root->string_table[root->n_string_table++] = text;
		struct file made = packed(root, NULL, 0);
		if (is_name) {
			struct recording recording;
			recording_init(&recording);
			imported_read(&recording, made.bytes, made.size);
			recording_finish(&recording);
		} else {
			imported_refused(made.bytes, made.size, "its times");
		}
		perftools__profiles__profile__free_unpacked(root, NULL);
		free(made.bytes);
	}
	free(file.bytes);
}

static void no_tick(Perftools__Profiles__Times *times)
{
	times->tick_nanos = 0;
}

static void shorter_column(Perftools__Profiles__Times *times)
{
	times->n_weight--;
}

static void no_such_sample(Perftools__Profiles__Times *times)
{
	times->sample[0] = 1000000;
}

static void far_away(Perftools__Profiles__Times *times)
{
	times->tick_nanos = INT64_MAX;
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	refuse(no_tick);
	refuse(shorter_column);
	refuse(no_such_sample);
	refuse(far_away);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage_is_refused),
		cmocka_unit_test(test_older_files_have_a_field),
		cmocka_unit_test(test_a_file_of_before_is_read),
		cmocka_unit_test(test_a_text_is_ours_or_a_name),
	};
	return unit_run(tests);
}
