/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lowest layer: error, idmap, strpool, table, vec, clean, meter, ring, stacktab,
 * sample log. */

#include "tests/lib/unit.h"

#include "src/base/error.h"
#include "src/base/id-index.h"
#include "src/base/idmap.h"
#include "src/base/small-file.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/facts/meter.h"
#include "src/facts/profile.h"
#include "src/facts/ring.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_error_text_grows_from_inside_out(void **state)
{
	(void)state;
	struct error err;
	assert_false(error_errno(&err, ENOENT, "open %s", "x"));
	assert_string_equal(err.text, "open x: No such file or directory");
	error_prefix(&err, "symbols");
	assert_string_equal(err.text, "symbols: open x: No such file or directory");
	assert_false(error_set(NULL, "nobody cares"));
}

static void test_idmap_keeps_what_was_put(void **state)
{
	(void)state;
	struct idmap ids = {0};
	assert_null(idmap_get(&ids, 1, 2));
	for (uint32_t i = 0; i < 10000; i++)
		idmap_put(&ids, i, i * 7u, i);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(*idmap_get(&ids, i, i * 7u), i);
	assert_null(idmap_get(&ids, 3, 22));
	idmap_put(&ids, 3, 21, 99);
	assert_int_equal(*idmap_get(&ids, 3, 21), 99);
	assert_int_equal(ids.len, 10000);
	idmap_clear(&ids);
	assert_null(idmap_get(&ids, 3, 21));
	idmap_finish(&ids);
}

struct entry {
	uint32_t a, b;
};

static void key_of(const void *entries, uint32_t id, uint64_t key[2])
{
	key[0] = ((const struct entry *)entries)[id].a;
	key[1] = ((const struct entry *)entries)[id].b;
}

static void test_id_index_finds_by_the_owners_keys(void **state)
{
	enum {
		ENTRIES = 10000
	};
	static struct entry entries[ENTRIES];
	const struct id_owner owner = {key_of, entries};
	struct id_index index = {0};
	uint32_t id = 7;
	(void)state;
	assert_false(id_index_find(&index, owner, 0, 0, &id));
	for (uint32_t i = 0; i < ENTRIES; i++) {
		entries[i] = (struct entry){i % 100, i / 100};
		id_index_add(&index, owner, i);
	}
	for (uint32_t i = 0; i < ENTRIES; i++) {
		assert_true(id_index_find(&index, owner, i % 100, i / 100, &id));
		assert_int_equal(id, i);
	}
	id = 7;
	assert_false(id_index_find(&index, owner, 100, 1, &id));
	assert_int_equal(id, 7);
	assert_true(index.cap * sizeof(*index.slots) <= 8 * ENTRIES);
	id_index_finish(&index);
}

static void test_strpool_gives_one_address_per_string(void **state)
{
	(void)state;
	struct strpool pool = {0};
	const char *first = strpool_intern(&pool, "main");
	VEC(const char *) all = {0};
	for (int i = 0; i < 5000; i++) {
		char text[32];
		snprintf(text, sizeof(text), "function_%d", i);
		vec_push(&all, strpool_intern(&pool, text));
	}
	assert_ptr_equal(strpool_intern_bytes(&pool, "mainly", 4), first);
	assert_ptr_not_equal(strpool_intern(&pool, "mai"), first);
	assert_string_equal(all.data[4321], "function_4321");
	assert_ptr_equal(strpool_intern(&pool, "function_4321"), all.data[4321]);
	assert_string_equal(strpool_intern(&pool, ""), "");
	vec_free(&all);
	strpool_finish(&pool);
}

static void test_table_entries_never_move(void **state)
{
	(void)state;
	struct table *table = table_create(sizeof(uint64_t));
	uint64_t value = 42;
	assert_int_equal(table_append(table, &value), 0);
	uint64_t *first = table_at(table, 0);
	for (value = 1; value < 3 * TABLE_CHUNK_ENTRIES; value++)
		assert_int_equal(table_append(table, &value), value);
	assert_ptr_equal(table_at(table, 0), first);
	assert_int_equal(*first, 42);
	assert_int_equal(*(uint64_t *)table_at(table, 9000), 9000);
	table_destroy(table);
	table_destroy(NULL);
}

static void test_meter_between_two_readings(void **state)
{
	(void)state;
	struct meter meter = {0}, before, between;
	meter_add(&meter.samples, 5);
	meter_count_stop(&meter, 1000 * 1000);
	meter_copy(&meter, &before);
	meter_add(&meter.samples, 2);
	meter_set(&meter.threads_now, 3);
	meter_count_stop(&meter, 1000);
	meter_between(&before, &meter, &between);
	assert_int_equal(meter_get(&between.samples), 2);
	assert_int_equal(meter_get(&between.stopped_ns), 1000);
	assert_int_equal(meter_get(&between.threads_now), 3);
	assert_in_range(meter_get(&between.stop_max_ns), 875, 1125);
	assert_in_range(meter_stop_percentile(&between, 500), 875, 1125);
}

static void test_meter_percentiles_are_within_a_class(void **state)
{
	(void)state;
	struct meter meter = {0};
	assert_int_equal(meter_stop_percentile(&meter, 500), 0);
	meter_count_stop(&meter, 32); /* the first of its class */
	assert_int_equal(meter_stop_percentile(&meter, 990), 32);
	meter = (struct meter){0};
	for (uint64_t ns = 1; ns <= 1000; ns++)
		meter_count_stop(&meter, ns * 100);
	uint64_t median = meter_stop_percentile(&meter, 500);
	assert_in_range(median, 50000 * 7 / 8, 50000 * 9 / 8);
	uint64_t p99 = meter_stop_percentile(&meter, 990);
	assert_in_range(p99, 99000 * 7 / 8, 99000 * 9 / 8);
	assert_int_equal(meter_get(&meter.stop_max_ns), 100000);
	meter_count_stop(&meter, UINT64_MAX);
	assert_int_equal(meter_get(&meter.stops), 1001);
}

static void test_ring_drops_when_full_and_keeps_order(void **state)
{
	(void)state;
	struct ring *ring = ring_create(4, 64);
	assert_null(ring_peek(ring));
	for (int round = 0; round < 3; round++) {
		for (pid_t tid = 1; tid <= 4; tid++) {
			struct snapshot *slot = ring_reserve(ring);
			assert_non_null(slot);
			slot->tid = tid;
			memset(slot->stack, tid, ring_stack_bytes(ring));
			ring_commit(ring);
		}
		assert_null(ring_reserve(ring));
		assert_int_equal(ring_waiting(ring), 4);
		for (pid_t tid = 1; tid <= 4; tid++) {
			const struct snapshot *slot = ring_peek(ring);
			assert_int_equal(slot->tid, tid);
			assert_int_equal(slot->stack[63], tid);
			ring_release(ring);
		}
	}
	assert_null(ring_peek(ring));
	ring_destroy(ring);
}

static void test_snapshot_stack_is_bounded(void **state)
{
	(void)state;
	struct ring *ring = ring_create(2, 64);
	struct snapshot *slot = ring_reserve(ring);
	slot->stack_address = 0x1000;
	slot->stack_length = 64;
	assert_ptr_equal(snapshot_stack_at(slot, 0x1000, 8), slot->stack);
	assert_ptr_equal(snapshot_stack_at(slot, 0x1038, 8), slot->stack + 56);
	assert_null(snapshot_stack_at(slot, 0x1039, 8));
	assert_null(snapshot_stack_at(slot, 0xfff, 8));
	assert_null(snapshot_stack_at(slot, UINT64_MAX - 3, 8));
	ring_destroy(ring);
}

static void test_stacktab_shares_prefixes_and_keeps_ends_apart(void **state)
{
	(void)state;
	struct stacktab *table = stacktab_create();
	uint32_t abc[] = {3, 2, 1}, xbc[] = {9, 2, 1}; /* leaf first */
	uint32_t first = stacktab_intern(table, abc, 3, UNWIND_ROOT);
	uint32_t nodes = stacktab_nodes(table);
	assert_int_equal(stacktab_intern(table, abc, 3, UNWIND_ROOT), first);
	uint32_t second = stacktab_intern(table, xbc, 3, UNWIND_ROOT);
	assert_int_equal(stacktab_nodes(table), nodes + 1);
	assert_int_equal(stacktab_node(table, first)->parent,
		stacktab_node(table, second)->parent);
	uint32_t broken = stacktab_intern(table, abc, 3, UNWIND_TRUNCATED);
	assert_int_not_equal(broken, first);
	assert_int_equal(stacktab_end(table, broken), UNWIND_TRUNCATED);
	assert_int_equal(stacktab_end(table, first), UNWIND_ROOT);
	assert_int_equal(stacktab_intern(table, NULL, 0, UNWIND_FOREIGN), UNWIND_FOREIGN);
	struct stacktab *shared = stacktab_ref(table);
	stacktab_unref(table);
	assert_int_equal(stacktab_node(shared, first)->location, 3);
	stacktab_unref(shared);
}

static void test_sample_log_counts_exactly_and_forgets_the_oldest(void **state)
{
	(void)state;
	struct sample_log log = {0};
	for (uint64_t t = 0; t < 5000; t++) {
		struct sample sample = {.time_ns = t * 10, .cpu_ns = 1, .count = 1};
		sample_log_add(&log, &sample);
	}
	assert_int_equal(sample_log_search(&log, 0), 0);
	assert_int_equal(sample_log_search(&log, 991), 100);
	assert_int_equal(sample_log_search(&log, 990), 99);
	assert_int_equal(sample_log_search(&log, 1000000), 5000);
	sample_log_expire(&log, 10000);
	assert_int_equal(log.len, 4000);
	assert_int_equal(sample_log_at(&log, 0)->time_ns, 10000);
	sample_log_drop(&log, 3900);
	assert_int_equal(log.len, 100);
	assert_int_equal(sample_log_at(&log, 0)->time_ns, 49000);
	assert_int_equal(log.expired, 4900);
	sample_log_finish(&log);
}

static void test_sample_log_compact_keeps_the_sums(void **state)
{
	(void)state;
	struct sample_log log = {0};
	for (uint32_t i = 0; i < 1000; i++) {
		struct sample sample = {.time_ns = i,
			.cpu_ns = i,
			.thread = i % 2,
			.stack = i % 5,
			.count = 1};
		sample_log_add(&log, &sample);
	}
	sample_log_compact(&log, UINT64_MAX);
	assert_int_equal(log.len, 10);
	uint64_t cpu_ns = 0, count = 0;
	for (size_t i = 0; i < log.len; i++) {
		cpu_ns += sample_log_at(&log, i)->cpu_ns;
		count += sample_log_at(&log, i)->count;
	}
	assert_int_equal(cpu_ns, 499500);
	assert_int_equal(count, 1000);
	sample_log_finish(&log);
}

static void test_profile_keeps_each_noun_once(void **state)
{
	(void)state;
	struct profile *profile = profile_create();
	struct function function = {
		.name = "f(int)", .system_name = "_Z1fi", .module = "a.out", .file = ""};
	uint32_t f = profile_intern_function(profile, &function);
	assert_int_equal(profile_intern_function(profile, &function), f);
	function.module = "b.so";
	assert_int_not_equal(profile_intern_function(profile, &function), f);
	assert_string_equal(profile_function(profile, f)->module, "a.out");

	struct mapping mapping = {.start = 0x1000,
		.limit = 0x2000,
		.path = "/a.out",
		.module = "a.out",
		.build_id = ""};
	uint32_t m = profile_add_mapping(profile, &mapping);
	assert_int_equal(profile_find_location(profile, m, 0x1234), PROFILE_NONE);
	struct line line = {.function = f, .line = 7};
	uint32_t l = profile_add_location(profile, m, 0x1234, &line, 1);
	assert_int_equal(profile_find_location(profile, m, 0x1234), l);
	assert_int_equal(profile_location(profile, l)->lines[0].line, 7);

	uint32_t s = profile_intern_synthetic(profile, "[truncated]");
	assert_int_equal(profile_intern_synthetic(profile, "[truncated]"), s);
	assert_int_equal(profile_location(profile, s)->mapping, PROFILE_NONE);

	uint32_t t = profile_intern_thread(profile, 12, "worker");
	assert_int_equal(profile_intern_thread(profile, 12, "worker"), t);
	assert_int_not_equal(profile_intern_thread(profile, 12, "renamed"), t);
	profile_unref(profile);
}

static void test_small_file_is_read_whole_or_cut(void **state)
{
	(void)state;
	char text[64] = "before", start[4];
	FILE *file = tmpfile();
	assert_non_null(file);
	fputs("one two", file);
	fflush(file);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	assert_int_equal(small_file_read(AT_FDCWD, path, text, sizeof(text)), 7);
	assert_string_equal(text, "one two");
	assert_int_equal(small_file_read(AT_FDCWD, path, start, sizeof(start)), 3);
	assert_string_equal(start, "one");
	fclose(file);
	assert_int_equal(small_file_read(AT_FDCWD, path, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void test_status_numbers(void **state)
{
	(void)state;
	static const char text[] =
		"Name:\tUid:\nUid:\t1000\t1001 1002\nNSpid:\t70\t8\nSigCgt:\t"
		"00ff\nEmpty:\t\nWord:\tx\nCut:\t12\t3";
	unsigned long long value;
	assert_true(status_number(text, "\nUid:", 0, 10, &value) && value == 1000);
	assert_true(status_number(text, "\nUid:", 1, 10, &value) && value == 1001);
	assert_false(status_number(text, "\nUid:", 3, 10, &value));
	assert_true(
		status_number(text, "\nNSpid:", STATUS_LAST, 10, &value) && value == 8);
	assert_true(status_number(text, "\nSigCgt:", 0, 16, &value) && value == 0xff);
	assert_true(status_number(text, "\nSigCgt:", STATUS_LAST, 16, &value));
	assert_false(status_number(text, "\nEmpty:", 0, 10, &value));
	assert_false(status_number(text, "\nEmpty:", STATUS_LAST, 10, &value));
	assert_false(status_number(text, "\nWord:", 0, 10, &value));
	assert_false(status_number(text, "\nCut:", STATUS_LAST, 10, &value));
	assert_false(status_number(text, "\nGid:", 0, 10, &value));
	assert_false(status_number("", "\nUid:", 0, 10, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_text_grows_from_inside_out),
		cmocka_unit_test(test_idmap_keeps_what_was_put),
		cmocka_unit_test(test_id_index_finds_by_the_owners_keys),
		cmocka_unit_test(test_small_file_is_read_whole_or_cut),
		cmocka_unit_test(test_status_numbers),
		cmocka_unit_test(test_strpool_gives_one_address_per_string),
		cmocka_unit_test(test_table_entries_never_move),
		cmocka_unit_test(test_meter_percentiles_are_within_a_class),
		cmocka_unit_test(test_meter_between_two_readings),
		cmocka_unit_test(test_ring_drops_when_full_and_keeps_order),
		cmocka_unit_test(test_snapshot_stack_is_bounded),
		cmocka_unit_test(test_stacktab_shares_prefixes_and_keeps_ends_apart),
		cmocka_unit_test(test_sample_log_counts_exactly_and_forgets_the_oldest),
		cmocka_unit_test(test_sample_log_compact_keeps_the_sums),
		cmocka_unit_test(test_profile_keeps_each_noun_once),
	};
	return unit_run(tests);
}
