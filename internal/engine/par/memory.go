package par

import (
	"os"
	"strconv"
	"strings"
)

// DefaultBytes is the budget that a number of bytes of 0 stands for, in every room: a quarter of the
// memory this process may use.
func DefaultBytes() int64 { return memory() / 4 }

// memory is the memory a process here may use: the machine's, or what its
// control group allows if that is less; 4 GiB where neither can be read.
func memory() int64 {
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
