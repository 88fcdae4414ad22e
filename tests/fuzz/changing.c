/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file that its owner changes while it is read: shorter, longer, other bytes. The last
 * bytes of the input are what happens in turn: something is asked, or something changes. A
 * signal, such as SIGBUS for a page that is gone, would end this program. Its separate debug
 * file is at the place where it is looked for. */

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-go.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/elf/image-cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STEPS_BYTES = 48, /* of the input */
	BUDGET_BYTES = 64 << 10,
	ADDRESSES = 0x4000, /* that are asked for */
};

static char folder[] = "/tmp/cproftop-fuzz.XXXXXX";
static char debug_path[80];

static void remove_folder(void)
{
	char path[64];
	unlink(debug_path);
	snprintf(path, sizeof(path), "%s/usr", folder);
	rmdir(path);
	rmdir(folder);
}

/* Where a debug file of /usr/seed with a link to gcc4.debug is looked for. */
static void make_folder(void)
{
	char path[64];
	FUZZ_CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/usr", folder);
	FUZZ_CHECK(mkdir(path, 0700) == 0);
	snprintf(debug_path, sizeof(debug_path), "%s/gcc4.debug", path);
	atexit(remove_folder);
}

struct subject {
	int fd;
	size_t size; /* as it was at first */
	struct image_cache *cache;
	struct cached_image *cached;
	struct elf_image *image;
	struct elf_go *go;
	struct elf_lines *lines;
};

static void change(const struct subject *subject, struct input *input)
{
	unsigned how = (unsigned)input_number(input, 1);
	off_t at = (off_t)(input_number(input, 2) % (subject->size + 1));
	uint64_t bytes = input_number(input, 2) * 0x100000001;
	switch (how % 4) {
	case 0:
		FUZZ_CHECK(ftruncate(subject->fd, at) == 0);
		break;
	case 1:
		FUZZ_CHECK(ftruncate(subject->fd, (off_t)subject->size * 2) == 0);
		break;
	default:
		FUZZ_CHECK(pwrite(subject->fd, &bytes, 1 + how / 4 % 8, at) > 0);
	}
}

static void ask_names(struct subject *subject, uint64_t vaddr)
{
	struct code_names *names = image_cache_names(subject->cache, subject->cached);
	uint64_t bytes;
	bool trusted;
	const struct elf_symbol *symbol = code_names_symbol(names, vaddr);
	FUZZ_CHECK(!symbol || strlen(symbol->name) < SIZE_MAX);
	code_names_start(names, vaddr);
	code_names_frame(names, vaddr, &bytes);
	code_names_compiled(names, "main.main");
	code_names_wanted(names);
	int fd = code_names_lines_file(names, &trusted);
	if (fd >= 0)
		close(fd);
	if (vaddr % 8 == 0)
		code_names_adopt(names, debug_path);
	image_cache_refusal(subject->cache);
}

static void ask_tables(struct subject *subject, uint64_t vaddr)
{
	struct elf_image *image = subject->image;
	struct elf_unwind_table table;
	unsigned char word[8];
	uint64_t start, size;
	uint32_t crc;
	const char *name = elf_image_slot_name(image, vaddr);
	FUZZ_CHECK(!name || strlen(name) < SIZE_MAX);
	if (elf_image_unwind_table(image, &table))
		elf_image_read(image, table.table_vaddr, word, sizeof(word));
	elf_image_fde_index(image);
	elf_image_fde_range(image, vaddr, &start, &size);
	elf_image_used_start(image, vaddr, &start, &size);
	elf_image_function_start(image, vaddr);
	elf_image_crc(image, 1 << 20, &crc);
	elf_image_symbol_count(image);
	elf_image_entry(image);
	elf_image_destroy(elf_image_packed_symbols(image));
}

static void ask_lines(struct subject *subject, uint64_t vaddr)
{
	struct line_frame frames[LINE_FRAMES_MAX];
	struct elf_go_line line;
	if (!subject->go)
		subject->go = elf_go_open(subject->image);
	if (subject->go)
		elf_go_line(subject->go, vaddr, &line);
	if (!subject->lines)
		subject->lines =
			elf_lines_open(elf_image_dup(subject->image), vaddr & 1, NULL);
	if (subject->lines)
		FUZZ_CHECK(
			elf_lines_find(subject->lines, vaddr, frames) <= LINE_FRAMES_MAX);
}

static void step(struct subject *subject, struct input *input)
{
	unsigned what = (unsigned)input_number(input, 1);
	uint64_t vaddr = input_number(input, 2) % ADDRESSES;
	switch (what % 8) {
	case 0:
	case 1:
		ask_names(subject, vaddr);
		break;
	case 2:
		ask_tables(subject, vaddr);
		break;
	case 3:
		ask_lines(subject, vaddr);
		break;
	case 4:
		/* as when another file needs the room */
		elf_go_close(subject->go);
		subject->go = NULL;
		code_names_forget(
			image_cache_names(subject->cache, subject->cached), what & 8);
		break;
	case 5:
		image_cache_step(subject->cache);
		break;
	default:
		change(subject, input);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 64 + STEPS_BYTES)
		return 0;
	if (!debug_path[0])
		make_folder();
	struct subject subject = {.size = size - STEPS_BYTES};
	struct input input = {bytes + subject.size, bytes + size};
	bool has_debug_file = input_number(&input, 1) % 2;
	subject.fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(write(subject.fd, bytes, subject.size) == (ssize_t)subject.size);
	unlink(debug_path);
	if (has_debug_file) {
		int fd = open(debug_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		FUZZ_CHECK(write(fd, bytes, subject.size) == (ssize_t)subject.size);
		close(fd);
	}
	subject.cache =
		image_cache_create(input_number(&input, 1) % 2 ? BUDGET_BYTES : 0);
	subject.cached = image_cache_open(subject.cache,
		fcntl(subject.fd, F_DUPFD_CLOEXEC, 3), "/usr/seed", folder, NULL);
	if (subject.cached) {
		/* the same file again, as another process maps it */
		struct cached_image *again = image_cache_open(subject.cache,
			fcntl(subject.fd, F_DUPFD_CLOEXEC, 3), "/usr/seed", folder, NULL);
		FUZZ_CHECK(again == subject.cached);
		subject.image = image_cache_image(subject.cache, subject.cached);
		while (input_left(&input) > 0)
			step(&subject, &input);
		elf_lines_close(subject.lines);
		elf_go_close(subject.go);
		image_cache_release(subject.cache, again);
		image_cache_release(subject.cache, subject.cached);
	}
	image_cache_destroy(subject.cache);
	close(subject.fd);
	return 0;
}
