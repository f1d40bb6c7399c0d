package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A program's peak memory, as the system tells it, is at least that of the process that started it. The suite holds data
// sets; so it starts itself again, small, as
//
//	bench launch RESULT COMMAND ...
//
// which runs the command and writes what it took to the file RESULT.
const launchWord = "launch"

type launched struct {
	Wall, CPU, MB float64
}

// launch is the small process; it does not return.
func launch(args []string) {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	err := cmd.Run()
	l := launched{Wall: time.Since(start).Seconds()}
	if s := cmd.ProcessState; s != nil {
		l.CPU = (s.UserTime() + s.SystemTime()).Seconds()
		if u, ok := s.SysUsage().(*syscall.Rusage); ok {
			l.MB = float64(u.Maxrss) / 1024
		}
	}
	b, _ := json.Marshal(l)
	if os.WriteFile(args[0], b, 0o666) != nil || err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
