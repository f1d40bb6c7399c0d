package cli

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// servingCmd starts mercer serve on a free port: serving ARGS... Its address is then in SERVER; at
// the end it is told to end, and must do so well.
func servingCmd(ts *testscript.TestScript, neg bool, args []string) {
	program, err := exec.LookPath("mercer")
	ts.Check(err)
	c := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	c.Dir, c.Env = ts.MkAbs("."), append(c.Environ(), "HOME="+ts.Getenv("HOME"))
	var log strings.Builder
	c.Stderr = &log
	out, err := c.StdoutPipe()
	ts.Check(err)
	ts.Check(c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.Process.Kill()
		c.Wait()
		ts.Fatalf("mercer serve said %q: %v: %s", line, err, log.String())
	}
	_, at, _ := strings.Cut(strings.TrimSpace(line), " at ")
	ts.Setenv("SERVER", at)
	ts.Defer(func() {
		c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			ts.Fatalf("mercer serve ended with %v: %s", err, log.String())
		}
	})
}
