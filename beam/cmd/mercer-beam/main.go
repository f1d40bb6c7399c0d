// Command mercer-beam fits and predicts with mercer where rows lie in many files: on Flink, Spark
// or Dataflow, or on Prism in this process.
package main

import (
	"os"

	"github.com/mercer-ml/mercer/beam/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
