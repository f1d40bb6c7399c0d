// Package promtext keeps counters, gauges and histograms, and writes them in the text format that
// Prometheus reads (version 0.0.4, https://prometheus.io/docs/instrumenting/exposition_formats/).
// It knows what a server needs and no more: no registry of the process, no summaries of its own, no
// exemplars.
package promtext

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ContentType is that of the text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Family is the series of one name, told apart by the values of their labels.
type Family struct {
	name, help, kind string
	labels           []string
	bounds           []float64 // upper bounds of the buckets of a histogram, without +Inf

	mu     sync.RWMutex
	series map[string]*Series // by their labels as they are written
}

// Counter is a family of numbers that only grow. Labels are in the order in which they are written
// and in which With takes their values.
func Counter(name, help string, labels ...string) *Family {
	return newFamily(name, help, "counter", nil, labels)
}

// Gauge is a family of numbers that go up and down.
func Gauge(name, help string, labels ...string) *Family {
	return newFamily(name, help, "gauge", nil, labels)
}

// Histogram is a family of counts of values up to each bound; bounds grow.
func Histogram(name, help string, bounds []float64, labels ...string) *Family {
	return newFamily(name, help, "histogram", bounds, labels)
}

func newFamily(name, help, kind string, bounds []float64, labels []string) *Family {
	f := &Family{name: name, help: help, kind: kind, labels: labels, bounds: bounds, series: map[string]*Series{}}
	if len(labels) == 0 && kind != "histogram" { // a number without labels is there from the start
		f.With()
	}
	return f
}

// With is the series with these values of the labels. It is made where it is not there.
func (f *Family) With(values ...string) *Series {
	if len(values) != len(f.labels) {
		panic("promtext: " + f.name + " is asked with another number of labels than it has")
	}
	key := labelText(f.labels, values)
	f.mu.RLock()
	s := f.series[key]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s = f.series[key]; s == nil {
		s = &Series{bounds: f.bounds, counts: make([]atomic.Uint64, len(f.bounds)+1)}
		f.series[key] = s
	}
	return s
}

// Reset forgets all series.
func (f *Family) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.series)
}

// Series is one number, or one histogram.
type Series struct {
	value  atomic.Uint64 // the bits of the number, or of the sum of what was observed
	bounds []float64
	counts []atomic.Uint64 // of the buckets; what is above all bounds is in the last
}

// Add adds to the number.
func (s *Series) Add(x float64) {
	for {
		old := s.value.Load()
		if s.value.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+x)) {
			return
		}
	}
}

// Set makes the number x.
func (s *Series) Set(x float64) { s.value.Store(math.Float64bits(x)) }

// Observe counts a value in the first bucket whose bound is not below it.
func (s *Series) Observe(x float64) {
	i, _ := slices.BinarySearch(s.bounds, x)
	s.counts[i].Add(1)
	s.Add(x)
}

// escapeLabel and escapeHelp write what would end a label or a line.
var (
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// labelText is name="value",… as it stands between the braces.
func labelText(names, values []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name)
		b.WriteString(`="`)
		escapeLabel.WriteString(&b, strings.ToValidUTF8(values[i], "\uFFFD"))
		b.WriteByte('"')
	}
	return b.String()
}
