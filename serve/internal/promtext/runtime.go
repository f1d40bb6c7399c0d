package promtext

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// runtimeNumbers are the numbers of the Go runtime by the names that Prometheus's own client gives
// them, each a sum of samples of runtime/metrics. They cost no stop of the world.
var runtimeNumbers = []struct{ name, kind, help, of string }{
	{"go_gc_gogc_percent", "gauge", "Heap size target percentage (GOGC).", "/gc/gogc:percent"},
	{"go_gc_gomemlimit_bytes", "gauge", "Memory limit of the Go runtime (GOMEMLIMIT).", "/gc/gomemlimit:bytes"},
	{"go_goroutines", "gauge", "Number of goroutines that currently exist.", "/sched/goroutines:goroutines"},
	{"go_memstats_alloc_bytes", "gauge", "Number of bytes allocated in heap and currently in use.",
		"/memory/classes/heap/objects:bytes"},
	{"go_memstats_alloc_bytes_total", "counter",
		"Total number of bytes allocated in heap until now, even if released already.", "/gc/heap/allocs:bytes"},
	{"go_memstats_buck_hash_sys_bytes", "gauge", "Number of bytes used by the profiling bucket hash table.",
		"/memory/classes/profiling/buckets:bytes"},
	{"go_memstats_frees_total", "counter", "Total number of heap objects freed.",
		"/gc/heap/frees:objects /gc/heap/tiny/allocs:objects"},
	{"go_memstats_gc_sys_bytes", "gauge", "Number of bytes used for garbage collection system metadata.",
		"/memory/classes/metadata/other:bytes"},
	{"go_memstats_heap_alloc_bytes", "gauge",
		"Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes.",
		"/memory/classes/heap/objects:bytes"},
	{"go_memstats_heap_idle_bytes", "gauge", "Number of heap bytes waiting to be used.",
		"/memory/classes/heap/released:bytes /memory/classes/heap/free:bytes"},
	{"go_memstats_heap_inuse_bytes", "gauge", "Number of heap bytes that are in use.",
		"/memory/classes/heap/objects:bytes /memory/classes/heap/unused:bytes"},
	{"go_memstats_heap_objects", "gauge", "Number of currently allocated objects.", "/gc/heap/objects:objects"},
	{"go_memstats_heap_released_bytes", "gauge", "Number of heap bytes released to the system.",
		"/memory/classes/heap/released:bytes"},
	{"go_memstats_heap_sys_bytes", "gauge", "Number of heap bytes obtained from the system.",
		"/memory/classes/heap/objects:bytes /memory/classes/heap/unused:bytes /memory/classes/heap/released:bytes " +
			"/memory/classes/heap/free:bytes"},
	{"go_memstats_mallocs_total", "counter", "Total number of heap objects allocated.",
		"/gc/heap/allocs:objects /gc/heap/tiny/allocs:objects"},
	{"go_memstats_mcache_inuse_bytes", "gauge", "Number of bytes in use by mcache structures.",
		"/memory/classes/metadata/mcache/inuse:bytes"},
	{"go_memstats_mcache_sys_bytes", "gauge", "Number of bytes used for mcache structures obtained from the system.",
		"/memory/classes/metadata/mcache/inuse:bytes /memory/classes/metadata/mcache/free:bytes"},
	{"go_memstats_mspan_inuse_bytes", "gauge", "Number of bytes in use by mspan structures.",
		"/memory/classes/metadata/mspan/inuse:bytes"},
	{"go_memstats_mspan_sys_bytes", "gauge", "Number of bytes used for mspan structures obtained from the system.",
		"/memory/classes/metadata/mspan/inuse:bytes /memory/classes/metadata/mspan/free:bytes"},
	{"go_memstats_next_gc_bytes", "gauge", "Number of heap bytes when the next garbage collection will take place.",
		"/gc/heap/goal:bytes"},
	{"go_memstats_other_sys_bytes", "gauge", "Number of bytes used for other system allocations.",
		"/memory/classes/other:bytes"},
	{"go_memstats_stack_inuse_bytes", "gauge", "Number of bytes in use by stacks.", "/memory/classes/heap/stacks:bytes"},
	{"go_memstats_stack_sys_bytes", "gauge", "Number of bytes obtained from the system for stacks.",
		"/memory/classes/heap/stacks:bytes /memory/classes/os-stacks:bytes"},
	{"go_memstats_sys_bytes", "gauge", "Number of bytes obtained from the system.", "/memory/classes/total:bytes"},
	{"go_sched_gomaxprocs_threads", "gauge", "Number of threads that run Go code at the same time (GOMAXPROCS).",
		"/sched/gomaxprocs:threads"},
}

// AppendRuntime writes the numbers of the Go runtime.
func AppendRuntime(b []byte) []byte {
	gc := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&gc)
	const pauses = "go_gc_duration_seconds"
	b = appendHead(b, pauses, "Pauses of the program for garbage collection.", "summary")
	for i, q := range []string{"0", "0.25", "0.5", "0.75", "1"} {
		b = appendLine(b, pauses, `quantile="`+q+`"`, gc.PauseQuantiles[i].Seconds())
	}
	b = appendLine(b, pauses+"_sum", "", gc.PauseTotal.Seconds())
	b = appendLine(b, pauses+"_count", "", float64(gc.NumGC))
	last := 0.0
	if !gc.LastGC.IsZero() {
		last = float64(gc.LastGC.UnixNano()) / 1e9
	}
	b = AppendOne(b, "go_memstats_last_gc_time_seconds", "Number of seconds since 1970 of last garbage collection.",
		"gauge", last)
	b = appendHead(b, "go_info", "Information about the Go environment.", "gauge")
	b = appendLine(b, "go_info", labelText([]string{"version"}, []string{runtime.Version()}), 1)
	threads, _ := runtime.ThreadCreateProfile(nil)
	b = AppendOne(b, "go_threads", "Number of threads of the system that were created.", "gauge", float64(threads))
	var samples []metrics.Sample
	for _, n := range runtimeNumbers {
		for of := range strings.FieldsSeq(n.of) {
			samples = append(samples, metrics.Sample{Name: of})
		}
	}
	metrics.Read(samples) // all at once, so that they agree
	for _, n := range runtimeNumbers {
		sum := 0.0
		for range strings.FieldsSeq(n.of) {
			if samples[0].Value.Kind() == metrics.KindUint64 { // a runtime that has it not says so
				sum += float64(samples[0].Value.Uint64())
			}
			samples = samples[1:]
		}
		b = AppendOne(b, n.name, n.help, n.kind, sum)
	}
	return b
}
