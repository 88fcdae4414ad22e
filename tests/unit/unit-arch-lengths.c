/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our decoder of instructions against Zydis, over the code of the programs and libraries
 * of this machine: the length of each instruction, where it leads, and what it refers to.
 *
 * The functions that the symbols tell, from begin to end: what lies between functions may
 * be tables, and of bytes that are no code, ours refuses more than Zydis does.
 */
#include "config.h"

#include "tests/lib/unit.h"

#include "src/arch/arch-code.h"
#include "src/arch/arch.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef HAVE_ZYDIS

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

enum {
	SHOWN = 5,		 /* differences that are printed */
	FILE_MOST = 1000 * 1000, /* instructions of one file */
	LEAST = 200 * 1000,	 /* instructions in all, else the test has seen nothing */
};

struct comparison {
	ZydisDecoder decoder;
	const char *path;
	unsigned long compared, of_file, refused, differences;
};

/* What ours does not follow, and so does not decode: two registers change at once, one of
   them the stack pointer; or VIA's encryption. */
static bool is_refused(const ZydisDecodedInstruction *theirs)
{
	return theirs->meta.isa_ext == ZYDIS_ISA_EXT_PADLOCK ||
	       theirs->mnemonic == ZYDIS_MNEMONIC_XCHG;
}

/* What our enum arch_flow says of it, as far as Zydis tells it, too. */
static bool leads_alike(const ZydisDecodedInstruction *theirs,
	const ZydisDecodedOperand *operand, const struct arch_insn *ours)
{
	bool has_target =
		operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative;
	bool flow = true;
	/* A transaction may go back to its begin, which nobody follows. */
	if (theirs->meta.isa_ext == ZYDIS_ISA_EXT_RTM)
		return ours->flow == ARCH_FLOW_NEXT;
	switch (theirs->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		flow = ours->flow == ARCH_FLOW_CALL;
		break;
	case ZYDIS_CATEGORY_RET:
		flow = ours->flow == ARCH_FLOW_RETURN || ours->flow == ARCH_FLOW_STOP;
		has_target = false;
		break;
	case ZYDIS_CATEGORY_COND_BR:
		flow = ours->flow == ARCH_FLOW_BRANCH;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		flow = has_target ? ours->flow == ARCH_FLOW_JUMP
				  : ours->flow == ARCH_FLOW_INDIRECT ||
					    ours->flow == ARCH_FLOW_SLOT;
		break;
	default:
		return ours->flow == ARCH_FLOW_NEXT || ours->flow == ARCH_FLOW_STOP;
	}
	return flow && ours->is_direct == has_target &&
	       (!has_target || operand->imm.value.s == ours->target);
}

/* Is the memory at a fixed place that an operand names the same? */
static bool refers_alike(const ZydisDecodedInstruction *theirs,
	const ZydisDecodedOperand *operands, const struct arch_insn *ours)
{
	for (unsigned i = 0; i < theirs->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			operands[i].mem.base == ZYDIS_REGISTER_RIP)
			return ours->has_reference &&
			       ours->reference == operands[i].mem.disp.value;
	return !ours->has_reference;
}

static void show(struct comparison *comparison, const unsigned char *code,
	const ZydisDecodedInstruction *theirs, const struct arch_insn *ours)
{
	if (++comparison->differences > SHOWN)
		return;
	printf("# %s:", comparison->path);
	for (unsigned i = 0; i < theirs->length; i++)
		printf(" %02x", code[i]);
	printf(" (%s): %u bytes and flow %u here, %u bytes there\n",
		ZydisMnemonicGetString(theirs->mnemonic), ours->length, ours->flow,
		theirs->length);
}

static void compare_code(
	struct comparison *comparison, const unsigned char *code, size_t length)
{
	for (size_t at = 0; at < length && comparison->of_file < FILE_MOST;) {
		ZydisDecodedInstruction theirs;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		struct arch_insn ours = {0};
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&comparison->decoder, code + at,
			    length - at, &theirs, operands))) {
			at++;
			continue;
		}
		bool known = arch_decode_insn(code + at, length - at, &ours);
		if (!known && is_refused(&theirs))
			comparison->refused++;
		else if (!known || ours.length != theirs.length ||
			 !leads_alike(&theirs, &operands[0], &ours) ||
			 !refers_alike(&theirs, operands, &ours))
			show(comparison, code + at, &theirs, &ours);
		comparison->compared++;
		comparison->of_file++;
		at += theirs.length;
	}
}

/* The code of the functions in SYMBOLS, a section of the file BYTES. */
static void compare_functions(struct comparison *comparison, const unsigned char *bytes,
	const Elf64_Shdr *sections, unsigned n_sections, const Elf64_Shdr *symbols)
{
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size;
		at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		memcpy(&symbol, bytes + symbols->sh_offset + at, sizeof(symbol));
		const Elf64_Shdr *home = &sections[symbol.st_shndx];
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 ||
			symbol.st_shndx >= n_sections ||
			!(home->sh_flags & SHF_EXECINSTR))
			continue;
		const unsigned char *code =
			bytes + home->sh_offset + (symbol.st_value - home->sh_addr);
		compare_code(comparison, code, symbol.st_size);
	}
}

/* A file that the test trusts: it belongs to this machine. */
static void compare_file(struct comparison *comparison, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	if (fd < 0)
		return;
	assert_int_equal(fstat(fd, &status), 0);
	size_t size = (size_t)status.st_size;
	const unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(bytes != MAP_FAILED);
	Elf64_Ehdr header;
	comparison->path = path;
	comparison->of_file = 0;
	memcpy(&header, bytes, sizeof(header));
	bool is_elf = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
		      header.e_ident[EI_CLASS] == ELFCLASS64 &&
		      header.e_machine == EM_X86_64;
	size_t headers = is_elf ? header.e_shnum * sizeof(Elf64_Shdr) : 0;
	Elf64_Shdr *sections = malloc(headers + 1);
	memcpy(sections, bytes + header.e_shoff, headers);
	for (unsigned i = 0; i < headers / sizeof(*sections); i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
			sections[i].sh_type == SHT_DYNSYM)
			compare_functions(comparison, bytes, sections, header.e_shnum,
				&sections[i]);
	free(sections);
	munmap((void *)(uintptr_t)bytes, size);
}

/* What is on most machines; CPROFTOP_LENGTHS has a file more. Not libcrypto: some symbols
   of its assembly cover texts. */
static void test_lengths_and_targets_are_those_of_zydis(void **state)
{
	(void)state;
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
		"/usr/bin/python3",
		"/usr/bin/gdb",
		"/usr/lib/go-1.19/bin/go",
	};
	struct comparison comparison = {.compared = 0};
	assert_true(ZYAN_SUCCESS(ZydisDecoderInit(
		&comparison.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		compare_file(&comparison, paths[i]);
	if (getenv("CPROFTOP_LENGTHS"))
		compare_file(&comparison, getenv("CPROFTOP_LENGTHS"));
	printf("# %lu instructions, %lu not decoded on purpose, %lu differences\n",
		comparison.compared, comparison.refused, comparison.differences);
	assert_true(comparison.compared > LEAST);
	assert_true(comparison.refused * 100000 < comparison.compared);
	assert_int_equal(comparison.differences, 0);
}

#else

static void test_lengths_and_targets_are_those_of_zydis(void **state)
{
	(void)state;
	puts("# Zydis is not installed (libzydis-dev)");
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths_and_targets_are_those_of_zydis),
	};
	return unit_run(tests);
}
