package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A model in the mux of a service of one's own.
func Example() {
	m, err := model.Load("../model/testdata/golden/v1/svr.mercer")
	if err != nil {
		panic(err)
	}
	predictions := serve.New(serve.Options{})
	if err := predictions.Add("price", m); err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", predictions)

	service := httptest.NewServer(mux)
	defer service.Close()
	answer, err := http.Post(service.URL+"/predict/price", "text/csv", strings.NewReader("a,b,c,d\n0,0,0,0\n1,1,1,1\n"))
	if err != nil {
		panic(err)
	}
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, strings.Count(string(text), "\n"), "lines")
	// Output: 200 3 lines
}
