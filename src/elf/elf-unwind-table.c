/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .eh_frame_hdr, as the Linux Standard Base describes it (LSB Core, "Exception Frame
   Header"). libunwind calls abort() on encodings that it does not expect
   (src/dwarf/Gfind_proc_info-lsb.c), so nothing unusual may reach it. */

#include "src/elf/elf-image.h"

#include "src/elf/elf-internal.h"

enum {
	HEADER_VERSION = 1,
	/* DWARF pointer encodings: LSB Core, "DWARF Exception Header Encoding" */
	PE_OMIT = 0xff,
	PE_FORMAT_MASK = 0x0f,
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_DATAREL = 0x30,
	PE_ALIGNED = 0x50,
	ENTRY_BYTES = 8, /* two sdata4: where a function starts, where its FDE is */
};

struct header {
	uint8_t version, eh_frame_ptr_enc, fde_count_enc, table_enc;
};

/* Bytes of a value so encoded; false if that is not fixed. */
static bool encoded_bytes(uint8_t encoding, size_t *bytes)
{
	*bytes = 0;
	if (encoding == PE_OMIT)
		return true;
	if (encoding == PE_ALIGNED)
		return false;
	switch (encoding & PE_FORMAT_MASK) {
	case PE_UDATA2:
	case PE_SDATA2:
		*bytes = 2;
		return true;
	case PE_UDATA4:
	case PE_SDATA4:
		*bytes = 4;
		return true;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		*bytes = 8;
		return true;
	default:
		return false;
	}
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
