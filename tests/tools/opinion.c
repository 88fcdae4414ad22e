/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/opinion.h"

#include "src/base/mem.h"
#include "src/base/vec.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listed {
	uint64_t start, size;
	char *name;
};

struct opinion {
	Dwfl *dwfl;
	VEC(struct listed) listed;
};

static char *debug_path; /* libdwfl's own default */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &debug_path,
};

struct opinion *opinion_create(pid_t pid)
{
	struct opinion *opinion = mem_zalloc(sizeof(*opinion));
	opinion->dwfl = dwfl_begin(&callbacks);
	if (!opinion->dwfl || dwfl_linux_proc_report(opinion->dwfl, pid) != 0 ||
		dwfl_report_end(opinion->dwfl, NULL, NULL) != 0 ||
		dwfl_linux_proc_attach(opinion->dwfl, pid, true) != 0) {
		opinion_destroy(opinion);
		return NULL;
	}
	return opinion;
}

void opinion_destroy(struct opinion *opinion)
{
	if (opinion && opinion->dwfl)
		dwfl_end(opinion->dwfl);
	if (opinion) {
		vec_each (&opinion->listed, listed)
			free(listed->name);
		vec_free(&opinion->listed);
	}
	free(opinion);
}

/* --- stacks ------------------------------------------------------------------------- */

static int add_frame(Dwfl_Frame *state, void *argument)
{
	struct callchain *chain = argument;
	Dwarf_Addr pc;
	bool is_activation;
	if (!dwfl_frame_pc(state, &pc, &is_activation))
		return DWARF_CB_ABORT;
	if (pc == 0) /* so elfutils shows the caller of a frame that has none */
		return DWARF_CB_OK;
	struct frame frame = {.pc = pc, .is_activation = is_activation};
	return callchain_add(chain, frame) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void opinion_unwind(struct opinion *opinion, pid_t tid, struct callchain *chain)
{
	callchain_begin(chain);
	int result = dwfl_getthread_frames(opinion->dwfl, tid, add_frame, chain);
	callchain_settle(chain);
	bool is_whole =
		result == 0 && chain->length > 0 &&
		opinion_is_root(opinion, frame_code(chain->frames[chain->length - 1]));
	chain->end = is_whole ? UNWIND_ROOT : UNWIND_NO_CFI;
}

/* The row of ADDRESS, to be freed, or NULL. */
static Dwarf_Frame *find_row(struct opinion *opinion, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(opinion->dwfl, address);
	Dwarf_Addr bias;
	Dwarf_CFI *tables[2] = {NULL, NULL};
	Dwarf_Frame *row = NULL;
	if (module) {
		tables[0] = dwfl_module_eh_cfi(module, &bias);
		tables[1] = dwfl_module_dwarf_cfi(module, &bias);
	}
	for (int i = 0; i < 2; i++)
		if (tables[i] &&
			dwarf_cfi_addrframe(tables[i], address - bias, &row) == 0)
			return row;
	return NULL;
}

bool opinion_has_table(struct opinion *opinion, uint64_t address)
{
	Dwarf_Frame *row = find_row(opinion, address);
	free(row);
	return row != NULL;
}

/* Is CODE the end of a function, behind the pop of its frame pointer: a LEA to the stack
   pointer, pops of other registers, and the return? */
static bool is_past_frame(const unsigned char *code, size_t size)
{
	size_t at = 0;
	if (size > 4 && code[0] == 0x49 && code[1] == 0x8d &&
		(code[2] == 0x62 || code[2] == 0x65)) /* lea N(%r10 or %r13), %rsp */
		at = 4;
	for (; at + 2 < size && code[at] != 0xc3; at++) {
		bool is_extended = code[at] == 0x41; /* of %r8 to %r15 */
		at += is_extended;
		if (code[at] >> 3 != 0x58 >> 3 || (code[at] == 0x5d && !is_extended))
			return false;
	}
	return at < size && code[at] == 0xc3;
}

bool opinion_forgets(struct opinion *opinion, int memory, uint64_t address)
{
	enum {
		FRAME_POINTER = 6
	}; /* System V ABI AMD64, 3.6.2 */
	unsigned char code[16];
	Dwarf_Op space[3], *rule = NULL;
	size_t count = 0;
	ssize_t size = pread(memory, code, sizeof(code), (off_t)address);
	Dwarf_Frame *row = find_row(opinion, address);
	bool is_by_itself = false;
	if (row && dwarf_frame_register(row, FRAME_POINTER, space, &rule, &count) == 0)
		for (size_t i = 0; i < count; i++)
			is_by_itself |= rule[i].atom == DW_OP_breg6;
	free(row);
	return is_by_itself && size > 0 && is_past_frame(code, (size_t)size);
}

/* Is the function at ADDRESS one of the COUNT that NAMES has? */
static bool is_one_of(
	struct opinion *opinion, uint64_t address, const char *const *names, size_t count)
{
	const char *name = opinion_name(opinion, address);
	size_t length = name ? strcspn(name, "@") : 0;
	if (length > 5 && strncmp(name + length - 5, ".abi0", 5) == 0)
		length -= 5;
	for (size_t i = 0; name && i < count; i++)
		if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
			return true;
	return false;
}

bool opinion_is_root(struct opinion *opinion, uint64_t address)
{
	/* Those of Go are in its runtime/traceback.go, topofstack. */
	static const char *const roots[] = {"_start", "clone", "__clone", "clone3",
		"__clone3", "__clone_internal", "runtime.goexit", "runtime.mcall",
		"runtime.morestack", "runtime.mstart", "runtime.rt0_go", "_dl_start_user",
		"_rt0_amd64_linux"};
	if (is_one_of(opinion, address, roots, sizeof(roots) / sizeof(roots[0])))
		return true;
	/* A stripped program: its entry point is the only thing that tells. */
	Dwfl_Module *module = dwfl_addrmodule(opinion->dwfl, address);
	GElf_Ehdr header;
	Dwarf_Addr bias;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	return elf && gelf_getehdr(elf, &header) && header.e_entry != 0 &&
	       address - bias - header.e_entry < 64;
}

bool opinion_misleads(struct opinion *opinion, uint64_t address)
{
	static const char *const switches[] = {"runtime.systemstack", "runtime.mcall",
		"runtime.morestack", "runtime.asmcgocall", "runtime.sigreturn",
		"runtime.sigreturn__sigaction"};
	return is_one_of(
		opinion, address, switches, sizeof(switches) / sizeof(switches[0]));
}

/* --- names -------------------------------------------------------------------------- */

bool opinion_read_names(struct opinion *opinion, const char *path)
{
	struct listed listed;
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (getline(&line, &room, file) > 0) {
		int at = 0;
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &listed.start,
			    &listed.size, &at) < 2 ||
			at == 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		listed.name = mem_strdup(line + at);
		vec_push(&opinion->listed, listed);
	}
	free(line);
	fclose(file);
	return true;
}

static const struct listed *find_listed(const struct opinion *opinion, uint64_t address)
{
	for (size_t i = opinion->listed.len; i-- > 0;) {
		const struct listed *listed = &opinion->listed.data[i];
		if (address - listed->start < listed->size)
			return listed;
	}
	return NULL;
}

static const char *listed_name(const struct opinion *opinion, uint64_t address)
{
	const struct listed *listed = find_listed(opinion, address);
	return listed ? listed->name : NULL;
}

bool opinion_knows(struct opinion *opinion, uint64_t address)
{
	return dwfl_addrmodule(opinion->dwfl, address) != NULL;
}

const char *opinion_name(struct opinion *opinion, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(opinion->dwfl, address);
	const char *name = module ? dwfl_module_addrname(module, address) : NULL;
	return name ? name : listed_name(opinion, address);
}

bool opinion_function(
	struct opinion *opinion, uint64_t address, uint64_t *start, uint64_t *limit)
{
	Dwfl_Module *module = dwfl_addrmodule(opinion->dwfl, address);
	const struct listed *listed = find_listed(opinion, address);
	GElf_Off offset = 0;
	GElf_Sym symbol = {.st_size = 0};
	if (module)
		dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	if (symbol.st_size > offset) {
		*start = address - offset;
		*limit = *start + symbol.st_size;
	} else if (listed) {
		*start = listed->start;
		*limit = *start + listed->size;
	}
	return symbol.st_size > offset || listed;
}

/* Without the version that a linker writes behind some names. */
static bool is_same_name(const char *symbol, const char *name)
{
	size_t length = strcspn(symbol, "@");
	return length == strcspn(name, "@") && strncmp(symbol, name, length) == 0;
}

bool opinion_agrees(struct opinion *opinion, uint64_t address, const char *name)
{
	Dwfl_Module *module = dwfl_addrmodule(opinion->dwfl, address);
	GElf_Off offset;
	GElf_Sym nearest, symbol;
	const char *first = module ? dwfl_module_addrinfo(module, address, &offset,
					     &nearest, NULL, NULL, NULL)
				   : NULL;
	if (!first)
		first = listed_name(opinion, address);
	if (!first)
		return false;
	if (is_same_name(first, name))
		return true;
	int count = module ? dwfl_module_getsymtab(module) : 0;
	for (int i = 1; i < count; i++) {
		GElf_Addr at;
		const char *other = dwfl_module_getsym_info(
			module, i, &symbol, &at, NULL, NULL, NULL);
		bool covers = at == address - offset || address - at < symbol.st_size;
		if (other && covers && symbol.st_shndx != SHN_UNDEF &&
			is_same_name(other, name))
			return true;
	}
	return false;
}
