package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryOf runs a piece of work once for its allocations and once for the most resident memory
// above what there was before, -1 where the system does not tell.
func memoryOf(run func()) (allocs uint64, megabytes, peak float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	allocs, megabytes = after.Mallocs-before.Mallocs, float64(after.TotalAlloc-before.TotalAlloc)/(1<<20)

	debug.FreeOSMemory()
	// 5 sets the peak of the process to what is resident (proc(5), clear_refs).
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return allocs, megabytes, -1
	}
	held := residentMB("VmRSS")
	run()
	return allocs, megabytes, max(residentMB("VmHWM")-held, 0)
}

// residentMB reads a line of /proc/self/status in kB, 0 where it has none.
func residentMB(line string) float64 {
	b, _ := os.ReadFile("/proc/self/status")
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, line+":"); ok {
			kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb / 1024
		}
	}
	return 0
}
