/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hostile unwind tables: bytes of .eh_frame and .eh_frame_hdr are changed at random, by a
   seed, and random stacks are unwound with them. Every walk must end, and stay in bounds,
   which the build with sanitizers checks. That a stack is wrong cannot be detected
   here. */

#include "tests/lib/compiled.h"
#include "tests/lib/self.h"
#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/unwind/unwinder.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum {
	STACK_WORDS = 1024,
	MUTATIONS = 60,
	WALKS = 60, /* over each */
	STACK_BASE = 0x7e0000,
};

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

struct library {
	unsigned char *bytes;
	size_t size;
	size_t tables[2], table_bytes[2]; /* .eh_frame, .eh_frame_hdr; 0: there is none */
	size_t text, text_bytes;
};

static struct library read_library(const struct compiled *compiled, const char *name)
{
	struct library library = {NULL, 0, {0, 0}, {0, 0}, 0, 0};
	struct stat status;
	int fd = compiled_open(compiled, name);
	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	library.size = (size_t)status.st_size;
	library.bytes = mem_alloc(library.size);
	assert_int_equal(read(fd, library.bytes, library.size), status.st_size);
	close(fd);

	Elf64_Ehdr header;
	memcpy(&header, library.bytes, sizeof(header));
	const unsigned char *sections = library.bytes + header.e_shoff;
	Elf64_Shdr names, section;
	memcpy(&names, sections + header.e_shstrndx * sizeof(names), sizeof(names));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		memcpy(&section, sections + i * sizeof(section), sizeof(section));
		const char *text =
			(const char *)library.bytes + names.sh_offset + section.sh_name;
		int table = strcmp(text, ".eh_frame") == 0	 ? 0
			    : strcmp(text, ".eh_frame_hdr") == 0 ? 1
								 : -1;
		if (table >= 0) {
			library.tables[table] = section.sh_offset;
			library.table_bytes[table] = section.sh_size;
		} else if (strcmp(text, ".text") == 0) {
			library.text = section.sh_offset;
			library.text_bytes = section.sh_size;
		}
	}
	assert_true(library.tables[0] > 0 && library.text > 0);
	return library;
}

/* One to eight bytes of one table, and in a third of the cases a whole run of them. */
static void spoil(struct library *library, uint64_t *seed)
{
	unsigned which = next_random(seed) % 4 == 0 && library->tables[1];
	unsigned char *table = library->bytes + library->tables[which];
	size_t size = library->table_bytes[which];
	for (uint64_t left = 1 + next_random(seed) % 8; left > 0; left--)
		table[next_random(seed) % size] = (unsigned char)next_random(seed);
	if (next_random(seed) % 3 == 0) {
		size_t start = next_random(seed) % size;
		size_t length = next_random(seed) % 64;
		memset(table + start, (int)next_random(seed),
			length < size - start ? length : size - start);
	}
}

/* Code addresses, stack addresses, small numbers and nonsense. */
static void fill(
	struct snapshot *snapshot, uint64_t code, size_t code_bytes, uint64_t *seed)
{
	uint64_t words[STACK_WORDS];
	for (size_t i = 0; i < STACK_WORDS; i++) {
		uint64_t value = next_random(seed);
		switch (value % 4) {
		case 0:
			words[i] = code + (value >> 8) % code_bytes;
			break;
		case 1:
			words[i] = STACK_BASE + (value >> 8) % sizeof(words);
			break;
		case 2:
			words[i] = (value >> 8) % 100;
			break;
		default:
			words[i] = value;
		}
	}
	memcpy(snapshot->stack, words, sizeof(words));
	snapshot->stack_address = STACK_BASE;
	snapshot->stack_length = sizeof(words);
	snapshot->stack_cut = next_random(seed) % 2;
	snapshot->known.known = ARCH_ALL;
	for (unsigned i = 0; i < ARCH_REGISTERS; i++)
		snapshot->known.values[i] = words[next_random(seed) % STACK_WORDS];
	snapshot->known.values[arch_sp] =
		STACK_BASE + next_random(seed) % (sizeof(words) / 2) / 8 * 8;
	snapshot->known.values[arch_pc] = code + next_random(seed) % code_bytes;
}

/* Map the file as a target would, and walk. Returns how many stacks were longer than the
   leaf. */
static unsigned walk(const struct compiled *compiled, const struct library *library,
	uint64_t *seed, struct snapshot *snapshot, struct callchain *chain)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/spoilt.so", compiled->dir);
	unlink(path);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, library->bytes, library->size), library->size);
	size_t page_text = library->text & ~(size_t)4095;
	size_t length = library->text + library->text_bytes - page_text;
	unsigned char *code = mmap(
		NULL, length, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)page_text);
	close(fd);
	assert_true(code != MAP_FAILED);

	struct error err;
	struct self self = self_open();
	struct unwinder *unwinder = unwinder_create(self.space, &err);
	unsigned longer = 0;
	for (int i = 0; i < WALKS; i++) {
		fill(snapshot, (uint64_t)(uintptr_t)code + library->text - page_text,
			library->text_bytes, seed);
		snapshot->time_ns = 1; /* the mappings are not looked at again */
		unwinder_unwind(unwinder, snapshot, chain);
		assert_in_range(chain->length, 1, CALLCHAIN_MAX);
		assert_in_range(chain->end, 0, UNWIND_END_COUNT - 1);
		longer += chain->length > 1;
	}
	unwinder_destroy(unwinder);
	self_finish(&self);
	munmap(code, length);
	return longer;
}

static void check(const char *options)
{
	struct compiled compiled = compiled_begin();
	const char *srcdir = getenv("srcdir") ? getenv("srcdir") : ".";
	char source[4096];
	assert_non_null(realpath(srcdir, source));
	if (!compiled_run(&compiled,
		    "$CC -O1 -g0 -shared -fPIC -Wl,-z,noseparate-code %s "
		    "'%s/tests/targets/steps.c' -lm -o steps.so",
		    options, source)) {
		compiled_end(&compiled);
		print_message("# cannot build a library here\n");
		skip();
	}
	struct library whole = read_library(&compiled, "steps.so");
	struct snapshot *snapshot = mem_zalloc(sizeof(*snapshot) + STACK_WORDS * 8);
	struct callchain *chain = mem_zalloc(sizeof(*chain));
	unsigned char *saved = mem_alloc(whole.size);
	memcpy(saved, whole.bytes, whole.size);
	unsigned longer = 0;
	for (uint64_t mutation = 1; mutation <= MUTATIONS; mutation++) {
		uint64_t seed = mutation * UINT64_C(0x9e3779b97f4a7c15);
		memcpy(whole.bytes, saved, whole.size);
		if (mutation > 1)
			spoil(&whole, &seed);
		longer += walk(&compiled, &whole, &seed, snapshot, chain);
	}
	print_message(
		"# %u of %u stacks had a second frame\n", longer, MUTATIONS * WALKS);
	assert_true(longer > 0);
	free(saved);
	free(chain);
	free(snapshot);
	free(whole.bytes);
	compiled_end(&compiled);
}

static void test_tables_with_an_index(void **state)
{
	(void)state;
	check("");
}

static void test_tables_without(void **state)
{
	(void)state;
	check("-Wl,--no-eh-frame-hdr");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_with_an_index),
		cmocka_unit_test(test_tables_without),
	};
	return unit_run(tests);
}
