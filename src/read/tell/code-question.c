/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/tell/code-question.h"

#include "src/read/tell/fact-texts.h"

#include <string.h>

/* Path, module and build id follow, if there is a mapping. */
struct question {
	uint64_t serial, address;
	uint64_t start, limit, file_offset; /* of the mapping */
	uint32_t has_mapping, is_main;
};
_Static_assert(
	sizeof(struct question) <= CODE_QUESTION_MAX - 3 * CLEAN_MAX, "it has room");

static size_t add_text(unsigned char *out, const char *text)
{
	return clean_text((char *)out, CLEAN_MAX, text, strlen(text)) + 1;
}

size_t code_question_write(
	const struct assembly_request *request, unsigned char bytes[CODE_QUESTION_MAX])
{
	struct question question = {
		.serial = request->serial, .address = request->address};
	size_t length = sizeof(question);
	if (request->mapping != PROFILE_NONE) {
		const struct mapping *mapping =
			profile_mapping(request->profile, request->mapping);
		question.start = mapping->start;
		question.limit = mapping->limit;
		question.file_offset = mapping->file_offset;
		question.has_mapping = true;
		question.is_main = mapping->is_main;
		length += add_text(bytes + length, mapping->path);
		length += add_text(bytes + length, mapping->module);
		length += add_text(bytes + length, mapping->build_id);
	}
	memcpy(bytes, &question, sizeof(question));
	return length;
}

bool code_question_read(
	const unsigned char *bytes, size_t length, struct assembly_request *request)
{
	struct question question;
	if (length < sizeof(question))
		return false;
	memcpy(&question, bytes, sizeof(question));
	bytes += sizeof(question);
	length -= sizeof(question);
	if (!fact_texts_are_clean(bytes, length, question.has_mapping ? 3 : 0))
		return false;
	struct profile *profile = profile_create();
	*request = (struct assembly_request){.serial = question.serial,
		.profile = profile,
		.mapping = PROFILE_NONE,
		.address = question.address};
	if (question.has_mapping) {
		const char *path = (const char *)bytes;
		const char *module = path + strlen(path) + 1;
		const struct mapping mapping = {
			.start = question.start,
			.limit = question.limit,
			.file_offset = question.file_offset,
			.path = path,
			.module = module,
			.build_id = module + strlen(module) + 1,
			.is_main = question.is_main != 0,
		};
		request->mapping = profile_add_mapping(profile, &mapping);
	}
	return true;
}
