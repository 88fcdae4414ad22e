/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/options/options-table.h"

/* clang-format off */
const struct command_row command_rows[COMMAND_HELP] = {
	[COMMAND_TOP] = {
		.synopsis = "[OPTION]... [-p PID[,PID]... | NAME | FILE... | -- CMD ...]",
		.what = "Show live where a running process spends its time: no restart, no "
			"root for your own processes. Or what is in FILE..., profiles that are "
			"added up. Without any of these: choose a process from a list.",
	},
	[COMMAND_RECORD] = {
		.name = "record",
		.brief = "sample a process or a command, and write a profile",
		.synopsis = "[OPTION]... (-p PID[,PID]... | NAME | -- CMD [ARG]...)",
		.what = "Sample a process and write a profile when the time is over, the "
			"process ends, or at Ctrl-C. All processes called NAME are sampled "
			"together. With CMD, its exit status is passed on.",
	},
	[COMMAND_DUMP] = {
		.name = "dump",
		.brief = "print the stacks of all threads as they are now",
		.synopsis = "[OPTION]... (-p PID | NAME)",
		.what = "Print the stacks of all threads as they are now. Sleeping threads "
			"are not stopped.",
	},
	[COMMAND_DEMO] = {
		.name = "demo",
		.brief = "profile a built-in workload, to look around",
		.synopsis = "[OPTION]...",
		.what = "Profile a built-in workload: two prime testers, a pool of workers, a "
			"sleeper. Without a terminal it prints a report.",
	},
	[COMMAND_CONVERT] = {
		.name = "convert",
		.brief = "write a profile in another format, or several as one",
		.synopsis = "[OPTION]... FILE... OUT",
		.what = "Write a profile in another format. Several are added up. Formats "
			"that are read: %s. FILE - is standard input, OUT - standard output.",
	},
	[COMMAND_CTL] = {
		.name = "ctl",
		.brief = "tell a running recording to pause, to mark, to write",
		.synopsis = "[-p PID] (start | stop | status | mark [TEXT] | snapshot FILE)",
		.what = "Tell a running 'cproftop record' to sample, to pause, how far it "
			"is, to mark this instant on its timeline, or to write what it has so "
			"far. A live screen can be told all but the last.",
	},
	[COMMAND_PUSH] = {
		.name = "push",
		.brief = "send a folder of profiles to a store",
		.synopsis = "[OPTION]... FOLDER URL",
		.what = "Send the files that 'cproftop record --every' has written into "
			"FOLDER to a store of profiles, oldest first, and remove those that "
			"it has taken. URL: pyroscope+http://HOST:4040, "
			"parca+http://HOST:7070, or one of their API.",
	},
	[COMMAND_REPORT] = {
		.name = "report",
		.brief = "print the functions of a profile or of a process",
		.synopsis = "[OPTION]... (FILE... | -p PID)",
		.what = "Print the functions of a profile or of a process, as text or for a "
			"program. Several are added up. Formats that are read: %s. FILE - is "
			"standard input.",
	},
	[COMMAND_DIFF] = {
		.name = "diff",
		.brief = "what has changed from one profile to another",
		.synopsis = "[OPTION]... OLD NEW",
		.what = "Show what has changed from one profile to another, function by "
			"function and path by path, and which changes are more than noise "
			"(*): on the screen, or with -o, -f or without a terminal as text. "
			"Formats that are read: %s.",
	},
};
/* clang-format on */
