/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/code-names.h"

#include "src/base/mem.h"
#include "src/read/elf/debug-file.h"
#include "src/read/elf/elf-go.h"

#include <stdbool.h>
#include <stdlib.h>

struct code_names {
	struct elf_image *image;
	char *path, *dirs;
	bool has_symtab, debug_sought, packed_sought, go_sought;
	struct elf_image *debug, *packed; /* NULL: there is none */
	struct elf_go *go;		  /* the same */
};

struct code_names *code_names_create(
	struct elf_image *image, const char *path, const char *dirs)
{
	struct code_names *names = mem_zalloc(sizeof(*names));
	names->image = image;
	names->has_symtab = elf_image_has_section(image, ".symtab");
	names->path = mem_strdup(path);
	names->dirs = mem_strdup(dirs);
	return names;
}

uint64_t code_names_charged(const struct code_names *names)
{
	return elf_image_charged(names->image) +
	       (names->debug ? elf_image_charged(names->debug) : 0) +
	       (names->packed ? elf_image_charged(names->packed) : 0);
}

bool code_names_is_over_budget(const struct code_names *names)
{
	return elf_image_is_over_budget(names->image) ||
	       (names->debug && elf_image_is_over_budget(names->debug)) ||
	       (names->packed && elf_image_is_over_budget(names->packed));
}

/* The debug file stays open: it may have been fetched. */
void code_names_forget(struct code_names *names, bool again)
{
	if (names->debug)
		elf_image_forget(names->debug, again);
	elf_image_destroy(names->packed);
	names->packed = NULL;
	names->packed_sought = !again;
	elf_go_close(names->go);
	names->go = NULL;
	names->go_sought = !again;
	elf_image_forget(names->image, again);
}

void code_names_destroy(struct code_names *names)
{
	if (!names)
		return;
	elf_image_destroy(names->debug);
	elf_image_destroy(names->packed);
	elf_go_close(names->go);
	free(names->path);
	free(names->dirs);
	free(names);
}

/* Prepare OTHER, which may be NULL, as a source of names for the code of the image; NULL if
   there is no room for it. */
static struct elf_image *of_this_code(
	const struct code_names *names, struct elf_image *other)
{
	if (!other)
		return NULL;
	elf_image_set_code(other, names->image);
	if (elf_image_share_budget(other, names->image))
		return other;
	elf_image_destroy(other);
	return NULL;
}

static struct elf_image *debug_of(struct code_names *names)
{
	if (!names->debug_sought) {
		names->debug_sought = true;
		names->debug = of_this_code(
			names, debug_file_open(names->image, names->path, names->dirs));
	}
	return names->debug;
}

static struct elf_image *packed_of(struct code_names *names)
{
	if (!names->packed_sought) {
		names->packed_sought = true;
		names->packed =
			of_this_code(names, elf_image_packed_symbols(names->image));
	}
	return names->packed;
}

static struct elf_go *go_of(struct code_names *names)
{
	if (!names->go_sought) {
		names->go_sought = true;
		names->go = elf_go_open(names->image);
	}
	return names->go;
}

static const struct elf_symbol *own_symbol(struct code_names *names, uint64_t vaddr)
{
	if (names->has_symtab)
		return elf_image_symbol(names->image, vaddr);
	struct elf_image *debug = debug_of(names);
	const struct elf_symbol *symbol = debug ? elf_image_symbol(debug, vaddr) : NULL;
	if (symbol)
		return symbol;
	symbol = elf_image_symbol(names->image, vaddr);
	if (symbol)
		return symbol;
	struct elf_image *packed = packed_of(names);
	symbol = packed ? elf_image_symbol(packed, vaddr) : NULL;
	if (symbol)
		return symbol;
	struct elf_go *go = go_of(names);
	return go ? elf_go_symbol(go, vaddr) : NULL;
}

const struct elf_symbol *code_names_symbol(struct code_names *names, uint64_t vaddr)
{
	const struct elf_symbol *symbol = own_symbol(names, vaddr);
	return symbol ? symbol : elf_image_plt_symbol(names->image, vaddr);
}

uint64_t code_names_start(struct code_names *names, uint64_t vaddr)
{
	return elf_image_function_start(names->image, vaddr);
}

bool code_names_frame(struct code_names *names, uint64_t vaddr, uint64_t *bytes)
{
	struct elf_go *go = elf_go_is_there(names->image) ? go_of(names) : NULL;
	return go && elf_go_frame(go, vaddr, bytes);
}

const struct elf_symbol *code_names_compiled(struct code_names *names, const char *name)
{
	struct elf_go *go = elf_go_is_there(names->image) ? go_of(names) : NULL;
	return go ? elf_go_named(go, name) : NULL;
}

bool code_names_function(
	struct code_names *names, const char *name, struct elf_function *out)
{
	struct elf_image *debug = names->has_symtab ? NULL : debug_of(names);
	const struct elf_symbol *compiled;
	if (elf_image_find_function(names->image, name, out) ||
		(debug && elf_image_find_function(debug, name, out)))
		return true;
	compiled = code_names_compiled(names, name);
	*out = (struct elf_function){.vaddr = compiled ? compiled->vaddr : 0};
	return compiled != NULL;
}

bool code_names_variable(
	struct code_names *names, const char *name, uint64_t *vaddr, uint64_t *size)
{
	struct elf_image *debug = names->has_symtab ? NULL : debug_of(names);
	return elf_image_find_variable(names->image, name, vaddr, size) ||
	       (debug && elf_image_find_variable(debug, name, vaddr, size));
}

int code_names_lines_file(struct code_names *names, bool *trusted)
{
	*trusted = false;
	if (elf_image_has_section(names->image, ".debug_info"))
		return elf_image_dup(names->image);
	struct elf_image *debug = debug_of(names);
	*trusted = debug != NULL;
	if (debug)
		return elf_image_dup(debug);
	return elf_go_is_there(names->image) ? elf_image_dup(names->image) : -1;
}

const char *code_names_wanted(struct code_names *names)
{
	const char *build_id = elf_image_build_id(names->image);
	bool is_file = names->path[0] == '/';
	return is_file && build_id[0] && !debug_of(names) ? build_id : NULL;
}

bool code_names_adopt(struct code_names *names, const char *path)
{
	if (!debug_of(names))
		names->debug = of_this_code(names, debug_file_at(names->image, path));
	return names->debug != NULL;
}
