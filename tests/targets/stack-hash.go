// SPDX-License-Identifier: GPL-2.0-or-later
// Hand-written assembly of thousands of instructions: SHA-256.
package main

import (
	"crypto/sha256"
	"fmt"
)

//go:noinline
func hash(data []byte) byte {
	return sha256.Sum256(data)[0]
}

func main() {
	data := make([]byte, 1<<12)
	fmt.Println("ready")
	for {
		data[0] = hash(data)
	}
}
