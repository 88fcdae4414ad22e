/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to a store, in a build without curl: there are none. */
#include "src/write/push/push-http.h"

struct push_http *push_http_create(struct error *err)
{
	error_set(err, "this cproftop was built without curl, which --push needs");
	return NULL;
}

void push_http_destroy(struct push_http *http)
{
	(void)http;
}

bool push_http_send(struct push_http *http, const struct push_request *request,
	const char *headers, const struct push_patience *patience, long *status,
	struct error *err)
{
	(void)http, (void)request, (void)headers, (void)patience, (void)status;
	return error_set(err, "this cproftop was built without curl");
}
