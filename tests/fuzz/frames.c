/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks, code and unwind tables that fit together, where `unwind' has only stacks that are
 * random: a file of four functions (tests/fuzz/made-file.h) and generated code in no file, the
 * registers and the stack of a thread in it; and a Java virtual machine that made that code
 * (tests/fuzz/made-machine.h). The bytes say what is in all of these. */

#include "tests/fuzz/fake-process.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/made-file.h"
#include "tests/fuzz/made-machine.h"

#include "src/base/mem.h"
#include "src/read/assembly/target-names.h"
#include "src/read/runtimes/haskell/haskell-stack.h"
#include "src/read/runtimes/hotspot/hotspot-structs.h"
#include "src/read/unwind/unwind-link.h"
#include "src/read/unwind/unwind-switch.h"
#include "src/read/unwind/unwinder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	FILE_AT = 0x10000000, /* where the file is mapped */
	GENERATED = 0x20000000,
	GENERATED_BYTES = 0x1000,
	MACHINE = 0x30000000,
	STACK = 0x40000000,
	STACK_WORDS = 512, /* more than one copy has */
	OTHER_STACK = 0x50000000,
	OTHER_WORDS = 64,
	MAPPED = 0x2000, /* of the file */
};

static uint8_t *generated, *machine;
static int file_fd = -1;

static void map_all(void)
{
	char link[64], to[32];
	if (generated)
		return;
	fake_process_folder();
	generated = fake_process_map(GENERATED, GENERATED_BYTES);
	machine = fake_process_map(MACHINE, MADE_MACHINE_BYTES);
	file_fd = memfd_create("frames", MFD_CLOEXEC);
	FUZZ_CHECK(file_fd >= 0);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", file_fd);
	snprintf(link, sizeof(link), "map_files/%x-%x", FILE_AT, FILE_AT + MAPPED);
	fake_process_link(link, to);
	fake_process_link("exe", to);
}

/* The file, anew, and maps that say where it is. */
static void make_process(struct input *input, bool is_java)
{
	char maps[512];
	struct stat status;
	const void *bytes = made_file(input, MACHINE - FILE_AT, hotspot_variables);
	FUZZ_CHECK(pwrite(file_fd, bytes, MADE_FILE_BYTES, 0) == MADE_FILE_BYTES);
	FUZZ_CHECK(fstat(file_fd, &status) == 0);
	int length = snprintf(maps, sizeof(maps),
		"%08x-%08x r-xp 00000000 %02x:%02x %" PRIu64 " /usr/lib/%s\n"
		"%08x-%08x rwxp 00000000 00:00 0 \n"
		"%08x-%08x rw-p 00000000 00:00 0 [stack]\n",
		FILE_AT, FILE_AT + MAPPED, major(status.st_dev), minor(status.st_dev),
		(uint64_t)status.st_ino, is_java ? "libjvm.so" : "program", GENERATED,
		GENERATED + GENERATED_BYTES, STACK, STACK + STACK_WORDS * 8);
	fake_process_write("maps", maps, (size_t)length);
}

/* A word as there may be one on a stack: what it points to comes first. */
static uint64_t word(struct input *input)
{
	unsigned kind = (unsigned)input_number(input, 1);
	switch (kind % 8) {
	case 0:
	case 1:
		return FILE_AT + MADE_FILE_CODE +
		       input_number(input, 2) % MADE_FILE_CODE_MAX;
	case 2:
		return GENERATED + input_number(input, 2) % GENERATED_BYTES;
	case 3:
	case 4:
		return STACK + input_number(input, 1) * 8;
	case 5:
		return OTHER_STACK + input_number(input, 1) % OTHER_WORDS * 8;
	case 6:
		return kind / 8;
	default:
		return input_number(input, 8);
	}
}

static void put_words(
	struct input *input, struct snapshot *snapshot, size_t at, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = word(input);
		memcpy(snapshot->stack + at + i * 8, &value, sizeof(value));
	}
}

static void make_snapshot(struct input *input, struct snapshot *snapshot)
{
	unsigned flags = (unsigned)input_number(input, 1);
	struct arch_registers *known = &snapshot->known;
	*snapshot = (struct snapshot){.time_ns = 1};
	/* of a thread that sleeps, two registers are known */
	known->known = flags & 1 ? ARCH_ALL : arch_bit(arch_sp) | arch_bit(arch_pc);
	for (unsigned i = 0; i < ARCH_REGISTERS && (flags & 1); i++)
		known->values[i] = word(input);
	known->values[arch_sp] = STACK + input_number(input, 1) % 64 * 8;
	known->values[arch_pc] =
		flags & 2 ? GENERATED + input_number(input, 2) % GENERATED_BYTES
			  : FILE_AT + MADE_FILE_CODE +
				    input_number(input, 2) % MADE_FILE_CODE_MAX;
	snapshot->stack_cut = flags & 4;
	snapshot->link.is_none = flags & 8;
	snapshot->link.is_away = flags & 16;
	if (flags & 32) {
		snapshot->link.sp = OTHER_STACK + input_number(input, 1) % 32 * 8;
		snapshot->link.pc = word(input);
		snapshot->link.fp = word(input);
	}
	size_t other = flags & 64 ? OTHER_WORDS : 0;
	size_t pieces = flags & 128 ? 2 : 0;
	snapshot->n_pieces = (uint32_t)pieces;
	for (size_t i = 0; i < pieces; i++)
		snapshot->pieces[i] = (struct snapshot_piece){
			.address = OTHER_STACK + 0x1000 * (i + 1), .length = 64};
	snapshot->other_length = (uint32_t)(other * 8);
	snapshot->other_address = OTHER_STACK;
	size_t own = STACK_WORDS / 2;
	snapshot->stack_address = STACK;
	snapshot->stack_length = (uint32_t)(own * 8);
	put_words(input, snapshot, own * 8, other + pieces * 8);
	put_words(input, snapshot, 0, own);
}

/* --- the frames of Haskell, without the way there ------------------------------------------ */

static bool read_stack(void *context, uint64_t address, uint64_t *out)
{
	const void *bytes = snapshot_stack_at(context, address, sizeof(*out));
	if (bytes)
		memcpy(out, bytes, sizeof(*out));
	return bytes;
}

static bool read_code(void *context, uint64_t address, void *out, size_t length)
{
	(void)context;
	uint64_t offset = address - FILE_AT;
	return offset < MADE_FILE_BYTES &&
	       pread(file_fd, out, length, (off_t)offset) == (ssize_t)length;
}

static void find_haskell(struct snapshot *snapshot)
{
	struct haskell_memory memory = {read_stack, read_code, snapshot};
	uint64_t at = haskell_find_frame(&memory, snapshot->known.values[arch_sp]);
	FUZZ_CHECK(!at || haskell_frame_at(&memory, at).kind != HASKELL_NONE);
}

/* A leaf that was entered by a jump from the runtime, wherever the unwinder would find one. */
static void add_haskell(struct unwind_haskell *haskell, struct address_space *space,
	struct snapshot *snapshot)
{
	static struct callchain chain;
	struct unwind_walk walk = {
		.space = space,
		.snapshot = snapshot,
		.registers = snapshot->known,
		.reads_left = UNWIND_READS,
	};
	struct arch_registers before = snapshot->known;
	uint64_t pc = arch_get_pc(&before), entry;
	before.known |= arch_bit(arch_fp);
	before.values[arch_fp] = before.values[arch_sp];
	/* the first frame may be the leaf's own */
	struct haskell_memory memory = {read_stack, read_code, snapshot};
	uint64_t at = haskell_find_frame(&memory, before.values[arch_fp]);
	if (at && pc % 2 && read_stack(snapshot, at, &entry)) {
		before.values[arch_fp] = at;
		pc = entry + pc % 64;
	}
	chain.length = 0;
	callchain_add(&chain, (struct frame){.pc = pc});
	bool is_done = unwind_haskell_add(
		haskell, &walk, (struct frame){.pc = pc}, &before, &chain);
	FUZZ_CHECK(chain.length >= 1 && chain.length <= CALLCHAIN_MAX);
	FUZZ_CHECK(is_done || chain.end < UNWIND_END_COUNT);
}

/* --- what instructions lead to ------------------------------------------------------------- */

static void name_targets(struct address_space *space, struct profile *profile,
	const struct snapshot *snapshot)
{
	struct code_source source = {
		.space = space, .symbolizer = symbolizer_create(space, profile, NULL)};
	for (size_t i = 0; i < 16; i++) {
		uint64_t address;
		memcpy(&address, snapshot->stack + i * sizeof(address), sizeof(address));
		free(target_name(&source, address));
		free(target_name_of_slot(&source, address, true));
	}
	free(target_name_of_slot(&source, MACHINE, true));
	symbolizer_destroy(source.symbolizer);
}

/* --- names --------------------------------------------------------------------------------- */

static void name_frames(struct symbolizer *symbolizer, const struct profile *profile,
	const struct callchain *chain)
{
	const char *name;
	uint64_t start, size;
	for (uint32_t i = 0; i < chain->length && i < 64; i++) {
		struct frame frame = chain->frames[i];
		uint32_t id = symbolizer_locate(symbolizer, frame);
		FUZZ_CHECK(id < profile->locations->len);
		const struct location *location = profile_location(profile, id);
		FUZZ_CHECK(location->n_lines >= 1 && location->n_lines <= 64);
		/* as if the interpreter were there */
		frame.method = MACHINE + MADE_MACHINE_METHOD;
		symbolizer_locate(symbolizer, frame);
		if (symbolizer_jit_function(
			    symbolizer, frame_code(frame), &name, &start, &size))
			FUZZ_CHECK(frame_code(frame) - start < size);
	}
}

/* --- the walk ----------------------------------------------------------------------------- */

static void walk(struct input *input, bool is_java)
{
	static struct snapshot *snapshot;
	static struct callchain chain;
	if (!snapshot)
		snapshot = mem_zalloc(sizeof(*snapshot) + STACK_WORDS * 8);
	struct profile *profile = profile_create();
	make_process(input, is_java);
	struct address_space *space =
		address_space_create(fake_process_open(), profile, NULL, NULL, NULL);
	FUZZ_CHECK(space);
	struct unwinder *unwinder = unwinder_create(space, NULL);
	struct symbolizer *symbolizer = symbolizer_create(space, profile, NULL);
	struct unwind_link link = {0};
	struct unwind_haskell haskell = {0};
	struct stack_link told = {0};
	for (unsigned left = 2; left > 0 && input_left(input) > 0; left--) {
		make_snapshot(input, snapshot);
		unwinder_unwind(unwinder, snapshot, &chain);
		name_frames(symbolizer, profile, &chain);
		find_haskell(snapshot);
		unwind_haskell_tell(&haskell, space, &told);
		add_haskell(&haskell, space, snapshot);
		name_targets(space, profile, snapshot);
		FUZZ_CHECK(chain.length >= 1 && chain.length <= CALLCHAIN_MAX);
		FUZZ_CHECK(chain.end < UNWIND_END_COUNT);
		FUZZ_CHECK(unwind_link_of(&link, space, unwinder)->loads <=
			   STACK_LINK_LOADS);
	}
	unwind_haskell_clear(&haskell);
	unwind_haskell_finish(&haskell);
	unwinder_destroy(unwinder);
	symbolizer_destroy(symbolizer);
	address_space_destroy(space);
	profile_unref(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, bytes + size};
	map_all();
	bool is_java = input_number(&input, 1) % 2;
	memset(generated, 0, GENERATED_BYTES);
	input_bytes(&input, generated + 0x40, input_number(&input, 1));
	input_bytes(&input, generated + 0x450, input_number(&input, 1));
	if (is_java)
		made_machine(&input, machine, generated);
	walk(&input, is_java);
	return 0;
}
