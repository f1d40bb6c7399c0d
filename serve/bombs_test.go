package serve_test

import (
	"bytes"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A small body that stands for very much is refused, at a cost that is bounded by what requests may
// take together; and requests that together would take more than that are told to come again.
func TestSmallBodiesThatSayVeryMuch(t *testing.T) {
	const allowed = 32 << 20
	s := serving(t, serve.Options{Bytes: allowed}, map[string]*model.Model{"iris": irisModel()})
	for name, b := range map[string]struct{ kind, start, piece, end string }{
		"fields of a line": {"text/csv", "", "1,", ""}, "one field": {"text/csv", "a,b\n1,", "x", "\n"},
		"one name": {"text/csv", "", "x", "\n1\n"},
		"one key":  {"application/jsonl", `{"`, "x", `": 1}` + "\n"},
		"one list": {"application/jsonl", `{"a": [1`, ",1", "]}\n"}, "one line": {"text/x-libsvm", "1 1:", "0", "1\n"},
	} {
		text := b.start + strings.Repeat(b.piece, 256<<20/len(b.piece)) + b.end
		var body bytes.Buffer
		z, _ := gzip.NewWriterLevel(&body, gzip.BestSpeed)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"", "gzip"} { // the body, or what is in it
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			more := []string{}
			if header != "" {
				more = append(more, "Content-Encoding", header)
			}
			r := ask(t, s, "POST", "/predict/iris", b.kind, body.Bytes(), more...)
			runtime.ReadMemStats(&after)
			if r.status != http.StatusRequestEntityTooLarge && r.status != http.StatusBadRequest &&
				r.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d %s", name, r.status, clipped(r.text()))
			}
			// What is made and thrown away on the way is more than there is at a time.
			if cost := after.TotalAlloc - before.TotalAlloc; cost > 8*allowed {
				t.Errorf("%s: %d MiB in all before it was refused", name, cost>>20)
			}
		}
	}
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	_, _ = z.Write(csvOf(iris()))
	_ = z.Close()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if r := ask(t, s, "POST", "/predict/iris", "text/csv", body.Bytes()); r.status != 200 &&
				r.status != http.StatusServiceUnavailable {
				t.Errorf("one of several: %d %s", r.status, clipped(r.text()))
			}
		})
	}
	wait.Wait()
}
