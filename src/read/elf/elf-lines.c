/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-lines.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/read/elf/elf-go.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/elf-internal.h"
#include "src/read/elf/elf-units.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS_MAX_BYTES = 1 << 30, /* of debug sections, unpacked */
	PACKED_RATIO_MAX = 64,
	UNITS_KEPT_MAX_BYTES = 1 << 27, /* of units gone through; then begin anew */
	NESTING_MAX = 256,
	STEPS_MAX = 1 << 22, /* DIEs looked at in one function */
};

struct bytes {
	const char *begin, *end;
};

struct elf_lines {
	struct elf_image *image;
	struct elf_go *go; /* used if there is no DWARF */
	Dwarf *dwarf;
	size_t bytes;
	bool trusted;
	struct elf_units *units;
	struct strpool paths;	   /* paths made from a directory and a name */
	VEC(struct bytes) strings; /* the sections that names are in */
};

/* --- opening ----------------------------------------------------------------------- */

/* What libdw will hold of SECTION. A compressed one says itself how large it will be.
   Debug sections shrink to between a fifth and a half (objcopy
   --compress-debug-sections of this program); one that shrinks to a thousandth, as zlib
   can, is meant to do harm. */
static uint64_t unpacked_bytes(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr packed;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return header->sh_size;
	if (!gelf_getchdr(section, &packed) || packed.ch_type != ELFCOMPRESS_ZLIB ||
		packed.ch_size / PACKED_RATIO_MAX > header->sh_size)
		return UINT64_MAX;
	return packed.ch_size;
}

static bool measure_sections(struct elf_lines *lines, struct error *err)
{
	const struct elf_image *image = lines->image;
	uint64_t sum = 0;
	for (Elf_Scn *section = elf_nextscn(image->elf, NULL); section;
		section = elf_nextscn(image->elf, section)) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
			(header.sh_flags & SHF_ALLOC))
			continue;
		if (header.sh_offset > image->size ||
			header.sh_size > image->size - header.sh_offset)
			return error_set(err, "a section is not in the file");
		uint64_t bytes = unpacked_bytes(section, &header);
		if (bytes > SECTIONS_MAX_BYTES || sum + bytes > SECTIONS_MAX_BYTES)
			return error_set(err, "its debug sections are too large");
		sum += bytes;
	}
	lines->bytes = sum;
	return true;
}

static bool check(struct elf_lines *lines, struct error *err)
{
	if (!elf_image_has_section(lines->image, ".debug_info"))
		return error_set(err, "no debugging information");
	/* libdw opens the file that this section names, wherever that is. */
	if (!lines->trusted && elf_image_has_section(lines->image, ".gnu_debugaltlink"))
		return error_set(err, "its debugging information is in another file");
	return measure_sections(lines, err);
}

static bool has_strings(const char *section)
{
	return strstr(section, "debug_info") || strstr(section, "debug_types") ||
	       strstr(section, "debug_str") || strstr(section, "debug_line_str");
}

/* Of the same bytes that libdw reads. */
static void find_strings(struct elf_lines *lines, Elf *elf)
{
	size_t names;
	GElf_Shdr header;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
		section = elf_nextscn(elf, section)) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		if (!name || !has_strings(name))
			continue;
		const Elf_Data *data = elf_rawdata(section, NULL);
		const char *bytes = data ? data->d_buf : NULL;
		if (bytes)
			vec_push(&lines->strings,
				((struct bytes){bytes, bytes + data->d_size}));
	}
}

static bool begin(struct elf_lines *lines)
{
	Elf *elf = lines->image->elf;
	lines->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!lines->dwarf)
		return false;
	find_strings(lines, elf);
	lines->units = elf_units_create(lines->image, lines->dwarf);
	return true;
}

static void end(struct elf_lines *lines)
{
	elf_units_destroy(lines->units);
	strpool_finish(&lines->paths);
	vec_free(&lines->strings);
	lines->units = NULL;
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	lines->dwarf = NULL;
}

struct elf_lines *elf_lines_open(int fd, bool trusted, struct error *err)
{
	struct elf_image *image = elf_image_open(fd, err);
	if (!image)
		return NULL;
	struct elf_lines *lines = mem_zalloc(sizeof(*lines));
	lines->image = image;
	lines->trusted = trusted;
	if (!elf_image_has_section(image, ".debug_info") &&
		(lines->go = elf_go_open(image)))
		return lines;
	if (check(lines, err)) {
		if (begin(lines))
			return lines;
		error_set(err, "libdw: %s", dwarf_errmsg(-1));
	}
	elf_lines_close(lines);
	return NULL;
}

void elf_lines_close(struct elf_lines *lines)
{
	if (!lines)
		return;
	end(lines);
	elf_go_close(lines->go);
	elf_image_destroy(lines->image);
	free(lines);
}

size_t elf_lines_bytes(const struct elf_lines *lines)
{
	return lines->bytes;
}

/* --- one address ------------------------------------------------------------------- */

/* The path from a function to what is inlined at an address, outermost first. */
struct path {
	uint64_t vaddr;
	Dwarf_Die dies[LINE_FRAMES_MAX];
	size_t length;
	unsigned steps;
};

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Look among the children of DIE for what holds the address; true if something did. */
static bool descend(struct path *path, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	if (depth >= NESTING_MAX || dwarf_child(die, &child) != 0)
		return false;
	do {
		if (++path->steps > STEPS_MAX)
			return true;
		int tag = dwarf_tag(&child);
		bool inlined = tag == DW_TAG_inlined_subroutine;
		if (!inlined && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
			tag != DW_TAG_catch_block)
			continue;
		if (has_code(&child) ? dwarf_haspc(&child, path->vaddr) != 1 : inlined)
			continue;
		if (inlined && path->length < LINE_FRAMES_MAX)
			path->dies[path->length++] = child;
		if (descend(path, &child, depth + 1) || has_code(&child))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* TEXT, or NULL if it has no end in its section: dwarf_formstring (libdw 0.188) does not look
   everywhere. */
static const char *whole(struct elf_lines *lines, const char *text)
{
	vec_each (&lines->strings, bytes)
		if (text && text >= bytes->begin && text < bytes->end &&
			!memchr(text, '\0', (size_t)(bytes->end - text)))
			return NULL;
	return text;
}

static const char *name_of(struct elf_lines *lines, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name)
		name = dwarf_diename(die);
	name = whole(lines, name);
	return name ? name : "";
}

static uint32_t number_of(Dwarf_Die *die, unsigned what)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	if (!dwarf_attr(die, what, &attribute) ||
		dwarf_formudata(&attribute, &number) != 0 || number > INT32_MAX)
		return 0;
	return (uint32_t)number;
}

static void place_at(struct line_frame *frame, Dwarf_Die *unit, uint64_t vaddr)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, vaddr);
	int number = 0;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file)
		return;
	dwarf_lineno(line, &number);
	frame->file = file;
	frame->line = number > 0 ? (uint32_t)number : 0;
}

/* Where INLINED was called from. */
static void place_of_call(struct line_frame *frame, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Files *files;
	size_t count;
	if (dwarf_getsrcfiles(unit, &files, &count) != 0)
		return;
	uint32_t index = number_of(inlined, DW_AT_call_file);
	const char *file = index < count ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
	if (!file)
		return;
	frame->file = file;
	frame->line = number_of(inlined, DW_AT_call_line);
}

/* libdw 0.188 takes the file with index 0 for none. In DWARF 5 it is the file that was
   compiled, and clang declares functions in it. */
static const char *file_of_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word index;
	Dwarf_Half version;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t count;
	const char *file = dwarf_decl_file(die);
	if (file)
		return file;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
		dwarf_formudata(&attribute, &index) != 0 || index != 0)
		return NULL;
	if (dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) !=
			0 ||
		version < 5 || dwarf_getsrcfiles(&unit, &files, &count) != 0)
		return NULL;
	return count > 0 ? dwarf_filesrc(files, 0, NULL, NULL) : NULL;
}

static void describe(struct elf_lines *lines, struct line_frame *frame, Dwarf_Die *die)
{
	int number = 0;
	frame->name = name_of(lines, die);
	const char *file = file_of_declaration(die);
	if (file && strcmp(file, frame->file) == 0 &&
		dwarf_decl_line(die, &number) == 0 && number > 0)
		frame->start_line = (uint32_t)number;
}

/* DWARF 5 may leave a path relative to the directory of the compilation. */
static const char *absolute(struct elf_lines *lines, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *dir = NULL;
	if (file[0] == '/' || file[0] == '\0')
		return file;
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		dir = whole(lines, dwarf_formstring(&attribute));
	if (!dir ||
		dir[0] != '/') /* Go says that it compiles in ".", and all over "./" */
		return strncmp(file, "./", 2) == 0 ? file + 2 : file;
	char *joined = mem_printf("%s/%s", dir, file);
	const char *path = strpool_intern(&lines->paths, joined);
	free(joined);
	return path;
}

static size_t find_in_go(struct elf_go *go, uint64_t vaddr, struct line_frame *frame)
{
	struct elf_go_line line;
	if (!elf_go_line(go, vaddr, &line))
		return 0;
	*frame = (struct line_frame){.name = line.function,
		.file = line.file,
		.line = line.line,
		.start_line = line.start_line};
	return 1;
}

size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr,
	struct line_frame frames[LINE_FRAMES_MAX])
{
	if (lines->go)
		return find_in_go(lines->go, vaddr, &frames[0]);
	if (elf_units_bytes(lines->units) > UNITS_KEPT_MAX_BYTES) {
		end(lines);
		if (!begin(lines))
			return 0;
	}
	if (!lines->units)
		return 0;
	Dwarf_Die unit;
	struct path path = {.vaddr = vaddr};
	if (!elf_units_find(lines->units, vaddr, &unit))
		return 0;
	if (elf_units_function(lines->units, &unit, vaddr, &path.dies[0])) {
		path.length = 1;
		descend(&path, &path.dies[0], 0);
	}
	size_t count = path.length ? path.length : 1;
	for (size_t i = 0; i < count; i++) {
		struct line_frame *frame = &frames[i];
		*frame = (struct line_frame){.name = "", .file = ""};
		if (i == 0)
			place_at(frame, &unit, vaddr);
		else
			place_of_call(frame, &unit, &path.dies[count - i]);
		if (path.length)
			describe(lines, frame, &path.dies[count - 1 - i]);
		frame->file = absolute(lines, &unit, frame->file);
	}
	return path.length || frames[0].file[0] ? count : 0;
}

/* The first of the N rows, which libdw has sorted, that begins behind VADDR. */
static uint64_t next_row(Dwarf_Lines *rows, size_t n, uint64_t vaddr, uint64_t limit)
{
	size_t low = 0, high = n;
	Dwarf_Addr address;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (dwarf_lineaddr(dwarf_onesrcline(rows, middle), &address) != 0)
			return limit;
		if (address <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || dwarf_lineaddr(dwarf_onesrcline(rows, low), &address) != 0)
		return limit;
	return address > vaddr && address < limit ? address : limit;
}

uint64_t elf_lines_next(struct elf_lines *lines, uint64_t vaddr, uint64_t limit)
{
	Dwarf_Die unit;
	Dwarf_Lines *rows;
	size_t n;
	if (lines->go)
		return vaddr + 1; /* its table has no rows that could be listed */
	if (!lines->units || !elf_units_find(lines->units, vaddr, &unit) ||
		dwarf_getsrclines(&unit, &rows, &n) != 0)
		return limit;
	return next_row(rows, n, vaddr, limit);
}
