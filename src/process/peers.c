/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/peers.h"

#include "src/base/ask-opener.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/small-file.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LINK_BYTES = 64,
	TABLE_BYTES = 1 << 20, /* of a table of sockets; what is beyond is not read */
	ADDRESS_BYTES = 48,    /* 32 digits of IPv6, a port */
	NAME_BYTES = 80,
	PEER_BYTES = 160,
	DESCRIPTORS_MOST = 4096, /* of a process */
	ROW_BYTES = 256,	 /* of a table of sockets */
};

/* "pipe:[77]" or "socket:[77]"; other links have no other end. */
static bool parse_link(const char *link, uint64_t *inode, bool *is_pipe)
{
	*is_pipe = strncmp(link, "pipe:[", 6) == 0;
	if (!*is_pipe && strncmp(link, "socket:[", 8) != 0)
		return false;
	return sscanf(strchr(link, '[') + 1, "%" SCNu64, inode) == 1;
}

/* --- reading --------------------------------------------------------------------------- */

static void read_descriptors(struct peers *peers, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	unsigned left = DESCRIPTORS_MOST;
	for (struct dirent *entry; (entry = readdir(dir)) && left > 0; left--) {
		char link[LINK_BYTES];
		struct peer_descriptor found = {.pid = pid, .fd = atoi(entry->d_name)};
		ssize_t length =
			readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		if (length <= 0)
			continue;
		link[length] = '\0';
		if (parse_link(link, &found.inode, &found.is_pipe))
			vec_push(&peers->descriptors, found);
	}
	closedir(dir);
}

static void read_sockets(struct peers *peers, pid_t pid, const char *table)
{
	char path[48], *text = mem_alloc(TABLE_BYTES);
	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);
	small_file_read(AT_FDCWD, path, text, TABLE_BYTES);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		char local[ADDRESS_BYTES], remote[ADDRESS_BYTES], row[ROW_BYTES];
		uint64_t inode;
		end = strchrnul(line, '\n'); /* sscanf would measure all that follows */
		snprintf(row, sizeof(row), "%.*s", (int)(end - line), line);
		if (sscanf(row,
			    " %*d: %47s %47s %*x %*x:%*x %*x:%*x %*x %*d %*d %" SCNu64,
			    local, remote, &inode) != 3 ||
			inode == 0)
			continue;
		vec_push(&peers->sockets,
			(struct peer_socket){inode, strpool_intern(&peers->texts, local),
				strpool_intern(&peers->texts, remote)});
	}
	free(text);
}

/* The processes from next_pid on; /proc lists them in order. */
static void read_processes(struct peers *peers)
{
	DIR *proc = opendir("/proc");
	if (!proc)
		return;
	uint64_t end_ns =
		clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + PEERS_PART_MS * NS_PER_MS;
	pid_t from = peers->next_pid;
	peers->next_pid = 0;
	for (struct dirent *entry; (entry = readdir(proc));) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		if (pid <= 0 || pid < from)
			continue;
		if (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) > end_ns) {
			peers->next_pid = pid;
			break;
		}
		read_descriptors(peers, pid);
	}
	closedir(proc);
}

static void read_some(struct peers *peers, pid_t pid, uint64_t now_ns)
{
	if (peers->next_pid == 0) {
		peers->descriptors.len = peers->sockets.len = 0;
		read_sockets(peers, pid, "tcp");
		read_sockets(peers, pid, "tcp6");
	}
	read_processes(peers);
	peers->due_ns =
		now_ns + (peers->next_pid ? PEERS_REST_MS : PEERS_EVERY_MS) * NS_PER_MS;
}

/* --- answering ------------------------------------------------------------------------- */

static void say_process(pid_t pid, char *out, size_t size)
{
	char path[32], raw[64], name[NAME_BYTES];
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	size_t length = small_file_read(AT_FDCWD, path, raw, sizeof(raw));
	clean_text(name, sizeof(name), raw, length > 0 ? length - 1 : 0);
	snprintf(out, size, "%s (%d)", name[0] ? name : "?", pid);
}

static bool is_written(const struct peer_descriptor *descriptor)
{
	char path[64], text[512];
	unsigned long long flags;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", descriptor->pid,
		descriptor->fd);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	return status_number(text, "\nflags:", 0, 8, &flags) &&
	       (flags & O_ACCMODE) != O_RDONLY;
}

/* A process that has the other end of a pipe, rather another one than PID. */
static bool find_pipe(
	const struct peers *peers, pid_t pid, uint64_t inode, bool writes, pid_t *found)
{
	*found = 0;
	vec_each (&peers->descriptors, other)
		if (other->is_pipe && other->inode == inode &&
			(*found == 0 || *found == pid) && is_written(other) != writes)
			*found = other->pid;
	return *found != 0;
}

/* The bytes of an address are in the order of the machine, by four. */
static void say_address(const char *address, char *out, size_t size)
{
	uint32_t words[4] = {0};
	unsigned port = 0;
	int n = strlen(address) > 16 ? 4 : 1;
	for (int i = 0; i < n; i++)
		sscanf(address + (size_t)i * 8, "%8" SCNx32, &words[i]);
	sscanf(address + (size_t)n * 8, ":%x", &port);
	char text[INET6_ADDRSTRLEN] = "";
	inet_ntop(n == 4 ? AF_INET6 : AF_INET, words, text, sizeof(text));
	snprintf(out, size, n == 4 ? "[%s]:%u" : "%s:%u", text, port);
}

/* The process at the other end, if it is on this machine; else its address. */
static bool find_socket(const struct peers *peers, uint64_t inode, char *out, size_t size)
{
	const struct peer_socket *own = NULL;
	vec_each (&peers->sockets, socket)
		if (socket->inode == inode)
			own = socket;
	if (!own || strstr(own->remote, ":0000")) /* it listens */
		return false;
	vec_each (&peers->sockets, socket) {
		if (socket->local != own->remote || socket->remote != own->local)
			continue;
		vec_each (&peers->descriptors, other) {
			if (other->is_pipe || other->inode != socket->inode)
				continue;
			say_process(other->pid, out, size);
			return true;
		}
	}
	say_address(own->remote, out, size);
	return true;
}

static bool find(const struct peers *peers, pid_t pid, uint64_t inode, bool is_pipe,
	bool writes, char *out, size_t size)
{
	pid_t found;
	if (!is_pipe)
		return find_socket(peers, inode, out, size);
	if (!find_pipe(peers, pid, inode, writes, &found))
		return false;
	say_process(found, out, size);
	return true;
}

/* The opener may look at all of /proc. */
static const char *ask(
	struct peers *peers, pid_t pid, const char *link, bool writes, uint64_t now_ns)
{
	struct opener_question question = {
		.kind = OPENER_PEER, .number = pid, .length = writes};
	struct opener_answer answer;
	char text[PEER_BYTES + 8];
	ssize_t length = ask_opener(&question, -1, link, strlen(link) + 1, &answer, text,
		sizeof(text) - 1, NULL);
	text[length > 0 ? length : 0] = '\0';
	if (now_ns >= peers->due_ns)
		peers->due_ns = now_ns + PEERS_REST_MS * NS_PER_MS;
	return text[0] ? strpool_intern(&peers->texts, text) : "";
}

/* Who is at the other end, read now if MAY_READ. */
static const char *look(struct peers *peers, pid_t pid, const char *link, bool writes,
	bool may_read, uint64_t now_ns)
{
	uint64_t inode;
	bool is_pipe;
	char who[PEER_BYTES], text[PEER_BYTES + 8];
	parse_link(link, &inode, &is_pipe);
	if (may_read)
		read_some(peers, pid, now_ns);
	if (!find(peers, pid, inode, is_pipe, writes, who, sizeof(who)))
		return "";
	snprintf(text, sizeof(text), "%s %s", writes ? "to" : "from", who);
	return strpool_intern(&peers->texts, text);
}

const char *peers_say(
	struct peers *peers, pid_t pid, const char *link, bool writes, uint64_t now_ns)
{
	uint64_t inode;
	bool is_pipe;
	if (!parse_link(link, &inode, &is_pipe))
		return "";
	uint64_t key = is_pipe && writes;
	const uint32_t *known = idmap_get(&peers->known, inode, key);
	bool may_read = now_ns >= peers->due_ns;
	if (known && (peers->answers.data[*known][0] || !may_read))
		return peers->answers.data[*known];
	const char *answer = ask_opener_is_used()
				     ? ask(peers, pid, link, writes, now_ns)
				     : look(peers, pid, link, writes, may_read, now_ns);
	idmap_put(&peers->known, inode, key, (uint32_t)peers->answers.len);
	vec_push(&peers->answers, answer);
	return answer;
}

void peers_finish(struct peers *peers)
{
	vec_free(&peers->descriptors);
	vec_free(&peers->sockets);
	vec_free(&peers->answers);
	idmap_finish(&peers->known);
	strpool_finish(&peers->texts);
}
