/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/made-pprof.h"

#include <stdlib.h>
#include <string.h>

enum text {
	NONE,
	ALLOC,
	BYTES,
	OBJECTS,
	COUNT,
	MAIN,
	WORK,
	INNER,
	FILE_C,
	PROGRAM,
	LIBRARY,
	BUILD_ID,
	KEY_THREAD,
	WORKER,
	KEY_TID,
	KEY_SIZE,
	REMARK,
	REMARK_2,
	URL,
	DROP,
	SYSTEM_WORK,
	TEXTS
};

static void make_tables(struct made_pprof *made)
{
	made->mappings[0] = (PB(Mapping)){.base = made->mappings[0].base,
		.id = 3,
		.memory_start = 0x400000,
		.memory_limit = 0x500000,
		.file_offset = 0x1000,
		.filename = PROGRAM,
		.build_id = BUILD_ID,
		.has_functions = true,
		.has_line_numbers = true};
	made->mappings[1].id = 9;
	made->mappings[1].memory_start = 0x7f0000000000;
	made->mappings[1].memory_limit = 0x7f0000001000;
	made->mappings[1].filename = LIBRARY;
	made->functions[0].id = 5;
	made->functions[0].name = MAIN;
	made->functions[0].system_name = MAIN;
	made->functions[0].filename = FILE_C;
	made->functions[0].start_line = 10;
	made->functions[1].id = 4;
	made->functions[1].name = WORK;
	made->functions[1].system_name = SYSTEM_WORK;
	made->functions[2].id = 77;
	made->functions[2].name = INNER;
	const struct {
		uint64_t function;
		int64_t line, column;
	} lines[4] = {{5, 12, 3}, {77, 40, 0}, {4, 21, 9}, {5, 13, 0}};
	for (size_t i = 0; i < 4; i++) {
		made->lines[i].function_id = lines[i].function;
		made->lines[i].line = lines[i].line;
		made->lines[i].column = lines[i].column;
		made->line_places[i] = &made->lines[i];
	}
	const struct {
		uint64_t id, mapping, address;
		size_t first, count;
	} locations[4] = {
		{100, 3, 0x400100, 0, 1},
		{7, 3, 0x400200, 1, 2},	      /* inner, inlined into work */
		{8, 9, 0x7f0000000123, 0, 0}, /* no name at all */
		{1, 3, 0x400100, 3, 1},	      /* the same address, another line */
	};
	for (size_t i = 0; i < 4; i++) {
		made->locations[i].id = locations[i].id;
		made->locations[i].mapping_id = locations[i].mapping;
		made->locations[i].address = locations[i].address;
		made->locations[i].n_line = locations[i].count;
		made->locations[i].line = made->line_places + locations[i].first;
	}
	made->locations[1].is_folded = true;
}

static void make_samples(struct made_pprof *made)
{
	const uint64_t ids[3][4] = {{7, 100}, {8, 7, 1}, {7, 100}};
	const int64_t values[3][2] = {{3, 3000}, {0, -5}, {INT64_C(1) << 40, 7}};
	memcpy(made->ids, ids, sizeof(ids));
	memcpy(made->values, values, sizeof(values));
	made->labels[0].key = KEY_THREAD;
	made->labels[0].str = WORKER;
	made->labels[1].key = KEY_TID;
	made->labels[1].num = 4711;
	made->labels[2].key = KEY_SIZE;
	made->labels[2].num = 4096;
	made->labels[2].num_unit = BYTES;
	made->labels[3].key = KEY_THREAD;
	made->labels[3].str = WORKER;
	for (size_t i = 0; i < 4; i++)
		made->label_places[i] = &made->labels[i];
	for (size_t i = 0; i < 3; i++) {
		made->samples[i].n_location_id = i == 1 ? 3 : 2;
		made->samples[i].location_id = made->ids[i];
		made->samples[i].n_value = 2;
		made->samples[i].value = made->values[i];
	}
	/* The first and the third differ in their labels only. */
	made->samples[0].n_label = 3;
	made->samples[0].label = made->label_places;
	made->samples[2].n_label = 1;
	made->samples[2].label = made->label_places + 3;
}

void made_pprof_init(struct made_pprof *made)
{
	static const char *const texts[TEXTS] = {"", "alloc", "bytes", "objects", "count",
		"main", "ns::work(int)", "inner", "/src/main.c", "/opt/prog",
		"/opt/libx.so", "0123abcd", "thread", "worker 1", "tid", "size",
		"made by hand", "twice", "https://example.org/", "drop.*",
		"_ZN2ns4workEi"};
	memset(made, 0, sizeof(*made));
	perftools__profiles__profile__init(&made->root);
	for (size_t i = 0; i < TEXTS; i++)
		made->strings[i] = (char *)texts[i];
	perftools__profiles__value_type__init(&made->period);
	for (size_t i = 0; i < 4; i++) {
		if (i < 2) {
			perftools__profiles__value_type__init(&made->types[i]);
			made->type_places[i] = &made->types[i];
			perftools__profiles__mapping__init(&made->mappings[i]);
			made->mapping_places[i] = &made->mappings[i];
		}
		if (i < 3) {
			perftools__profiles__function__init(&made->functions[i]);
			made->function_places[i] = &made->functions[i];
			perftools__profiles__sample__init(&made->samples[i]);
			made->sample_places[i] = &made->samples[i];
		}
		perftools__profiles__line__init(&made->lines[i]);
		perftools__profiles__location__init(&made->locations[i]);
		made->location_places[i] = &made->locations[i];
		perftools__profiles__label__init(&made->labels[i]);
	}
	made->types[0].type = OBJECTS;
	made->types[0].unit = COUNT;
	made->types[1].type = ALLOC;
	made->types[1].unit = BYTES;
	made->period.type = ALLOC;
	made->period.unit = BYTES;
	make_tables(made);
	make_samples(made);
	made->comments[0] = REMARK;
	made->comments[1] = REMARK_2;
	PB(Profile) *root = &made->root;
	root->n_string_table = TEXTS;
	root->string_table = made->strings;
	root->n_sample_type = 2;
	root->sample_type = made->type_places;
	root->period_type = &made->period;
	root->period = 524288;
	root->time_nanos = 1767323045000000000;
	root->duration_nanos = 1500000000;
	root->default_sample_type = OBJECTS;
	root->doc_url = URL;
	root->drop_frames = DROP;
	root->n_comment = 2;
	root->comment = made->comments;
	root->n_mapping = 2;
	root->mapping = made->mapping_places;
	root->n_function = 3;
	root->function = made->function_places;
	root->n_location = 4;
	root->location = made->location_places;
	root->n_sample = 3;
	root->sample = made->sample_places;
}

struct file made_pprof_pack(const struct made_pprof *made)
{
	struct file file = {
		.size = perftools__profiles__profile__get_packed_size(&made->root)};
	file.bytes = malloc(file.size);
	perftools__profiles__profile__pack(&made->root, (uint8_t *)file.bytes);
	return file;
}
