/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands: every command of cproftop, one row each.
 *
 * From these rows come enum command, the bits of the options that a command has
 * (options-table.h), its help, what shells complete, and the function that main calls, which is
 * command_NAME in src/run/command-NAME.c. tests/check-manual compares them with the manual.
 * Constant data. Any thread.
 */
#ifndef CPROFTOP_COMMANDS_H
#define CPROFTOP_COMMANDS_H

/* In the order of --help: its name in capitals and as it is typed, but for the first, which is
   the live screen; what it does in half a line, for the first page of help; what comes after
   "cproftop NAME" in the first line of its own; what it does, with "%s" for the formats that it
   reads. */
/* clang-format off */
#define COMMANDS(X) \
	X(TOP, top, NULL, \
		"[OPTION]... [-p PID[,PID]... | NAME | FILE... | -- CMD ...]", \
		"Show live where a running process spends its time: no restart, no " \
		"root for your own processes. Or what is in FILE..., profiles that are " \
		"added up. Without any of these: choose a process from a list.") \
	X(RECORD, record, "sample a process or a command, and write a profile", \
		"[OPTION]... (-p PID[,PID]... | NAME | -- CMD [ARG]...)", \
		"Sample a process and write a profile when the time is over, the " \
		"process ends, or at Ctrl-C. All processes called NAME are sampled " \
		"together. With CMD, its exit status is passed on.") \
	X(DUMP, dump, "print the stacks of all threads as they are now", \
		"[OPTION]... (-p PID | NAME)", \
		"Print the stacks of all threads as they are now. Sleeping threads are " \
		"not stopped.") \
	X(DEMO, demo, "profile a built-in workload, to look around", \
		"[OPTION]...", \
		"Profile a built-in workload: two prime testers, a pool of workers, a " \
		"sleeper. Without a terminal it prints a report.") \
	X(CONVERT, convert, "write a profile in another format, or several as one", \
		"[OPTION]... FILE... OUT", \
		"Write a profile in another format. Several are added up. Formats that " \
		"are read: %s. FILE - is standard input, OUT - standard output.") \
	X(REPORT, report, "print the functions of a profile or of a process", \
		"[OPTION]... (FILE... | -p PID)", \
		"Print the functions of a profile or of a process, as text or for a " \
		"program. Several are added up. Formats that are read: %s. FILE - is " \
		"standard input.") \
	X(DIFF, diff, "what has changed from one profile to another", \
		"[OPTION]... OLD NEW", \
		"Show what has changed from one profile to another, function by " \
		"function and path by path, and which changes are more than noise (*): " \
		"on the screen, or with -o, -f or without a terminal as text. Formats " \
		"that are read: %s.") \
	X(CTL, ctl, "tell a running recording to pause, to mark, to write", \
		"[-p PID] (start | stop | status | mark [TEXT] | snapshot FILE)", \
		"Tell a running 'cproftop record' to sample, to pause, how far it is, " \
		"to mark this instant on its timeline, or to write what it has so far. " \
		"A live screen can be told all but the last.") \
	X(PUSH, push, "send a folder of profiles to a store", \
		"[OPTION]... FOLDER URL", \
		"Send the files that 'cproftop record --every' has written into FOLDER " \
		"to a store of profiles, oldest first, and remove those that it has " \
		"taken. URL: pyroscope+http://HOST:4040, parca+http://HOST:7070, or " \
		"one of their API.")
/* clang-format on */

#define COMMAND_ENUM(NAME, name, brief, synopsis, what) COMMAND_##NAME,
enum command {
	COMMANDS(COMMAND_ENUM) COMMAND_HELP, /* print and exit */
	COMMAND_VERSION,		     /* print and exit */
};
#undef COMMAND_ENUM

#endif
