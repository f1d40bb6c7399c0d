package newcomer_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// A model behind a prefix of one's own server.
func Example_service() {
	ctx := context.Background()
	points := data.Slice[kernel.Vec]{{0, 0}, {0, 1}, {3, 0}, {3, 1}}
	machine, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}}.Fit(ctx, points,
		[]string{"left", "left", "right", "right"})
	if err != nil {
		log.Fatal(err)
	}
	// or model.Load("model.mercer"), which mercer fit wrote
	m, err := model.New(machine, model.Info{Classes: machine.Classes()})
	if err != nil {
		log.Fatal(err)
	}
	predictions := serve.New(serve.Options{})
	if err := predictions.Add("side", m); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/models/", http.StripPrefix("/models", predictions)) // http.ListenAndServe(":8080", mux)

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("POST", "/models/predict/side", strings.NewReader(`{"x0": 0.2, "x1": 0.4}`)))
	fmt.Println(answer.Body)
	// Output: {"prediction":"left"}
}
