/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/decoder.h"

#include "src/arch/arch-code.h"
#include "src/base/host.h"
#include "src/base/mem.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const int syntaxes[ASSEMBLY_SYNTAXES] = {
	[ASSEMBLY_ATT] = CS_OPT_SYNTAX_ATT,
	[ASSEMBLY_INTEL] = CS_OPT_SYNTAX_INTEL,
};

#define TEXT_OF(x)	  #x
#define LIBRARY_OF(major) "libcapstone.so." TEXT_OF(major)
#define LIBRARY		  LIBRARY_OF(CS_API_MAJOR)

/* Loaded by who needs it: linked, it would cost each start of ours a third of its time. */
struct library {
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_err (*close)(csh *handle);
	cs_insn *(*malloc)(csh handle);
	void (*free)(cs_insn *insn, size_t count);
	bool (*next)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
		cs_insn *insn);
};

struct decoder {
	struct library library;
	csh handles[ASSEMBLY_SYNTAXES]; /* 0: not open */
	cs_insn *insn;
};

static bool load(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	return handle && host_find_function(handle, "cs_open", &library->open) &&
	       host_find_function(handle, "cs_option", &library->option) &&
	       host_find_function(handle, "cs_close", &library->close) &&
	       host_find_function(handle, "cs_malloc", &library->malloc) &&
	       host_find_function(handle, "cs_free", &library->free) &&
	       host_find_function(handle, "cs_disasm_iter", &library->next);
}

const char decoder_missing[] = "libcapstone is not installed";

struct decoder *decoder_create(void)
{
	struct decoder *decoder = mem_zalloc(sizeof(*decoder));
	if (!load(&decoder->library)) {
		free(decoder);
		return NULL;
	}
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		csh *handle = &decoder->handles[i];
		if (decoder->library.open((cs_arch)ARCH_CAPSTONE,
			    (cs_mode)ARCH_CAPSTONE_MODE, handle) != CS_ERR_OK ||
			decoder->library.option(*handle, CS_OPT_SYNTAX,
				(size_t)syntaxes[i]) != CS_ERR_OK) {
			decoder_destroy(decoder);
			return NULL;
		}
	}
	decoder->insn = decoder->library.malloc(decoder->handles[0]);
	if (decoder->insn)
		return decoder;
	decoder_destroy(decoder);
	return NULL;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->insn)
		decoder->library.free(decoder->insn, 1);
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++)
		if (decoder->handles[i])
			decoder->library.close(&decoder->handles[i]);
	free(decoder);
}

static void write_bytes(
	const unsigned char *code, size_t length, char out[DECODER_TEXT_MAX])
{
	size_t at = 0;
	for (size_t i = 0; i < length; i++)
		at += (size_t)snprintf(out + at, DECODER_TEXT_MAX - at, "%s0x%02x",
			i ? ", " : ".byte ", code[i]);
}

static void write_unknown(const unsigned char *code, size_t length, struct decoded *out)
{
	struct arch_insn form;
	out->is_unknown = true;
	out->length = arch_decode_insn(code, length, &form) ? form.length : 1;
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++)
		write_bytes(code, out->length, out->texts[i]);
}

void decoder_next(struct decoder *decoder, const unsigned char *code, size_t length,
	uint64_t address, struct decoded *out)
{
	out->is_unknown = false;
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		const uint8_t *at = code;
		size_t left = length;
		uint64_t pc = address;
		const cs_insn *insn = decoder->insn;
		if (!decoder->library.next(
			    decoder->handles[i], &at, &left, &pc, decoder->insn)) {
			write_unknown(code, length, out);
			return;
		}
		out->length = (uint8_t)(at - code);
		snprintf(out->texts[i], DECODER_TEXT_MAX, "%s%s%s", insn->mnemonic,
			insn->op_str[0] ? " " : "", insn->op_str);
	}
}
