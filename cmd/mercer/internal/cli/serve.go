package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/internal/host"
	"github.com/mercer-ml/mercer/serve"
	"github.com/spf13/cobra"
)

type serveOptions struct {
	Models                   []string
	Listen                   []string
	listenGiven              bool
	Threads, MaxInflight     int
	Memory, MaxBody          string
	Timeout, Poll            time.Duration
	Drain, Linger            time.Duration
	AllowLoad, Access, Quiet bool
	Tokens, Cert, Key        string
	Origins                  []string
	LogFormat                string
}

func newServe(a *App) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve FOLDER|MODEL...",
		Short: "Answer predictions over HTTP and gRPC",
		Long: `Serve model files, or those in folders: NAME.mercer, or NAME/VERSION/ with a
model file in each. Folders are watched: new, replaced and removed files are
taken up, and a file that is damaged leaves the one before it serving.

On one port: the Open Inference Protocol, version 2, over REST and gRPC, as
clients of KServe, Triton and Seldon speak it; POST /predict/NAME for CSV and
JSON with the columns that the model was fitted on; a page at / with what each
model wants; /metrics for Prometheus; /openapi.json.

It listens on this machine only unless --listen says otherwise. Ctrl-C, or
SIGTERM, lets requests under way finish. More: docs/serve.md.`,
		Example: `  mercer serve model.mercer
  mercer serve models/ --listen :8080 --token-file tokens
  curl --data-binary @new.csv http://127.0.0.1:8080/predict/model
  mercer predict --server http://127.0.0.1:8080 model new.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Models, o.listenGiven = args, cmd.Flags().Changed("listen")
			return a.serve(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Listen, "listen", []string{"127.0.0.1:8080"},
		"addresses to listen on: HOST:PORT, :PORT for all, or unix:PATH; not used where systemd hands over a socket")
	f.IntVar(&o.Threads, "threads", 0, "threads; default: all cores. No answer depends on it")
	f.StringVar(&o.Memory, "memory", "1GiB", "memory that requests under way may take together")
	f.StringVar(&o.MaxBody, "max-body", "64MiB",
		"the largest body of tensors or JSON; tables are streamed and may be of any length")
	f.IntVar(&o.MaxInflight, "max-inflight", 1024, "the most requests at a time; others are told to come again")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second,
		"the longest that a request may take, or a chunk of a streamed table")
	f.StringVar(&o.Tokens, "token-file", "",
		"file with the bearer tokens that may ask, one to a line; read again when it changes. Default: no token is needed")
	f.StringVar(&o.Cert, "tls-cert", "",
		"file with the certificate chain, in PEM; read again when it changes. Default: no TLS")
	f.StringVar(&o.Key, "tls-key", "", "file with its key")
	f.StringSliceVar(&o.Origins, "cors", nil,
		"origins of web pages that may ask from a browser, as https://example.org; default: none but the server's own")
	f.BoolVar(&o.AllowLoad, "allow-load", false, "let requests load and unload models (the repository extension)")
	f.DurationVar(&o.Poll, "poll", time.Second, "how often folders are looked at")
	f.BoolVar(&o.Access, "access-log", false, "log every request")
	f.StringVar(&o.LogFormat, "log", "text", "how the log is written to standard error: text or json")
	f.DurationVar(&o.Drain, "drain", 30*time.Second, "how long requests under way may take to finish at the end")
	f.DurationVar(&o.Linger, "linger", 0,
		"how long to go on answering at the end after saying that the server is not ready, so that load balancers hear of it")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "log nothing but errors")
	return cmd
}

func (a *App) serve(ctx context.Context, o *serveOptions) error {
	options, hosting, err := o.settings(a)
	if err != nil {
		return err
	}
	if o.Threads > 0 {
		runtime.GOMAXPROCS(o.Threads)
	}
	s := serve.New(options)
	if err := s.Watch(ctx, o.Poll, o.Models...); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return usage("%w; name a model file or a folder of them", err)
		}
		return &UsageError{err}
	}
	begun := time.Since(a.Begun)
	a.keepBy(func() string { return "" })
	a.allow(o.Drain + o.Linger + time.Second)
	hosting.Draining = s.Drain
	hosting.Ready = func(addresses []net.Addr) {
		for _, at := range addresses {
			fmt.Fprintf(a.Out, "serving %s at %s\n", count(len(s.Names()), "model", "models"), urlOf(at, o.Cert != ""))
		}
		options.Log.Info("ready", "models", len(s.Names()), "seconds", begun.Seconds())
	}
	return host.Run(ctx, s, hosting)
}

// urlOf is an address as a person opens it.
func urlOf(at net.Addr, encrypted bool) string {
	if at.Network() == "unix" {
		return "unix:" + at.String()
	}
	if encrypted {
		return "https://" + at.String()
	}
	return "http://" + at.String()
}

// settings turns the flags into those of the server and of its host.
func (o *serveOptions) settings(a *App) (s serve.Options, h host.Options, err error) {
	s = serve.Options{Threads: o.Threads, MaxInflight: o.MaxInflight, Timeout: o.Timeout, AllowLoad: o.AllowLoad,
		Origins: o.Origins, AccessLog: o.Access, Version: Version}
	level := slog.LevelInfo
	if o.Quiet {
		level = slog.LevelError
	}
	switch o.LogFormat {
	case "text":
		s.Log = slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: level}))
	case "json":
		s.Log = slog.New(slog.NewJSONHandler(a.Err, &slog.HandlerOptions{Level: level}))
	default:
		return s, h, usage("--log: %q; give text or json", o.LogFormat)
	}
	if s.Bytes, err = parseBytes(o.Memory); err != nil {
		return s, h, usage("--memory: %w", err)
	}
	if s.MaxBody, err = parseBytes(o.MaxBody); err != nil {
		return s, h, usage("--max-body: %w", err)
	}
	for _, n := range []struct {
		flag string
		bad  bool
	}{{"threads", o.Threads < 0}, {"max-inflight", o.MaxInflight < 1}, {"timeout", o.Timeout < 0}, {"poll", o.Poll < 0},
		{"drain", o.Drain < 0}, {"linger", o.Linger < 0}} {
		if n.bad {
			return s, h, usage("--%s: give a positive value", n.flag)
		}
	}
	if o.Tokens != "" {
		if s.Tokens, err = host.Tokens(o.Tokens, s.Log); err != nil {
			return s, h, usage("--token-file: %w", err)
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return s, h, usage("--tls-cert and --tls-key belong together; give both")
	}
	h = host.Options{Listen: o.Listen, Cert: o.Cert, Key: o.Key, Patience: o.Drain, Linger: o.Linger, Log: s.Log}
	if !o.listenGiven && os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) {
		h.Listen = nil
	}
	return s, h, nil
}
