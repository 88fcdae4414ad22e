// SPDX-License-Identifier: GPL-2.0-or-later
// A few Go frames: recursion, a closure, an interface and a sort.
package main

import (
	"fmt"
	"sort"
)

type work interface{ run(n int) int }

type sum struct{ f func(int) int }

//go:noinline
func (s sum) run(n int) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = s.f(i)
	}
	sort.Ints(numbers)
	return fib(12) + numbers[0]
}

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	fmt.Println("ready")
	var w work = sum{func(i int) int { return (i * 7919) % 1009 }}
	for total := 0; ; {
		total += w.run(200)
	}
}
