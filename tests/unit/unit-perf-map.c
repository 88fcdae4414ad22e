/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf-map: reading the file, and refusing files that are not safe. This process is the
   target. */

#include "tests/lib/self.h"

#include "src/base/idmap.h"
#include "src/read/elf/file-budget.h"
#include "src/read/elf/image-cache.h"
#include "src/read/names/jit-functions.h"
#include "src/read/names/perf-map.h"
#include "src/read/names/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct fixture {
	struct proc_dir dir;
	char path[64], other[80];
};

static struct fixture begin(void)
{
	struct fixture f;
	proc_dir_init(&f.dir, open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	snprintf(f.path, sizeof(f.path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(f.other, sizeof(f.other), "%s.other", f.path);
	unlink(f.path);
	unlink(f.other);
	return f;
}

static void end(struct fixture *f)
{
	unlink(f->path);
	unlink(f->other);
	proc_dir_finish(&f->dir);
}

static void append(const char *path, const char *text)
{
	FILE *out = fopen(path, "a");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(chmod(path, 0644), 0);
}

static void assert_name(struct perf_map *map, uint64_t address, const char *expected)
{
	const char *name = perf_map_find(map, address);
	if (!expected)
		assert_null(name);
	else
		assert_string_equal(name ? name : "(none)", expected);
}

static void test_lines_are_read_as_they_come(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct perf_map *map = perf_map_create(&f.dir, NULL);
	assert_false(perf_map_refresh(map)); /* not there yet */
	append(f.path, "1000 20 first one\n0x2000 0x10 second\nnonsense\n3000 0 empty\n"
		       "4000 8\n5000 8 half a l");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0xfff, NULL);
	assert_name(map, 0x1000, "first one");
	assert_name(map, 0x101f, "first one");
	assert_name(map, 0x1020, NULL);
	assert_name(map, 0x200f, "second");
	assert_name(map, 0x3000, NULL);
	assert_name(map, 0x5000, NULL);
	assert_false(perf_map_refresh(map));
	append(f.path, "ine\n1010 8 newer\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x5000, "half a line");
	assert_name(map, 0x100f, "first one");
	assert_name(map, 0x1010, "newer"); /* the later line holds */
	assert_name(map, 0x1018, "first one");
	append(f.path, "1000 40 newest\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x1010, "newest");
	perf_map_destroy(map);
	end(&f);
}

static void test_a_file_that_is_written_anew(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct perf_map *map = perf_map_create(&f.dir, NULL);
	append(f.path, "1000 20 first\n2000 20 second\n");
	assert_true(perf_map_refresh(map));
	/* longer than before, and shorter, and another file */
	assert_int_equal(truncate(f.path, 0), 0);
	append(f.path, "1000 20 first\n3000 20 third\n4000 20 fourth\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x1000, "first");
	assert_name(map, 0x2000, NULL);
	assert_name(map, 0x3000, "third");
	assert_int_equal(truncate(f.path, 0), 0);
	append(f.path, "4000 20 only\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x3000, NULL);
	assert_name(map, 0x4000, "only");
	assert_false(perf_map_refresh(map));
	unlink(f.path);
	append(f.path, "5000 20 other\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x4000, NULL);
	assert_name(map, 0x5000, "other");
	append(f.path, "6000 20 more\n");
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x5000, "other");
	perf_map_destroy(map);
	end(&f);
}

/* Why the last one was refused. */
static const char *refusal;

static bool is_refused(const struct fixture *f)
{
	struct perf_map *map = perf_map_create(&f->dir, NULL);
	bool refused = !perf_map_refresh(map) && !perf_map_find(map, 0x1000);
	refusal = perf_map_refusal(map);
	perf_map_destroy(map);
	return refused;
}

static void test_what_may_be_a_trap_is_not_read(void **state)
{
	(void)state;
	struct fixture f = begin();
	append(f.path, "1000 20 f\n");
	assert_false(is_refused(&f));
	assert_int_equal(chmod(f.path, 0664), 0);
	assert_true(is_refused(&f)); /* others may write it */
	assert_string_equal(refusal, "others may write to it");
	assert_int_equal(chmod(f.path, 0646), 0);
	assert_true(is_refused(&f));
	assert_int_equal(chmod(f.path, 0600), 0);
	assert_false(is_refused(&f));
	assert_int_equal(link(f.path, f.other), 0);
	assert_true(is_refused(&f)); /* a second name of a file that is not theirs */
	assert_int_equal(unlink(f.path), 0);
	assert_int_equal(symlink(f.other, f.path), 0);
	assert_true(is_refused(&f));
	assert_string_equal(refusal, "it is a symbolic link");
	assert_int_equal(unlink(f.path), 0);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	assert_true(is_refused(&f)); /* and nobody waits for a writer */
	assert_int_equal(unlink(f.path), 0);
	assert_int_equal(mkdir(f.path, 0700), 0);
	assert_true(is_refused(&f));
	assert_int_equal(rmdir(f.path), 0);
	append(f.path, "1000 20 f\n");
	if (geteuid() == 0) { /* somebody else's */
		assert_int_equal(chown(f.path, 65534, 65534), 0);
		assert_true(is_refused(&f));
		assert_int_equal(chown(f.path, 0, 0), 0);
	}
	assert_false(is_refused(&f));
	assert_int_equal(truncate(f.path, (off_t)1 << 40), 0);
	assert_false(is_refused(&f)); /* but only its beginning is read */
	assert_string_equal(refusal, "it is larger than 1 GiB; what follows is not read");
	end(&f);
}

/* A process of the same number wrote it, an hour before this one began; and then this one
   writes, too. */
/* Twenty portions, each with functions before, among and over those of earlier ones. */
static void test_a_list_that_grows(void **state)
{
	(void)state;
	enum {
		PORTIONS = 20,
		FUNCTIONS = 2000, /* of a portion */
		STEP = 64,
	};
	struct fixture f = begin();
	struct perf_map *map = perf_map_create(&f.dir, NULL);
	static char latest[FUNCTIONS * PORTIONS][16];
	for (unsigned portion = 0; portion < PORTIONS; portion++) {
		FILE *out = fopen(f.path, "a");
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			unsigned place =
				(i * 7919u + portion * 104729u) % (FUNCTIONS * PORTIONS);
			snprintf(latest[place], sizeof(latest[place]), "p%u_%u", portion,
				i);
			fprintf(out, "%x %x %s\n", (place + 1) * STEP, STEP,
				latest[place]);
		}
		fclose(out);
		assert_true(perf_map_refresh(map));
		for (unsigned place = 0; place < FUNCTIONS * PORTIONS; place++)
			assert_name(map, (place + 1) * STEP + place % STEP,
				latest[place][0] ? latest[place] : NULL);
	}
	assert_null(perf_map_refusal(map));
	perf_map_destroy(map);
	end(&f);
}

static void test_a_list_without_end(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct perf_map *map = perf_map_create(&f.dir, NULL);
	FILE *out = fopen(f.path, "a");
	for (unsigned i = 0; i < JIT_FUNCTIONS_MAX; i++)
		fprintf(out, "%x 10 f%x\n", (i + 1) * 16, i);
	fclose(out);
	assert_true(perf_map_refresh(map));
	assert_null(perf_map_refusal(map));
	append(f.path, "ffffffff0 10 last\n");
	assert_false(perf_map_refresh(map));
	assert_non_null(strstr(perf_map_refusal(map), "a million functions"));
	assert_name(map, 16, "f0");
	assert_name(map, 0xffffffff0, NULL);
	assert_false(perf_map_refresh(map));

	/* One that is larger still, and holds nothing. */
	unlink(f.path);
	append(f.path, "1000 10 one\n");
	assert_int_equal(truncate(f.path, (off_t)1 << 40), 0);
	assert_true(perf_map_refresh(map));
	assert_name(map, 0x1000, "one");
	assert_non_null(strstr(perf_map_refusal(map), "1 GiB"));
	perf_map_destroy(map);
	end(&f);
}

static void test_what_an_earlier_process_left_is_not_read(void **state)
{
	(void)state;
	struct fixture f = begin();
	struct timespec now, times[2];
	append(f.path, "1000 20 f\n");
	assert_false(is_refused(&f));
	assert_null(refusal);
	clock_gettime(CLOCK_REALTIME, &now);
	times[0] = times[1] = (struct timespec){.tv_sec = now.tv_sec - 3600};
	assert_int_equal(utimensat(AT_FDCWD, f.path, times, 0), 0);
	struct perf_map *map = perf_map_create(&f.dir, NULL);
	assert_false(perf_map_refresh(map));
	assert_string_equal(perf_map_refusal(map), "it is older than the process");
	assert_null(perf_map_find(map, 0x1000));
	append(f.path, "2000 20 g\n");
	assert_true(perf_map_refresh(map));
	assert_null(perf_map_refusal(map));
	assert_non_null(perf_map_find(map, 0x2000));
	perf_map_destroy(map);
	end(&f);
}

static void test_code_is_named_when_its_compiler_says_so(void **state)
{
	(void)state;
	struct fixture f = begin();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(
		NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = (uint64_t)(uintptr_t)code;
	struct self self = self_open();
	struct symbolizer *symbolizer = symbolizer_create(self.space, self.profile, NULL);
	struct frame frame = {.pc = start + 16, .is_activation = true};
	struct idmap renamed = {0};
	uint32_t first = symbolizer_locate(symbolizer, frame);
	symbolizer_rename(symbolizer, &renamed);
	assert_int_equal(renamed.len, 0);

	char line[128];
	snprintf(line, sizeof(line), "%llx 100 ~evil\033[31m\n",
		(unsigned long long)start);
	append(f.path, line);
	symbolizer_rename(symbolizer, &renamed);
	uint32_t second = symbolizer_locate(symbolizer, frame);
	assert_int_equal(*idmap_get(&renamed, first, 0), second);
	const struct location *location = profile_location(self.profile, second);
	const struct function *function =
		profile_function(self.profile, location->lines[0].function);
	assert_string_equal(function->name, "~evil\\x1b[31m");

	/* Other code at the same place: the past keeps its name. */
	idmap_clear(&renamed);
	snprintf(line, sizeof(line), "%llx 100 moved\n", (unsigned long long)start);
	append(f.path, line);
	symbolizer_rename(symbolizer, &renamed);
	assert_int_equal(renamed.len, 0);
	location = profile_location(self.profile, symbolizer_locate(symbolizer, frame));
	function = profile_function(self.profile, location->lines[0].function);
	assert_string_equal(function->name, "moved");

	idmap_finish(&renamed);
	symbolizer_destroy(symbolizer);
	self_finish(&self);
	munmap(code, page);
	end(&f);
}

/* All maps together keep to one budget, and give back what they took from it. */
static void test_maps_share_a_budget(void **state)
{
	(void)state;
	enum {
		MAPS = 8,
		LINES = 40000
	};
	struct fixture f = begin();
	struct image_cache *cache = image_cache_create(16 << 20);
	struct file_budget *budget = image_cache_maps_budget(cache);
	assert_int_equal(budget->max_bytes, 4 << 20);
	FILE *out = fopen(f.path, "w");
	assert_non_null(out);
	for (int i = 0; i < LINES; i++)
		fprintf(out, "%x 8 a function %d\n", 0x1000 + 16 * i, i);
	fclose(out);
	assert_int_equal(chmod(f.path, 0644), 0);
	struct perf_map *maps[MAPS];
	unsigned refused = 0;
	for (int i = 0; i < MAPS; i++) {
		maps[i] = perf_map_create(&f.dir, budget);
		perf_map_refresh(maps[i]);
		refused += perf_map_refusal(maps[i]) != NULL;
		assert_true(budget->used_bytes <= budget->max_bytes);
		assert_int_equal(budget->whole->used_bytes, budget->used_bytes);
	}
	assert_in_range(refused, MAPS / 2, MAPS);
	for (int i = 0; i < MAPS; i++)
		perf_map_destroy(maps[i]);
	assert_int_equal(budget->used_bytes, 0);
	assert_int_equal(budget->whole->used_bytes, 0);
	image_cache_destroy(cache);
	end(&f);
}

/* A large one is read in turns with the others, and says so until it is read. */
static void test_maps_take_turns(void **state)
{
	(void)state;
	enum {
		LINES = 200000, /* 5 MB */
	};
	struct fixture f = begin();
	struct image_cache *cache = image_cache_create(0);
	FILE *out = fopen(f.path, "w");
	assert_non_null(out);
	for (int i = 0; i < LINES; i++)
		fprintf(out, "%x 8 a function %d\n", 0x1000 + 16 * i, i);
	fclose(out);
	assert_int_equal(chmod(f.path, 0644), 0);
	struct perf_map *maps[2];
	for (int i = 0; i < 2; i++)
		maps[i] = perf_map_create(&f.dir, image_cache_maps_budget(cache));
	image_cache_turn(cache, 2 << 20);
	assert_true(perf_map_refresh(maps[0]));
	assert_false(perf_map_refresh(maps[1]));
	for (int i = 0; i < 2; i++) {
		assert_true(perf_map_is_behind(maps[i]));
		assert_non_null(strstr(perf_map_refusal(maps[i]), "not read to its end"));
	}
	assert_name(maps[0], 0x1000, "a function 0");
	assert_name(maps[0], 0x1000 + 16 * (LINES - 1), NULL);
	for (int turn = 0; turn < 8; turn++) {
		image_cache_turn(cache, 2 << 20);
		for (int i = 0; i < 2; i++)
			perf_map_refresh(maps[i]);
	}
	for (int i = 0; i < 2; i++) {
		assert_false(perf_map_is_behind(maps[i]));
		assert_null(perf_map_refusal(maps[i]));
		assert_name(maps[i], 0x1000 + 16 * (LINES - 1), "a function 199999");
		perf_map_destroy(maps[i]);
	}
	image_cache_destroy(cache);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_read_as_they_come),
		cmocka_unit_test(test_maps_take_turns),
		cmocka_unit_test(test_a_file_that_is_written_anew),
		cmocka_unit_test(test_what_may_be_a_trap_is_not_read),
		cmocka_unit_test(test_a_list_that_grows),
		cmocka_unit_test(test_a_list_without_end),
		cmocka_unit_test(test_what_an_earlier_process_left_is_not_read),
		cmocka_unit_test(test_code_is_named_when_its_compiler_says_so),
		cmocka_unit_test(test_maps_share_a_budget),
	};
	return unit_run(tests);
}
