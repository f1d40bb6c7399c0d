package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Engine is where pipelines run.
type Engine struct {
	Runner string                        // as Beam names it; empty: Prism, in this process; Loop: none
	Told   func(format string, a ...any) // of progress; nil: nobody
}

// Loop is the runner that is none: one shard after the other in this process, without Beam. It is what engines are measured against.
const Loop = "loop"

// InProcess says whether workers are goroutines of this process.
func (e Engine) InProcess() bool {
	return e.Runner == "" || e.Runner == Loop || strings.HasPrefix(strings.ToLower(e.Runner), "prism")
}

// settle fills in what the flags of Beam leave open: workers are processes of this program.
func (e Engine) settle() (done func(), err error) {
	done = func() {}
	if e.InProcess() || strings.HasPrefix(strings.ToLower(e.Runner), "dataflow") {
		return done, nil
	}
	if *jobopts.EnvironmentType == "" {
		self, err := os.Executable()
		if err != nil {
			return done, err
		}
		command, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return done, err
		}
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "PROCESS", string(command)
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "PROCESS") && *jobopts.WorkerBinary == "" {
		// The program is where the worker starts it: nothing has to be sent there.
		nothing, err := os.CreateTemp("", "mercer-beam-no-binary-*")
		if err != nil {
			return done, err
		}
		nothing.Close()
		*jobopts.WorkerBinary = nothing.Name()
		done = func() { os.Remove(nothing.Name()); *jobopts.WorkerBinary = "" }
	}
	return done, nil
}

// run has an engine run a pipeline to its end. When ctx ends the job is cancelled there, too.
func (e Engine) run(ctx context.Context, name string, build func(beam.Scope)) error {
	done, err := e.settle()
	if err != nil {
		return err
	}
	defer done()
	*jobopts.JobName = name
	p, s := beam.NewPipelineWithRoot()
	build(s)
	runner := e.Runner
	if runner == "" {
		runner = "prism"
	}
	_, err = beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		e.cancel(name)
		return ctx.Err()
	}
	if err != nil {
		return &EngineError{runner, err}
	}
	return nil
}

// cancel ends a job that nobody waits for any more.
func (e Engine) cancel(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	endpoint, err := jobopts.GetEndpoint()
	if err != nil {
		return
	}
	cc, err := grpcx.Dial(ctx, endpoint, 5*time.Second)
	if err != nil {
		return
	}
	defer cc.Close()
	client := jobpb.NewJobServiceClient(cc)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return
	}
	for _, j := range jobs.GetJobInfo() {
		if j.GetJobName() == name {
			_, _ = client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.GetJobId()})
		}
	}
}

// EngineError says that an engine gave a job up.
type EngineError struct {
	Runner string
	Err    error
}

func (e *EngineError) Error() string {
	text := e.Err.Error()
	if lines := strings.Split(text, "\n"); len(lines) > 12 {
		text = strings.Join(lines[:12], "\n") + "\n…"
	}
	advice := "the lines above are the engine's"
	for _, sign := range []string{"lost", "disconnect", "heartbeat", "UNAVAILABLE", "terminated", "no longer reachable", "exit code", "RESOURCE_EXHAUSTED"} {
		if strings.Contains(text, sign) {
			advice = "a worker was lost more often than the engine tries again: look for the end of its memory in the engine's log (docs/cluster.md has what a worker needs), then start again"
			break
		}
	}
	if strings.Contains(text, "connecting to job service") {
		advice = "no job service answers at --endpoint " + *jobopts.Endpoint
	}
	return fmt.Sprintf("%s gave the job up: %s\n%s; nothing half-written is left behind", e.Runner, text, advice)
}

// Unwrap gives the engine's own error.
func (e *EngineError) Unwrap() error { return e.Err }

// ErrFaultyShards is wrapped by the error of shards that cannot be read.
var ErrFaultyShards = errors.New("faulty shards")
