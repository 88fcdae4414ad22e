// SPDX-License-Identifier: GPL-2.0-or-later
// Templates, virtual calls and exceptions, and which part of the CPU time each of three functions has
// used. Ends on SIGTERM.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static volatile std::sig_atomic_t is_over;

static double now()
{
	timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

struct Work {
	virtual ~Work() = default;
	virtual long work() = 0;
};

struct Sorter : Work {
	__attribute__((noinline)) long work() override
	{
		std::vector<unsigned> all(20000);
		unsigned last = 1;
		for (auto &one : all)
			one = last = last * 1103515245 + 12345;
		std::sort(all.begin(), all.end(), [](unsigned a, unsigned b) { return a > b; });
		return all[0];
	}
};

struct Mapper : Work {
	__attribute__((noinline)) long work() override
	{
		std::map<std::string, int> all;
		for (int i = 0; i < 1000; i++)
			all["key" + std::to_string(i * 7919 % 1000)]++;
		return long(all.size());
	}
};

struct Thrower : Work {
	__attribute__((noinline)) void descend(int depth)
	{
		if (depth == 0)
			throw std::runtime_error("at the bottom");
		descend(depth - 1);
		asm volatile(""); // no tail call
	}
	__attribute__((noinline)) long work() override
	{
		long caught = 0;
		for (int i = 0; i < 50; i++)
			try {
				descend(10);
			} catch (const std::exception &) {
				caught++;
			}
		return caught;
	}
};

static double worked(Work &what, double seconds)
{
	double begin = now(), end;
	do
		what.work();
	while ((end = now()) < begin + seconds);
	return end - begin;
}

int main()
{
	Sorter sorter;
	Mapper mapper;
	Thrower thrower;
	double spent[3] = {};
	std::signal(SIGTERM, [](int) { is_over = 1; });
	std::puts("ready");
	std::fflush(stdout);
	while (!is_over) {
		spent[0] += worked(sorter, 0.05);
		spent[1] += worked(mapper, 0.03);
		spent[2] += worked(thrower, 0.02);
	}
	double all = spent[0] + spent[1] + spent[2];
	std::printf("truth Sorter %.2f\ntruth Mapper %.2f\ntruth Thrower %.2f\n", 100 * spent[0] / all,
		100 * spent[1] / all, 100 * spent[2] / all);
}
