package cli

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// What an engine gives a process that it starts as a worker.
var (
	provision = flag.String("provision_endpoint", "", "given by an engine that starts this program as a worker")
	_         = flag.String("artifact_endpoint", "", "given by an engine that starts this program as a worker")
)

// workerAsked says whether an engine started this process: it gives options and no verb.
func workerAsked(args []string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && (name == "provision_endpoint" || name == "worker") {
			return true
		}
		if !strings.HasPrefix(a, "-") {
			return false
		}
	}
	return false
}

// work serves an engine until it hangs up. What Beam's own starter would do before is done here,
// but for the fetching of a program: this one is there already.
func work(args []string) int {
	if err := flag.CommandLine.Parse(args); err != nil {
		return 2
	}
	if *provision != "" {
		if err := provisioned(); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return 1
		}
	}
	beam.Init() // never returns in a worker
	return 0
}

// provisioned asks the engine for what the worker is told.
func provisioned() error {
	ctx := grpcx.WriteWorkerID(context.Background(), flag.Lookup("id").Value.String())
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("the engine that started it does not answer: %w", err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	set := map[string]string{"options": options, "worker": "true"}
	if url := info.GetLoggingEndpoint().GetUrl(); url != "" {
		set["logging_endpoint"] = url
	}
	if url := info.GetControlEndpoint().GetUrl(); url != "" {
		set["control_endpoint"] = url
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	if url := info.GetStatusEndpoint().GetUrl(); url != "" {
		os.Setenv("STATUS_ENDPOINT", url)
	}
	os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
	return nil
}

// driverLog lets a person see what an engine warns of, and not every step of it.
type driverLog struct{ least log.Severity }

// Log writes a line.
func (l driverLog) Log(_ context.Context, sev log.Severity, _ int, msg string) {
	if sev >= l.least {
		fmt.Fprintln(os.Stderr, strings.TrimSpace(msg))
	}
}

// quietLog leaves out what engines say of their own steps, unless MERCER_BEAM_LOG is set.
func quietLog() {
	if os.Getenv("MERCER_BEAM_LOG") != "" {
		log.SetLogger(driverLog{log.SevDebug})
		return
	}
	log.SetLogger(driverLog{log.SevFatal}) // an error comes back as one
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
