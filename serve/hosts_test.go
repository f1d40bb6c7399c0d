package serve_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A page whose name was made to point at this machine is not answered by a server without a token:
// its requests name it.
func TestOtherNamesOnLoopback(t *testing.T) {
	tokens := func() []string { return []string{"secret"} }
	for _, c := range []struct {
		host   string
		o      serve.Options
		status int
	}{
		{"", serve.Options{}, 200}, {"localhost", serve.Options{}, 200}, {"LocalHost:8080", serve.Options{}, 200},
		{"127.0.0.1:1", serve.Options{}, 200}, {"[::1]:8080", serve.Options{}, 200},
		{"evil.example", serve.Options{}, 421}, {"evil.example:8080", serve.Options{}, 421},
		{"localhost.evil.example", serve.Options{}, 421}, {"127.0.0.1.evil.example", serve.Options{}, 421},
		{"ours.example", serve.Options{Origins: []string{"https://ours.example"}}, 200},
		{"evil.example", serve.Options{Origins: []string{"https://ours.example"}}, 421},
		{"evil.example", serve.Options{Tokens: tokens}, 401},
	} {
		h := httptest.NewServer(serving(t, c.o, map[string]*model.Model{"iris": irisModel()}))
		r, err := http.NewRequest("GET", h.URL+"/v2/models/iris", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != c.status {
			t.Errorf("%q: %d, want %d", c.host, a.StatusCode, c.status)
		}
		h.Close()
	}
}
