/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-go: tables of three versions, made here, and tables that lie. */

#include "tests/lib/compiled.h"

#include "src/read/elf/elf-go.h"

enum {
	TABLE_BYTES = 1024,
	TEXT = 0x1000
};

struct made {
	unsigned char bytes[TABLE_BYTES];
};

static void put32(struct made *made, size_t at, uint32_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

static void put64(struct made *made, size_t at, uint64_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

/* Two functions, one.Two at TEXT and three at TEXT + 0x20, both in a.go: one.Two has line
   10 in its first 8 bytes and 12 behind; three has line 3. */
static struct made make_table(uint32_t magic)
{
	struct made made = {{0}};
	bool old = magic == 0xfffffffa;
	size_t word = 8 + 8 * (old ? 2 : 3);
	static const uint64_t parts[] = {0x100, 0x140, 0x160, 0x180, 0x200};
	put32(&made, 0, magic);
	made.bytes[6] = 1;
	made.bytes[7] = 8;
	put64(&made, 8, 2);
	put64(&made, 16, 1);
	if (!old)
		put64(&made, 24, TEXT);
	for (size_t i = 0; i < 5; i++)
		put64(&made, word + 8 * i, parts[i]);
	memcpy(made.bytes + 0x100, "\0one.Two\0three", 15);
	put32(&made, 0x140, 1); /* file 0 of unit 0 */
	memcpy(made.bytes + 0x160, "\0/src/a.go", 11);
	/* lists: file 0 for 0x40; lines 10 for 8, 12 for 0x18; line 3 for 0x10 */
	memcpy(made.bytes + 0x180, "\0\x02\x40\0\x16\x08\x04\x18\0\x08\x10\0", 12);
	for (size_t i = 0; i < 3; i++) {
		uint64_t entry = i == 2 ? 0x30 : i * 0x20, record = 0x80 + i * 0x40;
		if (old) {
			put64(&made, 0x200 + 16 * i, TEXT + entry);
			put64(&made, 0x208 + 16 * i, record);
		} else {
			put32(&made, 0x200 + 8 * i, (uint32_t)entry);
			put32(&made, 0x204 + 8 * i, (uint32_t)record);
		}
		if (i == 2)
			break;
		size_t at = 0x200 + record + (old ? 8 : 4);
		put32(&made, at, i ? 9 : 1);	  /* name */
		put32(&made, at + 16, 1);	  /* pcfile */
		put32(&made, at + 20, i ? 9 : 4); /* pcln */
		put32(&made, at + 28, 0);	  /* unit */
		if (magic == 0xfffffff1)
			put32(&made, at + 32, 10 + (uint32_t)i);
	}
	return made;
}

/* Put the table into a program as its only section of that name. */
static struct elf_image *image_of(
	struct compiled *compiled, const struct made *made, bool *has_tools)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/table", compiled->dir);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fwrite(made->bytes, 1, sizeof(made->bytes), out);
	fclose(out);
	*has_tools = compiled_run(compiled,
		"test -e empty || { echo 'int one;' | $CC -shared -nostdlib -s -o empty "
		"-xc - ; } && "
		"objcopy --add-section .gopclntab=table empty with");
	return *has_tools ? compiled_image(compiled, "with") : NULL;
}

static void assert_line(struct elf_go *go, uint64_t vaddr, const char *function,
	uint32_t line, uint32_t start_line)
{
	struct elf_go_line found;
	if (!function) {
		assert_false(elf_go_line(go, vaddr, &found));
		return;
	}
	assert_true(elf_go_line(go, vaddr, &found));
	assert_string_equal(found.function, function);
	assert_string_equal(found.file, "/src/a.go");
	assert_int_equal(found.line, line);
	assert_int_equal(found.start_line, start_line);
}

static void test_tables_of_three_versions(void **state)
{
	(void)state;
	static const uint32_t magics[] = {0xfffffffa, 0xfffffff0, 0xfffffff1};
	struct compiled compiled = compiled_begin();
	bool has_tools = true;
	for (size_t i = 0; i < 3 && has_tools; i++) {
		struct made made = make_table(magics[i]);
		struct elf_image *image = image_of(&compiled, &made, &has_tools);
		if (!image)
			break;
		struct elf_go *go = elf_go_open(image);
		assert_non_null(go);
		uint32_t start = i == 2 ? 10 : 0;
		assert_line(go, TEXT - 1, NULL, 0, 0);
		assert_line(go, TEXT, "one.Two", 10, start);
		assert_line(go, TEXT + 7, "one.Two", 10, start);
		assert_line(go, TEXT + 8, "one.Two", 12, start);
		assert_line(go, TEXT + 0x1f, "one.Two", 12, start);
		assert_line(go, TEXT + 0x20, "three", 3, i == 2 ? 11 : 0);
		assert_line(go, TEXT + 0x30, NULL, 0, 0);
		assert_line(go, UINT64_MAX, NULL, 0, 0);
		elf_go_close(go);
		elf_image_destroy(image);
	}
	struct made other = make_table(0xfffffffb); /* Go 1.2: too old */
	struct elf_image *image =
		has_tools ? image_of(&compiled, &other, &has_tools) : NULL;
	if (image)
		assert_null(elf_go_open(image));
	elf_image_destroy(image);
	compiled_end(&compiled);
	if (!has_tools)
		skip();
}

/* Every word of the table, set to what might hurt. Nothing is read outside of it (the
   sanitizers look on), and nothing takes for ever. */
static void test_tables_that_lie(void **state)
{
	(void)state;
	static const uint32_t values[] = {
		0, 1, 0x3ff, 0x400, 0x7fffffff, 0x80000000, 0xffffffff};
	static const uint32_t magics[] = {0xfffffffa, 0xfffffff0, 0xfffffff1};
	struct compiled compiled = compiled_begin();
	bool has_tools = true;
	unsigned opened = 0;
	struct made made = make_table(magics[0]);
	elf_image_destroy(image_of(&compiled, &made, &has_tools));
	char path[128];
	snprintf(path, sizeof(path), "%s/with", compiled.dir);
	FILE *file = has_tools ? fopen(path, "r") : NULL;
	static unsigned char whole[1 << 16];
	size_t size = file ? fread(whole, 1, sizeof(whole), file) : 0;
	unsigned char *place =
		size ? memmem(whole, size, made.bytes, sizeof(made.bytes)) : NULL;
	if (file)
		fclose(file);
	for (size_t version = 0; place && version < 3; version++) {
		for (size_t at = 4; at < TABLE_BYTES; at += 4) {
			for (size_t v = 0; v < 7; v++) {
				made = make_table(magics[version]);
				put32(&made, at, values[v]);
				memcpy(place, made.bytes, sizeof(made.bytes));
				struct elf_image *image =
					elf_image_from_memory(whole, size, NULL);
				struct elf_go *go = elf_go_open(image);
				struct elf_go_line line;
				for (uint64_t pc = TEXT - 8; go && pc < TEXT + 64;
					pc += 8)
					elf_go_line(go, pc, &line);
				opened += go != NULL;
				elf_go_close(go);
				elf_image_destroy(image);
			}
		}
	}
	compiled_end(&compiled);
	if (!place)
		skip();
	assert_in_range(opened, 1000, 3 * 7 * TABLE_BYTES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_three_versions),
		cmocka_unit_test(test_tables_that_lie),
	};
	return unit_run(tests);
}
