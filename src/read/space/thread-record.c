/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/thread-record.h"

bool thread_record_find(struct address_space *space, int32_t *place)
{
	struct elf_variable size = {.name = "_thread_db_sizeof_pthread"};
	uint64_t bias;
	uint32_t bytes;
	*place = 0;
	if (!ARCH_THREAD_RECORD_ENDS)
		return true;
	struct elf_image *image = address_space_image_named(space, "libc.so.6", &bias);
	if (image)
		elf_image_find_variables(image, &size, 1);
	if (!size.vaddr ||
		address_space_read(space, size.vaddr + bias, &bytes, sizeof(bytes)) !=
			sizeof(bytes) ||
		bytes > THREAD_RECORD_MAX)
		return false;
	*place = -(int32_t)bytes - ARCH_THREAD_RECORD_GAP;
	return true;
}
