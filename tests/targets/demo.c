/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo: the workload behind "cproftop demo" as a target by itself, see
 * src/run/demo/demo-workload.h for its truth. Ends with its parent.
 */
#include "src/run/demo/demo-workload.h"

int main(void)
{
	return demo_workload_run();
}
