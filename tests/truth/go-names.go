// SPDX-License-Identifier: GPL-2.0-or-later

// go-names PROGRAM: the functions of a Go program, stripped or not, as Go's own library reads
// them: lines "START SIZE NAME", as in a perf map. For programs at fixed addresses.
package main

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"log"
	"os"
)

func main() {
	file, err := elf.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines, text := file.Section(".gopclntab"), file.Section(".text")
	if lines == nil || text == nil {
		log.Fatal("no Go program")
	}
	data, err := lines.Data()
	if err != nil {
		log.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range table.Funcs {
		fmt.Printf("%x %x %s\n", f.Entry, f.End-f.Entry, f.Name)
	}
}
