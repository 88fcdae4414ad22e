/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-walk.h"

#include "src/base/clock.h"

#include <string.h>

/* For files whose code has come to run. */
#define SEARCH_INTERVAL_NS (NS_PER_SEC / 4)

/* Exported by libunwind, declared by none of its headers; perf uses it the same way. */
#define dwarf_search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
extern int dwarf_search_unwind_table(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
	unw_proc_info_t *, int need_unwind_info, void *);

void unwind_walk_note_miss(struct unwind_walk *walk)
{
	uint64_t pc = arch_get_pc(&walk->registers);
	const struct region *region = address_space_find(walk->space, pc);
	if (!(region && (region->permissions & REGION_EXECUTE)))
		address_space_miss(walk->space, pc);
}

/* ADDRESS is read, above all that was read so far. */
static void note_gap(struct unwind_walk *walk, uint64_t address)
{
	uint64_t from = walk->stack_top ? walk->stack_top : walk->snapshot->stack_address;
	if (address > from && address - from > walk->gap.high - walk->gap.low)
		walk->gap = (struct stack_bounds){from, address};
}

static bool read_stack(struct unwind_walk *walk, uint64_t address, uint64_t *word)
{
	const void *bytes = snapshot_stack_at(walk->snapshot, address, sizeof(*word));
	if (!bytes)
		return false;
	memcpy(word, bytes, sizeof(*word));
	if (address + sizeof(*word) <= walk->stack_top)
		return true;
	note_gap(walk, address);
	walk->stack_top = address + sizeof(*word);
	return true;
}

/* May ADDRESS be on the stack whose copy ends at LIMIT, above the copy? Not if it lies
   beyond the mapping of this stack, which a longer copy would not reach. */
static bool may_be_above(const struct unwind_walk *walk, uint64_t address, uint64_t limit)
{
	const struct region *region = address_space_find(walk->space, limit - 1);
	return !region || address < region->limit;
}

bool unwind_walk_stack(struct unwind_walk *walk, uint64_t address, uint64_t *word)
{
	if (read_stack(walk, address, word))
		return true;
	const struct snapshot *snapshot = walk->snapshot;
	uint64_t limit;
	walk->lacked = address;
	bool cut = snapshot_is_cut_at(snapshot, address, sizeof(*word), &limit) &&
		   may_be_above(walk, address, limit);
	/* The interrupted stack was not copied at all? */
	cut |= walk->on_another_stack && snapshot->other_length == 0;
	walk->fault = snapshot->is_not_read ? UNWIND_NOT_READ
		      : cut		    ? UNWIND_TRUNCATED
					    : UNWIND_BAD_MEMORY;
	return false;
}

bool unwind_walk_code(struct unwind_walk *walk, const struct region *region,
	uint64_t address, void *out, size_t length)
{
	uint64_t bias;
	struct elf_image *image = address_space_image(walk->space, region, &bias);
	if (image)
		return elf_image_read(image, address - bias, out, length);
	return address_space_read(walk->space, address, out, length) == length;
}

bool unwind_walk_insn(struct unwind_walk *walk, const struct region *region, uint64_t pc,
	struct arch_insn *insn)
{
	unsigned char code[ARCH_INSN_MAX];
	size_t length = sizeof(code);
	while (length > 0 && !unwind_walk_code(walk, region, pc, code, length))
		length--;
	return arch_decode_insn(code, length, insn);
}

enum arch_frame unwind_walk_frame(
	struct unwind_walk *walk, const struct region *region, uint64_t pc)
{
	unsigned char code[ARCH_CODE_BYTES] = {0};
	size_t after = sizeof(code) - ARCH_CODE_BEFORE;
	if (!unwind_walk_code(walk, region, pc - ARCH_CODE_BEFORE, code, sizeof(code))) {
		/* Near an end of the mapping: read what there is. */
		while (after > 0 && !unwind_walk_code(walk, region, pc,
					    code + ARCH_CODE_BEFORE, after))
			after--;
	}
	return arch_frame_at(code);
}

/* Where libunwind finds the index that was made for a file without a table: an address
   that no process has. */
#define INDEX_ADDRESS (UINT64_C(1) << 62)

static bool read_index(struct unwind_walk *walk, uint64_t address, unw_word_t *word)
{
	if (!walk->index || address < INDEX_ADDRESS)
		return false;
	uint64_t at = (address - INDEX_ADDRESS) / sizeof(struct elf_fde);
	if (at >= walk->index->count)
		return false;
	_Static_assert(sizeof(struct elf_fde) == sizeof(*word), "an entry is a word");
	memcpy(word, &walk->index->entries[at], sizeof(*word));
	return true;
}

/* A word of the unwind table in use. libunwind reads aligned words only, and the last one
   of a segment may lack its end. */
static bool read_table(struct unwind_walk *walk, uint64_t address, unw_word_t *word)
{
	if (!walk->image)
		return false;
	*word = 0;
	for (size_t length = sizeof(*word); length > 0; length--)
		if (elf_image_read(walk->image, address - walk->bias, word, length)) {
			unwind_signed_hide(
				&walk->program, walk->image, walk->bias, address, word);
			return true;
		}
	return false;
}

/* A word of relocated data, or other memory mapped from a file; never of a stack. For
   anonymous code only its existence is checked. */
static bool read_mapped(struct unwind_walk *walk, uint64_t address, unw_word_t *word)
{
	const struct region *region = address_space_find(walk->space, address);
	if (!region || !(region->permissions & REGION_READ))
		return false;
	*word = 0;
	if (region->inode && (region->permissions & REGION_EXECUTE) &&
		unwind_walk_code(walk, region, address, word, sizeof(*word)))
		return true;
	if (region->inode)
		return address_space_read(walk->space, address, word, sizeof(*word)) ==
		       sizeof(*word);
	return (region->permissions & REGION_EXECUTE) && !region->path[0];
}

static int access_mem(
	unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write, void *arg)
{
	(void)as;
	struct unwind_walk *walk = arg;
	if (write)
		return -UNW_EINVAL;
	if (walk->is_probe) {
		*word = address | UNWIND_PROBE_MEMORY;
		/* A real address is that of a DWARF expression. */
		return address >> 48 ? 0 : -UNW_EINVAL;
	}
	if (walk->reads_left == 0) {
		walk->fault = UNWIND_CYCLE;
		return -UNW_EUNSPEC;
	}
	walk->reads_left--;
	if (read_stack(walk, address, word) || read_table(walk, address, word) ||
		read_index(walk, address, word) || read_mapped(walk, address, word))
		return 0;
	uint64_t nothing;
	unwind_walk_stack(walk, address, &nothing); /* to set the fault */
	return -UNW_EINVAL;
}

static int access_reg(
	unw_addr_space_t as, unw_regnum_t number, unw_word_t *value, int write, void *arg)
{
	(void)as;
	struct unwind_walk *walk = arg;
	if (write)
		return -UNW_EREADONLYREG;
	if (number == ARCH_UNWIND_PC)
		number = (unw_regnum_t)arch_pc;
	else if (number == (unw_regnum_t)arch_pc)
		number = ARCH_REGISTERS; /* another one of libunwind's */
	if (number < 0 || number >= ARCH_REGISTERS ||
		!(walk->registers.known & arch_bit(number))) {
		walk->fault = UNWIND_NO_REGISTER;
		walk->missing = (unsigned)number;
		return -UNW_EBADREG;
	}
	*value = walk->registers.values[number];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *value,
	int write, void *arg)
{
	(void)as, (void)number, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

void unwind_registered_finish(struct unwind_registered *registered)
{
	jit_code_destroy(registered->code);
	vec_free(&registered->searched);
	*registered = (struct unwind_registered){0};
}

/* Look for the list of registered code in files whose code has come to run. */
static void search_registered(struct unwind_walk *walk)
{
	struct unwind_registered *registered = walk->registered;
	uint64_t now_ns = walk->snapshot->time_ns, after = 0, bias;
	struct elf_image *image;
	if (registered->searched_ns &&
		now_ns - registered->searched_ns < SEARCH_INTERVAL_NS)
		return;
	registered->searched_ns = now_ns;
	while ((image = address_space_next_image(walk->space, NULL, &after, &bias))) {
		bool is_known = false;
		vec_each (&registered->searched, known)
			is_known |= *known == bias;
		if (is_known)
			continue;
		struct elf_variable variable = {.name = JIT_DESCRIPTOR};
		elf_image_find_variables(image, &variable, 1);
		if (variable.vaddr)
			jit_code_add_descriptor(registered->code, variable.vaddr + bias);
		vec_push(&registered->searched, bias);
	}
}

/* The image for the code at PC that is in no file; NULL if nobody has registered it. */
static struct elf_image *find_registered(struct unwind_walk *walk, uint64_t pc)
{
	struct target_memory memory = address_space_memory(walk->space);
	if (!walk->registered)
		return NULL;
	if (!walk->registered->code)
		walk->registered->code = jit_code_create();
	search_registered(walk);
	walk->bias = 0;
	return jit_code_find(
		walk->registered->code, &memory, walk->snapshot->time_ns, pc);
}

/* Where the table for PC in REGION is, in the target's addresses; WALK will serve it. */
static bool find_table(struct unwind_walk *walk, const struct region *region, uint64_t pc,
	unw_dyn_remote_table_info_t *where)
{
	struct elf_unwind_table table;
	walk->index = NULL; /* its image may have gone */
	walk->program = (struct unwind_program){0};
	walk->image = address_space_image(walk->space, region, &walk->bias);
	walk->is_told = !walk->image;
	if (!walk->image)
		walk->image = find_registered(walk, pc);
	if (!walk->image)
		return false;
	if (elf_image_unwind_table(walk->image, &table)) {
		where->segbase = table.hdr_vaddr + walk->bias;
		where->table_data = table.table_vaddr + walk->bias;
		where->table_len = table.fde_count;
		return true;
	}
	walk->index = elf_image_fde_index(walk->image);
	if (!walk->index)
		return false;
	where->segbase = walk->index->base_vaddr + walk->bias;
	where->table_data = INDEX_ADDRESS;
	where->table_len = walk->index->count;
	return true;
}

/* libunwind's own search aborts on tables it does not know and wants segments aligned as
   LLD does not align them, so the file is read by src/read/elf/elf-*.c; only the search in the
   table is libunwind's. */
static int find_proc_info(unw_addr_space_t as, unw_word_t pc, unw_proc_info_t *info,
	int need_unwind_info, void *arg)
{
	struct unwind_walk *walk = arg;
	memset(info, 0, sizeof(*info));
	const struct region *region = address_space_find(walk->space, pc);
	if (!region || !(region->permissions & REGION_EXECUTE))
		return -UNW_ENOINFO;
	unw_dyn_info_t where = {
		.start_ip = region->start,
		.end_ip = region->limit,
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
	};
	if (!find_table(walk, region, pc, &where.u.rti))
		return -UNW_ENOINFO;
	int status =
		dwarf_search_unwind_table(as, pc, &where, info, need_unwind_info, walk);
	if (status < 0)
		return status;
	/* A table that points to a CIE "succeeds" without any info, and libunwind would
	   follow the NULL (libunwind#934). */
	if (need_unwind_info && !info->unwind_info)
		return -UNW_ENOINFO;
	walk->program = unwind_signed_program(info->unwind_info);
	return pc >= info->start_ip && pc < info->end_ip ? 0 : -UNW_ENOINFO;
}

bool unwind_walk_function(struct unwind_walk *walk, unw_addr_space_t as, uint64_t pc,
	uint64_t *first, uint64_t *limit)
{
	unw_proc_info_t info;
	uint64_t bias;
	if (find_proc_info(as, pc, &info, 0, walk) == 0) {
		*first = info.start_ip;
		*limit = info.end_ip;
		return true;
	}
	const struct region *region = address_space_find(walk->space, pc);
	struct code_names *names =
		region ? address_space_names(walk->space, region, &bias) : NULL;
	const struct elf_symbol *symbol =
		names ? code_names_symbol(names, pc - bias) : NULL;
	if (!symbol)
		return false;
	*first = symbol->vaddr + bias;
	*limit = *first + symbol->size;
	return true;
}

/* libunwind frees what its table search made by itself. */
static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as, (void)info, (void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as, (void)list, (void)arg;
	return -UNW_ENOINFO;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t pc, char *name, size_t size,
	unw_word_t *offset, void *arg)
{
	(void)as, (void)pc, (void)name, (void)size, (void)offset, (void)arg;
	return -UNW_ENOINFO;
}

unw_addr_space_t unwind_walk_accessors(void)
{
	unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	return unw_create_addr_space(&accessors, 0); /* copies them */
}
