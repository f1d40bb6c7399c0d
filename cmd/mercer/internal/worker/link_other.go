//go:build !linux

package worker

import (
	"bufio"
	"os"
)

// newLink is standard input and output; what memory without a name is differs from system to
// system, and bytes through a pipe are the same everywhere.
func newLink(in, out *os.File) *link {
	return &link{in: bufio.NewReaderSize(in, inlineUpTo), out: out}
}
