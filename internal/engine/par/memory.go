package par

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// DefaultBytes is the budget that a number of bytes of 0 stands for, in every room: a quarter of
// the memory this process may use.
func DefaultBytes() int64 { return memory() / 4 }

// memory is the memory a process here may use. It is read once: two files of the system cost as
// much as the prediction of a row.
var memory = sync.OnceValue(readMemory)

// readMemory is the machine's memory, or what the control group allows if that is less; 4 GiB where
// neither can be read.
func readMemory() int64 {
	total := int64(4 << 30)
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
				if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
					total = kb << 10
				}
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if b, err := os.ReadFile(file); err == nil {
			if v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && v > 0 {
				total = min(total, v)
			}
		}
	}
	return total
}
