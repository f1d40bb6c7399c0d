package serve_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// overHTTP2 is the server on a port that speaks HTTP/2 without TLS, and a client that does.
func overHTTP2(t testing.TB, h http.Handler) (*http.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	only := new(http.Protocols)
	only.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: only, DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, at)
	}}}, server.URL
}

// call asks one of the protocol's procedures, as gRPC does.
func call[Q, A any](t testing.TB, c *http.Client, url, name string, q *Q) (*A, error) {
	t.Helper()
	a, err := connect.NewClient[Q, A](c, url+"/inference.GRPCInferenceService/"+name, connect.WithGRPC()).CallUnary(t.Context(), connect.NewRequest(q))
	if err != nil {
		return nil, err
	}
	return a.Msg, nil
}

// The protocol over gRPC: health, metadata, and inference in both forms with the bits of model.Predict.
func TestGRPC(t *testing.T) {
	m, d := irisModel(), iris()
	s := serving(t, serve.Options{Version: "1.2"}, map[string]*model.Model{"iris": m, "orders": ordersModel()})
	c, url := overHTTP2(t, s)
	if a, err := call[oip.ServerLiveRequest, oip.ServerLiveResponse](t, c, url, "ServerLive", &oip.ServerLiveRequest{}); err != nil || !a.Live {
		t.Fatal(a, err)
	}
	if a, err := call[oip.ServerReadyRequest, oip.ServerReadyResponse](t, c, url, "ServerReady", &oip.ServerReadyRequest{}); err != nil || !a.Ready {
		t.Fatal(a, err)
	}
	if a, err := call[oip.ServerMetadataRequest, oip.ServerMetadataResponse](t, c, url, "ServerMetadata", &oip.ServerMetadataRequest{}); err != nil || a.Name != "mercer" || a.Version != "1.2" {
		t.Fatal(a, err)
	}
	if a, err := call[oip.ModelReadyRequest, oip.ModelReadyResponse](t, c, url, "ModelReady", &oip.ModelReadyRequest{Name: "iris"}); err != nil || !a.Ready {
		t.Fatal(a, err)
	}
	if a, err := call[oip.ModelMetadataRequest, oip.ModelMetadataResponse](t, c, url, "ModelMetadata", &oip.ModelMetadataRequest{Name: "iris", Version: "1"}); err != nil || len(a.Outputs) != 4 || a.Inputs[0].Name != "features" {
		t.Fatal(a, err)
	}
	want := must(m.Predict(t.Context(), d, model.Want{Proba: true}))
	var all []float64
	for i := range d.Len() {
		for _, f := range d.Features() {
			all = append(all, f.Numbers[i])
		}
	}
	in := &oip.ModelInferRequest_InferInputTensor{Name: "x", Datatype: "FP64", Shape: []int64{int64(d.Len()), 4}, Contents: &oip.InferTensorContents{Fp64Contents: all}}
	a, err := call[oip.ModelInferRequest, oip.ModelInferResponse](t, c, url, "ModelInfer", &oip.ModelInferRequest{ModelName: "iris", Id: "7", Inputs: []*oip.ModelInferRequest_InferInputTensor{in}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Id != "7" || a.ModelVersion != "1" || len(a.Outputs) != 4 || string(a.Outputs[0].Contents.BytesContents[149]) != want.Labels[149] || a.Outputs[1].Contents.Int64Contents[80] != int64(want.Codes[80]) {
		t.Errorf("%v", a)
	}
	same(t, "probabilities", a.Outputs[2].Contents.Fp64Contents, want.Proba.RawMatrix().Data)
	for name, q := range map[string]*oip.ModelInferRequest{
		"no model":   {ModelName: "none"},
		"no inputs":  {ModelName: "iris"},
		"both forms": {ModelName: "iris", Inputs: []*oip.ModelInferRequest_InferInputTensor{in}, RawInputContents: [][]byte{{1}}},
		"raw counts": {ModelName: "iris", Inputs: []*oip.ModelInferRequest_InferInputTensor{in}, RawInputContents: [][]byte{{1}, {2}}},
		"a shape":    {ModelName: "iris", Inputs: []*oip.ModelInferRequest_InferInputTensor{{Name: "x", Datatype: "FP64", Shape: []int64{1 << 62, 4}, Contents: in.Contents}}},
		"a version":  {ModelName: "iris", ModelVersion: "9", Inputs: []*oip.ModelInferRequest_InferInputTensor{in}},
	} {
		_, err := call[oip.ModelInferRequest, oip.ModelInferResponse](t, c, url, "ModelInfer", q)
		var said *connect.Error
		code := connect.CodeInvalidArgument
		if name == "no model" || name == "a version" {
			code = connect.CodeNotFound
		}
		if !errors.As(err, &said) || said.Code() != code {
			t.Errorf("%s: %v, want %v", name, err, code)
		}
	}
	_, err = call[oip.RepositoryModelUnloadRequest, oip.RepositoryModelUnloadResponse](t, c, url, "RepositoryModelUnload", &oip.RepositoryModelUnloadRequest{ModelName: "iris"})
	if connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("unload without leave: %v", err)
	}
}

// A message that is larger than a body may be is refused, compressed or not.
func TestGRPCLimit(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 10_000}, map[string]*model.Model{"iris": irisModel()})
	c, url := overHTTP2(t, s)
	q := &oip.ModelInferRequest{ModelName: "iris", RawInputContents: [][]byte{make([]byte, 1<<20)}}
	for _, options := range [][]connect.ClientOption{{connect.WithGRPC()}, {connect.WithGRPC(), connect.WithSendGzip()}} {
		client := connect.NewClient[oip.ModelInferRequest, oip.ModelInferResponse](c, url+"/inference.GRPCInferenceService/ModelInfer", options...)
		if _, err := client.CallUnary(t.Context(), connect.NewRequest(q)); connect.CodeOf(err) != connect.CodeResourceExhausted {
			t.Errorf("%v", err)
		}
	}
}
