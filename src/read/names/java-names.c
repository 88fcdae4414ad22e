/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/java-names.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/names/java-methods.h"
#include "src/read/names/java-watch.h"
#include "src/read/runtimes/hotspot/hotspot-code.h"
#include "src/read/runtimes/hotspot/hotspot-machine.h"
#include "src/read/runtimes/hotspot/hotspot-scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AGAIN_NS (NS_PER_SEC / 2)

enum {
	DEEPEST = 64,	     /* methods at one place: FACT_LINES_MAX */
	KNOWN_MAX = 1 << 18, /* of each kind; then all are forgotten */
	NAME_BYTES = 48,
};

/* A piece of code. */
struct piece {
	struct hotspot_code code;
	struct hotspot_compiled compiled; /* if it is */
	bool is_compiled;
	struct java_watch watch;
	uint64_t read_ns; /* when it was first read */
	uint32_t number;  /* another one when other code is there */
	char name[NAME_BYTES];
};

/* A place in compiled code. */
struct place {
	uint32_t piece, number; /* of a piece */
	uint32_t location;
};

struct java_names {
	struct profile *profile;
	struct hotspot_machine machine;
	uint64_t gone_ns;   /* see java_names_gone_ns */
	uint64_t looked_ns; /* when it was found not to be known; 0: not lately */
	struct hotspot *code;
	struct java_methods *methods;
	struct hotspot_scopes *scopes; /* NULL: it is not known */
	VEC(struct piece) pieces;
	VEC(uint32_t) order; /* those that are there, by address */
	VEC(struct place) places;
	uint32_t last_number;
	struct idmap at_pc;    /* (PC of a frame, 0) -> piece */
	struct idmap of_place; /* (PC and is_activation, mapping) -> place */
	struct idmap of_bci;   /* (number of a method, bci) -> location */
	struct idmap of_line;  /* (function, line) -> location, of interpreted code */
};

/* --- the machine ---------------------------------------------------------------------- */

/* What refers to the profile. */
static void forget_places(struct java_names *java)
{
	java->places.len = 0;
	idmap_clear(&java->of_place);
	idmap_clear(&java->of_bci);
	idmap_clear(&java->of_line);
}

static void forget_all(struct java_names *java)
{
	forget_places(java);
	java->pieces.len = java->order.len = 0;
	idmap_clear(&java->at_pc);
}

static void close_machine(struct java_names *java)
{
	forget_all(java);
	hotspot_destroy(java->code);
	java_methods_destroy(java->methods);
	hotspot_scopes_destroy(java->scopes);
	java->code = NULL;
	java->methods = NULL;
	java->scopes = NULL;
	java->looked_ns = 0;
}

void java_names_destroy(struct java_names *java)
{
	if (!java)
		return;
	close_machine(java);
	hotspot_machine_finish(&java->machine);
	vec_free(&java->pieces);
	vec_free(&java->places);
	idmap_finish(&java->at_pc);
	vec_free(&java->order);
	idmap_finish(&java->of_place);
	idmap_finish(&java->of_bci);
	idmap_finish(&java->of_line);
	free(java);
}

void java_names_renew(struct java_names *java, struct profile *profile)
{
	java->profile = profile;
	forget_places(java);
	if (java->methods)
		java_methods_renew(java->methods, profile);
}

static void open_machine(struct java_names *java)
{
	const uint64_t *addresses = java->machine.addresses;
	struct target_memory memory = address_space_memory(java->machine.space);
	java->code = hotspot_create(&memory, addresses);
	struct hotspot_methods *reader =
		java->code ? hotspot_methods_create(&memory, addresses) : NULL;
	if (reader) {
		java->methods =
			java_methods_create(reader, java->machine.space, java->profile);
		java->scopes = hotspot_scopes_create(
			&memory, addresses, hotspot_excludes_0(reader));
	}
	if (!java->scopes)
		close_machine(java);
}

/* Is there a machine that is known? One that has only just begun is looked for again. */
static bool is_ready(struct java_names *java)
{
	if (hotspot_machine_look(&java->machine))
		close_machine(java);
	if (java->scopes || !hotspot_machine_is_there(&java->machine))
		return java->scopes != NULL;
	uint64_t now_ns = clock_monotonic_ns();
	if (java->looked_ns && now_ns - java->looked_ns < LOOK_AGAIN_NS)
		return false;
	open_machine(java);
	java->looked_ns = now_ns;
	return java->scopes != NULL;
}

/* What is there before the first sample is taken tells later whether that has changed since. */
struct java_names *java_names_create(struct address_space *space, struct profile *profile)
{
	struct java_names *java = mem_zalloc(sizeof(*java));
	java->machine.space = space;
	java->profile = profile;
	is_ready(java);
	return java;
}

uint64_t java_names_gone_ns(const struct java_names *java)
{
	return java->gone_ns;
}

bool java_names_are_known(const struct java_names *java)
{
	return java->scopes != NULL;
}

/* --- interpreted code ----------------------------------------------------------------- */

static bool locate_interpreted(
	struct java_names *java, struct frame frame, uint32_t *location)
{
	struct java_method *method =
		java_methods_at(java->methods, frame.method, false, frame.mirror);
	if (!method)
		return false;
	const struct hotspot_methods *reader = java_methods_reader(java->methods);
	const struct hotspot_method *record = &method->method;
	int32_t bci = hotspot_method_bci(reader, record, frame.bytecodes[1]);
	if (bci < 0 && record->code_bytes) /* the frame is of another method */
		return false;
	int32_t now = hotspot_method_bci(reader, record, frame.bytecodes[0]);
	bci = now < 0 ? bci : now;
	const uint32_t *known =
		idmap_get(&java->of_bci, method->number, (uint64_t)(int64_t)bci);
	if (known) {
		*location = *known;
		return true;
	}
	struct line line = {.function = java_methods_function(java->methods, method),
		.line = hotspot_method_line(reader, record, bci)};
	if (line.function == PROFILE_NONE)
		return false;
	if (java->of_bci.len >= KNOWN_MAX)
		forget_places(java);
	known = idmap_get(&java->of_line, line.function, line.line);
	*location = known ? *known
			  : profile_add_past_location(java->profile, PROFILE_NONE,
				    frame.bytecodes[1], &line, 1);
	if (!known)
		idmap_put(&java->of_line, line.function, line.line, *location);
	idmap_put(&java->of_bci, method->number, (uint64_t)(int64_t)bci, *location);
	return true;
}

/* --- compiled code -------------------------------------------------------------------- */

/* Read the records of PIECE again. False: they are others than when the present sample was
   taken. */
static bool check_piece(struct java_names *java, struct piece *piece)
{
	struct hotspot_compiled now;
	if (!piece->is_compiled || !java_watch_is_due(&piece->watch, java->machine.space))
		return java_watch_was_there(&piece->watch, java->machine.space);
	if (!hotspot_read_compiled(java->scopes, &piece->code, &now) ||
		memcmp(&now, &piece->compiled, sizeof(now)) != 0)
		return false;
	java_watch_note(&piece->watch, false);
	return java_watch_was_there(&piece->watch, java->machine.space);
}

/* The first of the pieces, by address, that ends behind ADDRESS. */
static size_t first_behind(const struct java_names *java, uint64_t address)
{
	size_t low = 0, high = java->order.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct piece *piece = &java->pieces.data[java->order.data[middle]];
		if (piece->code.blob + piece->code.bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_same_code(const struct piece *a, const struct piece *b)
{
	return a->code.blob == b->code.blob && a->code.limit == b->code.limit &&
	       memcmp(&a->compiled, &b->compiled, sizeof(a->compiled)) == 0;
}

/* NOW was read just now. What was known of the memory that it has is void, or it is the same. Returns
   its number. IS_OTHER: it was not there before in any case. */
static uint32_t keep_piece(struct java_names *java, struct piece *now, bool is_other)
{
	size_t first = first_behind(java, now->code.blob), end = first;
	uint32_t index = (uint32_t)java->pieces.len;
	for (; end < java->order.len; end++) {
		struct piece *old = &java->pieces.data[java->order.data[end]];
		if (old->code.blob >= now->code.blob + now->code.bytes)
			break;
		if (is_same_code(old, now)) {
			java_watch_note(&old->watch, false);
			return java->order.data[end];
		}
		old->code.limit = old->code.start;
	}
	java_watch_note(&now->watch,
		is_other || end > first || java_methods_have_turned(java->methods));
	now->number = ++java->last_number;
	now->read_ns = now->watch.last_ns;
	vec_push(&java->pieces, *now);
	vec_reserve(&java->order, java->order.len + 1);
	memmove(java->order.data + first + 1, java->order.data + end,
		(java->order.len - end) * sizeof(*java->order.data));
	java->order.data[first] = index;
	java->order.len += first + 1 - end;
	return index;
}

/* Read what is at PC now. IS_OTHER: something else was there before. */
static struct piece *read_piece(struct java_names *java, uint64_t pc, bool is_other)
{
	struct piece now = {.is_compiled = false};
	if (!hotspot_find_code(java->code, pc, &now.code))
		return NULL;
	hotspot_code_name(java->code, &now.code, now.name, sizeof(now.name));
	now.is_compiled = strcmp(now.name, "nmethod") == 0 ||
			  strcmp(now.name, "native nmethod") == 0;
	if (now.is_compiled &&
		!hotspot_read_compiled(java->scopes, &now.code, &now.compiled))
		return NULL;
	uint32_t index = keep_piece(java, &now, is_other);
	idmap_put(&java->at_pc, pc, 0, index);
	return &java->pieces.data[index];
}

/* The code at PC when the present sample was taken; NULL: that is not known. */
static struct piece *piece_at(struct java_names *java, uint64_t pc)
{
	const uint32_t *known = idmap_get(&java->at_pc, pc, 0);
	struct piece *piece = known ? &java->pieces.data[*known] : NULL;
	if (piece && pc - piece->code.start < piece->code.limit - piece->code.start &&
		check_piece(java, piece))
		return piece;
	if (java->pieces.len >= KNOWN_MAX || java->places.len >= KNOWN_MAX)
		forget_all(java);
	piece = read_piece(java, pc, known != NULL);
	return piece && java_watch_was_there(&piece->watch, java->machine.space) ? piece
										 : NULL;
}

/* The lines of the methods at PC in PIECE; how many, 0: not known. */
static uint32_t find_lines(struct java_names *java, const struct piece *piece,
	struct frame frame, struct line lines[DEEPEST])
{
	struct hotspot_scope scopes[DEEPEST];
	struct hotspot_compiled now;
	const struct hotspot_methods *reader = java_methods_reader(java->methods);
	size_t n = hotspot_scopes_at(java->scopes, &piece->compiled, frame.pc,
		!frame.is_activation, scopes, DEEPEST);
	for (size_t i = 0; i < n; i++) {
		struct java_method *method =
			java_methods_at(java->methods, scopes[i].method, true, 0);
		if (!method || method->since_ns > piece->read_ns)
			return 0;
		lines[i] = (struct line){java_methods_function(java->methods, method),
			hotspot_method_line(reader, &method->method, scopes[i].bci)};
		if (lines[i].function == PROFILE_NONE)
			return 0;
	}
	return hotspot_read_compiled(java->scopes, &piece->code, &now) &&
			       memcmp(&now, &piece->compiled, sizeof(now)) == 0 &&
			       hotspot_has_its_method(java->scopes, &now)
		       ? (uint32_t)n
		       : 0;
}

static uint64_t key_of(struct frame frame)
{
	return frame.pc << 1 | frame.is_activation;
}

/* The location that FRAME had before, if its code is the same. */
static bool locate_again(
	struct java_names *java, uint32_t mapping, struct frame frame, uint32_t *location)
{
	const uint32_t *known = idmap_get(&java->of_place, key_of(frame), mapping);
	if (!known)
		return false;
	const struct place *place = &java->places.data[*known];
	struct piece *piece = &java->pieces.data[place->piece];
	*location = place->location;
	return place->number == piece->number && check_piece(java, piece);
}

static bool locate_compiled(struct java_names *java, uint32_t mapping,
	const struct piece *piece, struct frame frame, uint32_t *location)
{
	struct line lines[DEEPEST];
	uint32_t n = find_lines(java, piece, frame, lines);
	if (n == 0)
		return false;
	*location =
		profile_add_location(java->profile, mapping, frame_code(frame), lines, n);
	idmap_put(&java->of_place, key_of(frame), mapping, (uint32_t)java->places.len);
	vec_push(&java->places, (struct place){(uint32_t)(piece - java->pieces.data),
					piece->number, *location});
	return true;
}

/* --- all ------------------------------------------------------------------------------ */

/* Code of the machine's own, by the name that it has for it. */
static uint32_t locate_stub(struct java_names *java, uint32_t mapping,
	const struct piece *piece, struct frame frame)
{
	char label[NAME_BYTES + 2], clean[CLEAN_MAX];
	uint64_t address = frame_code(frame);
	uint32_t known = profile_find_location(java->profile, mapping, address);
	if (known != PROFILE_NONE)
		return known;
	snprintf(label, sizeof(label), "[%s]", piece->name);
	clean_text(clean, sizeof(clean), label, strlen(label));
	struct line line = {.function = profile_intern_function(
				    java->profile, &(struct function){.name = clean,
							   .system_name = clean,
							   .module = "libjvm.so",
							   .file = ""})};
	return profile_add_location(java->profile, mapping, address, &line, 1);
}

/* Name FRAME by the code that it is in. False: that is not known any more. */
static bool locate_in(struct java_names *java, uint32_t mapping,
	const struct piece *piece, struct frame frame, uint32_t *location)
{
	if (piece->is_compiled)
		return locate_compiled(java, mapping, piece, frame, location);
	if (piece->code.kind == HOTSPOT_INTERPRETER && frame.method)
		return locate_interpreted(java, frame, location);
	*location = locate_stub(java, mapping, piece, frame);
	return true;
}

bool java_names_locate(
	struct java_names *java, uint32_t mapping, struct frame frame, uint32_t *location)
{
	if (!is_ready(java))
		return false;
	java_methods_look(java->methods);
	if (!frame.method && locate_again(java, mapping, frame, location))
		return true;
	uint64_t pc = frame_code(frame);
	const struct piece *piece = piece_at(java, pc);
	if (piece && locate_in(java, mapping, piece, frame, location))
		return true;
	if (!piece && !hotspot_owns(java->code, pc))
		return false;
	*location = profile_intern_synthetic(java->profile, JAVA_GONE_LABEL);
	java->gone_ns = clock_monotonic_ns();
	return true;
}

bool java_names_function(struct java_names *java, uint64_t address, const char **name,
	uint64_t *start, uint64_t *size)
{
	const struct piece *piece = is_ready(java) ? piece_at(java, address) : NULL;
	if (!piece)
		return false;
	*start = piece->code.start;
	*size = piece->code.limit - piece->code.start;
	*name = piece->name;
	if (!piece->is_compiled)
		return true;
	struct java_method *method =
		java_methods_at(java->methods, piece->compiled.method, true, 0);
	uint32_t function =
		method ? java_methods_function(java->methods, method) : PROFILE_NONE;
	if (function != PROFILE_NONE)
		*name = profile_function(java->profile, function)->name;
	return function != PROFILE_NONE;
}
