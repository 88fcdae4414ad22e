/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "src/write/push/push-http.h"

#include "src/base/host.h"
#include "src/base/mem.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcurl.so.4"

enum {
	CONNECT_S = 10,
	ANSWER_S = 60, /* of the whole request */
	LINE_MAX_BYTES = 16 << 10,
	SAID_MAX = 160,
};

struct push_http {
	void *handle;
	__typeof__(&curl_global_init) global_init;
	__typeof__(&curl_easy_init) init;
	__typeof__(&curl_easy_reset) reset;
	CURLcode (*set)(CURL *curl, CURLoption option, ...);
	CURLcode (*get)(CURL *curl, CURLINFO info, ...);
	__typeof__(&curl_easy_perform) perform;
	__typeof__(&curl_easy_cleanup) cleanup;
	__typeof__(&curl_easy_strerror) text_of;
	__typeof__(&curl_slist_append) append;
	__typeof__(&curl_slist_free_all) free_all;
	CURL *curl;
	char said[SAID_MAX]; /* the begin of the answer */
};

/* --- the library ------------------------------------------------------------------- */

static bool load(struct push_http *http)
{
	if (!host_loads_objects())
		return false;
	void *handle = http->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	return handle &&
	       host_find_function(handle, "curl_global_init", &http->global_init) &&
	       host_find_function(handle, "curl_easy_init", &http->init) &&
	       host_find_function(handle, "curl_easy_reset", &http->reset) &&
	       host_find_function(handle, "curl_easy_setopt", &http->set) &&
	       host_find_function(handle, "curl_easy_getinfo", &http->get) &&
	       host_find_function(handle, "curl_easy_perform", &http->perform) &&
	       host_find_function(handle, "curl_easy_cleanup", &http->cleanup) &&
	       host_find_function(handle, "curl_easy_strerror", &http->text_of) &&
	       host_find_function(handle, "curl_slist_append", &http->append) &&
	       host_find_function(handle, "curl_slist_free_all", &http->free_all) &&
	       http->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK &&
	       (http->curl = http->init());
}

struct push_http *push_http_create(struct error *err)
{
	struct push_http *http = mem_zalloc(sizeof(*http));
	if (load(http))
		return http;
	push_http_destroy(http);
	error_set(err, "--push needs " LIBRARY
		       ", which cannot be loaded (Debian: libcurl4); a statically linked "
		       "cproftop cannot push");
	return NULL;
}

void push_http_destroy(struct push_http *http)
{
	if (!http)
		return;
	if (http->curl)
		http->cleanup(http->curl);
	if (http->handle)
		dlclose(http->handle);
	free(http);
}

/* --- a request --------------------------------------------------------------------- */

static bool add_header(struct push_http *http, struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = http->append(*list, line);
	*list = longer ? longer : *list;
	return longer != NULL;
}

static bool add_headers(struct push_http *http, struct curl_slist **list,
	const char *headers, struct error *err)
{
	char line[LINE_MAX_BYTES];
	FILE *in = fopen(headers, "re");
	if (!in)
		return error_errno(err, errno, "--headers: %s", headers);
	bool good = true;
	while (good && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\r\n")] = '\0';
		const char *colon = strchr(line, ':');
		if (line[0] && line[0] != '#')
			good = colon && colon != line && add_header(http, list, line);
	}
	fclose(in);
	return good ||
	       error_set(err, "--headers: a line of %s is not NAME: VALUE", headers);
}

/* Keep the first line of an answer, which often says more than its status. */
static size_t take_answer(char *bytes, size_t size, size_t count, void *token)
{
	struct push_http *http = token;
	size_t have = strlen(http->said), length = size * count;
	for (size_t i = 0; i < length && have + 1 < sizeof(http->said); i++)
		http->said[have++] = bytes[i] >= ' ' ? bytes[i] : ' ';
	http->said[have] = '\0';
	return length;
}

static int progress(void *token, curl_off_t all_down, curl_off_t down, curl_off_t all_up,
	curl_off_t up)
{
	const struct push_patience *patience = token;
	(void)all_down, (void)down, (void)all_up, (void)up;
	return patience->is_over(patience->context);
}

static CURLcode set_up(struct push_http *http, const struct push_request *request,
	struct curl_slist *list, const struct push_patience *patience)
{
	CURL *curl = http->curl;
	CURLcode bad = 0;
	http->reset(curl);
	bad |= http->set(curl, CURLOPT_URL, request->url);
	bad |= http->set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= http->set(curl, CURLOPT_POST, 1L);
	bad |= http->set(curl, CURLOPT_POSTFIELDS, request->body);
	bad |= http->set(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
	bad |= http->set(curl, CURLOPT_HTTPHEADER, list);
	bad |= http->set(curl, CURLOPT_WRITEFUNCTION, take_answer);
	bad |= http->set(curl, CURLOPT_WRITEDATA, http);
	bad |= http->set(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	bad |= http->set(curl, CURLOPT_TIMEOUT, (long)ANSWER_S);
	bad |= http->set(curl, CURLOPT_NOSIGNAL, 1L);
	bad |= http->set(curl, CURLOPT_NOPROGRESS, 0L);
	bad |= http->set(curl, CURLOPT_XFERINFOFUNCTION, progress);
	bad |= http->set(curl, CURLOPT_XFERINFODATA, patience);
	bad |= http->set(curl, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	return bad;
}

bool push_http_send(struct push_http *http, const struct push_request *request,
	const char *headers, const struct push_patience *patience, long *status,
	struct error *err)
{
	char type[64];
	struct curl_slist *list = NULL;
	snprintf(type, sizeof(type), "Content-Type: %s", request->type);
	http->said[0] = '\0';
	/* An empty Expect: a server that does not know it would cost a second. */
	bool good = add_header(http, &list, type) && add_header(http, &list, "Expect:") &&
		    (!headers || add_headers(http, &list, headers, err));
	CURLcode result = good ? set_up(http, request, list, patience) : CURLE_OK;
	if (good && result == CURLE_OK)
		result = http->perform(http->curl);
	if (result != CURLE_OK)
		good = error_set(err, "%s", http->text_of(result));
	else if (good)
		error_set(err, "%s", http->said);
	if (good)
		http->get(http->curl, CURLINFO_RESPONSE_CODE, status);
	http->free_all(list);
	return good;
}
