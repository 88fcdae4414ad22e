/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push-http: a request to a store, by libcurl.
 *
 * The library is loaded at run time and not linked, because it would load TLS at every
 * start of cproftop; so a statically linked cproftop has none. Certificates are checked;
 * redirections are not followed, because headers with secrets would go along. One thread.
 */
#ifndef CPROFTOP_PUSH_HTTP_H
#define CPROFTOP_PUSH_HTTP_H

#include "src/base/error.h"
#include "src/write/push/push-request.h"

#include <stdbool.h>

struct push_http;

/* NULL and ERR if the library is not there. */
struct push_http *push_http_create(struct error *err);
void push_http_destroy(struct push_http *http); /* NULL is fine */

/* Asked about once a second while a request is under way: is it to be given up? */
struct push_patience {
	bool (*is_over)(void *context);
	void *context;
};

/* Send REQUEST, and the lines "NAME: VALUE" of the file HEADERS (NULL: none), which is read
   anew each time. *STATUS is what the store answered (RFC 9110), and ERR the first line
   that it said; false, and ERR says why, if there is no answer. */
bool push_http_send(struct push_http *http, const struct push_request *request,
	const char *headers, const struct push_patience *patience, long *status,
	struct error *err);

#endif
