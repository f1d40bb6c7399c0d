package load

import (
	"os/exec"
	"syscall"
)

// peakOf is the most memory that a process had at a time, in bytes.
func peakOf(c *exec.Cmd) int64 { return c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10 }
