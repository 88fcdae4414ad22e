/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions that are thrown through functions with something to destroy, and caught. */

#include <cstdlib>
#include <stdexcept>

static volatile unsigned long sum;

struct guard {
	~guard()
	{
		sum = sum + 1;
	}
};

__attribute__((noinline)) static void deep(int n)
{
	guard it;
	if (n == 0)
		throw std::runtime_error("deep enough");
	deep(n - 1);
	sum = sum + 1;
}

__attribute__((noinline)) static void work()
{
	try {
		deep(3);
	} catch (const std::exception &e) {
		sum = sum + static_cast<unsigned char>(e.what()[0]);
	}
}

/* How often; 0 or nothing: for ever. */
int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], nullptr, 10) : 0;
	do
		work();
	while (times == 0 || --times > 0);
}
