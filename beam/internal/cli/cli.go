// Package cli is the command line of mercer-beam: a file for each verb.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
)

const help = `mercer-beam fits and predicts with mercer where rows lie in many files: the shards
of one table, on storage that all workers reach.

  mercer-beam predict MODEL SHARDS... --output FOLDER
  mercer-beam fit SHARDS... --target COLUMN --output MODEL
  mercer-beam search FILE --target COLUMN --output MODEL
  mercer-beam stats columns SHARDS...
  mercer-beam stats two-sample SHARDS... --against SHARDS
  mercer-beam stats independence SHARDS... --x COLUMNS --y COLUMNS

Shards are files or quoted patterns ('rows/part-*.csv'; CSV, JSON lines, Parquet,
Arrow, NPY; gzip and zstd are undone; gs:// and s3:// too). Without --runner all runs in this
process, for trying out. Elsewhere:

  --runner flink --endpoint HOST:8099       a Beam job server for Flink
  --runner spark --endpoint HOST:8099       one for Spark
  --runner dataflow --project P --region R --staging_location gs://…

Workers are processes of this program, at its path on their machines, unless
--environment_type and --environment_config say otherwise. mercer-beam VERB --help lists
the options of a verb, mercer-beam help beam those of Beam. See docs/cluster.md.
`

// app is a run of the program.
type app struct {
	out, err io.Writer
	quiet    bool
	threads  int
	scratch  string
	input    inputFlags
}

// verb is one of the program's.
type verb struct {
	name, usage string
	flags       func(a *app, f *flag.FlagSet) func(ctx context.Context, args []string) error
}

var verbs = []verb{predictVerb, fitVerb, searchVerb, statsVerb}

// usageError is a fault of the command line or of data: for the person to mend.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// Main runs the program and returns its exit status: 0, 2 where the person can mend it, 1 else, 130
// when interrupted.
func Main(args []string, out, diagnostics io.Writer) int {
	if workerAsked(args) {
		return work(args)
	}
	beamOnly := map[string]bool{}
	flag.VisitAll(func(f *flag.Flag) { beamOnly[f.Name] = true })
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(out, help)
		if len(args) > 1 && args[1] == "beam" {
			flag.CommandLine.SetOutput(out)
			flag.PrintDefaults()
		}
		return 0
	}
	for _, v := range verbs {
		if v.name != args[0] {
			continue
		}
		a := &app{out: out, err: diagnostics}
		a.common(flag.CommandLine)
		run := v.flags(a, flag.CommandLine)
		positional, err := parse(flag.CommandLine, args[1:])
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(out, "usage: mercer-beam %s\n\n", v.usage)
			printOwn(out, beamOnly)
			return 0
		}
		if err != nil {
			fmt.Fprintln(diagnostics, err)
			return 2
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		beam.Init()
		quietLog()
		return a.report(ctx, run(ctx, positional))
	}
	fmt.Fprintf(diagnostics, "unknown verb %q; there are predict, fit, search and stats (mercer-beam help)\n", args[0])
	return 2
}

// common declares what all verbs have.
func (a *app) common(f *flag.FlagSet) {
	f.BoolVar(&a.quiet, "quiet", false, "say nothing but errors and results")
	f.IntVar(&a.threads, "threads", 0,
		"threads of a worker; 0: one where an engine runs many workers, all in this process")
	f.StringVar(&a.scratch, "scratch", "",
		"folder for the files of the job, on storage that all workers share; default: beside the output")
	a.input.declare(f)
}

// parse takes options and arguments in any order.
func parse(f *flag.FlagSet, args []string) (positional []string, err error) {
	f.Init("mercer-beam", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, fmt.Errorf("%w (mercer-beam VERB --help lists the options)", err)
		}
		args = f.Args()
		if len(args) == 0 {
			return positional, nil
		}
		positional, args = append(positional, args[0]), args[1:]
	}
}

func printOwn(out io.Writer, beamOnly map[string]bool) {
	flag.VisitAll(func(f *flag.Flag) {
		if beamOnly[f.Name] && f.Name != "runner" && f.Name != "endpoint" && f.Name != "parallelism" {
			return
		}
		value := ""
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "-1" {
			value = " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(out, "  --%s\n        %s%s\n", f.Name, f.Usage, value)
	})
}

// engine is where jobs run.
func (a *app) engine() jobs.Engine {
	e := jobs.Engine{Runner: *runners.Runner}
	if !a.quiet {
		e.Told = func(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }
	}
	return e
}

// workerThreads is the threads of a worker: an engine starts one for each of its slots.
func (a *app) workerThreads(e jobs.Engine) int {
	if a.threads == 0 && !e.InProcess() {
		return 1
	}
	return a.threads
}

// report says how a run ended.
func (a *app) report(ctx context.Context, err error) int {
	var faulty *jobs.FaultyShards
	var wrong *data.Error
	var usage usageError
	var silent *jobs.Unreachable
	var going *jobs.Uncancelled
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.As(err, &going):
		fmt.Fprintf(a.err, "interrupted: %v; look for it there, and cancel it if it goes on. Nothing half-written is left\n",
			going)
		return 130
	case ctx.Err() != nil:
		fmt.Fprintln(a.err, "interrupted: the job is cancelled, and nothing half-written is left")
		return 130
	case errors.As(err, &faulty):
		fmt.Fprintln(a.err, faulty.Text(words))
		return 2
	case errors.As(err, &wrong):
		fmt.Fprintln(a.err, wrong.With(words(wrong)))
		return 2
	case errors.As(err, &usage), errors.As(err, &silent):
		fmt.Fprintln(a.err, err)
		return 2
	}
	fmt.Fprintln(a.err, err)
	return 1
}
