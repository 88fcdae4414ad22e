/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/jit/jit-code.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/runtimes/jit/jit-object.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	DESCRIPTORS_MAX = 16, /* one for each library that has one */
	END_BYTES = 1024,     /* of a file, by which it is known again */
	VERSION = 1,
	OBJECTS_PER_INTERVAL = 1024, /* with more, the list is read less often */
};

#define MISS_INTERVAL_NS  (NS_PER_SEC / 10)
#define QUIET_INTERVAL_NS NS_PER_SEC

/* As gdb's manual has them. */
struct descriptor {
	uint32_t version, action;
	uint64_t relevant, first;
};

struct entry {
	uint64_t next, previous, file, file_bytes;
};

struct object {
	struct entry entry; /* as it was read */
	uint64_t at;	    /* where the entry is */
	uint64_t end_sum;   /* of the last bytes of the file */
	uint64_t start, limit;
	struct elf_image *image; /* NULL: no frame is described */
	bool is_there;
};

struct jit_code {
	VEC(uint64_t) descriptors;
	VEC(struct object) objects; /* sorted by start */
	uint64_t read_ns;	    /* when the list was read last */
	bool is_read;
	uint64_t read_bytes; /* in this reading */
	size_t steps;	     /* entries in this reading */
	uint64_t kept_bytes; /* at most, of all images */
};

struct jit_code *jit_code_create(void)
{
	return mem_zalloc(sizeof(struct jit_code));
}

void jit_code_destroy(struct jit_code *code)
{
	if (!code)
		return;
	vec_each (&code->objects, object)
		elf_image_destroy(object->image);
	vec_free(&code->objects);
	vec_free(&code->descriptors);
	free(code);
}

void jit_code_add_descriptor(struct jit_code *code, uint64_t address)
{
	vec_each (&code->descriptors, known)
		if (*known == address)
			return;
	if (code->descriptors.len < DESCRIPTORS_MAX)
		vec_push(&code->descriptors, address);
	code->is_read = false;
}

/* FNV-1a of the end of the file, where the table of sections usually is: a compiler may
   put another file of the same size in its place. */
static uint64_t sum_of_end(const struct target_memory *memory, const struct entry *entry)
{
	unsigned char bytes[END_BYTES];
	size_t length = entry->file_bytes < END_BYTES ? entry->file_bytes : END_BYTES;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	if (!target_memory_read(
		    memory, entry->file + entry->file_bytes - length, bytes, length))
		return 0;
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* Read the file of a new entry. False if there is no more room. */
static bool add_object(
	struct jit_code *code, const struct target_memory *memory, struct object object)
{
	uint64_t bytes = object.entry.file_bytes;
	if (code->objects.len >= JIT_OBJECTS_MAX || bytes > JIT_OBJECT_MAX_BYTES ||
		bytes > JIT_READ_MAX_BYTES - code->read_bytes ||
		bytes * JIT_IMAGE_TIMES > JIT_KEPT_MAX_BYTES - code->kept_bytes)
		return false;
	code->read_bytes += bytes;
	code->kept_bytes += bytes * JIT_IMAGE_TIMES;
	unsigned char *file = mem_alloc(bytes + 1);
	if (target_memory_read(memory, object.entry.file, file, bytes))
		object.image =
			jit_object_image(file, bytes, &object.start, &object.limit);
	free(file);
	object.is_there = true;
	vec_push(&code->objects, object);
	return true;
}

static bool is_same(const struct object *known, const struct object *now)
{
	return known->at == now->at && known->entry.file == now->entry.file &&
	       known->entry.file_bytes == now->entry.file_bytes &&
	       known->end_sum == now->end_sum;
}

static void read_list(struct jit_code *code, const struct target_memory *memory,
	const struct idmap *places, uint64_t address)
{
	struct descriptor descriptor;
	if (!target_memory_read(memory, address, &descriptor, sizeof(descriptor)) ||
		descriptor.version != VERSION)
		return;
	uint64_t at = descriptor.first;
	for (; at && code->steps < JIT_OBJECTS_MAX; code->steps++) {
		struct object now = {.at = at};
		if (!target_memory_read(memory, at, &now.entry, sizeof(now.entry)))
			return;
		at = now.entry.next;
		if (now.entry.file_bytes == 0 ||
			now.entry.file_bytes > JIT_OBJECT_MAX_BYTES ||
			now.entry.file_bytes > UINT64_MAX - now.entry.file)
			continue;
		now.end_sum = sum_of_end(memory, &now.entry);
		const uint32_t *place = idmap_get(places, now.at, 0);
		if (place && is_same(&code->objects.data[*place], &now))
			code->objects.data[*place].is_there = true;
		else
			add_object(code, memory, now);
	}
}

static int compare(const void *left, const void *right)
{
	const struct object *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

/* Drop what is not registered any more. */
static void drop_gone(struct jit_code *code)
{
	size_t kept = 0;
	vec_each (&code->objects, object) {
		if (object->is_there) {
			code->objects.data[kept++] = *object;
			continue;
		}
		code->kept_bytes -= object->entry.file_bytes * JIT_IMAGE_TIMES;
		elf_image_destroy(object->image);
	}
	code->objects.len = kept;
	if (kept > 0)
		qsort(code->objects.data, kept, sizeof(*code->objects.data), compare);
}

static void read_lists(
	struct jit_code *code, const struct target_memory *memory, uint64_t now_ns)
{
	code->is_read = true;
	code->read_ns = now_ns;
	code->read_bytes = code->steps = 0;
	struct idmap places = {0}; /* address of an entry -> object */
	for (size_t i = 0; i < code->objects.len; i++) {
		code->objects.data[i].is_there = false;
		idmap_put(&places, code->objects.data[i].at, 0, (uint32_t)i);
	}
	vec_each (&code->descriptors, address)
		read_list(code, memory, &places, *address);
	idmap_finish(&places);
	drop_gone(code);
}

/* The nearest object that begins at or before PC. */
static const struct object *object_at(const struct jit_code *code, uint64_t pc)
{
	size_t low = 0, high = code->objects.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code->objects.data[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	const struct object *object = low > 0 ? &code->objects.data[low - 1] : NULL;
	return object && object->image && pc < object->limit ? object : NULL;
}

struct elf_image *jit_code_find(struct jit_code *code, const struct target_memory *memory,
	uint64_t now_ns, uint64_t pc)
{
	const struct object *object = object_at(code, pc);
	uint64_t interval = object ? QUIET_INTERVAL_NS : MISS_INTERVAL_NS;
	interval *= 1 + code->steps / OBJECTS_PER_INTERVAL;
	bool is_due = !code->is_read || now_ns - code->read_ns >= interval;
	if (code->descriptors.len > 0 && is_due) {
		read_lists(code, memory, now_ns);
		object = object_at(code, pc);
	}
	return object ? object->image : NULL;
}
