/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that says that it is an interpreter of Python 3.99, whose frames nobody knows. */

#include <stdio.h>

extern unsigned long Py_Version, _PyRuntime, PyCode_Type, PyUnicode_Type;
unsigned long Py_Version = 0x036300f0, _PyRuntime = 1, PyCode_Type = 1,
	      PyUnicode_Type = 1;

int main(void)
{
	puts("ready");
	fflush(stdout);
	for (volatile unsigned long i = 0;; i++)
		;
}
