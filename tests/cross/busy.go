// SPDX-License-Identifier: GPL-2.0-or-later
// Three functions, and after each round which part of the CPU time each has used so far.
package main

import (
	"fmt"
	"sort"
	"strings"
	"syscall"
)

//go:noinline
func mix(n int) int32 {
	x := int32(1)
	for i := 0; i < n; i++ {
		x = x*1103515245 + 12345
	}
	return x
}

//go:noinline
func fifty() int { return int(mix(3000000)) }

//go:noinline
func thirty() int {
	all := make([]int, 20000)
	for i := range all {
		all[i] = i * 7919 % 20000
	}
	sort.Slice(all, func(a, b int) bool { return all[a] > all[b] })
	return all[0]
}

//go:noinline
func twenty() int {
	return len(strings.Map(func(r rune) rune { return r + rune(mix(20)&1) }, strings.Repeat("word ", 30000)))
}

func spent() float64 {
	var used syscall.Rusage
	syscall.Getrusage(0, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

func main() {
	functions := []func() int{fifty, thirty, twenty}
	names := []string{"main.fifty", "main.thirty", "main.twenty"}
	used := make([]float64, 3)
	fmt.Println("ready")
	for sum := 0.0; ; {
		for i, function := range functions {
			begin := spent()
			function()
			used[i] += spent() - begin
			sum += spent() - begin
		}
		for i, name := range names {
			fmt.Printf("truth %s %.2f\n", name, 100*used[i]/sum)
		}
	}
}
