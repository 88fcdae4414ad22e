/* SPDX-License-Identifier: GPL-2.0-or-later */
/* address-space: maps text of every kind. */

#include "tests/lib/self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void test_mapping_keeps_its_id_while_it_is_the_same(void **state)
{
	(void)state;
	struct self self = self_open();
	self_parse(&self, "1000-3000 r-xp 00000000 00:00 0 \n"
			  "5000-6000 rw-p 00000000 00:00 0 [heap]\n");
	uint32_t id = address_space_find(self.space, 0x2fff)->mapping;
	uint64_t generation = address_space_generation(self.space);
	assert_null(address_space_find(self.space, 0x3000));
	assert_null(address_space_find(self.space, 0xfff));
	assert_int_equal(address_space_find(self.space, 0x5000)->mapping, PROFILE_NONE);

	/* The heap grew: nothing that a cache of addresses must know. */
	self_parse(&self, "1000-3000 r-xp 00000000 00:00 0 \n"
			  "5000-7000 rw-p 00000000 00:00 0 [heap]\n");
	assert_int_equal(address_space_generation(self.space), generation);
	assert_int_equal(address_space_find(self.space, 0x1000)->mapping, id);

	/* Another file at the same place is another mapping; the first may come back. */
	self_parse(&self, "1000-3000 r-xp 00000000 fe:00 77 /no/such/a.so\n");
	assert_int_equal(address_space_generation(self.space), generation + 1);
	uint32_t first = address_space_find(self.space, 0x1000)->mapping;
	assert_int_not_equal(first, id);
	self_parse(&self, "1000-3000 r-xp 00000000 fe:00 78 /no/such/b.so\n");
	uint32_t second = address_space_find(self.space, 0x1000)->mapping;
	assert_int_not_equal(second, first);
	assert_string_equal(profile_mapping(self.profile, second)->module, "b.so");
	self_parse(&self, "1000-3000 r-xp 00000000 fe:00 77 /no/such/a.so\n");
	assert_int_equal(address_space_find(self.space, 0x1000)->mapping, first);
	self_parse(&self, "1000-3000 r-xp 00001000 fe:00 77 /no/such/a.so\n");
	assert_int_not_equal(address_space_find(self.space, 0x1000)->mapping, first);
	self_finish(&self);
}

/* Caches by address are dropped when code goes, and are kept when code comes. */
static void test_only_code_that_goes_is_a_loss(void **state)
{
	(void)state;
	struct self self = self_open();
	self_parse(&self, "1000-3000 rwxp 00000000 00:00 0 \n"
			  "8000-9000 r-xp 00000000 fe:00 77 /no/such/a.so\n");
	uint64_t losses = address_space_losses(self.space);
	uint64_t generation = address_space_generation(self.space);
	self_parse(&self, "1000-4000 rwxp 00000000 00:00 0 \n" /* grew */
			  "5000-6000 rwxp 00000000 00:00 0 \n" /* came */
			  "8000-9000 r-xp 00000000 fe:00 77 /no/such/a.so\n");
	assert_int_equal(address_space_generation(self.space), generation);
	self_parse(&self, "1000-6000 rwxp 00000000 00:00 0 \n" /* met */
			  "8000-9000 r-xp 00000000 fe:00 77 /no/such/a.so\n"
			  "a000-b000 r-xp 00000000 fe:00 78 /no/such/b.so\n");
	assert_int_equal(address_space_losses(self.space), losses);
	assert_int_equal(address_space_generation(self.space), generation + 1);
	self_parse(&self, "1000-6000 rwxp 00000000 00:00 0 \n"
			  "8000-9000 r-xp 00000000 fe:00 78 /no/such/b.so\n"
			  "a000-b000 r-xp 00000000 fe:00 78 /no/such/b.so\n");
	assert_int_equal(address_space_losses(self.space), losses + 1);
	self_parse(&self, "1000-2000 rwxp 00000000 00:00 0 \n"
			  "8000-9000 r-xp 00000000 fe:00 78 /no/such/b.so\n"
			  "a000-b000 r-xp 00000000 fe:00 78 /no/such/b.so\n");
	assert_int_equal(address_space_losses(self.space), losses + 2);
	self_parse(&self, "1000-2000 r-xp 00000000 fe:00 79 /no/such/c.so\n"
			  "8000-9000 r-xp 00000000 fe:00 78 /no/such/b.so\n"
			  "a000-b000 r-xp 00000000 fe:00 78 /no/such/b.so\n");
	assert_int_equal(address_space_losses(self.space), losses + 3);
	self_finish(&self);
}

static void test_paths_are_cleaned_and_opened_as_they_are(void **state)
{
	(void)state;
	struct self self = self_open();
	char dir[] = "./maps-XXXXXX", link[64], exe[4096], full[4096], text[8192];
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/a b\n\033[31m", dir);
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(length > 0);
	exe[length] = '\0';
	assert_int_equal(linkat(AT_FDCWD, exe, AT_FDCWD, link, 0), 0);
	assert_non_null(realpath(dir, full));
	struct stat status;
	assert_int_equal(stat(link, &status), 0);

	/* As the kernel prints it: the newline escaped, nothing else. */
	snprintf(text, sizeof(text),
		"10000-20000 r-xp 00000000 %02x:%02x %lu    %s/a b\\012\033[31m\n"
		"20000-30000 r-xp 00000000 00:05 17    /memfd:jit cache (deleted)\n"
		"30000-31000 r-xp 00000000 00:00 0     [anon:v8]\n"
		"31000-32000 r-xp 00000000 00:00 0     //anon\n"
		"32000-33000 --xp 00000000 00:00 0     [vsyscall]\n",
		major(status.st_dev), minor(status.st_dev), (unsigned long)status.st_ino,
		full);
	self_parse(&self, text);
	const struct region *region = address_space_find(self.space, 0x10000);
	uint64_t bias;
	assert_non_null(address_space_image(self.space, region, &bias));
	assert_string_equal(self_mapping(&self, region)->module, "a b\\012\\x1b[31m");
	assert_true(
		self_mapping(&self, region)->is_main); /* a hard link is the same file */
	region = address_space_find(self.space, 0x20000);
	assert_string_equal(
		self_mapping(&self, region)->path, "/memfd:jit cache (deleted)");
	assert_string_equal(self_mapping(&self, region)->module, "memfd:jit cache");
	region = address_space_find(self.space, 0x30000);
	assert_string_equal(self_mapping(&self, region)->module, "[anon:v8]");
	region = address_space_find(self.space, 0x31000);
	assert_string_equal(self_mapping(&self, region)->module, "[anon]");
	region = address_space_find(self.space, 0x32000);
	assert_string_equal(self_mapping(&self, region)->module, "[vsyscall]");
	assert_null(address_space_image(self.space, region, &bias));
	unlink(link);
	rmdir(dir);
	self_finish(&self);
}

static void test_what_is_not_a_file_does_not_hang(void **state)
{
	(void)state;
	struct self self = self_open();
	char dir[] = "./maps-XXXXXX", fifo[64], full[4096], text[8192];
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/lib.so", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_non_null(realpath(fifo, full));
	struct stat status, tty;
	assert_int_equal(stat(fifo, &status), 0);
	assert_int_equal(stat("/dev/tty", &tty), 0);
	snprintf(text, sizeof(text),
		"10000-20000 r-xp 00000000 %02x:%02x %lu %s\n"
		"20000-30000 r-xp 00000000 %02x:%02x %lu /dev/tty\n",
		major(status.st_dev), minor(status.st_dev), (unsigned long)status.st_ino,
		full, major(tty.st_dev), minor(tty.st_dev), (unsigned long)tty.st_ino);
	self_parse(&self, text);
	for (uint64_t at = 0x10000; at < 0x30000; at += 0x10000) {
		const struct region *region = address_space_find(self.space, at);
		uint64_t bias;
		assert_null(address_space_image(self.space, region, &bias));
	}
	unlink(fifo);
	rmdir(dir);
	self_finish(&self);
}

static void test_text_of_any_shape_is_survived(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"\n\n\n",
		"-",
		"1000",
		"1000-2000",
		"1000-2000 r-x",
		"1000-2000 r-xp 0 0:0",
		"2000-1000 r-xp 00000000 00:00 0\n",
		"1000-1000 r-xp 00000000 00:00 0\n",
		"11112222333344445-2 r-xp 00000000 00:00 0\n",
		"g000-h000 r-xp 00000000 00:00 0\n",
		"1000-2000 r-xp 00000000 00:00 99999999999999999999999999 /x\n",
	};
	struct self self = self_open();
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		self_parse(&self, texts[i]);
		if (i < 10)
			assert_null(address_space_find(self.space, 0x1000));
	}
	/* No newline at the end, no path, no space after the inode; a line twice; one
	   that overlaps. */
	self_parse(&self,
		"1000-2000 r-xp 00000000 00:00 0\n1000-2000 r-xp 00000000 00:00 0\n"
		"1800-3000 r-xp 00000000 00:00 0\n4000-5000 r-xp 00000000 00:00 0");
	assert_non_null(address_space_find(self.space, 0x1fff));
	assert_null(address_space_find(self.space, 0x2000));
	assert_non_null(address_space_find(self.space, 0x4fff));
	assert_true(address_space_parse(self.space, "", 0));
	assert_null(address_space_find(self.space, 0x1000));
	self_finish(&self);
}

static void test_memory_of_no_file(void **state)
{
	(void)state;
	struct self self = self_open();
	struct stack_link link = {0};
	uint64_t changes = 0;
	self_parse(&self, "1000-2000 rw-p 00000000 08:01 7 /bin/x\n"
			  "2000-3000 rw-p 00000000 00:00 0\n"
			  "3000-5000 ---p 00000000 00:00 0\n"
			  "6000-7000 rw-p 00000000 00:00 0 [heap]\n"
			  "7000-8000 r--p 00000000 00:00 0 [vvar]\n"
			  "8000-9000 r-xp 00000000 00:00 0 [vdso]\n"
			  "9000-a000 rw-s 00000000 00:01 9 /dev/zero (deleted)\n"
			  "a000-b000 rw-p 00000000 00:00 0 [stack]\n");
	assert_true(address_space_anonymous(self.space, &link, &changes));
	assert_int_equal(link.n_areas, 3);
	assert_int_equal(link.areas[0].low, 0x2000);
	assert_int_equal(link.areas[0].high, 0x5000); /* neighbours are one */
	assert_int_equal(link.areas[1].low, 0x6000);
	assert_int_equal(link.areas[1].high, 0x7000);
	assert_int_equal(link.areas[2].low, 0xa000);
	assert_false(address_space_anonymous(self.space, &link, &changes));
	self_parse(&self, "1000-2000 rw-p 00000000 00:00 0\n");
	assert_true(address_space_anonymous(self.space, &link, &changes));
	assert_int_equal(link.n_areas, 1);
	self_finish(&self);
}

static void test_sixty_thousand_lines(void **state)
{
	(void)state;
	enum {
		LINES = 60000
	};
	struct self self = self_open();
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (unsigned i = 0; i < LINES; i++)
		fprintf(out, "%x-%x r-%cp 00000000 00:00 0%s\n", 0x100000 + i * 0x2000,
			0x101000 + i * 0x2000, i % 2 ? 'x' : '-', i % 3 ? "" : " [heap]");
	fclose(out);
	uint64_t now = UINT64_C(5000000000);
	address_space_refresh_if_due(self.space, now, true);
	self_parse(&self, text);
	for (unsigned i = 0; i < LINES; i++) {
		uint64_t at = 0x100000 + (uint64_t)i * 0x2000;
		const struct region *region = address_space_find(self.space, at + 0xfff);
		assert_int_equal(region->start, at);
		assert_true((region->mapping != PROFILE_NONE) == (i % 2 == 1));
		assert_null(address_space_find(self.space, at + 0x1000));
	}
	/* So many are not read again ten times a second. */
	assert_false(address_space_refresh_if_due(self.space, now + 3000000000, true));
	assert_true(address_space_refresh_if_due(self.space, now + 3100000000, true));
	assert_null(address_space_find(self.space, 0x100000));
	free(text);
	self_finish(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapping_keeps_its_id_while_it_is_the_same),
		cmocka_unit_test(test_only_code_that_goes_is_a_loss),
		cmocka_unit_test(test_paths_are_cleaned_and_opened_as_they_are),
		cmocka_unit_test(test_what_is_not_a_file_does_not_hang),
		cmocka_unit_test(test_text_of_any_shape_is_survived),
		cmocka_unit_test(test_memory_of_no_file),
		cmocka_unit_test(test_sixty_thousand_lines),
	};
	return unit_run(tests);
}
