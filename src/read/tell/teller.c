/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/tell/teller.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/demangle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	FLUSH_AT = 256 << 10,
};

void teller_init(struct teller *teller, int socket)
{
	*teller = (struct teller){
		.profile = profile_create(), .socket = socket, .of = PROFILE_NONE};
}

static void forget(struct teller *teller)
{
	idmap_clear(&teller->mappings);
	idmap_clear(&teller->functions);
	idmap_clear(&teller->locations);
	idmap_clear(&teller->processes);
	teller->n_locations = 0;
}

void teller_finish(struct teller *teller)
{
	vec_free(&teller->bytes);
	idmap_finish(&teller->mappings);
	idmap_finish(&teller->functions);
	idmap_finish(&teller->locations);
	idmap_finish(&teller->processes);
	profile_unref(teller->profile);
}

bool teller_flush(struct teller *teller)
{
	size_t sent = 0;
	while (!teller->is_broken && sent < teller->bytes.len) {
		ssize_t got = send(teller->socket, teller->bytes.data + sent,
			teller->bytes.len - sent, MSG_NOSIGNAL);
		if (got > 0)
			sent += (size_t)got;
		else if (errno != EINTR)
			teller->is_broken = true;
	}
	teller->bytes.len = 0;
	return !teller->is_broken;
}

static void add(struct teller *teller, const void *bytes, size_t length)
{
	if (length == 0)
		return;
	vec_reserve(&teller->bytes, teller->bytes.len + length);
	memcpy(teller->bytes.data + teller->bytes.len, bytes, length);
	teller->bytes.len += length;
}

/* Its payload follows. */
static void begin(struct teller *teller, const struct fact *fact)
{
	if (teller->bytes.len >= FLUSH_AT)
		teller_flush(teller);
	add(teller, fact, sizeof(*fact));
}

void teller_tell(struct teller *teller, const struct fact *fact, const void *payload)
{
	begin(teller, fact);
	add(teller, payload, fact->bytes);
}

void teller_tell_texts(
	struct teller *teller, struct fact *fact, const char *const *texts, size_t count)
{
	fact->bytes = 0;
	for (size_t i = 0; i < count; i++)
		fact->bytes += (uint32_t)strlen(texts[i]) + 1;
	begin(teller, fact);
	for (size_t i = 0; i < count; i++)
		add(teller, texts[i], strlen(texts[i]) + 1);
}

/* --- what samples refer to ------------------------------------------------------------- */

static uint32_t number(struct idmap *known, uint32_t id)
{
	uint32_t next = (uint32_t)known->len;
	idmap_put(known, id, 0, next);
	return next;
}

static uint32_t tell_mapping(struct teller *teller, uint32_t id)
{
	if (id == PROFILE_NONE)
		return FACT_NONE;
	const uint32_t *known = idmap_get(&teller->mappings, id, 0);
	if (known)
		return *known;
	const struct mapping *mapping = profile_mapping(teller->profile, id);
	const char *const texts[] = {mapping->path, mapping->module, mapping->build_id};
	struct fact fact = {.kind = FACT_MAPPING,
		.mapping = {.start = mapping->start,
			.limit = mapping->limit,
			.file_offset = mapping->file_offset,
			.is_main = mapping->is_main}};
	teller_tell_texts(teller, &fact, texts, 3);
	return number(&teller->mappings, id);
}

void teller_mapping(struct teller *teller, uint32_t mapping)
{
	tell_mapping(teller, mapping);
}

static uint32_t tell_function(struct teller *teller, uint32_t id)
{
	const uint32_t *known = idmap_get(&teller->functions, id, 0);
	if (known)
		return *known;
	const struct function *function = profile_function(teller->profile, id);
	char short_name[CLEAN_MAX] = "";
	if (!function->is_synthetic)
		demangle_short(function->system_name, short_name, sizeof(short_name));
	const char *const texts[] = {function->name, function->system_name, short_name,
		function->module, function->file};
	struct fact fact = {.kind = FACT_FUNCTION,
		.function = {.start_line = function->start_line,
			.is_synthetic = function->is_synthetic}};
	teller_tell_texts(teller, &fact, texts, 5);
	return number(&teller->functions, id);
}

static enum fact_location_kind kind_of(const struct teller *teller, uint32_t id)
{
	const struct location *location = profile_location(teller->profile, id);
	const struct function *first =
		profile_function(teller->profile, location->lines[0].function);
	if (function_is_kernel(first) && location->address == 0)
		return FACT_KERNEL;
	if (location->mapping == PROFILE_NONE && first->is_synthetic)
		return FACT_DETAILED;
	return profile_find_location(
		       teller->profile, location->mapping, location->address) == id
		       ? FACT_CODE
		       : FACT_PAST_CODE;
}

static uint32_t tell_location(struct teller *teller, uint32_t id)
{
	const uint32_t *known = idmap_get(&teller->locations, id, 0);
	if (known)
		return *known;
	const struct location *location = profile_location(teller->profile, id);
	struct fact_line lines[FACT_LINES_MAX];
	struct fact fact = {.kind = FACT_LOCATION,
		.location = {.address = location->address,
			.mapping = tell_mapping(teller, location->mapping),
			.kind = kind_of(teller, id),
			.n_lines = location->n_lines < FACT_LINES_MAX ? location->n_lines
								      : FACT_LINES_MAX}};
	for (uint32_t i = 0; i < fact.location.n_lines; i++)
		lines[i] = (struct fact_line){
			.function = tell_function(teller, location->lines[i].function),
			.line = location->lines[i].line,
		};
	size_t detail =
		fact.location.kind == FACT_DETAILED ? strlen(location->detail) + 1 : 0;
	fact.bytes = fact.location.n_lines * (uint32_t)sizeof(*lines);
	fact.bytes += (uint32_t)detail;
	begin(teller, &fact);
	add(teller, lines, fact.bytes - detail);
	add(teller, location->detail, detail);
	idmap_put(&teller->locations, id, 0, teller->n_locations);
	return teller->n_locations++;
}

static uint32_t tell_process(struct teller *teller, uint32_t id)
{
	if (id == PROFILE_NONE)
		return FACT_NONE;
	const uint32_t *known = idmap_get(&teller->processes, id, 0);
	if (known)
		return *known;
	const struct profile_process *process = profile_process(teller->profile, id);
	const char *const texts[] = {process->name, process->command};
	struct fact fact = {.kind = FACT_PROCESS, .process = {.pid = process->pid}};
	teller_tell_texts(teller, &fact, texts, 2);
	return number(&teller->processes, id);
}

/* --- what happened --------------------------------------------------------------------- */

void teller_of(struct teller *teller, uint32_t process)
{
	if (process == teller->of)
		return;
	struct fact fact = {
		.kind = FACT_OF, .process = {.now = tell_process(teller, process)}};
	teller->of = process;
	teller_tell(teller, &fact, NULL);
}

void teller_rename_process(struct teller *teller, uint32_t was, uint32_t now)
{
	struct fact fact = {.kind = FACT_RENAME_PROCESS,
		.process = {.was = tell_process(teller, was),
			.now = tell_process(teller, now)}};
	teller_tell(teller, &fact, NULL);
}

void teller_name(struct teller *teller, pid_t tid, const char *name)
{
	struct fact fact = {.kind = FACT_NAME, .thread = {.tid = tid}};
	memcpy(fact.thread.name, name, strnlen(name, sizeof(fact.thread.name)));
	teller_tell(teller, &fact, NULL);
}

void teller_sample(struct teller *teller, pid_t tid, const uint32_t *locations,
	size_t length, enum unwind_end end, const struct sample *sample)
{
	uint32_t numbers[FACT_STACK_MAX];
	if (length > sizeof(numbers) / sizeof(*numbers))
		length = sizeof(numbers) / sizeof(*numbers);
	for (size_t i = 0; i < length; i++)
		numbers[i] = tell_location(teller, locations[i]);
	struct fact fact = {.kind = FACT_SAMPLE,
		.bytes = (uint32_t)(length * sizeof(*numbers)),
		.sample = {.time_ns = sample->time_ns,
			.cpu_ns = sample->cpu_ns,
			.wall_ns = sample->wall_ns,
			.tid = tid,
			.count = sample->count,
			.n_locations = (uint32_t)length,
			.pool = sample->pool,
			.odds = sample->odds,
			.state = sample->state,
			.end = (uint8_t)end}};
	teller_tell(teller, &fact, numbers);
}

void teller_change_wait(struct teller *teller, pid_t tid, uint32_t location)
{
	struct fact fact = {.kind = FACT_CHANGE_WAIT,
		.thread = {.tid = tid, .location = tell_location(teller, location)}};
	teller_tell(teller, &fact, NULL);
}

void teller_thread(struct teller *teller, enum fact_kind kind, pid_t tid,
	uint64_t time_ns, uint64_t ns)
{
	struct fact fact = {
		.kind = kind, .thread = {.tid = tid, .time_ns = time_ns, .ns = ns}};
	teller_tell(teller, &fact, NULL);
}

/* --- names that come later ------------------------------------------------------------- */

void teller_renamed(struct teller *teller, const struct idmap *renamed)
{
	struct fact done = {.kind = FACT_RENAMES};
	bool any = false;
	for (size_t i = 0; i < renamed->cap; i++) {
		const struct idmap_entry *entry = &renamed->entries[i];
		const uint32_t *was =
			entry->used ? idmap_get(&teller->locations, entry->a, 0) : NULL;
		if (!was)
			continue;
		struct fact fact = {.kind = FACT_RENAMED, .moved = {.was = *was}};
		fact.moved.now = tell_location(teller, entry->value);
		teller_tell(teller, &fact, NULL);
		any = true;
	}
	if (any)
		teller_tell(teller, &done, NULL);
}

void teller_renew(struct teller *teller, const struct renewal *renewal)
{
	struct idmap before = teller->locations;
	struct fact begin = {.kind = FACT_GENERATION}, end = {.kind = FACT_SETTLED};
	teller->locations = (struct idmap){0};
	forget(teller);
	teller->of = PROFILE_NONE;
	teller_tell(teller, &begin, NULL);
	for (size_t i = 0; i < renewal->locations.cap; i++) {
		const struct idmap_entry *entry = &renewal->locations.entries[i];
		const uint32_t *was =
			entry->used ? idmap_get(&before, entry->a, 0) : NULL;
		if (!was)
			continue;
		struct fact fact = {.kind = FACT_CARRIED,
			.moved = {.was = *was, .now = teller->n_locations}};
		idmap_put(&teller->locations, entry->value, 0, teller->n_locations++);
		teller_tell(teller, &fact, NULL);
	}
	teller_tell(teller, &end, NULL);
	idmap_finish(&before);
	profile_unref(teller->profile);
	teller->profile = profile_ref(renewal->to);
}
