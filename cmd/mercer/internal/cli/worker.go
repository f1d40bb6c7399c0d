package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/worker"
	"github.com/spf13/cobra"
)

// newWorker is the verb by which a program in another language, such as the Python package, has
// mercer in a process of its own.
func newWorker(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Answer the requests of the process that started it (the Python package)",
		Long: `Answer requests that come in on standard input, one process for another: the
Python package starts it, and it ends with that. It is of no use at a terminal.

The messages are described in cmd/mercer/internal/worker/doc.go; they are not
promised to stay, so that a package and its program go together.`,
		Hidden: true,
		Args:   dataArgs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.work(cmd.Context())
		},
	}
}

// work serves until the other side is gone. Ctrl-C is for the other side, which says itself what it
// wants to stop.
func (a *App) work(context.Context) error {
	in, _ := a.In.(*os.File)
	if in == nil {
		return usage("worker: standard input is no file of the system")
	}
	signal.Ignore(os.Interrupt)
	signal.Reset(syscall.SIGTERM)
	w := &worker.Worker{Version: released(), Run: runIn}
	return w.Serve(context.Background(), in, os.Stdout)
}

// runIn does what a command line asks for within this process, with data and files in memory.
func runIn(ctx context.Context, args []string, in worker.Given, out, err io.Writer) (int, map[string][]byte) {
	memory := &inMemory{sets: in.Sets, models: in.Models, files: map[string][]byte{}}
	inner := &App{In: nothing{}, Out: out, Err: err, Name: "mercer", Args: args, Begun: time.Now(), memory: memory}
	return inner.exit(inner.execute(ctx, args)), memory.files
}

// nothing is a standard input that has ended.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
