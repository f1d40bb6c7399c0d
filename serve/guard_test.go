package serve_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// Tokens open everything but the probes; they may change under way.
func TestTokens(t *testing.T) {
	tokens := []string{"0123456789abcdef", "another-token-of-ours"}
	s := serving(t, serve.Options{Tokens: func() []string { return tokens }}, map[string]*model.Model{"a": constant(4)})
	status := func(path, token string) int {
		t.Helper()
		if token == "" {
			return ask(t, s, "GET", path, "", nil).status
		}
		return ask(t, s, "GET", path, "", nil, "Authorization", token).status
	}
	for _, path := range []string{"/v2", "/v2/models/a", "/metrics", "/", "/openapi.json", "/nothing"} {
		for _, token := range []string{"", "Bearer", "Bearer x", "Basic 0123456789abcdef", "0123456789abcdef"} {
			if got := status(path, token); got != 401 {
				t.Errorf("%s with %q: %d", path, token, got)
			}
		}
		if got := status(path, "Bearer another-token-of-ours"); got == 401 {
			t.Errorf("%s with a token: %d", path, got)
		}
	}
	if r := ask(t, s, "GET", "/v2", "", nil); r.header.Get("WWW-Authenticate") == "" {
		t.Error("no WWW-Authenticate")
	}
	for _, path := range []string{"/v2/health/live", "/v2/health/ready", "/v2/models/a/ready"} {
		if got := status(path, ""); got != 200 {
			t.Errorf("%s: %d", path, got)
		}
	}
	tokens = []string{"0123456789abcdef"}
	if got := status("/v2", "Bearer another-token-of-ours"); got != 401 {
		t.Errorf("a token that was taken away: %d", got)
	}
}

// Without origins a page of another site gets nothing; with them those that are named do.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		allowed []string
		origin  string
		status  int
		header  string
	}{
		{nil, "https://evil.example", 403, ""},
		{nil, "http://example.com", 200, ""}, // the server's own, as httptest names it
		{nil, "", 200, ""},
		{[]string{"https://good.example"}, "https://good.example", 200, "https://good.example"},
		{[]string{"https://good.example"}, "https://evil.example", 403, ""},
		{[]string{"*"}, "https://any.example", 200, "https://any.example"},
	} {
		s := serving(t, serve.Options{Origins: c.allowed, AllowLoad: true}, map[string]*model.Model{"a": constant(4)})
		r := ask(t, s, "POST", "/predict/a", "text/plain", []byte("x\n1\n"), "Origin", c.origin)
		if r.status != c.status || r.header.Get("Access-Control-Allow-Origin") != c.header {
			t.Errorf("%v asked by %q: %d %v %s", c.allowed, c.origin, r.status, r.header, r.text())
		}
		if c.status == 403 {
			if r := ask(t, s, "POST", "/v2/repository/models/a/unload", "", nil, "Origin", c.origin); r.status != 403 {
				t.Errorf("a page of another site unloads a model: %d", r.status)
			}
		}
		r = ask(t, s, "OPTIONS", "/predict/a", "", nil, "Origin", c.origin, "Access-Control-Request-Method", "POST")
		if (r.status == 204) != (c.header != "") {
			t.Errorf("%v asked by %q whether it may: %d", c.allowed, c.origin, r.status)
		}
	}
}

// slowBody is a body of which the rest comes when it is let go.
type slowBody struct {
	begun, let chan struct{}
	sent       bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.sent {
		return 0, io.EOF
	}
	close(b.begun)
	<-b.let
	b.sent = true
	return copy(p, `{"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1]}]}`), nil
}

// One request more than may be under way is told to come again, with gRPC's words where it asked
// so; the probes are answered.
func TestMaxInflight(t *testing.T) {
	s := serving(t, serve.Options{MaxInflight: 1}, map[string]*model.Model{"a": constant(4)})
	body := &slowBody{begun: make(chan struct{}), let: make(chan struct{})}
	done := make(chan int)
	go func() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("POST", "/v2/models/a/infer", body))
		done <- w.Code
	}()
	<-body.begun
	r := ask(t, s, "POST", "/v2/models/a/infer", "", nil)
	if r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") != "1" {
		t.Errorf("%d %v %s", r.status, r.header, r.text())
	}
	r = ask(t, s, "POST", "/inference.GRPCInferenceService/ModelInfer", "application/grpc", nil)
	if r.status != 200 || r.header.Get("Grpc-Status") != "8" || r.header.Get("Grpc-Message") == "" {
		t.Errorf("gRPC: %d %v", r.status, r.header)
	}
	if r := ask(t, s, "GET", "/v2/health/live", "", nil); r.status != 200 {
		t.Errorf("live: %d", r.status)
	}
	close(body.let)
	if code := <-done; code != 200 {
		t.Errorf("the one under way: %d", code)
	}
	if r := ask(t, s, "POST", "/predict/a", "", []byte("x\n1\n")); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.text())
	}
}

// The log has a line for each request where that is asked for, with its id and rows, and metrics
// count them.
func TestLogAndMetrics(t *testing.T) {
	var log bytes.Buffer
	s := serving(t, serve.Options{AccessLog: true, Log: slog.New(slog.NewJSONHandler(&log, nil))},
		map[string]*model.Model{"a": constant(4)})
	ask(t, s, "POST", "/predict/a", "", []byte("x\n1\n2\n3\n"), "X-Request-Id", "id-1")
	ask(t, s, "POST", "/v2/models/a/infer", "",
		[]byte(`{"inputs":[{"name":"x","shape":[2],"datatype":"FP64","data":[1,2]}]}`))
	ask(t, s, "POST", "/v2/models/a/infer", "", []byte(`{}`))
	ask(t, s, "GET", "/"+strings.Repeat("x", 1000), "", nil)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %s", len(lines), log.String())
	}
	var first struct {
		ID, Model, Path string
		Rows, Status    int
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.ID != "id-1" || first.Rows != 3 ||
		first.Model != "a" || first.Status != 200 {
		t.Errorf("%v: %s", err, lines[0])
	}
	if len(lines[3]) > 600 {
		t.Errorf("a long path is logged whole: %s", lines[3])
	}
	text := ask(t, s, "GET", "/metrics", "", nil).text()
	for _, want := range []string{
		`mercer_requests_total{code="200",endpoint="infer"} 1`, `mercer_requests_total{code="400",endpoint="infer"} 1`,
		`mercer_requests_total{code="200",endpoint="predict"} 1`,
		`mercer_rows_total{model="a"} 5`, `mercer_models 1`, `mercer_batch_rows_count{model="a"} 1`,
		`mercer_request_seconds_count{endpoint="infer"} 2`,
		`mercer_model_bytes{model="a",version="1"}`, "go_goroutines", "mercer_request_bytes 0", "mercer_requests_inflight 1",
		"mercer_model_faults 0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics have no %s", want)
		}
	}
}
