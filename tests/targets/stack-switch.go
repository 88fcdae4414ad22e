// SPDX-License-Identifier: GPL-2.0-or-later
// Work that Go's runtime does for a goroutine on the stack of the thread: growing the
// goroutine's own stack (runtime.morestack), looking at it and allocating
// (runtime.systemstack), and calling the vDSO. With a second argument it profiles itself for
// two seconds of CPU time, writes that to this file, and ends.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
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
	recurse(40, func() {
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

var kept [64][]byte

//go:noinline
func allocate() {
	for i := 0; i < 100; i++ {
		kept[i&63] = make([]byte, 2000+i)
	}
}

// Takes about as long for each.
func all() {
	for i := 0; i < 15; i++ {
		grow()
		allocate()
	}
	for i := 0; i < 7; i++ {
		ask()
	}
	look()
}

func usedCPU() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	work := map[string]func(){"all": all, "ask": ask, "grow": grow, "look": look}[os.Args[1]]
	fmt.Println("ready")
	if len(os.Args) > 2 {
		file, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(file)
		for end := usedCPU() + 2*time.Second; usedCPU() < end; {
			work()
		}
		pprof.StopCPUProfile()
		return
	}
	for {
		work()
	}
}
