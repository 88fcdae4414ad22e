/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/gzip.h"

#include "src/base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16, /* zlib: 16 more asks for a gzip header; its mtime is 0 */
	GZIP_MEMORY = 8,       /* zlib's default */
	OUTPUT_BYTES = 64 * 1024,
	INPUT_BYTES = 1 << 30, /* avail_in is 32 bits wide */
};

static void *zlib_alloc(void *context, unsigned items, unsigned size)
{
	(void)context;
	return mem_resize(NULL, items, size);
}

static void zlib_free(void *context, void *block)
{
	(void)context;
	free(block);
}

/* Give the SIZE bytes to STREAM; with FINISH, write what it still holds. */
static bool deflate_part(
	z_stream *stream, const unsigned char *bytes, size_t size, int flush, FILE *out)
{
	unsigned char output[OUTPUT_BYTES];

	stream->next_in = (unsigned char *)bytes;
	stream->avail_in = (unsigned)size;
	do {
		stream->next_out = output;
		stream->avail_out = sizeof(output);
		int status = deflate(stream, flush);
		assert(status != Z_STREAM_ERROR);
		(void)status;
		size_t made = sizeof(output) - stream->avail_out;
		if (fwrite(output, 1, made, out) != made)
			return false;
	} while (stream->avail_out == 0);
	return true;
}

bool gzip_write(const void *bytes, size_t size, FILE *out, struct error *err)
{
	const unsigned char *rest = bytes;
	z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};

	int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
		GZIP_MEMORY, Z_DEFAULT_STRATEGY);
	if (status != Z_OK)
		return error_set(err, "zlib: %s", zError(status));
	bool written = true;
	for (; written && size > INPUT_BYTES; rest += INPUT_BYTES, size -= INPUT_BYTES)
		written = deflate_part(&stream, rest, INPUT_BYTES, Z_NO_FLUSH, out);
	written = written && deflate_part(&stream, rest, size, Z_FINISH, out);
	int errnum = errno;
	deflateEnd(&stream);
	return written || error_errno(err, errnum, "write");
}
