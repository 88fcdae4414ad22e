/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.proto that is read: what comes out again is what was in the file. */

#include "tests/lib/imported.h"
#include "tests/lib/made-pprof.h"
#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- all of it as text, without ids --------------------------------------------------- */

static const char *text_at(const PB(Profile) * p, int64_t index)
{
	assert_in_range(index, 0, p->n_string_table - 1);
	return p->string_table[index];
}

static void say_mapping(const PB(Profile) * p, uint64_t id, FILE *out)
{
	for (size_t i = 0; i < p->n_mapping; i++) {
		const PB(Mapping) *m = p->mapping[i];
		if (m->id == id)
			fprintf(out, "%zu:%lx-%lx+%lx %s %s %d%d%d%d", i, m->memory_start,
				m->memory_limit, m->file_offset, text_at(p, m->filename),
				text_at(p, m->build_id), m->has_functions,
				m->has_filenames, m->has_line_numbers,
				m->has_inline_frames);
	}
}

static void say_location(const PB(Profile) * p, uint64_t id, FILE *out)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const PB(Location) *l = p->location[i];
		if (l->id != id)
			continue;
		fprintf(out, "  %lx %d [", l->address, l->is_folded);
		say_mapping(p, l->mapping_id, out);
		fputs("]", out);
		for (size_t k = 0; k < l->n_line; k++)
			for (size_t f = 0; f < p->n_function; f++)
				if (p->function[f]->id == l->line[k]->function_id)
					fprintf(out, " %s|%s|%s:%ld:%ld:%ld",
						text_at(p, p->function[f]->name),
						text_at(p, p->function[f]->system_name),
						text_at(p, p->function[f]->filename),
						p->function[f]->start_line,
						l->line[k]->line, l->line[k]->column);
		fputs("\n", out);
	}
}

static char *say(const struct file *file)
{
	PB(Profile) *p = perftools__profiles__profile__unpack(
		NULL, file->size, (const uint8_t *)file->bytes);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(p);
	for (size_t i = 0; i < p->n_sample_type; i++)
		fprintf(out, "%s/%s\n", text_at(p, p->sample_type[i]->type),
			text_at(p, p->sample_type[i]->unit));
	fprintf(out, "%s/%s %ld\n%ld %ld %s %s %s %s\n", text_at(p, p->period_type->type),
		text_at(p, p->period_type->unit), p->period, p->time_nanos,
		p->duration_nanos, text_at(p, p->default_sample_type),
		text_at(p, p->doc_url), text_at(p, p->drop_frames),
		text_at(p, p->keep_frames));
	for (size_t i = 0; i < p->n_comment; i++)
		fprintf(out, "# %s\n", text_at(p, p->comment[i]));
	for (size_t i = 0; i < p->n_sample; i++) {
		const PB(Sample) *s = p->sample[i];
		for (size_t k = 0; k < s->n_value; k++)
			fprintf(out, "%ld ", s->value[k]);
		for (size_t k = 0; k < s->n_label; k++)
			fprintf(out, "%s=%s/%ld %s; ", text_at(p, s->label[k]->key),
				text_at(p, s->label[k]->str), s->label[k]->num,
				text_at(p, s->label[k]->num_unit));
		fputs("\n", out);
		for (size_t k = 0; k < s->n_location_id; k++)
			say_location(p, s->location_id[k], out);
	}
	fclose(out);
	perftools__profiles__profile__free_unpacked(p, NULL);
	return text;
}

/* Ours are compressed: unpacked by the same means as any input. */
static struct file unpacked(struct file file)
{
	char path[] = "/tmp/unit-import-XXXXXX", command[64];
	int fd = mkstemp(path);
	assert_int_equal(write(fd, file.bytes, file.size), file.size);
	close(fd);
	free(file.bytes);
	snprintf(command, sizeof(command), "gzip -dc <%s", path);
	FILE *pipe = popen(command, "r");
	struct file plain = {.bytes = malloc(1 << 20)};
	plain.size = fread(plain.bytes, 1, 1 << 20, pipe);
	assert_int_equal(pclose(pipe), 0);
	unlink(path);
	return plain;
}

static void test_pprof_loses_nothing(void **state)
{
	(void)state;
	struct made_pprof made;
	made_pprof_init(&made);
	struct file before = made_pprof_pack(&made);
	struct file once = imported_as("pprof", before.bytes, before.size);
	struct file twice = imported_as("pprof", once.bytes, once.size);
	assert_int_equal(once.size, twice.size);
	assert_memory_equal(once.bytes, twice.bytes, once.size);
	struct file plain = unpacked(once);
	char *expected = say(&before), *found = say(&plain);
	assert_string_equal(found, expected);
	free(expected);
	free(found);
	free(before.bytes);
	free(plain.bytes);
	free(twice.bytes);
}

static void test_our_own_files_come_back_the_same(void **state)
{
	(void)state;
	struct file folded = write_fixture("folded", false, false, NULL);
	struct file again = imported_as("folded", folded.bytes, folded.size);
	assert_int_equal(folded.size, again.size);
	assert_memory_equal(folded.bytes, again.bytes, folded.size);
	free(again.bytes);

	struct file pprof = write_fixture("pprof", true, false, NULL);
	struct file copy = imported_as("pprof", pprof.bytes, pprof.size);
	pprof = unpacked(pprof);
	copy = unpacked(copy);
	char *expected = say(&pprof), *found = say(&copy);
	assert_string_equal(found, expected);
	free(expected);
	free(found);
	free(folded.bytes);
	free(pprof.bytes);
	free(copy.bytes);
}

static void test_a_report_counts_the_type_that_is_shown(void **state)
{
	(void)state;
	struct made_pprof made;
	made_pprof_init(&made);
	struct file file = made_pprof_pack(&made);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	struct report *report = imported_report(&recording);
	assert_string_equal(report_value_name(report), "objects");
	assert_int_equal(report_value_kind(report), VALUE_COUNT);
	assert_int_equal(report->total.cpu_ns, (UINT64_C(1) << 40) + 3);
	report_destroy(report);

	const struct report_request request = {.sample_type = 1};
	report = recording_report(&recording, &request);
	assert_string_equal(report_value_name(report), "alloc");
	assert_int_equal(report_value_kind(report), VALUE_BYTES);
	assert_int_equal(report->total.cpu_ns, 3007); /* what is below 0 counts as 0 */
	report_destroy(report);

	const struct report_request no_work = {.sample_type = 1, .ignore = "^main$"};
	report = recording_report(&recording, &no_work);
	assert_int_equal(report->total.cpu_ns, 0);
	assert_int_equal(report->everything.cpu_ns, 3007);
	report_destroy(report);

	/* The same file once more is twice as much. */
	imported_read(&recording, file.bytes, file.size);
	report = recording_report(&recording, &request);
	assert_int_equal(report->total.cpu_ns, 2 * 3007);
	report_destroy(report);
	recording_finish(&recording);
	free(file.bytes);
}

static void test_several_files_must_have_the_same_types(void **state)
{
	(void)state;
	struct made_pprof made;
	made_pprof_init(&made);
	struct file file = made_pprof_pack(&made);
	struct recording recording;
	struct error err;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	assert_false(imported_try(&recording, "main;work 3\n", 12, &err));
	assert_non_null(strstr(err.text, "its values are samples/count, those before it "
					 "objects/count, alloc/bytes"));
	recording_finish(&recording);
	free(file.bytes);
}

/* MADE with one thing wrong must be refused because of it. */
static void refuse(const struct made_pprof *made, const char *why)
{
	struct file file = made_pprof_pack(made);
	imported_refused(file.bytes, file.size, why);
	free(file.bytes);
}

static void test_a_damaged_pprof_is_refused_with_its_place(void **state)
{
	(void)state;
	struct made_pprof made;
	made_pprof_init(&made);
	made.ids[1][2] = 55;
	refuse(&made, "sample 2: refers to location 55, which is not there");
	made_pprof_init(&made);
	made.lines[2].function_id = 6;
	refuse(&made, "location 7: refers to function 6, which is not there");
	made_pprof_init(&made);
	made.locations[2].mapping_id = 8;
	refuse(&made, "location 8: refers to mapping 8, which is not there");
	made_pprof_init(&made);
	made.functions[1].name = 99;
	refuse(&made, "function 4: string 99 of 21");
	made_pprof_init(&made);
	made.labels[1].key = -1;
	refuse(&made, "sample 1: a label: string -1 of 21");
	made_pprof_init(&made);
	made.samples[2].n_value = 1;
	refuse(&made, "sample 3: has 1 values for 2 types");
	made_pprof_init(&made);
	made.values[0][1] = INT64_MAX;
	made.values[1][1] = INT64_MIN;
	refuse(&made, "the values of alloc/bytes add up to more than can be counted");
	made_pprof_init(&made);
	made.root.n_sample_type = 0;
	refuse(&made, "it has 0 types of values");
}

/* Cut off anywhere, or with any byte changed, a file is read or refused, no more. */
static void test_no_damage_does_harm(void **state)
{
	(void)state;
	struct made_pprof made;
	made_pprof_init(&made);
	struct file file = made_pprof_pack(&made);
	size_t refused = 0;
	for (size_t i = 0; i < file.size; i++)
		for (int change = 0; change < 3; change++) {
			struct recording recording;
			struct error err = {""};
			char kept = file.bytes[i];
			size_t size = change == 2 ? i : file.size;
			file.bytes[i] = (char)(change == 0   ? kept ^ 0xff
					       : change == 1 ? kept + 1
							     : kept);
			recording_init(&recording);
			if (imported_try(&recording, file.bytes, size, &err))
				report_destroy(imported_report(&recording));
			else
				refused++;
			recording_finish(&recording);
			file.bytes[i] = kept;
		}
	assert_true(refused > file.size);
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof_loses_nothing),
		cmocka_unit_test(test_our_own_files_come_back_the_same),
		cmocka_unit_test(test_a_report_counts_the_type_that_is_shown),
		cmocka_unit_test(test_several_files_must_have_the_same_types),
		cmocka_unit_test(test_a_damaged_pprof_is_refused_with_its_place),
		cmocka_unit_test(test_no_damage_does_harm),
	};
	return unit_run(tests);
}
