/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-switch.h"

#include "src/arch/arch-code.h"
#include "src/base/mem.h"
#include "src/read/runtimes/haskell/haskell-stack.h"
#include "src/read/unwind/unwind-paths.h"

#include <stdlib.h>
#include <string.h>

enum {
	AHEAD_INSNS = 32, /* from a call to the function's return */
	OWN_BYTES = 4096, /* of code, from where a frame is returned to */
	OWN_INSNS = 512,
};

/* --- Go ----------------------------------------------------------------------------- */

enum unwind_switch unwind_switch_of(const struct elf_symbol *symbol)
{
	static const struct {
		const char *name;
		enum unwind_switch what;
	} functions[] = {
		{"runtime.asmcgocall", UNWIND_SWITCH_RETURN},
		{"runtime.goexit", UNWIND_SWITCH_ROOT},
		/* What it calls schedules others, and never returns. */
		{"runtime.mcall", UNWIND_SWITCH_ROOT},
		{"runtime.morestack", UNWIND_SWITCH_RESUME},
		{"runtime.mstart", UNWIND_SWITCH_ROOT},
		{"runtime.rt0_go", UNWIND_SWITCH_ROOT},
		{"runtime.systemstack", UNWIND_SWITCH_RETURN},
	};
	for (size_t i = 0; symbol && i < sizeof(functions) / sizeof(*functions); i++) {
		size_t length = strlen(functions[i].name);
		if (strncmp(symbol->name, functions[i].name, length) == 0 &&
			(symbol->name[length] == '\0' ||
				strcmp(symbol->name + length, ".abi0") == 0))
			return functions[i].what;
	}
	return UNWIND_SWITCH_NONE;
}

bool unwind_switch_begins(const struct elf_symbol *symbol)
{
	static const char first[] = "_ZN8greenlet12UserGreenlet15inner_bootstrapE";
	return symbol && strncmp(symbol->name, first, sizeof(first) - 1) == 0;
}

/* Does INSN set the stack pointer to something else than what it was? */
static bool switches(const struct arch_insn *insn)
{
	return insn->reg == arch_sp &&
	       (insn->effect == ARCH_EFFECT_LOAD ||
		       (insn->effect == ARCH_EFFECT_SET && insn->base != ARCH_NO_REG &&
			       insn->base != arch_sp));
}

/* Before it returns it says which goroutine runs on, in thread-local storage; a way on
   which it does not has never switched. Where it has called something it has not switched
   yet if it calls something else before that. */
uint64_t unwind_switch_back(
	struct unwind_walk *walk, const struct region *region, struct frame frame)
{
	struct arch_insn insn;
	uint64_t pc = frame.pc, back = 0;
	bool is_told = false;
	for (int i = 0; i < AHEAD_INSNS && unwind_walk_insn(walk, region, pc, &insn);
		i++) {
		if (insn.flow == ARCH_FLOW_RETURN)
			return is_told ? back : 0;
		if (insn.flow != ARCH_FLOW_NEXT &&
			(insn.flow != ARCH_FLOW_CALL || !frame.is_activation))
			return 0;
		pc += insn.length;
		is_told |= insn.effect == ARCH_EFFECT_STORE_TLS;
		if (switches(&insn))
			back = pc;
	}
	return 0;
}

bool unwind_switch_step(
	struct unwind_walk *walk, const struct unwind_row *row, enum unwind_end *end)
{
	const struct snapshot *snapshot = walk->snapshot;
	struct arch_registers *registers = &walk->registers;
	*end = UNWIND_ELSEWHERE;
	walk->lacked = 0;
	/* Whoever called morestack may have lost its thread to others. */
	if (row->switches == UNWIND_SWITCH_RESUME && snapshot->link.is_none)
		*end = UNWIND_ROOT;
	if (walk->on_another_stack || snapshot->other_length == 0 ||
		snapshot->link.sp == 0 || snapshot->link.is_away)
		return false;
	registers->known = arch_bit(arch_pc) | arch_bit(arch_sp) | arch_bit(arch_fp);
	registers->values[arch_pc] = snapshot->link.pc;
	registers->values[arch_sp] = snapshot->link.sp;
	registers->values[arch_fp] = snapshot->link.fp;
	walk->on_another_stack = walk->is_switched = true;
	*end = UNWIND_NO_CFI;
	if (row->switches == UNWIND_SWITCH_RESUME)
		return true;
	return unwind_row_returns(row) && unwind_row_step(row, walk, end);
}

/* --- Haskell ------------------------------------------------------------------------ */

void unwind_haskell_clear(struct unwind_haskell *haskell)
{
	idmap_clear(&haskell->runtimes);
	haskell->is_used = false;
	haskell->first = haskell->chunk = 0;
	idmap_clear(&haskell->own);
}

void unwind_haskell_finish(struct unwind_haskell *haskell)
{
	idmap_finish(&haskell->runtimes);
	idmap_finish(&haskell->own);
	free(haskell->main_id);
}

/* Is the code at PC that of the runtime which GHC links programs with? */
static bool is_runtime(
	struct unwind_haskell *haskell, struct unwind_walk *walk, uint64_t pc)
{
	uint64_t bias;
	const struct region *region = address_space_find(walk->space, pc);
	struct elf_image *image =
		region ? address_space_image(walk->space, region, &bias) : NULL;
	if (!image)
		return false;
	const uint32_t *known = idmap_get(&haskell->runtimes, (uintptr_t)image, 0);
	if (known)
		return *known;
	bool is_runtime = haskell_is_runtime(image);
	idmap_put(&haskell->runtimes, (uintptr_t)image, 0, is_runtime);
	return is_runtime;
}

static bool read_stack_word(void *context, uint64_t address, uint64_t *word)
{
	return unwind_walk_stack(context, address, word);
}

static bool read_file_code(void *context, uint64_t address, void *out, size_t length)
{
	struct unwind_walk *walk = context;
	const struct region *region = address_space_find(walk->space, address);
	return region && region->inode && (region->permissions & REGION_READ) &&
	       unwind_walk_code(walk, region, address, out, length);
}

/* Does the code at ENTRY, where a frame is returned to, lead to PC without moving the
   stack pointer of Haskell's, which is the frame pointer? */
static bool leads_to_leaf(struct unwind_walk *walk, uint64_t entry, uint64_t pc)
{
	const struct region *region = address_space_find(walk->space, entry);
	struct unwind_paths paths;
	struct unwind_path path;
	struct arch_insn insn;
	bool is_reached = false;
	if (!region)
		return false;
	unwind_paths_init(&paths, walk, region);
	unwind_paths_begin(&paths, entry, entry + OWN_BYTES, OWN_INSNS);
	unwind_path_begin(&path, entry);
	unwind_paths_add(&paths, &path, entry);
	while (!is_reached && unwind_paths_take(&paths, &path)) {
		while (unwind_paths_is_inside(&paths, path.pc)) {
			struct unwind_value sp = path.registers[arch_fp];
			is_reached = path.pc == pc && sp.kind == UNWIND_VALUE_SUM &&
				     sp.of == arch_fp && sp.offset == 0;
			if (is_reached || unwind_paths_visit(&paths, &path, 0) ||
				!unwind_paths_decode(&paths, path.pc, &insn))
				break;
			unwind_path_apply(&path, &insn);
			path.pc += insn.length;
			if (!unwind_paths_follow(&paths, &path, &insn))
				break;
		}
	}
	unwind_paths_finish(&paths);
	return is_reached;
}

/* Is the frame that is returned to at ENTRY that of the leaf itself, which has not taken
   it off the stack yet? */
static bool is_own(struct unwind_haskell *haskell, struct unwind_walk *walk,
	uint64_t entry, uint64_t leaf)
{
	if (leaf - entry >= OWN_BYTES)
		return false;
	const uint32_t *known = idmap_get(&haskell->own, leaf, entry);
	if (known)
		return *known;
	bool is_own = leads_to_leaf(walk, entry, leaf);
	idmap_put(&haskell->own, leaf, entry, is_own);
	return is_own;
}

/* Where the callers of FRAME begin, by its registers; 0 if that cannot be read. */
static uint64_t find_callers(struct unwind_walk *walk,
	const struct haskell_memory *memory, const struct arch_registers *registers)
{
	uint64_t first = registers->values[arch_fp], nothing;
	if (!(registers->known & arch_bit(arch_fp)) ||
		!unwind_walk_stack(walk, first, &nothing))
		return 0;
	uint64_t found = haskell_find_frame(memory, first);
	walk->lacked = 0;
	return found;
}

/* Has the main executable the runtime? */
static bool is_main(struct unwind_haskell *haskell, struct address_space *space)
{
	uint64_t bias;
	if (haskell->generation == address_space_generation(space))
		return haskell->is_main;
	haskell->generation = address_space_generation(space);
	const struct region *region = address_space_main(space);
	const struct elf_image *image =
		region ? address_space_image(space, region, &bias) : NULL;
	const char *id = image ? elf_image_build_id(image) : "";
	if (!haskell->main_id || strcmp(id, haskell->main_id) != 0) {
		free(haskell->main_id);
		haskell->main_id = mem_strdup(id);
		haskell->is_main = image && haskell_is_runtime(image);
	}
	return haskell->is_main;
}

void unwind_haskell_tell(struct unwind_haskell *haskell, struct address_space *space,
	struct stack_link *link)
{
	bool is_haskell = haskell->is_used || is_main(haskell, space);
	link->frame_pointer_bytes = is_haskell ? HASKELL_CHUNK_BYTES : 0;
	link->first = haskell->first;
	link->chunk = haskell->chunk;
	link->chunk_sp = HASKELL_CHUNK_SP;
}

/* The frame that follows the last one of a chunk, of which N were left before: where the
   copy of the next chunk begins. */
static struct haskell_frame next_chunk(const struct haskell_memory *memory,
	const struct snapshot *snapshot, uint32_t n, uint64_t chunk)
{
	if (n >= snapshot->n_pieces ||
		snapshot->pieces[n].address - chunk > HASKELL_CHUNK_MAX)
		return (struct haskell_frame){.kind = HASKELL_NONE};
	return haskell_frame_at(memory, snapshot->pieces[n].address);
}

/* Add the frames from CALLER on to OUT. Returns why no more follow. */
static enum unwind_end add_callers(struct unwind_haskell *haskell,
	const struct unwind_walk *walk, const struct haskell_memory *memory,
	struct haskell_frame caller, struct callchain *out)
{
	uint32_t chunks = 0;
	for (;;) {
		switch (caller.kind) {
		case HASKELL_RETURN:
			if (!callchain_add(out, (struct frame){caller.pc, true, false}))
				return UNWIND_TOO_DEEP;
			caller = haskell_frame_at(memory, caller.next);
			break;
		case HASKELL_CHUNK:
			haskell->chunk = caller.pc;
			caller =
				next_chunk(memory, walk->snapshot, chunks++, caller.next);
			break;
		case HASKELL_FIRST:
			haskell->first = caller.pc;
			return UNWIND_ROOT;
		case HASKELL_NONE:
			return UNWIND_ELSEWHERE;
		}
	}
}

bool unwind_haskell_add(struct unwind_haskell *haskell, struct unwind_walk *walk,
	struct frame frame, const struct arch_registers *before, struct callchain *out)
{
	struct haskell_memory memory = {read_stack_word, read_file_code, walk};
	uint64_t stack_top = walk->stack_top;
	if (!is_runtime(haskell, walk, arch_get_pc(&walk->registers)))
		return true;
	haskell->is_used = true;
	walk->lacked = 0;
	uint64_t at = find_callers(walk, &memory, before);
	struct haskell_frame caller = {.kind = HASKELL_NONE};
	if (at)
		caller = haskell_frame_at(&memory, at);
	if (caller.kind == HASKELL_RETURN && at == before->values[arch_fp] &&
		is_own(haskell, walk, caller.pc, frame_code(frame)))
		caller = haskell_frame_at(&memory, caller.next);
	out->end = add_callers(haskell, walk, &memory, caller, out);
	if (at)
		walk->lacked = 0;
	walk->stack_top = stack_top; /* that of the thread's own stack */
	return out->end == UNWIND_ROOT;
}
