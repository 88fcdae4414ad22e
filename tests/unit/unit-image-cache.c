/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-cache: one image for all who map a file, and no more memory than was granted. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/elf/image-cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* This program: that it is copied makes another file of it. */
static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static int copy_self(const char *directory, int number)
{
	static char bytes[1 << 16];
	char *path = mem_printf("%s/%d", directory, number);
	int from = open_self(), to = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ssize_t length;
	assert_true(to >= 0);
	while ((length = read(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(to, bytes, (size_t)length), length);
	close(from);
	unlink(path);
	free(path);
	return to;
}

static struct cached_image *open_image(struct image_cache *cache, int fd)
{
	struct error err;
	struct cached_image *cached =
		image_cache_open(cache, fd, "/a/path/of-it", "", &err);
	assert_non_null(cached);
	return cached;
}

int main(void);
extern const char __executable_start; /* the linker's */

/* The address of main in the file. */
static uint64_t find_main(struct image_cache *cache, struct cached_image *cached)
{
	uint64_t start = 0,
		 offset = (uint64_t)((uintptr_t)main - (uintptr_t)&__executable_start);
	struct elf_image *image = image_cache_image(cache, cached);
	assert_true(elf_image_vaddr_of_offset(image, 0, &start));
	return start + offset;
}

/* Is main found, as a sample would find it? */
static bool has_main(
	struct image_cache *cache, struct cached_image *cached, uint64_t vaddr)
{
	const struct elf_symbol *symbol =
		code_names_symbol(image_cache_names(cache, cached), vaddr);
	return symbol && strcmp(symbol->name, "main") == 0;
}

static uint64_t charged(struct image_cache *cache, struct cached_image *cached)
{
	return code_names_charged(image_cache_names(cache, cached));
}

static void test_a_file_is_there_once(void **state)
{
	(void)state;
	struct image_cache *cache = image_cache_create(0);
	struct cached_image *first = open_image(cache, open_self());
	struct cached_image *second = open_image(cache, open_self());
	assert_ptr_equal(first, second);
	uint64_t vaddr = find_main(cache, first);
	image_cache_release(cache, first);
	assert_true(has_main(cache, second, vaddr));
	assert_true(charged(cache, second) > 0);
	image_cache_release(cache, second);
	image_cache_destroy(cache);
}

/* How much the tables of this program take that it needs to find main. */
static uint64_t measure(uint64_t *vaddr)
{
	struct image_cache *cache = image_cache_create(0);
	struct cached_image *cached = open_image(cache, open_self());
	*vaddr = find_main(cache, cached);
	image_cache_step(cache);
	elf_image_forget(image_cache_image(cache, cached), true);
	assert_int_equal(charged(cache, cached), 0);
	assert_true(has_main(cache, cached, *vaddr));
	uint64_t bytes = charged(cache, cached);
	image_cache_release(cache, cached);
	image_cache_destroy(cache);
	return bytes;
}

static void test_what_was_used_longest_ago_goes_first(void **state)
{
	(void)state;
	char directory[] = "/tmp/unit-image-cache.XXXXXX";
	struct cached_image *images[3];
	uint64_t vaddr, bytes = measure(&vaddr);
	assert_non_null(mkdtemp(directory));
	/* room for the tables of two, and for what reading takes besides */
	struct image_cache *cache = image_cache_create(bytes * 5 / 2);
	for (int i = 0; i < 3; i++) {
		images[i] = open_image(cache, copy_self(directory, i));
		assert_true(has_main(cache, images[i], vaddr));
		image_cache_step(cache);
	}
	rmdir(directory);
	assert_true(images[0] != images[1] && images[1] != images[2]);
	assert_int_equal(code_names_charged(image_cache_names(cache, images[0])), 0);
	assert_true(charged(cache, images[2]) > 0);
	assert_string_equal(image_cache_refusal(cache), "");
	image_cache_step(cache);
	/* it is read again, but not for ever */
	assert_true(has_main(cache, images[0], vaddr));
	bool all = true;
	for (int i = 0; i < 30 && all; i++) {
		image_cache_step(cache);
		all = has_main(cache, images[i % 3], vaddr);
	}
	assert_false(all);
	for (int i = 0; i < 3; i++)
		image_cache_names(cache, images[i]);
	assert_non_null(strstr(image_cache_refusal(cache), "symbols of of-it are read"));
	for (int i = 0; i < 3; i++)
		image_cache_release(cache, images[i]);
	image_cache_destroy(cache);
}

static void test_nothing_goes_that_is_in_use(void **state)
{
	(void)state;
	char directory[] = "/tmp/unit-image-cache.XXXXXX";
	uint64_t vaddr, bytes = measure(&vaddr);
	assert_non_null(mkdtemp(directory));
	struct image_cache *cache = image_cache_create(bytes * 5 / 2);
	struct cached_image *one = open_image(cache, open_self());
	struct cached_image *other = open_image(cache, copy_self(directory, 0));
	rmdir(directory);
	assert_true(has_main(cache, one, vaddr));
	const struct elf_symbol *symbol =
		elf_image_symbol(image_cache_image(cache, one), vaddr);
	uint64_t before = charged(cache, one);
	has_main(cache, other, vaddr);
	assert_int_equal(charged(cache, one), before);
	assert_string_equal(symbol->name, "main");
	image_cache_release(cache, other);
	image_cache_release(cache, one);
	image_cache_destroy(cache);
}

static void test_one_file_can_be_too_large(void **state)
{
	(void)state;
	uint64_t vaddr;
	assert_true(measure(&vaddr) > 4096);
	struct image_cache *cache = image_cache_create(4096);
	struct cached_image *cached = open_image(cache, open_self());
	assert_false(has_main(cache, cached, vaddr));
	image_cache_names(cache, cached);
	assert_non_null(strstr(image_cache_refusal(cache), "of-it"));
	assert_true(charged(cache, cached) <= 4096);
	image_cache_release(cache, cached);
	image_cache_destroy(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_there_once),
		cmocka_unit_test(test_what_was_used_longest_ago_goes_first),
		cmocka_unit_test(test_nothing_goes_that_is_in_use),
		cmocka_unit_test(test_one_file_can_be_too_large),
	};
	return unit_run(tests);
}
