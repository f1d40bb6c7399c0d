// Command mercer fits, uses and inspects kernel models.
package main

import (
	"os"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
