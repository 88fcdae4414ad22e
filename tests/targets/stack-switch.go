// SPDX-License-Identifier: GPL-2.0-or-later
// Work that Go's runtime does for a goroutine on the stack of the thread: growing the
// goroutine's own stack (runtime.morestack), looking at it (runtime.systemstack), and calling
// the vDSO.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

//go:noinline
func recurse(depth int, at func()) int {
	var frame [32]int
	frame[depth&31] = depth
	if depth == 0 {
		at()
		return 0
	}
	return recurse(depth-1, at) + frame[depth&31]
}

//go:noinline
func grow() {
	done := make(chan int)
	go func() { done <- recurse(200, func() {}) }()
	<-done
}

//go:noinline
func look() {
	var pcs [64]uintptr
	recurse(60, func() {
		for i := 0; i < 100; i++ {
			runtime.Callers(0, pcs[:])
		}
	})
}

//go:noinline
func ask() {
	for i := 0; i < 1000; i++ {
		time.Now()
	}
}

func main() {
	work := map[string]func(){"ask": ask, "grow": grow, "look": look}[os.Args[1]]
	fmt.Println("ready")
	for {
		work()
	}
}
