package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
)

// TestMain lets the tests start the program itself: the test binary is one.
func TestMain(m *testing.M) {
	if os.Getenv("MERCER_BEAM_PROGRAM") != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// program runs mercer-beam in a folder.
func program(t *testing.T, folder string, args ...string) (out, diagnostics string, status int) {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Dir, c.Env = folder, append(os.Environ(), "MERCER_BEAM_PROGRAM=1")
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return o.String(), e.String(), c.ProcessState.ExitCode()
}

func must(t *testing.T, folder string, args ...string) (out, diagnostics string) {
	t.Helper()
	out, diagnostics, status := program(t, folder, args...)
	if status != 0 {
		t.Fatalf("mercer-beam %s: status %d\n%s%s", strings.Join(args, " "), status, out, diagnostics)
	}
	return out, diagnostics
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeShards makes a table of two numbers, a category with gaps and a target, cut into files.
func writeShards(t *testing.T, folder string, shards, rows int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for s := range shards {
		var b strings.Builder
		b.WriteString("a,b,where,weight,y,kind\n")
		for range rows {
			a, c := rng.NormFloat64(), 100+10*rng.NormFloat64()
			where := []string{"north", "south", "east"}[rng.IntN(3)]
			y := math.Sin(2*a) + 0.05*(c-100) + 0.1*rng.NormFloat64()
			if where == "north" {
				y++
			}
			kind := []string{"low", "mid", "high"}[min(max(int(y+1), 0), 2)]
			text := fmt.Sprintf("%.6g", c)
			if rng.IntN(20) == 0 {
				text = ""
			}
			fmt.Fprintf(&b, "%.6g,%s,%s,%d,%.6g,%s\n", a, text, where, rng.IntN(3), y, kind)
		}
		put(t, filepath.Join(folder, fmt.Sprintf("part-%d.csv", s)), b.String())
	}
}

// expected is what mercer predict writes for a file: its own steps, in this process.
func expected(t *testing.T, m *model.Model, file string) string {
	t.Helper()
	m, err := m.ForNewRows("", "zero")
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.Open(context.Background(), file, load.Options{NoTarget: true, Readings: m.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if reading, writing := m.Stream(s, model.Want{}).WriteCSV(context.Background(), &b, false, nil); reading != nil ||
		writing != nil {
		t.Fatal(reading, writing)
	}
	return b.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// modelOf is a model of the table in a file, of its numbers and categories.
func modelOf(t *testing.T, file, to string) *model.Model {
	t.Helper()
	d, err := load.Read(context.Background(), file, load.Options{NoTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	var columns []data.Column
	for _, c := range d.Columns {
		if c.Kind == data.Numeric || c.Kind == data.Categorical {
			columns = append(columns, c)
		}
	}
	d.Columns = columns
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean", Unseen: "zero"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, x.Len())
	for i := range y {
		y[i] = math.Sin(float64(i))
	}
	fitted, err := nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3},
		Options: nystrom.Options{Centers: 5}}.Fit(context.Background(), x.AsDense(), y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(fitted, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Save(to); err != nil {
		t.Fatal(err)
	}
	return m
}

// writeFormats makes a folder of shards for each format that is read.
func writeFormats(t *testing.T, dir string) {
	t.Helper()
	writeShards(t, filepath.Join(dir, "csv"), 5, 60)
	for i := range 2 {
		var lines strings.Builder
		var array bytes.Buffer
		w, err := npy.NewWriter(&array, 30, 3)
		if err != nil {
			t.Fatal(err)
		}
		for r := range 30 {
			row := []float64{float64(r * (i + 1)), math.Sqrt(float64(r)), 1 / float64(r+1)}
			fmt.Fprintf(&lines, `{"u":%g,"v":%g,"w":"%c"}`+"\n", row[0], row[1], 'a'+rune(r%3))
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, "jsonl", fmt.Sprintf("%d.jsonl", i)), lines.String())
		put(t, filepath.Join(dir, "npy", fmt.Sprintf("%d.npy", i)), array.String())
		put(t, filepath.Join(dir, "parquet", fmt.Sprintf("%d.parquet", i)),
			read(t, "../../../internal/format/parquet/testdata/everyday.parquet"))
		put(t, filepath.Join(dir, "arrow", fmt.Sprintf("%d.arrow", i)),
			read(t, "../../../internal/format/arrow/testdata/everyday.arrow"))
	}
}

// TestPredictIsMercers: for every format the files are those of mercer predict, byte for byte;
// nothing else is left in the folder.
func TestPredictIsMercers(t *testing.T) {
	dir := t.TempDir()
	writeFormats(t, dir)
	for _, format := range []string{"csv", "jsonl", "npy", "parquet", "arrow"} {
		shards, err := filepath.Glob(filepath.Join(dir, format, "*"))
		if err != nil || len(shards) < 2 {
			t.Fatal(format, err)
		}
		m := modelOf(t, shards[0], filepath.Join(dir, format+".mercer"))
		must(t, dir, "predict", format+".mercer", format+"/*", "--output", "out-"+format, "--quiet")
		for _, s := range shards {
			name := strings.TrimSuffix(filepath.Base(s), "."+format) + ".csv"
			if got, want := read(t, filepath.Join(dir, "out-"+format, name)), expected(t, m, s); got != want {
				t.Errorf("%s: predictions differ from mercer's", s)
			}
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "out-"+format)); len(left) != len(shards) {
			t.Errorf("%s: %d files for %d shards: %v", format, len(left), len(shards), left)
		}
	}
}

// TestRefusals: what is wrong is named, with a way out, and nothing is written.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 2, 30)
	modelOf(t, filepath.Join(dir, "rows", "part-0.csv"), filepath.Join(dir, "m.mercer"))
	put(t, filepath.Join(dir, "bad", "part-0.csv"), read(t, filepath.Join(dir, "rows", "part-0.csv")))
	put(t, filepath.Join(dir, "bad", "part-1.csv"), "a,b,where,weight,y,kind\n1,2,north,1,3,low\noops,2,north,1,3,low\n")
	put(t, filepath.Join(dir, "bad", "part-2.csv"), "a,b,weight,y,kind\n1,2,1,3,low\n")
	put(t, filepath.Join(dir, "out", "part-1.csv"), "mine")
	for i := range 2 {
		put(t, filepath.Join(dir, "missing", fmt.Sprintf("part-%d.csv", i)),
			read(t, filepath.Join(dir, "rows", "part-0.csv")))
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere.csv"), filepath.Join(dir, "missing", "part-2.csv")); err != nil {
		t.Fatal(err)
	}
	fit := []string{"--target", "y", "--missing", "mean", "--output", "f.mercer"}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"predict", "m.mercer", "rows/*", "--output", "out"},
			[]string{"out/part-1.csv", "there already", "--overwrite"}},
		{[]string{"predict", "m.mercer", "none-*", "--output", "o"}, []string{"none-*", "no file matches"}},
		{[]string{"predict", "no.mercer", "rows/*", "--output", "o"}, []string{"no.mercer"}},
		{[]string{"predict", "rows/part-0.csv", "rows/*", "--output", "o"}, []string{"rows/part-0.csv"}},
		{[]string{"predict", "m.mercer", "rows/*"}, []string{"--output"}},
		{[]string{"predict", "m.mercer", "rows/*", "--output", "o", "--proba"}, []string{"--proba", "no probabilities"}},
		{[]string{"predict", "m.mercer", "bad/*", "--output", "o"},
			[]string{"2 of 3 shards", "bad/part-1.csv:3", "oops", "--type a=categorical", "bad/part-2.csv", `"where"`}},
		{append([]string{"fit", "bad/*"}, fit...), []string{"2 of 3 shards", "bad/part-1.csv:3", "bad/part-2.csv:1",
			`no column "where"`}},
		{append([]string{"fit", "rows/*"}, "--target", "y"), []string{`"b"`, "--missing drop | mean | indicator"}},
		{append([]string{"fit", "rows/*", "--folds", "1"}, fit...), []string{"--folds 1"}},
		{append([]string{"fit", "rows/*", "--lambda", "1,zero"}, fit...), []string{"--lambda", "zero"}},
		{append([]string{"fit", "rows/*", "--kernel", "gausian()"}, fit...), []string{"gausian", "gaussian"}},
		{[]string{"fit", "rows/*", "--target", "z"}, []string{`no column "z"`}},
		{[]string{"fit", "rows/*", "--tarket", "y"}, []string{"tarket", "--help"}},
		{[]string{"predict", "m.mercer", "rows/*", "--output", "o2", "--runner", "flink", "--endpoint", "127.0.0.1:1"},
			[]string{"--endpoint 127.0.0.1:1", "no job service"}},
		{append([]string{"fit", "rows/*", "--learner", "svm"}, fit...), []string{"--learner", "nystrom-logistic"}},
		{append([]string{"fit", "rows/*", "--learner", "nystrom-logistic", "--ignore", "kind"}, fit...),
			[]string{"--learner nystrom-logistic", "--task classification"}},
		{append([]string{"fit", "rows/*", "--learner", "features", "--kernel", "linear()"}, fit...),
			[]string{"linear", "spectral"}},
		{append([]string{"fit", "rows/*", "--learner", "features", "--draw", "leverage"}, fit...),
			[]string{"--draw leverage"}},
		{append([]string{"fit", "rows/*", "--draw", "best"}, fit...), []string{"--draw"}},
		{append([]string{"fit", "rows/*", "--frequencies", "0"}, fit...), []string{"--frequencies"}},
		{append([]string{"fit", "missing/*"}, fit...), []string{"1 of 3 shards", "missing/part-2.csv"}},
		{[]string{"fit", "rows/*", "--target", "y", "--output", "m.mercer"}, []string{"m.mercer", "there already"}},
		{[]string{"fits"}, []string{"fits", "predict"}},
	} {
		out, said, status := program(t, dir, c.args...)
		if status != 2 {
			t.Errorf("%v: status %d\n%s%s", c.args, status, out, said)
		}
		for _, w := range c.want {
			if !strings.Contains(said, w) {
				t.Errorf("%v: %q is not said:\n%s", c.args, w, said)
			}
		}
		if strings.Contains(said, "EncoderOptions") {
			t.Errorf("%v: words of the library:\n%s", c.args, said)
		}
	}
	if read(t, filepath.Join(dir, "out", "part-1.csv")) != "mine" {
		t.Error("a file was written over")
	}
	for _, none := range []string{"f.mercer", "model.mercer"} {
		if _, err := os.Stat(filepath.Join(dir, none)); err == nil {
			t.Errorf("%s was written", none)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	more, _ := filepath.Glob(filepath.Join(dir, "o", ".*"))
	if left = append(left, more...); len(left) > 0 {
		t.Errorf("folders of jobs are left: %v", left)
	}
	must(t, dir, "predict", "m.mercer", "rows/*", "--output", "out", "--overwrite")
}

// TestOutputsOf: files keep their places below what they have in common, and their endings where
// they need them.
func TestOutputsOf(t *testing.T) {
	for _, c := range []struct{ shards, want string }{
		{"/d/a.csv /d/b.csv.gz", "/o/a.csv /o/b.csv"},
		{"/d/x/a.csv /d/y/a.csv", "/o/x/a.csv /o/y/a.csv"},
		{"/d/a.csv /d/a.parquet", "/o/a.csv.csv /o/a.parquet.csv"},
		{"/d/a.csv", "/o/a.csv"},
	} {
		if got := strings.Join(outputsOf("/o", strings.Fields(c.shards)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.shards, got, c.want)
		}
	}
	if got := outputsOf("gs://o/p", []string{"gs://b/x/a.csv", "gs://b/y/a.csv"}); got[1] != "gs://o/p/y/a.csv" {
		t.Errorf("%v", got)
	}
}
