package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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

// Loop is the runner that is none: one shard after the other in this process, without Beam. It is
// what engines are measured against.
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
	if err := e.reachable(); err != nil {
		return err
	}
	*jobopts.JobName = name
	p, s := beam.NewPipelineWithRoot()
	build(s)
	runner := e.Runner
	if runner == "" {
		runner = "prism"
	}
	_, err = beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		if bad := e.cancel(name); bad != nil && !e.InProcess() {
			return errors.Join(ctx.Err(), &Uncancelled{name, bad})
		}
		return ctx.Err()
	}
	if err != nil {
		return &EngineError{runner, err}
	}
	return nil
}

// reachable looks for the job service before a pipeline is made for it.
func (e Engine) reachable() error {
	if *jobopts.Endpoint == "" || e.InProcess() {
		return nil
	}
	c, err := net.DialTimeout("tcp", *jobopts.Endpoint, 10*time.Second)
	if err != nil {
		return &Unreachable{*jobopts.Endpoint, err}
	}
	return c.Close()
}

// Unreachable says that no job service answers.
type Unreachable struct {
	Endpoint string
	Err      error
}

func (e *Unreachable) Error() string {
	return fmt.Sprintf("no job service answers at --endpoint %s: %v", e.Endpoint, e.Err)
}

// Unwrap gives the reason.
func (e *Unreachable) Unwrap() error { return e.Err }

// Uncancelled says that a job may go on though nobody waits for it.
type Uncancelled struct {
	Job string
	Err error
}

func (e *Uncancelled) Error() string {
	return fmt.Sprintf("the engine did not say that job %q is cancelled: %v", e.Job, e.Err)
}

// Unwrap gives the reason.
func (e *Uncancelled) Unwrap() error { return e.Err }

// cancel ends a job that nobody waits for any more, and comes back when the job service says that
// it has ended: what its workers read is removed after that.
func (e Engine) cancel(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	endpoint, err := jobopts.GetEndpoint()
	if err != nil {
		return err
	}
	cc, err := grpcx.Dial(ctx, endpoint, 5*time.Second)
	if err != nil {
		return err
	}
	defer cc.Close()
	return cancelJobs(ctx, jobpb.NewJobServiceClient(cc), name, time.Second/5)
}

// cancelJobs cancels what a job service lists under a name and asks for its state until it is at
// rest.
func cancelJobs(ctx context.Context, client jobpb.JobServiceClient, name string, pause time.Duration) error {
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	for _, j := range jobs.GetJobInfo() {
		if !isJob(j.GetJobName(), name) || atRest(j.GetState()) {
			continue
		}
		answer, bad := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.GetJobId()})
		for state := answer.GetState(); bad == nil && !atRest(state); {
			select {
			case <-ctx.Done():
				return errors.Join(err, ctx.Err())
			case <-time.After(pause):
			}
			var now *jobpb.JobStateEvent
			now, bad = client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: j.GetJobId()})
			state = now.GetState()
		}
		err = errors.Join(err, bad)
	}
	return err
}

// atRest says whether a job in a state has no worker left.
func atRest(state jobpb.JobState_Enum) bool {
	switch state {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_UPDATED,
		jobpb.JobState_DRAINED:
		return true
	}
	return false
}

// isJob says whether what a job server lists is the job of a name. Those in Java list it in small
// letters and digits, with 0 for all else, and with user, time and a number behind.
func isJob(listed, name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '0'
	}, strings.ToLower(name))
	return listed == name || listed == plain || strings.HasPrefix(listed, plain+"-")
}

// EngineError says that an engine gave a job up.
type EngineError struct {
	Runner string
	Err    error
}

func (e *EngineError) Error() string {
	return fmt.Sprintf("%s gave the job up: %s\nwhere it says that a worker or a machine was lost, that happened more "+
		"often than it tries again: look for the end of a worker's memory in the engine's log (docs/cluster.md has what "+
		"one needs), then start again; nothing half-written is left behind",
		e.Runner, firstLines(e.Err.Error(), 12))
}

// firstLines keeps the beginning of what may be a hundred lines of Java.
func firstLines(text string, most int) string {
	for i, c := range []byte(text) {
		if c == '\n' {
			most--
		}
		if most == 0 {
			return text[:i] + "\n…"
		}
	}
	return text
}

// Unwrap gives the engine's own error.
func (e *EngineError) Unwrap() error { return e.Err }

// ErrFaultyShards is wrapped by the error of shards that cannot be read.
var ErrFaultyShards = errors.New("faulty shards")
