package serve

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// instruments are what Prometheus is told.
type instruments struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	rows     *prometheus.CounterVec
	batches  *prometheus.HistogramVec
	models   prometheus.Gauge
	faults   prometheus.Gauge
	bytes    *prometheus.GaugeVec
}

func newInstruments(s *Server) *instruments {
	m := &instruments{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mercer_requests_total", Help: "Requests by endpoint and status."}, []string{"endpoint", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mercer_request_seconds", Help: "Time from a request to the end of its answer.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}, []string{"endpoint"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mercer_rows_total", Help: "Rows predicted."}, []string{"model"}),
		batches: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mercer_batch_rows", Help: "Rows that were computed together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 15)}, []string{"model"}),
		models: prometheus.NewGauge(prometheus.GaugeOpts{Name: "mercer_models", Help: "Versions of models that are served."}),
		faults: prometheus.NewGauge(prometheus.GaugeOpts{Name: "mercer_model_faults", Help: "Model files that cannot be served."}),
		bytes:  prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "mercer_model_bytes", Help: "Size of the file of a model."}, []string{"model", "version"}),
	}
	// A registry of our own: a program that mounts the server has its metrics to itself.
	r := prometheus.NewRegistry()
	r.MustRegister(m.requests, m.seconds, m.rows, m.batches, m.models, m.faults, m.bytes,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mercer_requests_inflight", Help: "Requests under way."}, func() float64 { return float64(s.inflight.Load()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mercer_request_bytes", Help: "Memory that requests under way have taken."}, func() float64 { return float64(s.memory.Load()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{DisableCompression: true})
	return m
}

func (m *instruments) serve(w http.ResponseWriter, r *http.Request) error {
	m.handler.ServeHTTP(w, r)
	return nil
}

// request counts an answered request. The protocol's two ways are told apart by the content type.
func (m *instruments) request(kind string, w *recorded, r *http.Request, took time.Duration) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		kind = "grpc"
	}
	m.requests.WithLabelValues(kind, strconv.Itoa(w.status)).Inc()
	m.seconds.WithLabelValues(kind).Observe(took.Seconds())
	if w.model != "" {
		m.rows.WithLabelValues(w.model).Add(float64(w.rows))
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
			m.bytes.WithLabelValues(v.name, v.version).Set(float64(v.bytes))
		}
	}
	m.models.Set(float64(versions))
	m.faults.Set(float64(faults))
}
