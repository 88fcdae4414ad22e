/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-method.h"

#include "src/base/mem.h"
#include "src/base/strpool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	RECORD_MAX_BYTES = 256, /* of a ConstMethod without what follows it: 48 to 56 */
	METHOD_MAX_BYTES = 1 << 20,
	LINES_MAX_BYTES = 64 << 10,
	SYMBOL_MAX_BYTES = HOTSPOT_NAME_BYTES + 16,
	HAS_LINES = 1, /* of _flags: has_linenumber_table */
	EXCLUDES_0_FROM = 20,
};

/* The fields that are read. The first group is in all versions from 8 on. */
enum {
	CONST_METHOD,
	CONSTANTS,
	CODE_SIZE,
	NAME,
	SIGNATURE,
	RECORD_SIZE,
	POOL_HOLDER,
	POOL_LENGTH,
	KLASS_NAME,
	SYMBOL_BODY,
	RECORD_HEADER,
	POOL_HEADER,
	MAJOR,
	N_NEEDED,
	/* up to JDK 20, and since then */
	FLAGS = N_NEEDED,
	FLAGS_21,
	/* up to JDK 12 and since 16; and between these */
	SYMBOL_LENGTH,
	SYMBOL_LENGTH_AND_COUNT,
	/* up to JDK 16, and since then */
	SOURCE_OF_KLASS,
	SOURCE_OF_POOL,
	HEAP_8, /* JDK 8 only: its own version is 25 */
	MIRROR,
	COLLECTED_HEAP,
	COLLECTIONS,
	LOADERS,
	N_FIELDS,
};

static const struct hotspot_field wanted[N_FIELDS] = {
	[CONST_METHOD] = {"Method", "_constMethod"},
	[CONSTANTS] = {"ConstMethod", "_constants"},
	[CODE_SIZE] = {"ConstMethod", "_code_size"},
	[NAME] = {"ConstMethod", "_name_index"},
	[SIGNATURE] = {"ConstMethod", "_signature_index"},
	[RECORD_SIZE] = {"ConstMethod", "_constMethod_size"},
	[POOL_HOLDER] = {"ConstantPool", "_pool_holder"},
	[POOL_LENGTH] = {"ConstantPool", "_length"},
	[KLASS_NAME] = {"Klass", "_name"},
	[SYMBOL_BODY] = {"Symbol", "_body"},
	[RECORD_HEADER] = {"ConstMethod", NULL},
	[POOL_HEADER] = {"ConstantPool", NULL},
	[MAJOR] = {"Abstract_VM_Version", "_vm_major_version"},
	[FLAGS] = {"ConstMethod", "_flags"},
	[FLAGS_21] = {"ConstMethod", "_flags._flags"},
	[SYMBOL_LENGTH] = {"Symbol", "_length"},
	[SYMBOL_LENGTH_AND_COUNT] = {"Symbol", "_length_and_refcount"},
	[SOURCE_OF_KLASS] = {"InstanceKlass", "_source_file_name_index"},
	[SOURCE_OF_POOL] = {"ConstantPool", "_source_file_name_index"},
	[HEAP_8] = {"CodeCache", "_heap"},
	[MIRROR] = {"Klass", "_java_mirror"},
	[COLLECTED_HEAP] = {"Universe", "_collectedHeap"},
	[COLLECTIONS] = {"CollectedHeap", "_total_collections"},
	[LOADERS] = {"ClassLoaderDataGraph", "_head"},
};

struct hotspot_methods {
	struct target_memory memory;
	struct hotspot_field fields[N_FIELDS];
	size_t extent; /* of the fields of a ConstMethod */
	bool excludes_0;
};

static bool field(const struct hotspot_methods *methods, unsigned which, uint64_t base,
	uint64_t *value)
{
	return hotspot_read_field(&methods->memory, &methods->fields[which], base, value);
}

static bool is_enough(const struct hotspot_field *fields)
{
	for (int i = 0; i < N_NEEDED; i++)
		if (!fields[i].is_found)
			return false;
	return (fields[FLAGS].is_found || fields[FLAGS_21].is_found) &&
	       (fields[SYMBOL_LENGTH].is_found ||
		       fields[SYMBOL_LENGTH_AND_COUNT].is_found) &&
	       (fields[SOURCE_OF_KLASS].is_found || fields[SOURCE_OF_POOL].is_found);
}

struct hotspot_methods *hotspot_methods_create(
	const struct target_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES])
{
	static const unsigned of_record[] = {
		CONSTANTS, CODE_SIZE, NAME, SIGNATURE, RECORD_SIZE, FLAGS, FLAGS_21};
	struct hotspot_methods *methods = mem_zalloc(sizeof(*methods));
	struct hotspot_field *fields = methods->fields;
	uint64_t major;
	methods->memory = *memory;
	memcpy(fields, wanted, sizeof(wanted));
	if (!hotspot_find_fields(memory, addresses, fields, N_FIELDS) ||
		!is_enough(fields) || !field(methods, MAJOR, 0, &major))
		goto unknown;
	for (size_t i = 0; i < sizeof(of_record) / sizeof(*of_record); i++) {
		size_t extent = hotspot_extent(&fields[of_record[i]], 1);
		if (extent > methods->extent)
			methods->extent = extent;
	}
	methods->excludes_0 = !fields[HEAP_8].is_found && major >= EXCLUDES_0_FROM;
	if (methods->extent <= RECORD_MAX_BYTES)
		return methods;
unknown:
	hotspot_methods_destroy(methods);
	return NULL;
}

void hotspot_methods_destroy(struct hotspot_methods *methods)
{
	free(methods);
}

struct hotspot_turn hotspot_read_turn(const struct hotspot_methods *methods)
{
	struct hotspot_turn turn = {0, 0};
	uint64_t heap;
	if (field(methods, COLLECTED_HEAP, 0, &heap) && heap &&
		field(methods, COLLECTIONS, heap, &turn.collections))
		field(methods, LOADERS, 0, &turn.loader);
	return turn;
}

bool hotspot_excludes_0(const struct hotspot_methods *methods)
{
	return methods->excludes_0;
}

/* --- texts ---------------------------------------------------------------------------- */

/* The text of the Symbol at ADDRESS, cut off at SIZE. False: there is none. */
static bool read_symbol(
	const struct hotspot_methods *methods, uint64_t address, char *out, size_t size)
{
	const struct hotspot_field *fields = methods->fields;
	unsigned char symbol[SYMBOL_MAX_BYTES];
	uint64_t length, body = fields[SYMBOL_BODY].at;
	if (!address || body >= sizeof(symbol))
		return false;
	size_t got = methods->memory.read(
		methods->memory.context, address, symbol, sizeof(symbol));
	if (!hotspot_field_of(&fields[SYMBOL_LENGTH], symbol, got, &length)) {
		if (!hotspot_field_of(
			    &fields[SYMBOL_LENGTH_AND_COUNT], symbol, got, &length))
			return false;
		length = (uint32_t)length >> 16;
	}
	if (length >= size)
		length = size - 1;
	if (length > sizeof(symbol) - body)
		length = sizeof(symbol) - body;
	if (length == 0 || body + length > got)
		return false;
	memcpy(out, symbol + body, length);
	out[length] = '\0';
	return strlen(out) == length;
}

/* The text that is number INDEX of METHOD's constants. */
static bool read_constant(const struct hotspot_methods *methods,
	const struct hotspot_method *method, uint64_t index, char *out, size_t size)
{
	uint64_t length, symbol;
	return index > 0 && field(methods, POOL_LENGTH, method->constants, &length) &&
	       index < length &&
	       target_memory_read(&methods->memory,
		       method->constants + methods->fields[POOL_HEADER].at + index * WORD,
		       &symbol, sizeof(symbol)) &&
	       read_symbol(methods, symbol, out, size);
}

/* The texts that METHOD's names are made of. */
struct texts {
	char of_class[HOTSPOT_NAME_BYTES], name[HOTSPOT_NAME_BYTES];
	char descriptor[HOTSPOT_NAME_BYTES];
	uint64_t klass;
};

static bool read_texts(const struct hotspot_methods *methods,
	const struct hotspot_method *method, struct texts *out)
{
	uint64_t symbol;
	return field(methods, POOL_HOLDER, method->constants, &out->klass) &&
	       out->klass && field(methods, KLASS_NAME, out->klass, &symbol) &&
	       read_symbol(methods, symbol, out->of_class, sizeof(out->of_class)) &&
	       read_constant(
		       methods, method, method->name, out->name, sizeof(out->name)) &&
	       read_constant(methods, method, method->signature, out->descriptor,
		       sizeof(out->descriptor));
}

static uint64_t hash_of(const struct texts *texts)
{
	uint64_t hashes[] = {strpool_hash(texts->of_class, strlen(texts->of_class)),
		strpool_hash(texts->name, strlen(texts->name)),
		strpool_hash(texts->descriptor, strlen(texts->descriptor))};
	return strpool_hash((const char *)hashes, sizeof(hashes));
}

/* --- which one ------------------------------------------------------------------------ */

bool hotspot_read_method(const struct hotspot_methods *methods, uint64_t address,
	struct hotspot_method *out)
{
	const struct hotspot_field *fields = methods->fields;
	unsigned char record[RECORD_MAX_BYTES];
	uint64_t code, name, signature, words, flags;
	*out = (struct hotspot_method){.address = address};
	if (!address || address % WORD ||
		!field(methods, CONST_METHOD, address, &out->record) ||
		!target_memory_read(
			&methods->memory, out->record, record, methods->extent))
		return false;
	size_t size = methods->extent;
	if (!hotspot_field_of(&fields[CONSTANTS], record, size, &out->constants) ||
		!hotspot_field_of(&fields[CODE_SIZE], record, size, &code) ||
		!hotspot_field_of(&fields[NAME], record, size, &name) ||
		!hotspot_field_of(&fields[SIGNATURE], record, size, &signature) ||
		!hotspot_field_of(&fields[RECORD_SIZE], record, size, &words))
		return false;
	if (!hotspot_field_of(&fields[FLAGS], record, size, &flags))
		hotspot_field_of(&fields[FLAGS_21], record, size, &flags);
	out->code_bytes = (uint32_t)code;
	out->name = (uint32_t)name;
	out->signature = (uint32_t)signature;
	out->has_lines = flags & HAS_LINES;
	out->record_bytes = words < METHOD_MAX_BYTES / WORD ? (uint32_t)words * WORD : 0;
	struct texts texts;
	if (!out->constants ||
		fields[RECORD_HEADER].at + out->code_bytes > out->record_bytes ||
		!read_texts(methods, out, &texts))
		return false;
	out->names = hash_of(&texts);
	return true;
}

bool hotspot_is_mirror(const struct hotspot_methods *methods,
	const struct hotspot_method *method, uint64_t mirror)
{
	/* Of ZGC, which keeps marks in pointers: above the address, or since JDK 21 below it. */
	static const uint64_t address_bits = (UINT64_C(1) << 42) - 1;
	enum {
		SHIFT_LEAST = 13,
		SHIFT_MOST = 16
	};
	uint64_t klass, handle, object;
	if (!mirror || !field(methods, POOL_HOLDER, method->constants, &klass) ||
		!klass || !field(methods, MIRROR, klass, &handle) || !handle ||
		!target_memory_read(&methods->memory, handle, &object, sizeof(object)))
		return false;
	if (object == mirror)
		return true;
	if (object > address_bits && (object & address_bits) == (mirror & address_bits))
		return true;
	for (unsigned shift = SHIFT_LEAST; shift <= SHIFT_MOST; shift++)
		if (object >> shift == mirror)
			return true;
	return false;
}

int32_t hotspot_method_bci(const struct hotspot_methods *methods,
	const struct hotspot_method *method, uint64_t address)
{
	uint64_t bci = address - (method->record + methods->fields[RECORD_HEADER].at);
	return bci < method->code_bytes ? (int32_t)bci : -1;
}

/* --- names ---------------------------------------------------------------------------- */

/* "a/b/C$$Lambda$14+0x0000000800c03000" becomes "a.b.C$$Lambda": the numbers are others in the
   next run, and say nothing to a person. */
static void write_class(char *name)
{
	char *hidden = strstr(name, "+0x"), *lambda = strstr(name, "$$Lambda");
	if (hidden)
		*hidden = '\0';
	if (lambda)
		lambda[strlen("$$Lambda")] = '\0';
	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '.';
}

struct text {
	char *at, *end;
};

static void append(struct text *text, const char *from, size_t length)
{
	size_t room = (size_t)(text->end - text->at) - 1;
	if (length > room)
		length = room;
	memcpy(text->at, from, length);
	text->at += length;
	*text->at = '\0';
}

static const char *primitive(char letter)
{
	switch (letter) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'Z':
		return "boolean";
	default:
		return NULL;
	}
}

/* The type that a descriptor has at *AT, which moves behind it (Java virtual machine
   specification, 4.3.2). False: it is none. */
static bool append_type(struct text *text, const char **at)
{
	const char *type = *at;
	while (*type == '[')
		type++;
	unsigned dimensions = (unsigned)(type - *at);
	const char *name = primitive(*type);
	if (name) {
		append(text, name, strlen(name));
		type++;
	} else if (*type == 'L') {
		const char *end = strchr(type, ';'), *first = type + 1;
		if (!end || end == first)
			return false;
		for (const char *c = first; c < end; c++)
			if (*c == '/')
				first = c + 1;
		append(text, first, (size_t)(end - first));
		type = end + 1;
	} else {
		return false;
	}
	while (dimensions-- > 0)
		append(text, "[]", 2);
	*at = type;
	return true;
}

/* "(Object, int[])" of "(Ljava/lang/Object;[I)V". */
static bool append_parameters(struct text *text, const char *descriptor)
{
	if (*descriptor++ != '(')
		return false;
	append(text, "(", 1);
	for (bool is_first = true; *descriptor != ')'; is_first = false) {
		if (!is_first)
			append(text, ", ", 2);
		if (!append_type(text, &descriptor))
			return false;
	}
	append(text, ")", 1);
	return true;
}

static uint64_t source_index(
	const struct hotspot_methods *methods, uint64_t pool, uint64_t klass)
{
	uint64_t index;
	if (!field(methods, SOURCE_OF_POOL, pool, &index))
		field(methods, SOURCE_OF_KLASS, klass, &index);
	return index;
}

bool hotspot_name_method(const struct hotspot_methods *methods,
	const struct hotspot_method *method, struct hotspot_names *out)
{
	struct texts texts;
	if (!read_texts(methods, method, &texts) || strpbrk(texts.name, ".;[/"))
		return false;
	write_class(texts.of_class);
	struct text text = {out->name, out->name + sizeof(out->name)};
	append(&text, texts.of_class, strlen(texts.of_class));
	append(&text, ".", 1);
	append(&text, texts.name, strlen(texts.name));
	if (!append_parameters(&text, texts.descriptor))
		return false;
	const char *dot = strrchr(texts.of_class, '.');
	snprintf(out->package, sizeof(out->package), "%.*s",
		dot ? (int)(dot - texts.of_class) : 0, texts.of_class);
	if (!read_constant(methods, method,
		    source_index(methods, method->constants, texts.klass), out->file,
		    sizeof(out->file)))
		out->file[0] = '\0';
	return true;
}

/* --- lines ---------------------------------------------------------------------------- */

bool hotspot_read_packed(bool excludes_0, const unsigned char **at,
	const unsigned char *end, uint32_t *value)
{
	enum {
		MORE = 192,
		BITS = 6,
		MOST = 5
	};
	*value = 0;
	for (unsigned i = 0; i < MOST; i++) {
		if (*at >= end || (excludes_0 && **at == 0))
			return false;
		uint32_t byte = *(*at)++;
		*value += (byte - excludes_0) << (i * BITS);
		if (byte < MORE)
			break;
	}
	return true;
}

/* The difference that is packed there: zigzag. */
static bool read_step(bool excludes_0, const unsigned char **at, const unsigned char *end,
	int32_t *step)
{
	uint32_t value;
	if (!hotspot_read_packed(excludes_0, at, end, &value))
		return false;
	*step = (int32_t)(value >> 1) ^ -(int32_t)(value & 1);
	return true;
}

/* Each entry of the table is where code of a line begins, as differences from the one before: a byte
   with five bits of bytecode and three of line; 255, and two numbers; or 0, the end
   (CompressedLineNumberReadStream in method.cpp). The first one at BCI is meant, else the last
   of the nearest before it (Method::line_number_from_bci). */
static uint32_t line_in(
	bool excludes_0, const unsigned char *at, const unsigned char *end, int32_t bci)
{
	int32_t here = 0, line = 0, found = 0, found_at = 0, step = 0;
	while (at < end && *at != 0) {
		unsigned byte = *at++;
		if (byte == 255) {
			if (!read_step(excludes_0, &at, end, &step))
				return 0;
			here = (int32_t)((uint32_t)here + (uint32_t)step);
			if (!read_step(excludes_0, &at, end, &step))
				return 0;
			line = (int32_t)((uint32_t)line + (uint32_t)step);
		} else {
			here += (int32_t)(byte >> 3);
			line += (int32_t)(byte & 7);
		}
		if (here <= bci && here >= found_at) {
			found = line;
			found_at = here;
		}
		if (here == bci)
			break;
	}
	return found > 0 ? (uint32_t)found : 0;
}

uint32_t hotspot_method_line(const struct hotspot_methods *methods,
	const struct hotspot_method *method, int32_t bci)
{
	unsigned char table[LINES_MAX_BYTES];
	uint64_t before = methods->fields[RECORD_HEADER].at + method->code_bytes;
	size_t length = method->record_bytes - before;
	if (!method->has_lines || bci < 0)
		return 0;
	if (length > sizeof(table))
		length = sizeof(table);
	return target_memory_read(
		       &methods->memory, method->record + before, table, length)
		       ? line_in(methods->excludes_0, table, table + length, bci)
		       : 0;
}
