package serve_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/serve/internal/oip"
	"github.com/mercer-ml/mercer/serve/internal/oip/oiptest"
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
	return &http.Client{Transport: &http.Transport{Protocols: only,
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, at)
		}}}, server.URL
}

// framed is a message behind its prefix.
func framed(flags byte, message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(message))), message...)
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	must(z.Write(b))
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// called is what a call of gRPC got: the status, its words, the message.
type called struct {
	code, text string
	header     http.Header
	zipped     bool
	message    oiptest.Answer
}

// send asks one of the protocol's procedures with a body, as gRPC does.
func send(t testing.TB, c *http.Client, at, name string, body io.Reader, headers ...string) (a called) {
	t.Helper()
	q := must(http.NewRequestWithContext(t.Context(), "POST", at+"/inference.GRPCInferenceService/"+name, body))
	q.Header.Set("Content-Type", "application/grpc")
	q.Header.Set("Te", "trailers")
	for i := 0; i+1 < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	r, err := c.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b := must(io.ReadAll(r.Body))
	if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		t.Fatalf("%s: %s %v", name, r.Status, r.Header)
	}
	a.header = r.Header
	where := r.Trailer
	if len(b) == 0 {
		where = r.Header // a refusal is headers alone
	}
	a.code, a.text = where.Get("Grpc-Status"), must(url.PathUnescape(where.Get("Grpc-Message")))
	if a.code != "0" {
		return a
	}
	if len(b) < 5 || int(binary.BigEndian.Uint32(b[1:])) != len(b)-5 {
		t.Fatalf("%s: %d bytes behind %x", name, len(b)-5, b[:min(len(b), 5)])
	}
	message := b[5:]
	if a.zipped = b[0] == 1; a.zipped {
		if r.Header.Get("Grpc-Encoding") != "gzip" {
			t.Fatalf("compressed by %v", r.Header)
		}
		message = must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(message)))))
	}
	a.message = must(oiptest.Read(message))
	return a
}

// call is send of one message.
func call(t testing.TB, c *http.Client, at, name string, message []byte) called {
	t.Helper()
	return send(t, c, at, name, bytes.NewReader(framed(0, message)))
}

// The protocol over gRPC: health, metadata, and inference in both forms with the bits of
// model.Predict.
func TestGRPC(t *testing.T) {
	m, d := irisModel(), iris()
	s := serving(t, serve.Options{Version: "1.2"}, map[string]*model.Model{"iris": m, "orders": ordersModel()})
	c, at := overHTTP2(t, s)
	for _, name := range []string{"ServerLive", "ServerReady", "ModelReady"} {
		if a := call(t, c, at, name, oiptest.Model("iris", "")); a.code != "0" || a.message.Numbers[1] != 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := call(t, c, at, "ServerMetadata", nil); a.message.Text(1) != "mercer" || a.message.Text(2) != "1.2" ||
		len(a.message.Parts[3]) == 0 {
		t.Errorf("%+v", a)
	}
	a := call(t, c, at, "ModelMetadata", oiptest.Model("iris", "1"))
	if in, out := a.message.Part(4, 0), a.message.Part(5, 2); len(a.message.Parts[5]) != 4 ||
		a.message.Text(1) != "iris" || in.Text(1) != "features" || in.Text(2) != "FP64" || in.Ints(3)[0] != -1 ||
		in.Ints(3)[1] != 4 || out.Text(2) != "FP64" {
		t.Errorf("%+v", a)
	}
	want := must(m.Predict(t.Context(), d, model.Want{Proba: true}))
	var all []float64
	var raw []byte
	for i := range d.Len() {
		for _, f := range d.Features() {
			all = append(all, f.Numbers[i])
		}
	}
	for _, x := range all {
		raw = must(binary.Append(raw, binary.LittleEndian, x))
	}
	in := oip.Tensor{Name: "x", Datatype: "FP64", Shape: []int64{int64(d.Len()), 4}, Contents: &oip.Contents{Fp64s: all}}
	about := oip.Model{Name: "iris"}
	a = call(t, c, at, "ModelInfer", oiptest.Infer(&oip.Infer{Model: about, ID: "7", Inputs: []oip.Tensor{in}}))
	contents := func(i int) oiptest.Answer { return a.message.Part(5, i).Part(5, 0) }
	if a.message.Text(3) != "7" || a.message.Text(2) != "1" || len(a.message.Parts[5]) != 4 ||
		string(contents(0).Parts[8][149]) != want.Labels[149] || contents(1).Ints(3)[80] != int64(want.Codes[80]) {
		t.Errorf("%+v", a)
	}
	same(t, "probabilities", contents(2).Doubles(7), want.Proba.RawMatrix().Data)
	bare := in
	bare.Contents = nil
	a = call(t, c, at, "ModelInfer", oiptest.Infer(&oip.Infer{Model: about, Inputs: []oip.Tensor{bare},
		Raw: [][]byte{raw}}))
	if len(a.message.Parts[6]) != 4 || a.message.Part(5, 2).Parts[5] != nil {
		t.Fatalf("%+v", a)
	}
	probabilities := make([]float64, 3*d.Len())
	must(binary.Decode(a.message.Parts[6][2], binary.LittleEndian, probabilities))
	same(t, "raw probabilities", probabilities, want.Proba.RawMatrix().Data)
	for name, q := range map[string]*oip.Infer{
		"no model":   {Model: oip.Model{Name: "none"}},
		"no inputs":  {Model: about},
		"both forms": {Model: about, Inputs: []oip.Tensor{in}, Raw: [][]byte{{1}}},
		"raw counts": {Model: about, Inputs: []oip.Tensor{in}, Raw: [][]byte{{1}, {2}}},
		"a shape": {Model: about, Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{1 << 62, 4},
			Contents: in.Contents}}},
		"a version": {Model: oip.Model{Name: "iris", Version: "9"}, Inputs: []oip.Tensor{in}},
	} {
		code := "3" // INVALID_ARGUMENT
		if name == "no model" || name == "a version" {
			code = "5" // NOT_FOUND
		}
		if a := call(t, c, at, "ModelInfer", oiptest.Infer(q)); a.code != code || a.text == "" {
			t.Errorf("%s: %s %s, want %s", name, a.code, a.text, code)
		}
	}
	if a := call(t, c, at, "RepositoryModelUnload", oiptest.Model("iris", "")); a.code != "7" { // PERMISSION_DENIED
		t.Errorf("unload without leave: %+v", a)
	}
}

// A message that is larger than a body may be is refused, compressed or not.
func TestGRPCLimit(t *testing.T) {
	s := serving(t, serve.Options{MaxBody: 10_000}, map[string]*model.Model{"iris": irisModel()})
	c, at := overHTTP2(t, s)
	large := oiptest.Infer(&oip.Infer{Model: oip.Model{Name: "iris"}, Raw: [][]byte{make([]byte, 1<<20)}})
	for _, a := range []called{
		call(t, c, at, "ModelInfer", large),
		send(t, c, at, "ModelInfer", bytes.NewReader(framed(1, zipped(large))), "Grpc-Encoding", "gzip"),
	} {
		if a.code != "8" || !strings.Contains(a.text, "larger than") { // RESOURCE_EXHAUSTED
			t.Errorf("%+v", a)
		}
	}
}

// How messages are framed: what is not so is refused with the code that gRPC has for it, and
// nothing is taken for a message that is none.
func TestGRPCFrames(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel()})
	c, at := overHTTP2(t, s)
	message := oiptest.Infer(&oip.Infer{Model: oip.Model{Name: "iris"},
		Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{1, 4},
			Contents: &oip.Contents{Fp64s: []float64{5, 3, 1, 0.2}}}}})
	for name, x := range map[string]struct {
		body    []byte
		headers []string
		code    string
	}{
		"plain":                     {framed(0, message), nil, "0"},
		"with a subtype":            {framed(0, message), []string{"Content-Type", "application/grpc+proto"}, "0"},
		"compressed":                {framed(1, zipped(message)), []string{"Grpc-Encoding", "gzip"}, "0"},
		"not compressed after all":  {framed(0, message), []string{"Grpc-Encoding", "gzip"}, "0"},
		"as it is":                  {framed(0, message), []string{"Grpc-Encoding", "identity"}, "0"},
		"in time":                   {framed(0, message), []string{"Grpc-Timeout", "30S"}, "0"},
		"in any time":               {framed(0, message), []string{"Grpc-Timeout", "99999999H"}, "0"},
		"too late":                  {framed(0, message), []string{"Grpc-Timeout", "0n"}, "4"},
		"no time":                   {framed(0, message), []string{"Grpc-Timeout", "5"}, "3"},
		"a time of too many digits": {framed(0, message), []string{"Grpc-Timeout", "123456789S"}, "3"},
		"another encoding":          {framed(1, message), []string{"Grpc-Encoding", "br"}, "12"},
		"no encoding":               {framed(1, zipped(message)), nil, "13"},
		"not gzip":                  {framed(1, message), []string{"Grpc-Encoding", "gzip"}, "3"},
		"other flags":               {framed(2, message), nil, "13"},
		"no message":                {nil, nil, "12"},
		"half a prefix":             {[]byte{0, 0}, nil, "13"},
		"half a message":            {framed(0, message)[:20], nil, "13"},
		"two messages":              {append(framed(0, message), framed(0, message)...), nil, "12"},
		"a message that is none":    {framed(0, []byte{0xff}), nil, "3"},
		"an empty message":          {framed(0, nil), nil, "5"}, // of no model
	} {
		if a := send(t, c, at, "ModelInfer", bytes.NewReader(x.body), x.headers...); a.code != x.code ||
			(a.text == "") != (x.code == "0") {
			t.Errorf("%s: %s %q, want %s", name, a.code, a.text, x.code)
		}
	}
	q := must(http.NewRequest("POST", at+"/inference.GRPCInferenceService/ModelInfer", strings.NewReader("{}")))
	q.Header.Set("Content-Type", "application/json")
	r := must(c.Do(q))
	r.Body.Close()
	if r.StatusCode != http.StatusUnsupportedMediaType ||
		!strings.Contains(r.Header.Get("Accept-Post"), "application/grpc") {
		t.Errorf("JSON: %s %v", r.Status, r.Header)
	}
}

// A long answer is compressed for those who say that they read it, a short one never.
func TestGRPCCompressedAnswers(t *testing.T) {
	s := serving(t, serve.Options{}, map[string]*model.Model{"iris": irisModel()})
	c, at := overHTTP2(t, s)
	asked := func(rows int) []byte {
		return oiptest.Infer(&oip.Infer{Model: oip.Model{Name: "iris"},
			Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{int64(rows), 4},
				Contents: &oip.Contents{Fp64s: make([]float64, 4*rows)}}}})
	}
	for _, x := range []struct {
		rows   int
		accept string
		want   bool
	}{{500, "identity, deflate, gzip", true}, {500, "identity", false}, {500, "", false}, {1, "gzip", false}} {
		a := send(t, c, at, "ModelInfer", bytes.NewReader(framed(0, asked(x.rows))), "Grpc-Accept-Encoding", x.accept)
		if a.zipped != x.want || len(a.message.Part(5, 2).Part(5, 0).Doubles(7)) != 3*x.rows {
			t.Errorf("%d rows for %q: compressed %t", x.rows, x.accept, a.zipped)
		}
	}
}
