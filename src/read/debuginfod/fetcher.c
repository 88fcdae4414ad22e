/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/debuginfod/fetcher.h"

#include "src/base/clock.h"
#include "src/base/host.h"
#include "src/base/rights/confine-calls.h"
#include "src/base/rights/confine-files.h"
#include "src/base/rights/confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIBRARY	    "libdebuginfod.so.1"
#define LIMIT_BYTES (2L << 30)	      /* if debuginfod-find(1)'s variable does not say */
#define PATIENCE_NS (30 * NS_PER_SEC) /* without receiving a byte */

enum {
	LEAVE_SOON_MS = 3000, /* the library calls back once a second */
};

struct debuginfod_client;

/* As in <elfutils/debuginfod.h>, whose package would bring all of curl to every build. */
struct library {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find)(struct debuginfod_client *client, const unsigned char *id, int length,
		char **path);
	int (*find_source)(struct debuginfod_client *client, const unsigned char *id,
		int length, const char *source, char **path);
	void (*on_progress)(struct debuginfod_client *client,
		int (*tell)(struct debuginfod_client *client, long done, long all));
	void (*set_verbose)(struct debuginfod_client *client, int fd);
};

/* --- the process ---------------------------------------------------------------------- */

/* A callback gets nothing that leads to this. */
static struct work {
	struct library library;
	long limit_bytes;
	bool is_stalled; /* all servers were given up */
	/* of the current file */
	long calls, most;
	uint64_t grew_ns;
	bool is_too_large;
} work;

static bool load(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	return handle &&
	       host_find_function(handle, "debuginfod_begin", &library->begin) &&
	       host_find_function(handle, "debuginfod_end", &library->end) &&
	       host_find_function(handle, "debuginfod_find_debuginfo", &library->find) &&
	       host_find_function(
		       handle, "debuginfod_find_source", &library->find_source) &&
	       host_find_function(
		       handle, "debuginfod_set_progressfn", &library->on_progress) &&
	       host_find_function(
		       handle, "debuginfod_set_verbose_fd", &library->set_verbose);
}

static void say(const struct fetcher_news *news)
{
	send(OWN_PROCESS_SOCKET, news, sizeof(*news), MSG_NOSIGNAL);
}

static bool is_left(void)
{
	struct pollfd other = {.fd = OWN_PROCESS_SOCKET, .events = 0};
	return poll(&other, 1, 0) == 1;
}

/* Callback of the library, about once a second or more often; a result other than 0 ends
   the transfer. DONE is the number of bytes received; before a server has answered, ALL
   is 0 and DONE is the number of calls. */
static int tell(struct debuginfod_client *client, long done, long all)
{
	(void)client;
	bool is_bytes = all > 0 || done > ++work.calls;
	uint64_t now_ns = clock_monotonic_ns();
	if (is_bytes && done > work.most) {
		work.most = done;
		work.grew_ns = now_ns;
		struct fetcher_news news = {.bytes = done};
		say(&news);
	}
	work.is_stalled = now_ns - work.grew_ns > PATIENCE_NS;
	work.is_too_large = work.most > work.limit_bytes;
	return work.is_stalled || work.is_too_large || is_left();
}

/* The library may run into the order's end by itself; what it left behind then is a
   negative number, or a descriptor and the path. */
static int look_up(const struct fetcher_order *order, char **path)
{
	const struct library *library = &work.library;
	const unsigned char *build_id = (const unsigned char *)order->build_id;
	struct debuginfod_client *client = library->begin();
	if (!client)
		return ENOMEM;
	library->on_progress(client, tell);
	library->set_verbose(client, -1);
	work.calls = work.most = 0;
	work.is_too_large = false;
	work.grew_ns = clock_monotonic_ns();
	/* A length of 0 says that it is in hex digits. */
	int fd = order->source[0]
			 ? library->find_source(client, build_id, 0, order->source, path)
			 : library->find(client, build_id, 0, path);
	library->end(client);
	if (fd >= 0)
		close(fd);
	return fd >= 0		   ? 0
	       : work.is_stalled   ? ETIMEDOUT
	       : work.is_too_large ? EFBIG
				   : -fd;
}

/* It becomes a part of paths, here and at the server. */
static bool is_build_id(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length % 2 == 0 &&
	       strspn(text, "0123456789abcdef") == length;
}

static void answer(struct fetcher_order *order)
{
	struct fetcher_news news = {.is_over = 1};
	char *path = NULL;
	order->build_id[sizeof(order->build_id) - 1] = '\0';
	order->source[sizeof(order->source) - 1] = '\0';
	news.errnum = !is_build_id(order->build_id) ? EINVAL
		      : work.is_stalled		    ? ETIMEDOUT
						    : look_up(order, &path);
	if (news.errnum == 0 && path && strlen(path) < sizeof(news.path))
		strcpy(news.path, path);
	else if (news.errnum == 0)
		news.errnum = ENAMETOOLONG;
	free(path);
	say(&news);
}

/* Not all of /etc, where root's secrets are. */
static const char system_files[] =
	"/usr:/lib:/lib64:/opt:/nix/store:/gnu/store:/dev/urandom:/run/systemd/resolve:"
	"/etc/ssl/certs:/etc/ssl/cert.pem:/etc/ssl/openssl.cnf:/etc/pki/tls/certs:"
	"/etc/pki/ca-trust:/etc/ca-certificates:/etc/crypto-policies:/etc/gnutls:"
	"/etc/resolv.conf:/etc/nsswitch.conf:/etc/hosts:/etc/host.conf:/etc/gai.conf:"
	"/etc/services:/etc/protocols:/etc/ld.so.cache:/etc/localtime:/etc/passwd:/proc/"
	"self";

static void confine(const char *cache)
{
	const char *const said[] = {getenv("SSL_CERT_FILE"), getenv("SSL_CERT_DIR"),
		getenv("CURL_CA_BUNDLE")};
	const char *const lists[] = {system_files, said[0] ? said[0] : "",
		said[1] ? said[1] : "", said[2] ? said[2] : "", NULL};
	confine_keeping_user();
	confine_fetching(lists, cache[0] ? cache : NULL);
	confine_fetcher_calls();
}

static void serve(const char *cache)
{
	const char *limit = getenv("DEBUGINFOD_MAXSIZE");
	work.limit_bytes = limit ? atol(limit) : 0;
	if (work.limit_bytes <= 0)
		work.limit_bytes = LIMIT_BYTES;
	struct fetcher_news ready = {.is_over = 1};
	struct fetcher_order order;
	if (!load(&work.library))
		ready.errnum = ENOENT;
	confine(cache);
	say(&ready);
	while (recv(OWN_PROCESS_SOCKET, &order, sizeof(order), 0) ==
		(ssize_t)sizeof(order))
		answer(&order);
}

/* What the library and curl look at, and where the cache is. */
static const char *const variables[] = {"DEBUGINFOD_",
	"HOME=", "XDG_CACHE_HOME=", "SSL_CERT_",
	"CURL_CA_BUNDLE=", "http_proxy=", "https_proxy=", "HTTPS_PROXY=", "ftp_proxy=",
	"FTP_PROXY=", "all_proxy=", "ALL_PROXY=", "no_proxy=", "NO_PROXY=", NULL};

const struct own_process_kind fetcher_kind = {"cproftop-fetch", serve, variables};

/* --- in main ------------------------------------------------------------------------------ */

bool fetcher_send(const struct fetcher *fetcher, const struct fetcher_order *order)
{
	return send(fetcher->socket, order, sizeof(*order), MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(*order);
}

bool fetcher_receive(const struct fetcher *fetcher, struct fetcher_news *news)
{
	ssize_t got;
	do
		got = recv(fetcher->socket, news, sizeof(*news), 0);
	while (got < 0 && errno == EINTR);
	news->path[sizeof(news->path) - 1] = '\0';
	return got == (ssize_t)sizeof(*news) && news->errnum >= 0;
}

void fetcher_hang_up(const struct fetcher *fetcher)
{
	shutdown(fetcher->socket, SHUT_RDWR);
}

void fetcher_end(struct fetcher *fetcher)
{
	struct pollfd ended = {.fd = pidfd_open(fetcher->pid, 0), .events = POLLIN};
	if (ended.fd >= 0) {
		poll(&ended, 1, LEAVE_SOON_MS);
		close(ended.fd);
	}
	own_process_end(fetcher->pid);
	close(fetcher->socket);
}

bool fetcher_start(struct fetcher *fetcher, const char *cache, struct error *err)
{
	int pair[2];
	struct fetcher_news ready;
	if (!host_loads_objects())
		return error_set(err,
			"--debuginfod: this cproftop is linked statically and cannot "
			"load " LIBRARY "; what debuginfod-find has fetched is read "
			"without it");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return error_errno(err, errno, "--debuginfod: cannot make a socket");
	fetcher->pid = own_process_begin(fetcher_kind.name, cache, &pair[1], 1);
	int errnum = errno;
	close(pair[1]);
	fetcher->socket = pair[0];
	if (fetcher->pid < 0) {
		close(pair[0]);
		return error_errno(err, errnum, "--debuginfod: cannot start a process");
	}
	if (fetcher_receive(fetcher, &ready) && ready.is_over && ready.errnum == 0)
		return true;
	fetcher_hang_up(fetcher);
	fetcher_end(fetcher);
	return error_set(err, "--debuginfod needs " LIBRARY
			      ", which is not installed (Debian: libdebuginfod1)");
}
