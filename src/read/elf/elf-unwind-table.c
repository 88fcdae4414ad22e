/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .eh_frame_hdr, as the Linux Standard Base describes it (LSB Core, "Exception Frame
   Header"). libunwind calls abort() on encodings that it does not expect
   (src/dwarf/Gfind_proc_info-lsb.c), so nothing unusual may reach it. */

#include "src/read/elf/elf-image.h"

#include "src/base/byte-cursor.h"
#include "src/read/elf/elf-internal.h"

enum {
	HEADER_VERSION = 1,
	ENTRY_BYTES = 8, /* two sdata4: where a function starts, where its FDE is */
};

struct header {
	uint8_t version, eh_frame_ptr_enc, fde_count_enc, table_enc;
};

/* Bytes of a value so encoded; false if that is not fixed. */
static bool encoded_bytes(uint8_t encoding, size_t *bytes)
{
	*bytes = encoding == PE_OMIT ? 0 : pointer_encoding_bytes(encoding);
	return encoding == PE_OMIT || (encoding != PE_ALIGNED && *bytes > 0);
}

bool elf_image_unwind_table(struct elf_image *image, struct elf_unwind_table *out)
{
	uint64_t start = image->eh_frame_hdr_vaddr;
	struct header header;
	if (image->eh_frame_hdr_bytes < sizeof(header) ||
		!elf_image_read(image, start, &header, sizeof(header)))
		return false;
	size_t pointer_bytes = 0;
	if (header.version != HEADER_VERSION ||
		header.table_enc != (PE_DATAREL | PE_SDATA4) ||
		header.fde_count_enc != PE_UDATA4 ||
		!encoded_bytes(header.eh_frame_ptr_enc, &pointer_bytes))
		return false;

	uint32_t count = 0;
	uint64_t used = sizeof(header) + pointer_bytes + sizeof(count);
	if (image->eh_frame_hdr_bytes < used ||
		!elf_image_read(image, start + sizeof(header) + pointer_bytes, &count,
			sizeof(count)))
		return false;
	uint64_t table_bytes = (uint64_t)count * ENTRY_BYTES;
	if (count == 0 || table_bytes > image->eh_frame_hdr_bytes - used ||
		!elf_image_holds(image, start, used + table_bytes))
		return false;
	*out = (struct elf_unwind_table){
		.hdr_vaddr = start,
		.table_vaddr = start + used,
		.fde_count = count,
	};
	return true;
}
