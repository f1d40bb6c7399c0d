package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// iris is the built-in set without its target, which is set.
func iris() *data.Dataset {
	d := must(data.Builtin("iris", 0))
	if d.Target == "" {
		d.Target = d.Columns[len(d.Columns)-1].Name
	}
	return d
}

// irisModel is a support vector machine with probabilities on four numbers. It and the others below
// are fitted once for all tests.
var irisModel = sync.OnceValue(func() *model.Model {
	d := iris()
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, C: 4,
		Probability: true}.Fit(context.Background(), x.Dense, x.Codes()))
	return must(model.New(fitted, model.Info{Encoder: e, DataName: "iris", Rows: d.Len(),
		Notes: map[string]string{"accuracy": "0.97 <b>on</b> 30 rows"}}))
})

// waitingModel is a Gaussian process with intervals by held-out residuals.
var waitingModel = sync.OnceValue(func() *model.Model {
	d := must(data.Builtin("faithful", 0))
	d.Target = "waiting"
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 30}.Fit(context.Background(),
		x.Dense, x.Target))
	residuals := make([]float64, 99)
	for i := range residuals {
		residuals[i] = float64(i+1) / 40
	}
	return must(model.New(fitted, model.Info{Encoder: e, Residuals: residuals}))
})

// orders is a table with a column of every kind, and a target.
func orders(n int) *data.Dataset {
	texts := func(of ...string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = of[(i*7+i/3)%len(of)]
		}
		return out
	}
	price, target := make([]float64, n), make([]float64, n)
	series := make([][]float64, n)
	for i := range n {
		price[i] = float64(i%5) + 0.1
		target[i] = float64((i*i)%11) / 3
		series[i] = []float64{float64(i % 3), 1, 0.1 * float64(i)}
	}
	day := data.TextColumn("day", texts("03/01/2024", "25/02/2024", "07/11/2023"))
	day = must(day.ReadAs(data.Notation{Kind: data.Time, Order: "dmy"}))
	return &data.Dataset{Name: "orders", Target: "y", Columns: []data.Column{
		data.NumberColumn("price", price), data.LevelColumn("shop", texts("north", "süd", "east \"1\"")), day,
		data.TextColumn("code", texts("ACGT", "AC GT", "ÅÄÖ", "\"q\",\n")),
		data.TextColumn("note", texts("good and cheap", "bad", "dear")),
		data.SequenceColumn("sold", series),
		{Name: "parse", Kind: data.Tree, Strings: texts("(S (A a))", "(S (B b))", "(S (A a)(B b))")},
		{Name: "tags", Kind: data.Set, Strings: texts("a;b", "b", "c|a")},
		{Name: "votes", Kind: data.Ranking, Strings: texts("x>y", "y>x", "x=y")},
		{Name: "molecule", Kind: data.Graph, Strings: texts(`{"edges":[[0,1]]}`, `{"nodes":3,"edges":[[0,1],[1,2]]}`)},
		data.NumberColumn("y", target),
	}}
}

const everyKind = "gaussian(lengthscale=2) on price + cosine() on note + 0.5*(spectrum(k=2) on code) + " +
	"normalize(gak(width=2)) on sold + subsettree() on parse + " +
	"jaccard() on tags + kendall() on votes + normalize(wl(h=2)) on molecule + gaussian(lengthscale=1) on shop + " +
	"gaussian(lengthscale=1) on day"

// ordersModel is ridge regression on rows of a table with every kind of column.
var ordersModel = sync.OnceValue(func() *model.Model {
	d := orders(24)
	e := must(data.FitEncoder(d, data.EncoderOptions{Texts: map[string]data.TextPolicy{"note": "tfidf"}}))
	x := must(e.TransformLabelled(d))
	s := mixing.SchemaOf(e)
	fitted := must(ridge.Regression[mixed.Row]{Kernel: must(spec.ParseRows(s, everyKind)),
		Lambda: 0.1}.Fit(context.Background(), must(s.Rows(x)), x.Target))
	return must(model.New(fitted, model.Info{Encoder: e}))
})

// sparseModel is a support vector machine on sparse features, as a LIBSVM file gives them.
var sparseModel = sync.OnceValues(func() (*model.Model, *data.Dataset) {
	rows := make([]data.SparseVec, 60)
	labels := make([]string, len(rows))
	for i := range rows {
		for j := i % 3; j < 100; j += 7 + i%5 {
			rows[i].Index = append(rows[i].Index, int32(j))
			rows[i].Value = append(rows[i].Value, float64(1+(i*j)%4)/3)
		}
		labels[i] = []string{"-1", "1"}[i%2]
	}
	s := data.SparseOf(rows, 100)
	d := &data.Dataset{Name: "sparse", Target: "label", Columns: []data.Column{data.LevelColumn("label", labels)},
		Sparse: &s}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	k := must(kernel.OnSparse(kernel.Gaussian{Lengthscale: 3}, e.Dim))
	fitted := must(svm.Classification[data.SparseVec, int]{Kernel: k, C: 2}.Fit(context.Background(), *x.Sparse,
		x.Codes()))
	return must(model.New(fitted, model.Info{Encoder: e})), d
})

// asked is an answer of the server in a test.
type asked struct {
	status int
	header http.Header
	body   []byte
}

func (a asked) text() string { return string(a.body) }

// into reads the JSON of an answer.
func (a asked) into(t testing.TB, to any) {
	t.Helper()
	if err := json.Unmarshal(a.body, to); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// ask sends a request to a handler.
func ask(t testing.TB, h http.Handler, method, path, kind string, body []byte, more ...string) asked {
	t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i+1 < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return asked{w.Code, w.Result().Header, w.Body.Bytes()}
}

// serving is a server with models by name.
func serving(t testing.TB, o serve.Options, models map[string]*model.Model) *serve.Server {
	t.Helper()
	s := serve.New(o)
	for name, m := range models {
		if err := s.Add(name, m); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// predictFile is what mercer predict makes of a file: the same reader, the same encoder, the same
// writer.
func predictFile(t testing.TB, m *model.Model, text []byte, format load.Format, w model.Want, keep bool) *data.Dataset {
	t.Helper()
	m = must(m.ForNewRows("", ""))
	o := load.Options{Stdin: bytes.NewReader(text), NoTarget: true, Format: format}
	if e := m.Info().Encoder; e != nil {
		o.Readings = e.Readings()
		delete(o.Readings, m.Target())
	}
	s := m.Stream(must(load.Open(t.Context(), "-", o)), w)
	defer s.Close()
	var all []*data.Dataset
	for {
		rows, p, err := s.Next(t.Context())
		if err == io.EOF {
			return must(data.Concat(all))
		}
		if err != nil {
			t.Fatal(err)
		}
		table, _ := m.Table(rows, p, w, keep)
		all = append(all, table)
	}
}
