// SPDX-License-Identifier: GPL-2.0-or-later
// Work that Go's runtime does for a goroutine on the stack of the thread: growing the
// goroutine's own stack (runtime.morestack), looking at it and allocating
// (runtime.systemstack), and calling the vDSO; and some work that is like other programs'. With a
// second argument it profiles itself for two seconds of CPU time, or as many as the third says,
// writes that to this file, and ends.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
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

//go:noinline
func print() {
	for i := 0; i < 100; i++ {
		kept[i&63] = []byte(fmt.Sprintf("%d %s %v", i, "text", kept[i&31][:1]))
	}
}

type tree struct{ left, right *tree }

//go:noinline
func plant(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{plant(depth - 1), plant(depth - 1)}
}

var planted *tree

//go:noinline
func trees() {
	planted = plant(12)
	counts := map[string]int{}
	for i := 0; i < 2000; i++ {
		counts[strconv.Itoa(i*7919%1009)]++
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
	work := map[string]func(){"all": all, "allocate": allocate, "ask": ask, "grow": grow,
		"look": look, "print": print, "trees": trees}[os.Args[1]]
	seconds := 2
	if len(os.Args) > 3 {
		seconds, _ = strconv.Atoi(os.Args[3])
	}
	allocate()
	fmt.Println("ready")
	if len(os.Args) > 2 {
		file, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(file)
		for end := usedCPU() + time.Duration(seconds)*time.Second; usedCPU() < end; {
			work()
		}
		pprof.StopCPUProfile()
		return
	}
	for {
		work()
	}
}
