/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-plt: the stubs of several linkers and compilers, compared with objdump. */

#include "tests/lib/compiled.h"

#include "src/read/elf/code-names.h"

#include <inttypes.h>

/* strlen is called and its address taken: with -z now that is .plt.got. */
static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"size_t (*volatile length)(const char *) = strlen;\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	char text[64];\n"
	"	snprintf(text, sizeof(text), \"%d\", argc);\n"
	"	qsort(text, strlen(text), 1, (int (*)(const void *, const void "
	"*))length);\n"
	"	return atoi(text) + (int)strlen(argv[0]) + (int)length(text);\n"
	"}\n";

/* Every stub that objdump names has that name here, from its first byte to its last; how
   many there are. The program is stripped: no symbol table helps. */
static unsigned compare(struct compiled *compiled, const char *file)
{
	char command[512], line[512];
	struct elf_image *image = compiled_image(compiled, file);
	struct code_names *names = code_names_create(image, "", "");
	unsigned stubs = 0;

	snprintf(command, sizeof(command),
		"cd '%s' && objdump -d --no-show-raw-insn %s 2>/dev/null | grep '@plt>:'",
		compiled->dir, file);
	FILE *in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		uint64_t vaddr;
		char expected[256];
		if (sscanf(line, "%" SCNx64 " <%255[^>]>:", &vaddr, expected) != 2)
			continue;
		for (uint64_t at = vaddr; at < vaddr + 8; at++) {
			const struct elf_symbol *symbol = code_names_symbol(names, at);
			if (!symbol)
				fail_msg("%s: no name at 0x%" PRIx64 ", objdump: %s",
					file, at, expected);
			assert_string_equal(symbol->name, expected);
			assert_int_equal(symbol->vaddr, vaddr);
		}
		stubs++;
	}
	pclose(in);
	code_names_destroy(names);
	elf_image_destroy(image);
	return stubs;
}

static void test_stubs_have_the_names_that_objdump_gives(void **state)
{
	(void)state;
	static const char *const flags[] = {
		"-Wl,-z,lazy",
		"-Wl,-z,now",
		"-no-pie -Wl,-z,lazy",
		"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy",
		"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now",
		"-fuse-ld=gold -Wl,-z,lazy",
		"-fuse-ld=lld -Wl,-z,lazy",
	};
	struct compiled compiled = compiled_begin();
	unsigned compared = 0;

	compiled_write(&compiled, "calls.c", source);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (!compiled_run(&compiled,
			    "$CC -O1 -fno-builtin -s %s -o calls calls.c", flags[i]))
			continue;
		unsigned stubs = compare(&compiled, "calls");
		print_message("# %s: %u stubs\n", flags[i], stubs);
		compared += stubs > 0;
	}
	bool has_tools = compiled_run(&compiled, "test -e calls && objdump --version");
	compiled_end(&compiled);
	if (!has_tools)
		skip();
	assert_in_range(compared, 3, sizeof(flags) / sizeof(*flags));
}

/* A static program's stubs choose among several memcpy: they are called as what
   chooses. */
static void test_stubs_of_a_static_program(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	unsigned stubs = 0;

	compiled_write(&compiled, "calls.c", source);
	if (!compiled_run(&compiled, "$CC -O1 -fno-builtin -static -o calls calls.c")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "calls");
	for (uint64_t at = 0x400000; at < 0x402000; at += 8) {
		const struct elf_symbol *symbol = elf_image_plt_symbol(image, at);
		stubs += symbol && strcmp(symbol->name, "strlen@plt") == 0;
	}
	elf_image_destroy(image);
	compiled_end(&compiled);
	assert_in_range(stubs, 1, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stubs_have_the_names_that_objdump_gives),
		cmocka_unit_test(test_stubs_of_a_static_program),
	};
	return unit_run(tests);
}
