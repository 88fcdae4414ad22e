/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push-request: what a store of profiles wants to be sent.
 *
 * Three ways are known, each told by the URL:
 *
 *	.../push.v1.PusherService/Push	Pyroscope's API, as JSON (api/push/v1/push.proto;
 *					connectrpc.com/docs/protocol)
 *	.../ingest			Pyroscope's older one: the profile as it is, the rest in
 *					the URL ("Server HTTP API" of its documentation)
 *	.../profiles/writeraw		Parca's WriteRaw, as JSON (profilestore.proto)
 *
 * pyroscope+http://HOST:4040 and parca+http://HOST:7070 are short for the first and the
 * last. A profile belongs to a series by its labels, of which `service_name` is one. Pure;
 * any thread.
 */
#ifndef CPROFTOP_PUSH_REQUEST_H
#define CPROFTOP_PUSH_REQUEST_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum push_way {
	PUSH_PYROSCOPE,
	PUSH_INGEST,
	PUSH_PARCA,
};

struct push_store {
	enum push_way way;
	char *url; /* of the request */
};

/* ERR says what a URL may be. */
bool push_store_parse(struct push_store *store, const char *url, struct error *err);
void push_store_finish(struct push_store *store); /* a zeroed one is fine */

/* "KEY=VALUE": a letter or _ first, then also digits (Prometheus' data model). */
bool push_label_check(const char *text, struct error *err);

struct push_profile {
	const void *bytes; /* pprof, gzipped */
	size_t size;
	int64_t begin_s, end_s;
	const char *name;    /* of the file, which is the same when it is sent again */
	const char *program; /* service_name, unless a label says so */
	const char *const *labels; /* "KEY=VALUE", checked */
	size_t n_labels;
};

struct push_request {
	char *url;
	const char *type; /* Content-Type */
	char *body;
	size_t size;
};

void push_request_make(struct push_request *request, const struct push_store *store,
	const struct push_profile *profile);
void push_request_finish(struct push_request *request);

#endif
