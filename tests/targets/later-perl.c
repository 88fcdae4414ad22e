/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that says that it is an interpreter of Perl 5.99, whose functions nobody knows. */

#include <stdio.h>

extern const unsigned char PL_revision, PL_version;
extern unsigned PL_thr_key;
const unsigned char PL_revision = 5, PL_version = 99;
unsigned PL_thr_key;

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (volatile unsigned long i = 0;; i++)
		;
}
