/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording-stream: a finished recording on its way from the process that has read the files to
 * main, which believes nothing of it.
 *
 * One description of it serves both ends, each entry under the same id. Who takes it checks each
 * number before anything is made of it: ids are of what came before, counts, sums, stacks and
 * memory are within the limits of src/count/import/recording.h, texts are clean. What a file could have
 * said, too, is no concern here.
 *
 * Knows no socket, so that it can be fuzzed (tests/fuzz/recording.c). One thread at a time.
 */
#ifndef CPROFTOP_RECORDING_STREAM_H
#define CPROFTOP_RECORDING_STREAM_H

#include "src/count/import/recording.h"

#include <stdbool.h>
#include <stddef.h>

struct recording_stream {
	/* Pass on LENGTH BYTES, or fill them. False: there is nobody any more. */
	bool (*pass)(void *context, void *bytes, size_t length);
	void *context;
};

bool recording_give(
	const struct recording *recording, const struct recording_stream *stream);

/* Into RECORDING, which is new. NULL, or what of it cannot be: then it is to be finished. */
const char *recording_take(
	struct recording *recording, const struct recording_stream *stream);

#endif
