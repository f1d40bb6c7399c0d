package serve_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A request whose body has not come to its end when it is answered leaves a connection on which the
// next is answered as on any other. What is left of the body, and the next request, come when the
// answer has been seen: the order that a busy machine makes by chance.
func TestConnectionAfterAnEarlyAnswer(t *testing.T) {
	at := hosted(t, serve.Options{}, map[string]*model.Model{"a": constant(4)})
	const bad = "POST /predict/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: " +
		"8\r\n\r\nx\n1\nzzz\n"
	var squeezed bytes.Buffer
	z := zlib.NewWriter(&squeezed)
	_, _ = io.WriteString(z, "x\n1\n2\n")
	_ = z.Close()
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	for name, c := range map[string]struct {
		path, headers, body, rest string
		status                    int
		lines                     int // of the answer, which are seen before the rest is sent
	}{
		"refused, in chunks": {"/predict/a?proba=1", "Transfer-Encoding: chunked", chunk("x\n1\n"), "0\r\n\r\n", 400,
			1},
		"refused, of a known length": {"/predict/a?proba=1", "Content-Length: 6", "x\n1\n", "2\n", 400, 1},
		"answered": {"/predict/a", "Transfer-Encoding: chunked\r\nContent-Encoding: deflate",
			chunk(squeezed.String()), "0\r\n\r\n", 200, 3},
	} {
		for _, together := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, together %v", name, together), func(t *testing.T) {
				conn, err := net.Dial("tcp", at)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				send := func(s string) {
					if _, err := io.WriteString(conn, s); err != nil {
						t.Fatal(err)
					}
				}
				in := bufio.NewReader(conn)
				send("POST " + c.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n" + c.headers + "\r\n\r\n" +
					c.body)
				first, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				var text []byte
				for bytes.Count(text, []byte("\n")) < c.lines {
					b := make([]byte, 256)
					n, err := first.Body.Read(b)
					if text = append(text, b[:n]...); err != nil && bytes.Count(text, []byte("\n")) < c.lines {
						t.Fatalf("%d %s: %v", first.StatusCode, text, err)
					}
				}
				if first.StatusCode != c.status {
					t.Fatalf("%d %s", first.StatusCode, text)
				}
				if together {
					send(c.rest + bad)
				} else {
					send(c.rest)
				}
				if _, err := io.Copy(io.Discard, first.Body); err != nil {
					t.Fatal(err)
				}
				if !together {
					send(bad)
				}
				second, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatalf("the next request: %v", err)
				}
				said, err := io.ReadAll(second.Body)
				if err != nil || second.StatusCode != 400 || !strings.Contains(string(said), `is \"zzz\"`) {
					t.Errorf("the next request: %d %s %v", second.StatusCode, said, err)
				}
			})
		}
	}
}
