/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name of a function: none takes long, or much memory. The first byte chooses the
 * language that the rest pretends to be of, so that most of what is tried is read. */

#include "tests/fuzz/fuzz.h"

#include "src/facts/mangled/mangled.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const begins[] = {"", "_D", "_R", "_Z"};
	static char plain[MANGLED_PLAIN_MAX_BYTES];
	if (size == 0 || size > MANGLED_MAX_BYTES)
		return 0;
	const char *begin = begins[bytes[0] % 4];
	size_t length = strlen(begin);
	char *name = malloc(length + size); /* of its own, so that ASan sees its end */
	memcpy(name, begin, length);
	memcpy(name + length, bytes + 1, size - 1);
	name[length + size - 1] = '\0';
	for (size_t room = 8; room <= sizeof(plain); room *= 8)
		if (mangled_read(name, bytes[0] & 4, plain, room))
			FUZZ_CHECK(plain[0] && strlen(plain) < room);
	free(name);
	return 0;
}
