/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where more names of an ELF file are: the debug link, and the symbols
   that some distributions pack into a section. */

#include "src/read/elf/elf-image.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <fcntl.h>
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	DEBUGLINK_MAX_BYTES = 4096,
	PACKED_MAX_BYTES = 64 << 20,	/* Fedora's largest are under 10 MiB */
	UNPACKED_MAX_BYTES = 128 << 20, /* and what they unpack to under 100 */
	LZMA_MAX_BYTES = 128 << 20,	/* xz -9 needs 65 MiB to unpack */
};

void *elf_image_section(
	const struct elf_image *image, const char *name, size_t max_bytes, size_t *length)
{
	GElf_Shdr header;
	if (!elf_image_find_section(image, name, &header) || header.sh_size == 0 ||
		header.sh_size > max_bytes)
		return NULL;
	char *bytes = mem_alloc(header.sh_size);
	if (!elf_image_read_file(image, header.sh_offset, bytes, header.sh_size)) {
		free(bytes);
		return NULL;
	}
	*length = header.sh_size;
	return bytes;
}

bool elf_image_has_section(const struct elf_image *image, const char *name)
{
	GElf_Shdr header;
	return elf_image_find_section(image, name, &header) && header.sh_size > 0;
}

/* A file name, its NUL, zeros up to a multiple of four, and the CRC-32 of the file (GDB
   manual, "Separate Debug Files"). */
bool elf_image_debuglink(
	const struct elf_image *image, char name[ELF_DEBUGLINK_NAME_MAX], uint32_t *crc)
{
	size_t length = 0;
	char *link =
		elf_image_section(image, ".gnu_debuglink", DEBUGLINK_MAX_BYTES, &length);
	if (!link)
		return false;
	size_t name_length = strnlen(link, length);
	size_t crc_at = (name_length + 4) & ~(size_t)3;
	bool good = name_length > 0 && name_length < ELF_DEBUGLINK_NAME_MAX &&
		    crc_at + sizeof(*crc) <= length && !memchr(link, '/', name_length) &&
		    strcmp(link, ".") != 0 && strcmp(link, "..") != 0;
	if (good) {
		memcpy(name, link, name_length + 1);
		memcpy(crc, link + crc_at, sizeof(*crc));
	}
	free(link);
	return good;
}

/* The whole of PACKED, or NULL. The size in the index of the xz file cannot be trusted,
   so the buffer grows with the output, up to the limit. */
static unsigned char *unpack_xz(
	const unsigned char *packed, size_t packed_bytes, size_t *length)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&stream, LZMA_MAX_BYTES, 0) != LZMA_OK)
		return NULL;
	size_t room = packed_bytes * 4 + 4096;
	unsigned char *out = mem_alloc(room);
	stream.next_in = packed;
	stream.avail_in = packed_bytes;
	lzma_ret result = LZMA_OK;
	while (result == LZMA_OK && stream.total_out < UNPACKED_MAX_BYTES) {
		if (stream.total_out == room) {
			room *= 2;
			out = mem_resize(out, room, 1);
		}
		stream.next_out = out + stream.total_out;
		stream.avail_out = room - stream.total_out;
		result = lzma_code(&stream, LZMA_FINISH);
	}
	*length = stream.total_out;
	lzma_end(&stream);
	if (result == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}

struct elf_image *elf_image_packed_symbols(const struct elf_image *image)
{
	size_t packed_bytes = 0, length = 0;
	unsigned char *packed = elf_image_section(
		image, ".gnu_debugdata", PACKED_MAX_BYTES, &packed_bytes);
	if (!packed)
		return NULL;
	unsigned char *bytes = unpack_xz(packed, packed_bytes, &length);
	free(packed);
	if (!bytes)
		return NULL;
	struct elf_image *symbols = elf_image_from_memory(bytes, length, NULL);
	free(bytes);
	return symbols;
}

int elf_image_dup(const struct elf_image *image)
{
	return image->fd < 0 ? -1 : fcntl(image->fd, F_DUPFD_CLOEXEC, 3);
}

bool elf_image_crc(const struct elf_image *image, uint64_t max_bytes, uint32_t *crc)
{
	enum {
		PIECE = 1 << 16
	};
	if (image->size > max_bytes)
		return false;
	unsigned char *piece = mem_alloc(PIECE);
	uLong sum = crc32(0, NULL, 0);
	bool read = true;
	for (uint64_t at = 0; at < image->size && read;) {
		uint64_t rest = image->size - at;
		size_t length = rest < PIECE ? (size_t)rest : PIECE;
		read = elf_image_read_file(image, at, piece, length);
		sum = crc32(sum, piece, (uInt)length);
		at += length;
	}
	free(piece);
	*crc = (uint32_t)sum;
	return read;
}
