package host

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// child is set in the process that plays the service.
const child = "MERCER_TEST_INHERITS"

// TestMain is the service, too: its number is known only once it runs, so that it sets LISTEN_PID
// itself as systemd would have.
func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()))
	err := Run(context.Background(), hello, Options{Ready: func(a []net.Addr) { fmt.Println(a) }})
	fmt.Println(err)
}

// A socket that was opened before the process was is answered on.
func TestInherited(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		t.Skipf("no files of listeners here: %v", err)
	}
	defer f.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), child+"=1", "LISTEN_FDS=1")
	c.ExtraFiles = []*os.File{f} // its number is 3
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		c.Process.Kill()
		c.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "["+l.Addr().String()+"]\n" {
		t.Fatalf("%q %v, want %v", line, err, l.Addr())
	}
	if got := get(t, &http.Client{Transport: &http.Transport{}}, "http://"+l.Addr().String()); got != "HTTP/1.1 hello" {
		t.Error(got)
	}
}
