package promtext

import (
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The text is that of the format's description: escapes, buckets that add up, special numbers,
// series in order.
func TestText(t *testing.T) {
	c := Counter("c_total", "Back\\slash and\nline.", "code", "path")
	c.With("500", "a").Add(2)
	c.With("200", "a \"b\"\\\n").Add(1)
	c.With("200", "a \"b\"\\\n").Add(0.5)
	c.With("200", "\xff").Add(1)
	g := Gauge("g", "A gauge.")
	g.With().Set(math.Inf(-1))
	h := Histogram("h", "A histogram.", []float64{0.1, 1, 2.5}, "x")
	for _, v := range []float64{0.1, 0.05, 1.5, 99, 1} { // a bound belongs to its bucket
		h.With("y").Observe(v)
	}
	bare := Histogram("n", "No labels.", []float64{1})
	bare.With().Observe(2)
	var got []byte
	for _, f := range []*Family{c, g, h, bare, Counter("none", "Without series.", "x")} {
		got = f.Append(got)
	}
	got = AppendOne(got, "one", "One.", "gauge", math.NaN())
	const want = `# HELP c_total Back\\slash and\nline.
# TYPE c_total counter
c_total{code="200",path="a \"b\"\\\n"} 1.5
c_total{code="200",path="` + "\uFFFD" + `"} 1
c_total{code="500",path="a"} 2
# HELP g A gauge.
# TYPE g gauge
g -Inf
# HELP h A histogram.
# TYPE h histogram
h_bucket{x="y",le="0.1"} 2
h_bucket{x="y",le="1"} 3
h_bucket{x="y",le="2.5"} 4
h_bucket{x="y",le="+Inf"} 5
h_sum{x="y"} 101.65
h_count{x="y"} 5
# HELP n No labels.
# TYPE n histogram
n_bucket{le="1"} 0
n_bucket{le="+Inf"} 1
n_sum 2
n_count 1
# HELP one One.
# TYPE one gauge
one NaN
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.Reset()
	if b := c.Append(nil); len(b) != 0 {
		t.Errorf("after Reset: %s", b)
	}
}

// Nothing is lost where many count at once, and buckets and count agree in whatever is written
// meanwhile.
func TestConcurrent(t *testing.T) {
	c, h := Counter("c", "", "l"), Histogram("h", "", []float64{1})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				c.With(strconv.Itoa(i % 3)).Add(1)
				h.With().Observe(float64(i % 2 * 2))
				if i%100 == 0 {
					text := string(h.Append(nil))
					last := regexp.MustCompile(`le="\+Inf"} (\d+)`).FindStringSubmatch(text)
					count := regexp.MustCompile(`h_count (\d+)`).FindStringSubmatch(text)
					if last[1] != count[1] {
						t.Errorf("%s", text)
					}
				}
			}
		})
	}
	all.Wait()
	if text := string(c.Append(nil)); !strings.Contains(text, "c{l=\"0\"} 2672\nc{l=\"1\"} 2664\nc{l=\"2\"} 2664\n") {
		t.Error(text)
	}
	if text := string(h.Append(nil)); !strings.Contains(text,
		"h_bucket{le=\"1\"} 4000\nh_bucket{le=\"+Inf\"} 8000\nh_sum 8000\n") {
		t.Error(text)
	}
}

// The names and types of the runtime and the process are those of Prometheus's own client
// (client_golang 1.25.0 on Linux, whose answer this list was taken from), so that nobody's
// dashboard goes dark.
func TestNamesOfTheClient(t *testing.T) {
	const theirs = `go_gc_duration_seconds summary
go_gc_gogc_percent gauge
go_gc_gomemlimit_bytes gauge
go_goroutines gauge
go_info gauge
go_memstats_alloc_bytes gauge
go_memstats_alloc_bytes_total counter
go_memstats_buck_hash_sys_bytes gauge
go_memstats_frees_total counter
go_memstats_gc_sys_bytes gauge
go_memstats_heap_alloc_bytes gauge
go_memstats_heap_idle_bytes gauge
go_memstats_heap_inuse_bytes gauge
go_memstats_heap_objects gauge
go_memstats_heap_released_bytes gauge
go_memstats_heap_sys_bytes gauge
go_memstats_last_gc_time_seconds gauge
go_memstats_mallocs_total counter
go_memstats_mcache_inuse_bytes gauge
go_memstats_mcache_sys_bytes gauge
go_memstats_mspan_inuse_bytes gauge
go_memstats_mspan_sys_bytes gauge
go_memstats_next_gc_bytes gauge
go_memstats_other_sys_bytes gauge
go_memstats_stack_inuse_bytes gauge
go_memstats_stack_sys_bytes gauge
go_memstats_sys_bytes gauge
go_sched_gomaxprocs_threads gauge
go_threads gauge
process_cpu_seconds_total counter
process_max_fds gauge
process_network_receive_bytes_total counter
process_network_transmit_bytes_total counter
process_open_fds gauge
process_resident_memory_bytes gauge
process_start_time_seconds gauge
process_virtual_memory_bytes gauge
process_virtual_memory_max_bytes gauge`
	runtime.GC()
	text := string(AppendProcess(AppendRuntime(nil)))
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
		if m == nil {
			return math.NaN()
		}
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Error(err)
		}
		return x
	}
	for line := range strings.SplitSeq(theirs, "\n") {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(name, "process_") && runtime.GOOS != "linux" {
			continue
		}
		if strings.HasPrefix(name, "process_network") {
			if _, err := os.Stat("/proc/self/net/netstat"); err != nil {
				continue // a system without it
			}
		}
		if strings.Count(text, "# TYPE "+line+"\n") != 1 || strings.Count(text, "# HELP "+name+" ") != 1 {
			t.Errorf("no %s", line)
		}
	}
	for _, positive := range []string{"go_goroutines", "go_threads", "go_memstats_sys_bytes", "go_memstats_heap_objects",
		"go_gc_duration_seconds_count", "go_memstats_last_gc_time_seconds", "go_sched_gomaxprocs_threads"} {
		if !(value(positive) > 0) {
			t.Errorf("%s is %v", positive, value(positive))
		}
	}
	if a, b := value("go_memstats_heap_inuse_bytes")+value("go_memstats_heap_idle_bytes"), value("go_memstats_heap_sys_bytes"); a != b {
		t.Errorf("heap in use and idle %v, in all %v", a, b)
	}
}
