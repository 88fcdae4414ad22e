/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * template-arguments: a demangled name without them, "sort" for "sort<int>". It reads text,
 * no symbol, so main does it. Any thread.
 */
#ifndef CPROFTOP_TEMPLATE_ARGUMENTS_H
#define CPROFTOP_TEMPLATE_ARGUMENTS_H

/* Remove template and generic arguments, in place. Arguments with unbalanced brackets stay. */
void template_arguments_strip(char *name);

#endif
