package serve

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/serve/internal/promtext"
)

// instruments are what Prometheus is told. They are the server's own: a program that mounts it has
// its metrics to itself.
type instruments struct {
	s        *Server
	requests *promtext.Family
	seconds  *promtext.Family
	rows     *promtext.Family
	batches  *promtext.Family
	models   *promtext.Family
	faults   *promtext.Family
	bytes    *promtext.Family
}

func newInstruments(s *Server) *instruments {
	return &instruments{
		s:        s,
		requests: promtext.Counter("mercer_requests_total", "Requests by endpoint and status.", "code", "endpoint"),
		seconds: promtext.Histogram("mercer_request_seconds", "Time from a request to the end of its answer.",
			[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}, "endpoint"),
		rows: promtext.Counter("mercer_rows_total", "Rows predicted.", "model"),
		batches: promtext.Histogram("mercer_batch_rows", "Rows that were computed together.",
			[]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}, "model"),
		models: promtext.Gauge("mercer_models", "Versions of models that are served."),
		faults: promtext.Gauge("mercer_model_faults", "Model files that cannot be served."),
		bytes:  promtext.Gauge("mercer_model_bytes", "Size of the file of a model.", "model", "version"),
	}
}

func (m *instruments) serve(w http.ResponseWriter, _ *http.Request) error {
	b := promtext.AppendRuntime(nil)
	for _, f := range []*promtext.Family{m.batches, m.bytes, m.faults, m.models, m.seconds, m.requests, m.rows} {
		b = f.Append(b)
	}
	b = promtext.AppendOne(b, "mercer_request_bytes", "Memory that requests under way have taken.", "gauge",
		float64(m.s.memory.Load()))
	b = promtext.AppendOne(b, "mercer_requests_inflight", "Requests under way.", "gauge", float64(m.s.inflight.Load()))
	b = promtext.AppendProcess(b)
	w.Header().Set("Content-Type", promtext.ContentType)
	_, _ = w.Write(b)
	return nil
}

// request counts an answered request. The protocol's two ways are told apart by the content type.
func (m *instruments) request(kind string, w *recorded, r *http.Request, took time.Duration) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		kind = "grpc"
	}
	m.requests.With(strconv.Itoa(w.status), kind).Add(1)
	m.seconds.With(kind).Observe(took.Seconds())
	if w.model != "" {
		m.rows.With(w.model).Add(float64(w.rows))
	}
}

// count tells what is served.
func (m *instruments) count(c catalogue) {
	versions, faults := 0, 0
	m.bytes.Reset()
	for _, h := range c {
		versions += len(h.versions)
		faults += len(h.faults)
		for _, v := range h.versions {
			m.bytes.With(v.name, v.version).Set(float64(v.bytes))
		}
	}
	m.models.With().Set(float64(versions))
	m.faults.With().Set(float64(faults))
}
