/* SPDX-License-Identifier: GPL-2.0-or-later */
/* address-space: this process as the target. */

#include "tests/lib/self.h"

#include "src/base/clock.h"
#include "src/base/rights/sanitized.h"
#include "src/process/map-query.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_main_executable_comes_first(void **state)
{
	(void)state;
	struct self self = self_open();
	uint64_t here = (uint64_t)(uintptr_t)test_main_executable_comes_first;
	const struct region *region = address_space_find(self.space, here);
	assert_non_null(region);
	assert_int_equal(region->mapping, 0);
	const struct mapping *mapping = self_mapping(&self, region);
	assert_true(mapping->is_main);
	assert_string_equal(mapping->module, "unit-address-space");
	assert_int_equal(mapping->start, region->start);

	uint64_t bias = 0;
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	Dl_info info;
	assert_true(dladdr((void *)test_main_executable_comes_first, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	unsigned char bytes[32];
	assert_true(elf_image_read(image, here - bias, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, (void *)(uintptr_t)here, sizeof(bytes));
	self_finish(&self);
}

static void test_library_and_vdso_have_images(void **state)
{
	(void)state;
	struct self self = self_open();
	const void *inside = dlsym(RTLD_DEFAULT, "hcreate");
	const struct region *libc =
		address_space_find(self.space, (uint64_t)(uintptr_t)inside);
	assert_non_null(libc);
	uint64_t bias = 0;
	assert_non_null(address_space_image(self.space, libc, &bias));
	Dl_info info;
	assert_true(dladdr(inside, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	assert_false(self_mapping(&self, libc)->is_main);
	assert_int_equal(strlen(self_mapping(&self, libc)->build_id), 40);

	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	const struct region *vdso = address_space_find(self.space, start);
	if (start) {
		assert_non_null(vdso);
		assert_non_null(address_space_image(self.space, vdso, &bias));
		assert_int_equal(bias, start);
		assert_string_equal(self_mapping(&self, vdso)->module, "[vdso]");
	}
	self_finish(&self);
}

static void test_memory_is_read_until_it_ends(void **state)
{
	(void)state;
	struct self self = self_open();
	char text[] = "what is here", copy[sizeof(text)];
	uint64_t at = (uint64_t)(uintptr_t)text;
	assert_int_equal(
		address_space_read(self.space, at, copy, sizeof(copy)), sizeof(copy));
	assert_string_equal(copy, text);
	assert_int_equal(address_space_read(self.space, 0, copy, 1), 0);
	assert_int_equal(address_space_read(self.space, UINT64_MAX, copy, 1), 0);
	self_finish(&self);
}

/* Now a sample is taken. */
static void sample_now(struct self *self)
{
	static struct snapshot record;
	record.time_ns = clock_monotonic_ns();
	address_space_at(self->space, &record);
}

/* As a compiler maps memory: reserved first, and then a piece of it becomes code, and another one;
   each is found out about without reading all mappings, and the rest stays as it was. */
static void test_the_kernel_is_asked_for_one_mapping(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *reserved =
		mmap(NULL, 8 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)reserved;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool answers = map_query_is_answered(maps);
	close(maps);
	if (!answers)
		skip();
	struct self self = self_open();
	uint64_t losses = address_space_losses(self.space);
	size_t code_at[] = {2, 5};
	for (int i = 0; i < 2; i++) {
		uint64_t code = at + code_at[i] * page;
		assert_int_equal(mprotect(reserved + code_at[i] * page, page,
					 PROT_READ | PROT_EXEC),
			0);
		sample_now(&self);
		assert_int_equal(address_space_find(self.space, code)->permissions, 0);
		assert_true(address_space_learn(self.space, clock_monotonic_ns()));
		const struct region *region = address_space_find(self.space, code);
		assert_int_equal(region->permissions, REGION_READ | REGION_EXECUTE);
		assert_int_equal(region->start, code);
		assert_int_equal(region->limit, code + page);
		assert_string_equal(self_mapping(&self, region)->module, "[anon]");
		assert_int_equal(
			address_space_find(self.space, code + page)->permissions, 0);
		assert_int_equal(
			address_space_find(self.space, code - 1)->permissions, 0);
		/* What is only reserved is asked about, but nothing new. */
		assert_false(address_space_learn(self.space, clock_monotonic_ns()));
	}
	/* The two pieces and what is between them become one: no code has gone. */
	assert_int_equal(mprotect(reserved + page, 6 * page, PROT_READ | PROT_EXEC), 0);
	sample_now(&self);
	address_space_find(self.space, at + 4 * page);
	assert_true(address_space_learn(self.space, clock_monotonic_ns()));
	assert_int_equal(address_space_find(self.space, at + 2 * page)->start, at + page);
	assert_int_equal(address_space_losses(self.space), losses);
	/* Nothing is there any more, and a reading says so. */
	munmap(reserved, 8 * page);
	assert_true(address_space_refresh(self.space));
	assert_null(address_space_find(self.space, at + 2 * page));
	assert_int_equal(address_space_losses(self.space), losses + 1);
	sample_now(&self);
	assert_null(address_space_find(self.space, at + 2 * page));
	assert_false(address_space_learn(self.space, clock_monotonic_ns()));
	self_finish(&self);
}

static void test_new_code_is_found_after_a_refresh(void **state)
{
	(void)state;
	struct self self = self_open();
	uint64_t before = address_space_generation(self.space);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(
		NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)code;
	assert_null(address_space_find(self.space, at));
	uint64_t now = UINT64_C(5000000000);
	assert_true(address_space_refresh_if_due(self.space, now, true));
	assert_int_equal(address_space_generation(self.space), before); /* no file's */
	const struct region *region = address_space_find(self.space, at);
	assert_non_null(region);
	assert_string_equal(region->path, "");
	assert_string_equal(self_mapping(&self, region)->path, "[anon]");
	assert_string_equal(self_mapping(&self, region)->module, "[anon]");
	uint64_t bias;
	assert_null(address_space_image(self.space, region, &bias));

	/* What changes may change again at once. */
	munmap(code, page);
	assert_false(address_space_refresh_if_due(self.space, now + 999999999, false));
	assert_non_null(address_space_find(self.space, at));
#ifdef SANITIZED /* a reading costs it more, and then there is no hurry */
	now += 200000000;
#endif
	assert_true(address_space_refresh_if_due(self.space, now + 1, true));
	assert_null(address_space_find(self.space, at));

#ifndef SANITIZED		 /* which maps memory of its own at any time */
	free(malloc(100 << 10)); /* so that the heap need not grow, which is a change */
	address_space_refresh(self.space);
	/* What does not is read four times more, and then not before 100 ms have
	   passed. */
	for (int i = 0; i < 4; i++)
		assert_false(address_space_refresh_if_due(self.space, now + 2, true));
	assert_ptr_equal(mmap(code, page, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		code);
	assert_false(address_space_refresh_if_due(self.space, now + 100000001, true));
	assert_null(address_space_find(self.space, at));
	assert_true(address_space_refresh_if_due(self.space, now + 100000002, true));
	assert_non_null(address_space_find(self.space, at));
	munmap(code, page);
	assert_true(address_space_refresh_if_due(self.space, now + 100000003, true));
#endif
	assert_null(address_space_find(self.space, at));
	self_finish(&self);
}

/* LLD does not align p_offset: the mapping's offset is in no segment, exactly taken. */
static void test_file_linked_by_lld(void **state)
{
	(void)state;
	char dir[] = "./lld-XXXXXX", source[64], library[64], command[512];
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	assert_non_null(mkdtemp(dir));
	snprintf(source, sizeof(source), "%s/tiny.c", dir);
	snprintf(library, sizeof(library), "%s/libtiny.so", dir);
	FILE *out = fopen(source, "w");
	fputs("int inside(int x) { return x * 3; }\n", out);
	fclose(out);
	snprintf(command, sizeof(command),
		"%s -O1 -fPIC -shared -nostdlib -fuse-ld=lld -o %s %s 2>/dev/null", cc,
		library, source);
	void *tiny = system(command) == 0 ? dlopen(library, RTLD_NOW) : NULL;
	if (tiny) {
		struct self self = self_open();
		const void *inside = dlsym(tiny, "inside");
		Dl_info info;
		assert_true(dladdr(inside, &info) != 0);
		const struct region *region =
			address_space_find(self.space, (uintptr_t)inside);
		uint64_t bias = 0;
		struct elf_image *image = address_space_image(self.space, region, &bias);
		assert_non_null(image);
		assert_int_equal(bias, (uintptr_t)info.dli_fbase);
		const struct elf_symbol *symbol =
			elf_image_symbol(image, (uintptr_t)inside - bias);
		assert_string_equal(symbol->name, "inside");
		struct elf_unwind_table table;
		assert_true(elf_image_unwind_table(image, &table));
		self_finish(&self);
		dlclose(tiny);
	}
	unlink(source);
	unlink(library);
	rmdir(dir);
	if (!tiny)
		skip(); /* no LLD here */
}

/* This process's maps, with the lines of FROM's file pretending to be of another one. */
static char *forge_maps(const char *module, const char *new_path)
{
	FILE *in = fopen("/proc/self/maps", "re");
	char *text = NULL, line[4352];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	while (fgets(line, sizeof(line), in)) {
		char *path = strchr(line, '/');
		int inode_at = 0;
		if (!path || !strstr(path, module)) {
			fputs(line, out);
			continue;
		}
		sscanf(line, "%*s %*s %*s %*s %n", &inode_at);
		fprintf(out, "%.*s4000000007 %s\n", inode_at, line, new_path);
	}
	fclose(in);
	fclose(out);
	return text;
}

static void test_deleted_file_is_read_from_memory(void **state)
{
	(void)state;
	struct self self = self_open();
	char *text = forge_maps("/libc.so.6", "/gone/libc.so.6 (deleted)");
	self_parse(&self, text);
	const unsigned char *inside = dlsym(RTLD_DEFAULT, "hcreate");
	const struct region *region = address_space_find(self.space, (uintptr_t)inside);
	assert_non_null(region);
	assert_int_equal(region->inode, 4000000007);
	assert_string_equal(
		self_mapping(&self, region)->path, "/gone/libc.so.6 (deleted)");
	assert_string_equal(self_mapping(&self, region)->module, "libc.so.6");
	assert_int_equal(strlen(self_mapping(&self, region)->build_id), 40);

	uint64_t bias = 0;
	struct elf_image *image = address_space_image(self.space, region, &bias);
	assert_non_null(image);
	Dl_info info;
	assert_true(dladdr(inside, &info) != 0);
	assert_int_equal(bias, (uintptr_t)info.dli_fbase);
	struct elf_unwind_table table;
	assert_true(elf_image_unwind_table(image, &table));
	unsigned char bytes[64];
	assert_true(
		elf_image_read(image, (uintptr_t)inside - bias, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, inside, sizeof(bytes));
	assert_null(elf_image_symbol(image, (uintptr_t)inside - bias));
	free(text);
	self_finish(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_main_executable_comes_first),
		cmocka_unit_test(test_library_and_vdso_have_images),
		cmocka_unit_test(test_memory_is_read_until_it_ends),
		cmocka_unit_test(test_the_kernel_is_asked_for_one_mapping),
		cmocka_unit_test(test_new_code_is_found_after_a_refresh),
		cmocka_unit_test(test_file_linked_by_lld),
		cmocka_unit_test(test_deleted_file_is_read_from_memory),
	};
	return unit_run(tests);
}
