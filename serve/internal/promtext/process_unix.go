//go:build unix && !linux

package promtext

import (
	"os"
	"syscall"
)

func (p *process) ask() {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) == nil {
		p.cpu(float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9)
	}
	p.start(float64(begun.UnixNano()) / 1e9)
	if entries, err := os.ReadDir("/dev/fd"); err == nil {
		p.files(len(entries) - 1) // the folder itself was open
	}
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil {
		p.maxFiles(float64(files.Cur))
	}
}
