// Package cli is the command line: a file per verb.
package cli

import (
	"fmt"
	"io"
)

// Main runs the command line args (args[0] is the program's name) and returns
// the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fmt.Fprintln(stderr, "usage: mercer VERB")
	return 2
}
