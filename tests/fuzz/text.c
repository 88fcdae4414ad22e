/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read as text: of /proc, names of symbols and of threads, and what a person
 * types to search for. The first byte chooses; the rest is the text. */

#include "tests/fuzz/fuzz.h"

#include "src/base/clean.h"
#include "src/model/demangle.h"
#include "src/model/snapshot.h"
#include "src/target/maps.h"
#include "src/target/task.h"
#include "src/target/waiting.h"

#include <string.h>

static void read_maps(const char *text, size_t length)
{
	struct maps_line line;
	const char *cursor = text, *end = text + length;
	while (maps_next(&cursor, end, &line)) {
		FUZZ_CHECK(line.path >= text && line.path <= end);
		FUZZ_CHECK(line.path_length <= (size_t)(end - line.path));
		FUZZ_CHECK(cursor <= end);
	}
}

static void read_task(const char *text, size_t length)
{
	struct task_stat stat;
	struct task_account account;
	struct snapshot_call call = {0};
	uint64_t sp, pc;
	struct waiting waiting;
	char name[WAITING_MAX];
	task_parse_stat(text, length, &stat);
	task_parse_account(text, length, &account);
	task_parse_exec_start(text);
	if (task_parse_syscall(text, &call, &sp, &pc)) {
		waiting_of(&call, -1, &waiting);
		FUZZ_CHECK(strlen(waiting.name) < sizeof(waiting.name));
		FUZZ_CHECK(strlen(waiting.object) < sizeof(waiting.object));
		waiting_syscall(waiting.name, name);
	}
	waiting_syscall(text, name);
}

/* What has been cleaned is clean. */
static void clean(const char *text, size_t length)
{
	char once[CLEAN_MAX], twice[CLEAN_MAX];
	size_t written = clean_text(once, sizeof(once), text, length);
	FUZZ_CHECK(written < sizeof(once) && strlen(once) == written);
	clean_text(twice, sizeof(twice), once, written);
	FUZZ_CHECK(strcmp(once, twice) == 0);
	for (size_t i = 0; i < written; i++)
		FUZZ_CHECK((unsigned char)once[i] >= ' ' && once[i] != 0x7f);
	clean_text(twice, 8, text, length);
	FUZZ_CHECK(strlen(twice) < 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	size_t length = size - 1;
	char *text = malloc(length + 1); /* of its own, so that ASan sees its end */
	memcpy(text, bytes + 1, length);
	text[length] = '\0';
	switch (bytes[0] % 4) {
	case 0:
		read_maps(text, length);
		break;
	case 1:
		read_task(text, length);
		break;
	case 2:
		clean(text, length);
		break;
	default:
		free(demangle(text, bytes[0] / 4 % DEMANGLE_STYLES));
	}
	free(text);
	return 0;
}
