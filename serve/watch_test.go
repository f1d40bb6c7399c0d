package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/serve"
)

// constant is a model that predicts about c for every x.
func constant(c float64) *model.Model {
	d := &data.Dataset{Target: "y", Columns: []data.Column{data.NumberColumn("x", []float64{1, 2, 3}),
		data.NumberColumn("y", []float64{c, c, c + 1e-6})}}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	fitted := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1},
		Lambda: 1e-3}.Fit(context.Background(), x.Dense, x.Target))
	return must(model.New(fitted, model.Info{Encoder: e}))
}

// A file that predicts nothing is served with what mercer transform gives: as a table, as JSON and
// as tensors; what only a predictor has is refused.
func TestTransformsAreServed(t *testing.T) {
	x := data.Slice[kernel.Vec]{{1, 2}, {2, 1}, {4, 3}, {0, 1}}
	fitted := must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 1}.Fit(t.Context(), x))
	m := must(model.NewTransform(fitted, model.Info{}))
	dir := t.TempDir()
	save(t, filepath.Join(dir, "pca.mercer"), m)
	s := serve.New(serve.Options{})
	if err := s.Watch(t.Context(), time.Hour, dir); err != nil {
		t.Fatal(err)
	}
	want := must(fitted.Transform(t.Context(), data.Slice[kernel.Vec]{{3, 5}})).At(0, 0)
	var row struct {
		Component float64 `json:"component_1"`
		Residual  *float64
	}
	ask(t, s, "POST", "/predict/pca", "application/json", []byte(`{"x1":3,"x2":5}`)).into(t, &row)
	if row.Component != want || row.Residual == nil {
		t.Errorf("as JSON %v, want %g with a residual", row, want)
	}
	var told struct {
		Outputs []struct {
			Name string
			Data []float64
		}
		Error string
	}
	ask(t, s, "POST", "/v2/models/pca/infer", "application/json",
		[]byte(`{"inputs":[{"name":"features","datatype":"FP64","shape":[1,2],"data":[3,5]}]}`)).into(t, &told)
	if len(told.Outputs) != 2 || told.Outputs[0].Name != "component_1" || told.Outputs[0].Data[0] != want {
		t.Errorf("as tensors %v, want %g", told, want)
	}
	for _, query := range []string{"?proba", "?decision", "?std"} {
		told.Error = ""
		ask(t, s, "POST", "/predict/pca"+query, "application/json", []byte(`{"x1":3,"x2":5}`)).into(t, &told)
		if !strings.Contains(told.Error, "predicts nothing") {
			t.Errorf("%s: %q", query, told.Error)
		}
	}
	told.Error = ""
	ask(t, s, "POST", "/v2/models/pca/infer", "application/json",
		[]byte(`{"inputs":[{"name":"features","datatype":"FP64","shape":[1,2],"data":[3,5]}],"outputs":[{"name":"prediction"}]}`)).into(t,
		&told)
	if !strings.Contains(told.Error, "component_1") {
		t.Errorf("an output that it has not: %q", told.Error)
	}
}

// value asks a model for its number, or says what it said.
func value(t *testing.T, s *serve.Server, path string) string {
	t.Helper()
	r := ask(t, s, "POST", "/predict/"+path, "application/json", []byte(`{"x":2}`))
	var got struct {
		Prediction float64
		Error      string
	}
	r.into(t, &got)
	if got.Error != "" {
		return fmt.Sprintf("%d %s", r.status, got.Error)
	}
	return fmt.Sprintf("%.0f", got.Prediction)
}

func write(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, file string, m *model.Model) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
}

// A folder is followed: new, replaced, damaged, mended and removed files, versions, and what is no
// model.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	s := serve.New(serve.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	save(t, filepath.Join(dir, "a.mercer"), constant(5))
	save(t, filepath.Join(dir, "b", "1", "model.mercer"), constant(10))
	save(t, filepath.Join(dir, "b", "2", "model.mercer"), constant(20))
	save(t, filepath.Join(dir, "b", "10", "model.mercer"), constant(100))
	write(t, filepath.Join(dir, "readme.txt"), []byte("not a model"))
	write(t, filepath.Join(dir, ".a.mercer.tmp"), []byte("unfinished"))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if err := s.Watch(ctx, time.Hour, dir); err != nil {
		t.Fatal(err)
	}
	want := func(what string, pairs ...string) {
		t.Helper()
		s.Look(ctx)
		for i := 0; i < len(pairs); i += 2 {
			if got := value(t, s, pairs[i]); !strings.HasPrefix(got, pairs[i+1]) {
				t.Errorf("%s: %s is %s, want %s", what, pairs[i], got, pairs[i+1])
			}
		}
	}
	want("at first", "a", "5", "b", "100", "b/versions/2", "20", "b/versions/1", "10", "b/versions/3", "404", "readme",
		"404")

	save(t, filepath.Join(dir, "a.mercer"), constant(6))
	save(t, filepath.Join(dir, "c.mercer"), constant(7))
	want("replaced and new", "a", "6", "c", "7")

	good := must(os.ReadFile(filepath.Join(dir, "a.mercer")))
	damaged := bytes.Clone(good)
	damaged[len(damaged)-3] ^= 1
	write(t, filepath.Join(dir, "a.mercer"), damaged)
	write(t, filepath.Join(dir, "d.mercer"), good[:len(good)/2])
	want("damaged", "a", "6", "d", "503 model \"d\" is not ready")
	if r := ask(t, s, "GET", "/v2/models/a/ready", "", nil); r.status != 200 ||
		!strings.Contains(r.text(), `"ready":true`) || !strings.Contains(r.text(), "damaged") {
		t.Errorf("ready of a damaged file whose old version answers: %d %s", r.status, r.text())
	}
	if r := ask(t, s, "GET", "/v2/models/d/ready", "", nil); r.status != 503 || !strings.Contains(r.text(), "damaged") {
		t.Errorf("ready of a damaged file: %d %s", r.status, r.text())
	}
	if r := ask(t, s, "GET", "/v2/health/ready", "", nil); r.status != 503 {
		t.Errorf("a server with a model that cannot answer is ready: %s", r.text())
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "a.mercer") {
		t.Errorf("the log says nothing of it: %s", log.String())
	}

	write(t, filepath.Join(dir, "a.mercer"), good)
	for _, gone := range []string{"d.mercer", "c.mercer", "b/10"} {
		if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	want("mended and removed", "a", "6", "b", "20", "c", "404", "d", "404")
	if r := ask(t, s, "GET", "/v2/models/a/ready", "", nil); strings.Contains(r.text(), "error") {
		t.Errorf("the fault stays: %s", r.text())
	}
}

// Nothing outside of the folder is opened, whatever lies in it.
func TestWatchStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	save(t, filepath.Join(outside, "secret.mercer"), constant(1))
	save(t, filepath.Join(dir, "real", "inside.mercer"), constant(2))
	for link, to := range map[string]string{"leak.mercer": filepath.Join(outside, "secret.mercer"), "up.mercer": "../" +
		filepath.Base(outside) + "/secret.mercer", "folder": outside, "in.mercer": "real/inside.mercer"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	s := serve.New(serve.Options{})
	if err := s.Watch(t.Context(), time.Hour, dir); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Names()); got != "[in]" {
		t.Errorf("served: %s, want only what lies inside", got)
	}
}

// Files that are named are served by their names; one that is not there is an error.
func TestWatchFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "one.mercer")
	save(t, file, constant(3))
	write(t, filepath.Join(dir, "lib.model"),
		[]byte("svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho -1\nSV\n2 1:3\n"))
	s := serve.New(serve.Options{})
	if err := s.Watch(t.Context(), time.Hour, file, filepath.Join(dir, "lib.model")); err != nil {
		t.Fatal(err)
	}
	if got := value(t, s, "one"); got != "3" {
		t.Errorf("one is %s", got)
	}
	r := ask(t, s, "POST", "/v2/models/lib/infer", "",
		[]byte(`{"inputs":[{"name":"x","datatype":"BYTES","shape":[2],"data":["1:10","1:0 9:1"]}],"outputs":[{"name":"prediction"}]}`))
	if !strings.Contains(r.text(), `"data":[61,1]`) {
		t.Errorf("a model of LIBSVM's: %s", r.text())
	}
	if err := serve.New(serve.Options{}).Watch(t.Context(), time.Hour, filepath.Join(dir, "none.mercer")); err == nil {
		t.Error("a file that is not there is watched")
	}
	if err := serve.New(serve.Options{}).Add("../x", constant(1)); err == nil {
		t.Error("a name with a path in it is taken")
	}
}

// The repository extension loads and unloads where that is allowed.
func TestRepository(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "a.mercer"), constant(5))
	closed := serve.New(serve.Options{})
	if err := closed.Watch(t.Context(), time.Hour, dir); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"load", "unload"} {
		if r := ask(t, closed, "POST", "/v2/repository/models/a/"+verb, "", nil); r.status != 403 {
			t.Errorf("%s without leave: %d %s", verb, r.status, r.text())
		}
	}
	s := serve.New(serve.Options{AllowLoad: true})
	if err := s.Watch(t.Context(), time.Hour, dir); err != nil {
		t.Fatal(err)
	}
	index := func() string { return strings.TrimSpace(ask(t, s, "POST", "/v2/repository/index", "", nil).text()) }
	if got := index(); got != `[{"name":"a","version":"1","state":"READY"}]` {
		t.Error(got)
	}
	if r := ask(t, s, "POST", "/v2/repository/models/a/unload", "", nil); r.status != 200 {
		t.Error(r.text())
	}
	s.Look(t.Context()) // which must not bring it back
	if got := value(t, s, "a"); !strings.HasPrefix(got, "404") || index() != "[]" {
		t.Errorf("unloaded, and answers %s: %s", got, index())
	}
	save(t, filepath.Join(dir, "a.mercer"), constant(8))
	s.Look(t.Context())
	if got := value(t, s, "a"); !strings.HasPrefix(got, "404") {
		t.Errorf("a new file brings an unloaded model back: %s", got)
	}
	if r := ask(t, s, "POST", "/v2/repository/models/a/load", "", nil); r.status != 200 || value(t, s, "a") != "8" {
		t.Errorf("loaded: %s %s", r.text(), value(t, s, "a"))
	}
	for _, name := range []string{"none", "..", "%2e%2e%2fa"} {
		if r := ask(t, s, "POST", "/v2/repository/models/"+name+"/load", "", nil); r.status/100 == 2 {
			t.Errorf("load of %s: %d %s", name, r.status, r.text())
		}
	}
}
