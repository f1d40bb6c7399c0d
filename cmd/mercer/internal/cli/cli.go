// Package cli is the command line: a file per verb. A verb is an options
// struct, a constructor that declares its flags, and a run function that does
// the work and knows nothing of flags.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/cmd/mercer/internal/svmtool"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

// Exit codes, documented in `mercer help exit-codes`.
const (
	exitOK          = 0
	exitFailure     = 1   // the work could not be done
	exitUsage       = 2   // the request or the input is at fault
	exitWorse       = 3   // a model was written that is worse than none
	exitNotFitted   = 4   // what was named could not be fitted, and nothing was written
	exitInterrupted = 130 // stopped by Ctrl-C or SIGTERM; what was found is kept
)

// App is what every verb shares: the three streams and the context that
// Ctrl-C (or SIGTERM, by which systems end a program) cancels.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Name     string   // how the program was called
	Args     []string // what it was asked for
	Begun    time.Time

	quiet    bool      // --quiet was given
	memory   *inMemory // where a worker has data and files; nil: they are on the disk
	warnings []string  // said beside the result

	kept  atomic.Pointer[func() string]  // what Ctrl-C leaves behind
	shown atomic.Pointer[progress.Meter] // the last meter on the screen
	more  atomic.Int64                   // nanoseconds that the verb has asked for to wind up
	whole atomic.Bool                    // the verb winds up however long that takes
}

// UsageError is an error that the person can mend by asking differently or by
// changing the input.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

func usage(format string, args ...any) error {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = inWords(err)
		}
	}
	return &UsageError{fmt.Errorf(format, args...)}
}

// Main runs the command line args (args[0] is the program's name) and returns
// the exit code. Called by the name of one of LIBSVM's programs, it is that
// program.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return mainWith(patience, args, stdin, stdout, stderr)
}

// mainWith is Main with a time that a verb may take to wind up after Ctrl-C.
func mainWith(patience func() time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	out := &told{Writer: progress.Visible(stdout)}
	app := &App{In: stdin, Out: out, Err: progress.Visible(stderr), Name: filepath.Base(args[0]), Args: args[1:],
		Begun: time.Now()}
	words := app.Args
	if verb := strings.TrimSuffix(app.Name, ".exe"); strings.HasPrefix(verb, "svm-") {
		words = append([]string{verb}, words...)
	}
	done := make(chan error, 1)
	go func() { done <- app.execute(ctx, words) }()
	select {
	case err := <-done:
		return app.exit(cmp.Or(out.err, err)) // that nothing can be said explains the other
	case <-after(ctx, func() time.Duration { return max(patience(), time.Duration(app.more.Load())) }).Done():
		if !app.whole.Load() {
			return app.abandon()
		}
		app.sayWindingUp()
		return app.exit(cmp.Or(<-done, out.err))
	}
}

// execute does what the words ask for. LIBSVM's programs have no use for all the verbs, which take
// longer to declare than a small model takes to predict.
func (a *App) execute(ctx context.Context, words []string) error {
	if len(words) > 0 {
		if run := svmPrograms[words[0]]; run != nil {
			return run(ctx, words[1:], a.Out, a.Err)
		}
	}
	cobra.EnableCommandSorting = false // verbs are listed as newRoot has them
	root := rootFor(a, words)
	if len(words) > 0 && (words[0] == cobra.ShellCompRequestCmd || words[0] == cobra.ShellCompNoDescRequestCmd) {
		completions(root) // a shell asks; cobra keeps them, and with them the root, as long as the process lives
	}
	root.SetArgs(words)
	return root.ExecuteContext(ctx)
}

func (a *App) exit(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		a.sayStopped(a.Err)
		return exitInterrupted
	}
	if errors.Is(err, svmtool.ErrSaid) {
		return exitFailure
	}
	fmt.Fprintln(a.Err, inWords(err))
	var bad *UsageError
	var worse *worseError
	var place *files.WriteError
	var unfit *tune.NotFitted
	if errors.As(err, &worse) {
		return exitWorse
	}
	if errors.As(err, &unfit) {
		return exitNotFitted
	}
	if errors.As(err, &bad) || errors.As(err, &place) && place.Misplaced() {
		return exitUsage
	}
	return exitFailure
}
