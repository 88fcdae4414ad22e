/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-pprof: a profile.proto with all that the format has, made by hand.
 *
 * Two types of values, one below 0; two mappings; three functions, one inlined; a location
 * without a name, and two of one address; labels that are texts and numbers with units; and
 * ids in no order. A test may change it before it is packed. One test thread.
 */
#ifndef CPROFTOP_TESTS_MADE_PPROF_H
#define CPROFTOP_TESTS_MADE_PPROF_H

#include "tests/lib/written.h"

#include "src/base/proto/profile.pb-c.h"

#include <stdint.h>

/* protoc-c's name for a message. */
#define PB(message) Perftools__Profiles__##message

struct made_pprof {
	PB(Profile) root;
	char *strings[32];
	PB(ValueType) types[2], period;
	PB(ValueType) * type_places[2];
	PB(Mapping) mappings[2];
	PB(Mapping) * mapping_places[2];
	PB(Function) functions[3];
	PB(Function) * function_places[3];
	PB(Line) lines[4];
	PB(Line) * line_places[4];
	PB(Location) locations[4];
	PB(Location) * location_places[4];
	PB(Label) labels[4];
	PB(Label) * label_places[4];
	PB(Sample) samples[3];
	PB(Sample) * sample_places[3];
	int64_t values[3][2], comments[2];
	uint64_t ids[3][4];
};

void made_pprof_init(struct made_pprof *made);

/* Not compressed; the caller frees the bytes. */
struct file made_pprof_pack(const struct made_pprof *made);

#endif
