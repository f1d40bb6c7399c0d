//go:build !linux

package load

import "os/exec"

func peakOf(*exec.Cmd) int64 { return 0 }
