/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code-names and debug-file: names that are not in the file itself, and files that only
 * pretend to have them. */

#include "tests/lib/compiled.h"

#include "src/read/debuginfod/debuginfod.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/debug-file.h"

static const char source[] =
	"__attribute__((noinline)) static int hidden(int x) { return x * 5 + 3; }\n"
	"__attribute__((noinline)) static int other(int x) { return hidden(x) * 7; }\n"
	"int shown(int x) { return other(x) + hidden(x + 1); }\n";

struct fixture {
	struct compiled compiled;
	uint64_t hidden, shown; /* addresses in the library */
};

/* "full" is the library with all its symbols, "bare" the same stripped. */
static bool begin(struct fixture *f, const char *flags)
{
	*f = (struct fixture){.compiled = compiled_begin()};
	compiled_write(&f->compiled, "tiny.c", source);
	if (!compiled_run(&f->compiled,
		    "$CC -O1 -g -fPIC -shared %s -o full tiny.c && cp full bare && "
		    "strip bare && objcopy --only-keep-debug full names",
		    flags)) {
		compiled_end(&f->compiled);
		return false;
	}
	struct elf_image *full = compiled_image(&f->compiled, "full");
	for (uint64_t at = 0; at < 0x10000; at++) {
		const struct elf_symbol *symbol = elf_image_symbol(full, at);
		if (symbol && strcmp(symbol->name, "hidden") == 0)
			f->hidden = symbol->vaddr;
		if (symbol && strcmp(symbol->name, "shown") == 0)
			f->shown = symbol->vaddr;
	}
	elf_image_destroy(full);
	assert_true(f->hidden != 0 && f->shown != 0);
	return true;
}

static void assert_name(const struct fixture *f, const char *file, const char *path,
	const char *dirs, uint64_t vaddr, const char *expected)
{
	struct elf_image *image = compiled_image(&f->compiled, file);
	struct code_names *names = code_names_create(image, path, dirs);
	const struct elf_symbol *symbol = code_names_symbol(names, vaddr);
	if (expected) {
		assert_non_null(symbol);
		assert_string_equal(symbol->name, expected);
		/* and again, with everything loaded */
		assert_ptr_equal(code_names_symbol(names, vaddr), symbol);
	} else {
		assert_null(symbol);
	}
	code_names_destroy(names);
	elf_image_destroy(image);
}

static void test_a_debug_file_is_found_by_build_id(void **state)
{
	(void)state;
	struct fixture f;
	if (!begin(&f, "-Wl,--build-id=0xABCDEF0123456789"))
		skip();
	char dirs[200];
	snprintf(dirs, sizeof(dirs), "/nonexistent::%s/debug", f.compiled.dir);
	assert_name(&f, "full", "", "", f.hidden, "hidden");
	assert_name(&f, "bare", "", "", f.shown, "shown");
	assert_name(&f, "bare", "", dirs, f.hidden, NULL);
	assert_true(compiled_run(&f.compiled,
		"mkdir -p debug/.build-id/ab && "
		"cp names debug/.build-id/ab/cdef0123456789.debug"));
	assert_name(&f, "bare", "", dirs, f.hidden, "hidden");
	assert_name(&f, "bare", "", dirs, f.shown, "shown");
	assert_name(&f, "bare", "", "", f.hidden, NULL); /* only where one was told to */

	/* Under the right name, but not of this file; not a file at all; a FIFO. */
	assert_true(compiled_run(&f.compiled,
		"$CC -O1 -shared -fPIC -Wl,--build-id=0xABCDEF0123456788 -o liar tiny.c "
		"&& cp liar debug/.build-id/ab/cdef0123456789.debug"));
	assert_name(&f, "bare", "", dirs, f.hidden, NULL);
	assert_true(compiled_run(
		&f.compiled, "echo nothing >debug/.build-id/ab/cdef0123456789.debug"));
	assert_name(&f, "bare", "", dirs, f.hidden, NULL);
	assert_true(compiled_run(&f.compiled,
		"cd debug/.build-id/ab && rm *.debug && mkfifo cdef0123456789.debug"));
	assert_name(&f, "bare", "", dirs, f.hidden, NULL);
	compiled_end(&f.compiled);
}

/* Assembly as nobody should write it, and as it is written: no symbols, no unwind table.
   What is called and what has its address taken begins a function; a loop does not, and
   neither does what no way leads to. */
static const char assembly[] = ".text\n.globl entry\n.type entry,@function\n"
			       "entry:\n call .Lcalled\n lea .Lheld(%rip), %rax\n ret\n"
			       ".Lcalled:\n xor %eax, %eax\n"
			       ".Lloop:\n inc %eax\n cmp $9, %eax\n jne .Lloop\n ret\n"
			       ".Lheld:\n push %rbx\n mov $1, %ebx\n pop %rbx\n ret\n"
			       ".Lunused:\n mov $2, %eax\n ret\n"
			       ".Lpointed:\n mov $3, %eax\n ret\n"
			       ".data\n.balign 8\n.quad .Lpointed\n"
			       ".section .note.GNU-stack,\"\",@progbits\n";

static void test_code_without_a_name_belongs_to_what_is_used_as_a_function(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	compiled_write(&compiled, "asm.s", assembly);
	if (!compiled_run(&compiled, "$CC -shared -nostdlib -o asm.so asm.s")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "asm.so");
	struct code_names *names = code_names_create(image, "", "");
	uint64_t entry = 0;
	for (uint64_t at = 0; at < 0x10000 && entry == 0; at++)
		if (elf_image_symbol(image, at))
			entry = at;
	assert_true(entry > 0);
	/* The sizes of the instructions above: where each of them begins. */
	uint64_t called = entry + 5 + 7 + 1, held = called + 2 + 2 + 3 + 2 + 1;
	uint64_t unused = held + 1 + 5 + 1 + 1, pointed = unused + 5 + 1;
	for (uint64_t at = called; at < held; at++)
		assert_int_equal(code_names_start(names, at), called);
	for (uint64_t at = held; at < unused; at++)
		assert_int_equal(code_names_start(names, at), held);
	for (uint64_t at = unused; at < pointed; at++)
		assert_int_equal(code_names_start(names, at), at);
	for (uint64_t at = pointed; at < pointed + 6; at++)
		assert_int_equal(code_names_start(names, at), pointed);
	code_names_destroy(names);
	elf_image_destroy(image);
	compiled_end(&compiled);
}

static void test_a_debug_file_is_found_by_its_link(void **state)
{
	(void)state;
	struct fixture f;
	if (!begin(&f, "-Wl,--build-id=none"))
		skip();
	char dirs[200];
	snprintf(dirs, sizeof(dirs), "%s/debug", f.compiled.dir);
	assert_true(compiled_run(&f.compiled,
		"objcopy --add-gnu-debuglink=names bare linked && "
		"mkdir -p debug/opt/tiny && cp names debug/opt/tiny/"));
	assert_name(&f, "linked", "/opt/tiny/libtiny.so", dirs, f.hidden, "hidden");
	assert_name(&f, "linked", "/opt/libtiny.so", dirs, f.hidden, NULL);
	assert_name(&f, "linked", "/opt/x/../tiny/libtiny.so", dirs, f.hidden, NULL);
	assert_name(&f, "linked", "[vdso]", dirs, f.hidden, NULL);

	/* Beside the file itself, where its owner may put anything. */
	char path[200];
	snprintf(path, sizeof(path), "%s/linked", f.compiled.dir);
	assert_name(&f, "linked", path, "", f.hidden, NULL);

	assert_true(compiled_run(&f.compiled, "printf x >>debug/opt/tiny/names"));
	assert_name(&f, "linked", "/opt/tiny/libtiny.so", dirs, f.hidden, NULL);
	compiled_end(&f.compiled);
}

/* The link's bytes, with a name that would leave the directory, or without an end. */
static void test_a_link_is_a_plain_name(void **state)
{
	(void)state;
	static const char *const links[] = {
		"../names\\0\\0\\0\\0\\1\\2\\3\\4",
		"/etc/passwd\\0\\1\\2\\3\\4",
		"..\\0\\0\\1\\2\\3\\4",
		"noendatall",
		"nocrc\\0",
		"\\0\\0\\0\\0\\1\\2\\3\\4",
	};
	struct fixture f;
	if (!begin(&f, "-Wl,--build-id=none"))
		skip();
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		assert_true(compiled_run(&f.compiled,
			"printf '%s' >link && "
			"objcopy --add-section .gnu_debuglink=link bare linked",
			links[i]));
		struct elf_image *image = compiled_image(&f.compiled, "linked");
		char name[ELF_DEBUGLINK_NAME_MAX];
		uint32_t crc;
		assert_true(elf_image_has_section(image, ".gnu_debuglink"));
		assert_false(elf_image_debuglink(image, name, &crc));
		elf_image_destroy(image);
	}
	compiled_end(&f.compiled);
}

static void test_packed_symbols_are_unpacked(void **state)
{
	(void)state;
	struct fixture f;
	if (!begin(&f, "") || !compiled_run(&f.compiled, "xz --version"))
		skip();
	assert_true(compiled_run(&f.compiled,
		"strip -g -o mini full && xz -k mini && "
		"objcopy --add-section .gnu_debugdata=mini.xz bare packed"));
	assert_name(&f, "packed", "", "", f.hidden, "hidden");
	assert_name(&f, "packed", "", "", f.shown, "shown");

	/* Damaged; cut short; a quarter of a gigabyte in 40 KiB. */
	assert_true(compiled_run(&f.compiled,
		"head -c 200 mini.xz >cut && objcopy --add-section .gnu_debugdata=cut "
		"bare packed"));
	assert_name(&f, "packed", "", "", f.hidden, NULL);
	assert_true(compiled_run(&f.compiled,
		"head -c 1000 /dev/urandom >noise && "
		"objcopy --add-section .gnu_debugdata=noise bare packed"));
	assert_name(&f, "packed", "", "", f.hidden, NULL);
	assert_true(compiled_run(&f.compiled,
		"head -c 280000000 /dev/zero | xz -0 >bomb && "
		"objcopy --add-section .gnu_debugdata=bomb bare packed"));
	assert_name(&f, "packed", "", "", f.hidden, NULL);
	compiled_end(&f.compiled);
}

/* --- the cache of a debuginfod client ----------------------------------------------- */

static char environment[3][256]; /* DEBUGINFOD_CACHE_PATH, XDG_CACHE_HOME, HOME */

static char *look_up(const char *name)
{
	static const char *const names[] = {
		"DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME"};
	for (size_t i = 0; i < 3; i++)
		if (strcmp(name, names[i]) == 0)
			return environment[i][0] ? environment[i] : NULL;
	return NULL;
}

static void assert_dirs(const char *given, const char *expected)
{
	char *dirs = debuginfod_dirs(given, look_up);
	assert_string_equal(dirs, expected);
	free(dirs);
}

static void test_the_cache_of_debuginfod_is_a_place_to_look(void **state)
{
	(void)state;
	struct fixture f;
	if (!begin(&f, "-Wl,--build-id=0xABCDEF0123456789"))
		skip();
	const char *dir = f.compiled.dir;
	char expected[512];
	memset(environment, 0, sizeof(environment));
	assert_dirs(NULL, "");
	assert_dirs("/a:/b", "/a:/b");
	snprintf(environment[2], sizeof(environment[2]), "%s/home", dir);
	assert_dirs("/a", "/a"); /* there is none */
	assert_true(compiled_run(&f.compiled,
		"mkdir -p home/.cache/debuginfod_client/abcdef0123456789 "
		"xdg/debuginfod_client said && "
		"cp names home/.cache/debuginfod_client/abcdef0123456789/debuginfo"));
	snprintf(expected, sizeof(expected), "/a:%s/home/.cache/debuginfod_client", dir);
	assert_dirs("/a", expected);
	assert_dirs(NULL, expected + 3);
	assert_name(&f, "bare", "", expected, f.hidden, "hidden");
	snprintf(environment[1], sizeof(environment[1]), "%s/xdg", dir);
	snprintf(expected, sizeof(expected), "%s/xdg/debuginfod_client", dir);
	assert_dirs("", expected);
	assert_name(&f, "bare", "", expected, f.hidden, NULL);
	snprintf(environment[0], sizeof(environment[0]), "%s/said", dir);
	assert_dirs("", environment[0]);
	snprintf(environment[0], sizeof(environment[0]), "%s/unheard", dir);
	assert_dirs("", "");
	/* Under the right name, but not of this file. */
	assert_true(
		compiled_run(&f.compiled, "mkdir said/abcdef0123456789 && $CC -shared "
					  "-nostdlib -Wl,--build-id=0x99 "
					  "-o said/abcdef0123456789/debuginfo tiny.c"));
	snprintf(expected, sizeof(expected), "%s/said", dir);
	assert_name(&f, "bare", "", expected, f.hidden, NULL);
	compiled_end(&f.compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_debug_file_is_found_by_build_id),
		cmocka_unit_test(
			test_code_without_a_name_belongs_to_what_is_used_as_a_function),
		cmocka_unit_test(test_a_debug_file_is_found_by_its_link),
		cmocka_unit_test(test_a_link_is_a_plain_name),
		cmocka_unit_test(test_packed_symbols_are_unpacked),
		cmocka_unit_test(test_the_cache_of_debuginfod_is_a_place_to_look),
	};
	return unit_run(tests);
}
