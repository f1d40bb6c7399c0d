package serve_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/host"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// hosted is a server on a real port.
func hosted(t *testing.T, o serve.Options, models map[string]*model.Model) string {
	t.Helper()
	s := serving(t, o, models)
	ctx, end := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- host.Run(ctx, s, host.Options{Listen: []string{"127.0.0.1:0"}, Patience: time.Minute,
			Ready: func(a []net.Addr) { ready <- a[0].String() }})
	}()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return <-ready
}

// talk sends bytes over a connection of its own and reads one answer.
func talk(t *testing.T, at, text string, closeWrite bool) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if closeWrite {
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func gzipped(s string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

// A client that stops in the middle is told when its time is over; one that closes its half at
// once.
func TestSlowAndHalfClosed(t *testing.T) {
	at := hosted(t, serve.Options{Timeout: 200 * time.Millisecond}, map[string]*model.Model{"a": constant(4)})
	half := func(path string) string {
		return "POST " + path +
			" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"inputs\":["
	}
	for path, says := range map[string]string{"/v2/models/a/infer": "time for a request",
		"/predict/a": "time for a request"} {
		if code, text := talk(t, at, half(path), false); code != http.StatusRequestTimeout &&
			code != http.StatusServiceUnavailable || !strings.Contains(text, says) {
			t.Errorf("%s, a slow sender: %d %s", path, code, text)
		}
		if code, text := talk(t, at, half(path), true); code/100 != 4 && code != http.StatusServiceUnavailable {
			t.Errorf("%s, a half-closed connection: %d %s", path, code, text)
		}
	}
	// Whatever the first bytes are taken for, that they stop is the reason.
	for name, c := range map[string]struct{ headers, body string }{
		"nothing yet":          {"Content-Type: text/csv", ""},
		"half a gzip header":   {"Content-Encoding: gzip", "\x1f\x8b\x08\x00"},
		"half a zlib header":   {"Content-Encoding: deflate", "\x78"},
		"half a gzip file":     {"Content-Type: text/csv", gzipped("x\n1\n2\n")[:14]},
		"half a gzip encoding": {"Content-Encoding: gzip", gzipped("x\n1\n2\n")[:14]},
		"half a Parquet file":  {"", "PAR1"},
	} {
		if code, text := talk(t, at, "POST /predict/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"+c.headers+
			"\r\n\r\n"+c.body, false); code != http.StatusRequestTimeout {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	// Headers that never end and methods of nonsense are the standard library's to refuse.
	if code, _ := talk(t, at, "GET /v2 HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("y", 200_000)+"\r\n\r\n",
		false); code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 200 kB: %d", code)
	}
	// As long as what HTTP/2 begins with, for which the library waits some seconds.
	if code, _ := talk(t, at, strings.Repeat("\x00\x01\x02", 10)+"\r\n\r\n", false); code != http.StatusBadRequest {
		t.Errorf("nonsense: %d", code)
	}
}

// Ten thousand connections that say nothing keep nobody from being answered, and cost some
// kilobytes each.
func TestIdleConnections(t *testing.T) {
	many := 10_000
	if testing.Short() {
		many = 1000
	}
	at := hosted(t, serve.Options{}, map[string]*model.Model{"a": constant(4)})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var open []net.Conn
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for range many {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Skipf("NOT TESTED: the system allows %d connections: %v", len(open), err)
		}
		open = append(open, c)
	}
	body := "x\n2\n"
	code, text := talk(t, at, "POST /predict/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"+body, false)
	if code != 200 || !strings.Contains(text, "prediction") {
		t.Errorf("among %d idle connections: %d %s", many, code, text)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	// Both ends are in this process.
	if each := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / int64(many); each > 32<<10 &&
		!datatest.Race {
		t.Errorf("%d bytes for an idle connection", each)
	}
}
