/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-link.h"

#include "src/arch/arch-code.h"
#include "src/read/elf/code-names.h"
#include "src/read/unwind/unwind-path.h"
#include "src/read/unwind/unwind-walk.h"

#include <string.h>

enum {
	FUNCTION_BYTES = 1024, /* the longest that is read */
	/* The bounds of its stack in a goroutine's record: where C code relies on them
	   (struct G in runtime/cgo/libcgo.h). */
	RECORD_BOTTOM = 0,
	RECORD_TOP = 8,
};

/* What a register holds: a number; or what was loaded by following LOADS offsets. */
struct followed {
	bool is_number;
	int32_t number;
	uint32_t loads;
	int32_t offsets[STACK_LINK_LOADS + 1];
};

static bool load(struct followed *out, const struct followed *base, int32_t offset)
{
	struct followed from = *base;
	*out = (struct followed){0};
	if (from.loads == 0 || from.loads > STACK_LINK_LOADS)
		return false;
	from.offsets[from.loads++] = offset;
	*out = from;
	return true;
}

static void load_tls(struct followed *registers, const struct arch_insn *insn)
{
	const struct followed *base =
		insn->base == ARCH_NO_REG ? NULL : &registers[insn->base];
	int32_t offset = insn->offset;
	bool is_known = !base || (base->is_number && !__builtin_add_overflow(offset,
							     base->number, &offset));
	registers[insn->reg] = (struct followed){0};
	if (is_known)
		registers[insn->reg] = (struct followed){.loads = 1, .offsets = {offset}};
}

/* Apply INSN. True if it set the stack pointer to something loaded. */
static bool follow(struct followed *registers, const struct arch_insn *insn)
{
	struct followed value = {0};
	switch ((enum arch_effect)insn->effect) {
	case ARCH_EFFECT_NUMBER:
		value = (struct followed){.is_number = true, .number = insn->offset};
		registers[insn->reg] = value;
		break;
	case ARCH_EFFECT_LOAD_TLS:
		load_tls(registers, insn);
		break;
	case ARCH_EFFECT_LOAD:
		load(&registers[insn->reg], &registers[insn->base], insn->offset);
		return insn->reg == arch_sp && registers[arch_sp].loads > 0;
	case ARCH_EFFECT_SET:
		if (insn->base != ARCH_NO_REG && insn->offset == 0)
			value = registers[insn->base];
		registers[insn->reg] = value;
		break;
	case ARCH_EFFECT_POP:
		if (insn->reg != ARCH_NO_REG)
			registers[insn->reg] = value;
		break;
	case ARCH_EFFECT_NONE:
	case ARCH_EFFECT_PUSH:
	case ARCH_EFFECT_STORE:
	case ARCH_EFFECT_STORE_TLS:
	case ARCH_EFFECT_LEAVE:
		break;
	}
	return false;
}

/* The loads by which systemstack goes back: those for the stack pointer with which it
   returns. */
static bool read_loads(struct unwind_walk *walk, const struct region *region,
	uint64_t first, uint64_t limit, struct stack_link *link)
{
	struct followed registers[ARCH_REGISTERS] = {0}, found = {0};
	struct arch_insn insn;
	for (uint64_t pc = first; pc < limit && unwind_walk_insn(walk, region, pc, &insn);
		pc += insn.length) {
		if (follow(registers, &insn))
			found = registers[arch_sp];
		if (insn.flow == ARCH_FLOW_CALL) {
			memset(registers, 0, sizeof(registers));
			found.loads = 0;
		}
		if (insn.flow == ARCH_FLOW_RETURN && found.loads > 2) {
			link->loads = found.loads - 1;
			memcpy(link->offsets, found.offsets, sizeof(link->offsets));
			link->sp = found.offsets[link->loads];
			return true;
		}
	}
	return false;
}

/* The offsets at which a function stores its return address, the stack pointer above that,
   and the frame pointer. */
struct stores {
	bool has_pc, has_sp, has_fp;
	int32_t pc, sp, fp;
};

static void take_store(struct stores *stores, const struct unwind_path *path,
	const struct arch_insn *insn)
{
	struct unwind_value value = path->registers[insn->reg];
	bool is_sum = value.kind == UNWIND_VALUE_SUM;
	if (value.kind == UNWIND_VALUE_WORD && value.of == arch_sp && value.offset == 0) {
		stores->pc = insn->offset;
		stores->has_pc = true;
	} else if (is_sum && value.of == arch_sp && value.offset == UNWIND_PATH_WORD) {
		stores->sp = insn->offset;
		stores->has_sp = true;
	} else if (is_sum && value.of == arch_fp && value.offset == 0) {
		stores->fp = insn->offset;
		stores->has_fp = true;
	}
}

/* Look at the straight code that the function begins with. Only stores at what was loaded
   from THROUGH count, if that is not 0. */
static struct stores read_stores(struct unwind_walk *walk, const struct region *region,
	uint64_t first, uint64_t limit, int32_t through)
{
	struct stores stores = {0};
	struct unwind_path path;
	struct arch_insn insn;
	unwind_path_begin(&path, first);
	for (uint64_t pc = first;
		pc < limit && unwind_walk_insn(walk, region, pc, &insn) &&
		insn.flow == ARCH_FLOW_NEXT;
		pc += insn.length) {
		if (insn.effect == ARCH_EFFECT_STORE && insn.base != arch_sp &&
			insn.reg < UNWIND_PATH_REGISTERS) {
			struct unwind_value base = path.registers[insn.base];
			if (through == 0 || (base.kind == UNWIND_VALUE_WORD &&
						    base.offset == through))
				take_store(&stores, &path, &insn);
		}
		unwind_path_apply(&path, &insn);
	}
	return stores;
}

static bool find_function(
	struct code_names *names, const char *name, uint64_t *first, uint64_t *limit)
{
	const struct elf_symbol *symbol = code_names_compiled(names, name);
	if (!symbol || symbol->size > FUNCTION_BYTES)
		return false;
	*first = symbol->vaddr;
	*limit = symbol->vaddr + symbol->size;
	return true;
}

/* The same two as mcall saves in a goroutine's record are saved in the thread's by what
   calls the vDSO, which needs a larger stack than a goroutine has. */
static void read_away(struct unwind_walk *walk, const struct region *region,
	struct code_names *names, uint64_t bias, struct stack_link *link)
{
	uint64_t first, limit;
	if (!find_function(names, "runtime.nanotime1", &first, &limit))
		return;
	struct stores stores =
		read_stores(walk, region, first + bias, limit + bias, link->offsets[1]);
	if (stores.has_pc && stores.has_sp) {
		link->away_sp = stores.sp;
		link->away_pc = stores.pc;
	}
}

/* How the stack is found that a thread has left, if the program in REGION has these
   functions; REGION may be NULL. */
static bool read_code(
	struct unwind_walk *walk, const struct region *region, struct stack_link *link)
{
	uint64_t bias, first, limit;
	struct code_names *names =
		region ? address_space_names(walk->space, region, &bias) : NULL;
	if (!names || !find_function(names, "runtime.systemstack", &first, &limit) ||
		!read_loads(walk, region, first + bias, limit + bias, link) ||
		!find_function(names, "runtime.mcall", &first, &limit))
		return false;
	struct stores stores = read_stores(walk, region, first + bias, limit + bias, 0);
	if (!stores.has_pc || !stores.has_sp || !stores.has_fp || stores.sp != link->sp)
		return false;
	link->pc = stores.pc;
	link->fp = stores.fp;
	link->bottom = RECORD_BOTTOM;
	link->top = RECORD_TOP;
	read_away(walk, region, names, bias, link);
	return true;
}

const struct stack_link *unwind_link_of(
	struct unwind_link *link, struct address_space *space, struct unwinder *unwinder)
{
	if (link->generation != address_space_generation(space)) {
		struct unwind_walk walk = {.space = space};
		link->generation = address_space_generation(space);
		link->changes = 0;
		link->found = (struct stack_link){0};
		if (!read_code(&walk, address_space_main(space), &link->found))
			link->found = (struct stack_link){0};
	}
	unwinder_tell(unwinder, &link->found);
	address_space_anonymous(space, &link->found, &link->changes);
	link->found.n_places = code_watch_places(
		address_space_watch(space), link->found.places, STACK_LINK_PLACES);
	return &link->found;
}
