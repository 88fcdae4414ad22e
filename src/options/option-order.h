/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-order: a subcommand that comes after options: `cproftop --ascii demo`.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_OPTION_ORDER_H
#define CPROFTOP_OPTION_ORDER_H

/* Move a subcommand in ARGV that only follows flags to the front of them. Of an option with a
   value, the word after it may be that value, so it stays. */
void option_command_first(int argc, char **argv);

#endif
