/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder of the static program, which has none. */
#include "src/read/assembly/decoder.h"

#include <string.h>

const char decoder_missing[] =
	"this program is linked statically, without a disassembler";

struct decoder *decoder_create(void)
{
	return NULL;
}

void decoder_destroy(struct decoder *decoder)
{
	(void)decoder;
}

void decoder_next(struct decoder *decoder, const unsigned char *code, size_t length,
	uint64_t address, struct decoded *out)
{
	(void)decoder, (void)code, (void)length, (void)address;
	memset(out, 0, sizeof(*out));
	out->length = 1;
	out->is_unknown = true;
}
