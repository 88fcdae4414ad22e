/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inherited: the descriptors that were open when we were started.
 *
 * A shell, an editor or a service may leave some open by mistake, of files that nobody means us to
 * read or write; the filter of system calls asks nobody about what is open. A command that we
 * start gets them as it would from its caller; a process that gives up its rights keeps none but
 * the standard ones, and those that the command line names, as in `-o >(gzip)`.
 */
#ifndef CPROFTOP_INHERITED_H
#define CPROFTOP_INHERITED_H

/* Before anything is opened: remember what is open and not named in WORDS as "fd/N"; NULL ends
   WORDS. */
void inherited_note(char *const *words);

/* Close what was remembered. After a command was started. */
void inherited_close(void);

#endif
