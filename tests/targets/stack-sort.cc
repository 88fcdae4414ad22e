// SPDX-License-Identifier: GPL-2.0-or-later
// Templates, std::function and std::sort, several deep.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

template <int N> struct Layer {
	std::function<bool(int, int)> inner;
	__attribute__((noinline)) bool operator()(int a, int b) const
	{
		volatile int n = N;
		return Layer<N - 1>{inner}(a, b) && n > 0;
	}
};

template <> struct Layer<0> {
	std::function<bool(int, int)> inner;
	__attribute__((noinline)) bool operator()(int a, int b) const
	{
		volatile bool result = inner(a, b);
		return result;
	}
};

__attribute__((noinline)) static bool less(int a, int b)
{
	std::map<int, std::string> names;
	names[a] = "a";
	names[b] = std::string(40, 'b');
	return a < b && !names.empty();
}

__attribute__((noinline)) static void sort_for_ever(std::vector<int> &numbers)
{
	for (unsigned seed = 1;;) {
		for (int &number : numbers)
			number = static_cast<int>(seed = seed * 1664525 + 1013904223) >> 8;
		std::sort(numbers.begin(), numbers.end(), Layer<8>{less});
	}
}

int main()
{
	std::vector<int> numbers(500);
	if (write(1, "ready\n", 6) != 6)
		return 1;
	sort_for_ever(numbers);
}
