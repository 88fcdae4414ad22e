/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assembly: functions of files, of which no process is left. */
#include "tests/lib/begins.h"
#include "tests/lib/compiled.h"

#include "src/run/profiles/code-means.h"

#include <sys/stat.h>

static const char library[] = "int getpid(void);\n"
			      "int twice(int x) { return 2 * x + getpid(); }\n";

struct file_fixture {
	struct compiled compiled;
	struct profile *profile;
	struct analyst *analyst;
	struct annotated_means means;
	char path[128], build_id[64];
	uint64_t offset, vaddr; /* of twice */
	uint64_t serial;
};

static struct file_fixture begin_files(void)
{
	struct file_fixture f = {0};
	struct options options = {.with_lines = false};
	struct error err = {""};
	f.analyst = code_means_analyst(&options, &err);
	assert_non_null(f.analyst);
	code_means_fill(&f.means, f.analyst);
	f.compiled = compiled_begin();
	f.profile = profile_create();
	compiled_write(&f.compiled, "a.c", library);
	if (!compiled_run(&f.compiled,
		    "$CC -O1 -shared -fPIC -fplt -Wl,--build-id a.c -o a.so")) {
		compiled_end(&f.compiled);
		skip();
	}
	snprintf(f.path, sizeof(f.path), "%s/a.so", f.compiled.dir);
	struct elf_image *image = compiled_image(&f.compiled, "a.so");
	snprintf(f.build_id, sizeof(f.build_id), "%s", elf_image_build_id(image));
	for (uint64_t at = 0; at < 1 << 16 && !f.vaddr; at++) {
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		if (symbol && strcmp(symbol->name, "twice") == 0)
			f.vaddr = at;
	}
	assert_true(f.vaddr != 0);
	while (f.offset < 1 << 16) {
		uint64_t vaddr;
		if (elf_image_vaddr_of_offset(image, f.offset, &vaddr))
			break;
		f.offset += 4096;
	}
	elf_image_destroy(image);
	return f;
}

static void finish_files(struct file_fixture *f)
{
	analyst_destroy(f->analyst);
	profile_unref(f->profile);
	compiled_end(&f->compiled);
}

static struct assembly *file_at(
	struct file_fixture *f, const char *path, const char *build_id)
{
	struct mapping mapping = {
		.start = 0x7f0000000000 + f->offset,
		.limit = 0x7f0000100000,
		.file_offset = f->offset,
		.path = path,
		.module = "a.so",
		.build_id = build_id,
	};
	struct assembly_request request = {
		.serial = ++f->serial,
		.profile = f->profile,
		.mapping = profile_add_mapping(f->profile, &mapping),
		.address = 0x7f0000000000 + f->vaddr,
	};
	return f->means.assemble(f->means.context, &request);
}

static void expect_problem(
	struct file_fixture *f, const char *path, const char *build_id, const char *what)
{
	struct assembly *assembly = file_at(f, path, build_id);
	if (!strstr(assembly->problem, what))
		fail_msg("'%s' does not say '%s'", assembly->problem, what);
	assert_int_equal(assembly->n_instructions, 0);
	assembly_destroy(assembly);
}

static void test_a_function_of_a_file(void **state)
{
	(void)state;
	struct file_fixture f = begin_files();
	struct assembly *assembly = file_at(&f, f.path, f.build_id);
	assert_string_equal(assembly->problem, "");
	assert_string_equal(assembly->name, "twice");
	assert_int_equal(assembly->start, 0x7f0000000000 + f.vaddr);
	assert_int_equal(assembly->start - assembly->bias, f.vaddr);
	assert_int_equal(assembly->origin, ASSEMBLY_OF_FILE);
	assert_int_equal(assembly->check, ASSEMBLY_NO_MEMORY);
	assert_string_equal(assembly->remark, "");
	size_t calls = 0;
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		const struct instruction *insn = &assembly->instructions[i];
		if (insn->kind != INSTRUCTION_CALL)
			continue;
		calls++;
		assert_string_equal(insn->target_name, "getpid@plt");
	}
	assert_int_equal(calls, 1);
	assembly_destroy(assembly);

	assembly = file_at(&f, f.path, ""); /* nobody says that it is the one */
	assert_string_equal(assembly->name, "twice");
	assert_non_null(strstr(assembly->remark, "does not say whether"));
	assembly_destroy(assembly);
	finish_files(&f);
}

static void test_files_that_are_not_the_one_are_named(void **state)
{
	(void)state;
	struct file_fixture f = begin_files();
	char fifo[160], text[160];
	snprintf(fifo, sizeof(fifo), "%s/fifo", f.compiled.dir);
	snprintf(text, sizeof(text), "%s/a.c", f.compiled.dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_problem(&f, f.path, "00112233445566778899", "another version");
	expect_problem(&f, "/no/such/file", f.build_id, "No such file");
	expect_problem(&f, fifo, f.build_id, "not a regular file");
	expect_problem(&f, text, f.build_id, "");
	expect_problem(&f, "[anon]", "", "in no file");
	expect_problem(&f, "", "", "in no file");

	struct assembly_request request = {.profile = f.profile, .mapping = PROFILE_NONE};
	struct assembly *assembly = f.means.assemble(f.means.context, &request);
	assert_non_null(strstr(assembly->problem, "no addresses"));
	assembly_destroy(assembly);
	finish_files(&f);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_of_a_file),
		cmocka_unit_test(test_files_that_are_not_the_one_are_named),
	};
	return unit_run(tests);
}
