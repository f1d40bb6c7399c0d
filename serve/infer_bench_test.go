package serve_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/serve/internal/oip"
	"github.com/mercer-ml/mercer/serve/internal/oip/oiptest"
)

// quiet is a response that nobody reads.
type quiet struct{ header http.Header }

func (q *quiet) Header() http.Header         { return q.header }
func (q *quiet) Write(b []byte) (int, error) { return len(b), nil }
func (q *quiet) WriteHeader(int)             {}

// One row of iris through the handler, without a network.
func BenchmarkInferREST(b *testing.B) {
	s := serving(b, serve.Options{}, map[string]*model.Model{"iris": irisModel()})
	body := []byte(`{"inputs":[{"name":"predict","shape":[1,4],"datatype":"FP64","data":[5.1,3.5,1.4,0.2]}],"outputs":[{"name":"prediction"}]}`)
	w := &quiet{http.Header{}}
	r := httptest.NewRequest("POST", "/v2/models/iris/infer", nil)
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		s.ServeHTTP(w, r)
	}
}

// What of it is the model.
func BenchmarkPredictOneRow(b *testing.B) {
	m := irisModel()
	d := iris().Gather([]int{0})
	b.ReportAllocs()
	for b.Loop() {
		x := must(m.Encode(d))
		must(m.PredictEncoded(b.Context(), x, model.Want{}))
	}
}

// The same as a message of gRPC.
func BenchmarkInferGRPC(b *testing.B) {
	s := serving(b, serve.Options{}, map[string]*model.Model{"iris": irisModel()})
	message := oiptest.Infer(&oip.Infer{Model: oip.Model{Name: "iris"},
		Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{1, 4},
			Contents: &oip.Contents{Fp64s: []float64{5.1, 3.5, 1.4, 0.2}}}},
		Outputs: []oip.Tensor{{Name: "prediction"}}})
	message = append([]byte{0, 0, 0, 0, byte(len(message))}, message...)
	w := &quiet{http.Header{}}
	r := httptest.NewRequest("POST", "/inference.GRPCInferenceService/ModelInfer", nil)
	r.Header.Set("Content-Type", "application/grpc")
	r.ProtoMajor, r.Proto = 2, "HTTP/2.0"
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(message)), -1
		s.ServeHTTP(w, r)
	}
}
