package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// TestRemarks: what a reader decided and which rows had gaps is told to clients that read trailers,
// and an answer without either has none.
func TestRemarks(t *testing.T) {
	server := httptest.NewServer(serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel()}))
	defer server.Close()
	ask := func(te, body string) *http.Response {
		request := must(http.NewRequest("POST", server.URL+"/predict/iris?missing=drop", strings.NewReader(body)))
		request.Header.Set("Content-Type", "text/csv")
		request.Header.Set("TE", te)
		r := must(http.DefaultClient.Do(request))
		_, err := io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %v", r.StatusCode, err)
		}
		return r
	}
	const head = "sepal_length,sepal_width,petal_length,petal_width,who\n"
	r := serve.RemarksOf(ask("trailers", head+"5.1,3.5,1.4,0.2,caf\xe9\n5.1,,1.4,0.2,x\n5.1,3.5,,0.2,y\n").Trailer)
	if r.Empty != 2 || r.Filled != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "Latin-1") &&
		!strings.Contains(r.Notes[0], "1252") {
		t.Errorf("remarks %+v", r)
	}
	if r := ask("trailers", head+"5.1,3.5,1.4,0.2,x\n"); r.Trailer.Get(serve.RemarksTrailer) != "" {
		t.Errorf("nothing to remark: %q", r.Trailer.Get(serve.RemarksTrailer))
	}
	if r := ask("", head+"5.1,,1.4,0.2,x\n"); len(r.Trailer) != 0 {
		t.Errorf("nobody asked for trailers: %v", r.Trailer)
	}
}
