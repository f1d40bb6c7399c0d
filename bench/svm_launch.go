package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A program's peak memory, as the system tells it, is at least that of the process that started it.
// The suite holds data sets; so it starts itself again, small, as
//
//	bench launch RESULT LIMIT COMMAND ...
//
// which runs the command, for LIMIT at most (0s: for ever), and writes what it took to the file
// RESULT.
const launchWord = "launch"

type launched struct {
	Wall, CPU, MB float64
	Stopped       bool // at the limit: it would have taken more of everything
}

// launch is the small process; it does not return.
func launch(args []string) {
	limit, err := time.ParseDuration(args[1])
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.Background(), func() {}
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	cmd := exec.CommandContext(ctx, args[2], args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	err = cmd.Run()
	l := launched{Wall: time.Since(start).Seconds(), Stopped: ctx.Err() != nil}
	if s := cmd.ProcessState; s != nil {
		l.CPU = (s.UserTime() + s.SystemTime()).Seconds()
		if u, ok := s.SysUsage().(*syscall.Rusage); ok {
			l.MB = float64(u.Maxrss) / 1024
		}
	}
	b, _ := json.Marshal(l)
	if os.WriteFile(args[0], b, 0o666) != nil || err != nil && !l.Stopped {
		os.Exit(1)
	}
	os.Exit(0)
}
