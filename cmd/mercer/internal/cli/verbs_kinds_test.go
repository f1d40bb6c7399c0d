package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	trees "github.com/mercer-ml/mercer/kernel/tree"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// kindOfData is a column of objects in a file, a kernel by its text, and the kernel itself on the
// objects as the library has them.
type kindOfData struct {
	name, kind, kernel string
	cells              []string
	value              func(i, j int) float64 // of the kernel, by the library
}

// kindRows is the rows of the tables of these tests; rows of even number are of one group.
const kindRows = 16

func kindsOfData(t *testing.T) []kindOfData {
	rng := rand.New(rand.NewPCG(3, 4))
	n := kindRows
	texts, parses, series, ranks, sets, fuzzy, graphed, words := make([]string, n), make([]string, n), make([]string, n),
		make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	parsed, numbers, places := make([]*bracket.Tree, n), make([]seq.Series, n), make([]discrete.Ranking, n)
	items, members, drawn := make([][]string, n), make([][]discrete.Member[string], n), make([]graphs.Graph, n)
	for i := range n {
		letters := "abab"
		if i%2 == 1 {
			letters = "ccaa"
		}
		for range 6 + rng.IntN(5) {
			texts[i] += string(letters[rng.IntN(4)])
		}
		words[i] = fmt.Sprintf("the %s and the %s", []string{"cat", "dog", "cow"}[rng.IntN(3)],
			[]string{"hill", "lake", "tree", "house"}[rng.IntN(4)])
		parses[i] = []string{"(S (A a)(B b))", "(S (A (C c))(B d))", "(S (A a)(B d))"}[(i+rng.IntN(2))%3]
		parsed[i], _ = bracket.Parse(parses[i])
		steps := make([]float64, 5)
		cells := make([]string, 5)
		for s := range steps {
			steps[s] = math.Round(100*(float64(i%2)+rng.NormFloat64())) / 100
			cells[s] = strconv.FormatFloat(steps[s], 'g', -1, 64)
		}
		series[i], numbers[i] = "["+strings.Join(cells, ",")+"]", seq.Univariate(steps)
		order := rng.Perm(4)
		places[i] = make(discrete.Ranking, 4)
		var named []string
		for at, item := range order {
			places[i][item] = at
			named = append(named, string(rune('p'+item)))
		}
		ranks[i] = strings.Join(named, ">")
		for e := range 5 {
			if rng.IntN(2) == 0 || e == i%5 {
				items[i] = append(items[i], string(rune('k'+e)))
			}
		}
		sets[i] = strings.Join(items[i], ";")
		a, b := math.Round(100*rng.Float64())/100, math.Round(100*rng.Float64())/100
		fuzzy[i] = fmt.Sprintf("{calm:%g, glad:%g}", a, b)
		members[i] = []discrete.Member[string]{{Element: "calm", Degree: a}, {Element: "glad", Degree: b}}
		g := graphs.Graph{Nodes: 3 + rng.IntN(3)}
		for e := range g.Nodes - 1 {
			g.Edges = append(g.Edges, [2]int32{int32(e), int32(e + 1)})
		}
		if i%2 == 1 {
			g.Edges = append(g.Edges, [2]int32{int32(g.Nodes - 1), 0})
		}
		for range g.Nodes {
			g.NodeLabels = append(g.NodeLabels, 1+rng.IntN(3))
		}
		drawn[i], graphed[i] = g, g.Text()
	}
	return []kindOfData{
		{"strings", "text", "spectrum(k=2)", texts,
			func(i, j int) float64 { return seq.Spectrum{K: 2}.Eval(texts[i], texts[j]) }},
		{"trees", "tree", "subsettree(decay=0.5)", parses,
			func(i, j int) float64 { return trees.SubsetTree{Decay: 0.5}.Eval(parsed[i], parsed[j]) }},
		{"series", "sequence", "gak(width=2)", series,
			func(i, j int) float64 { return seq.GlobalAlignment{Width: 2}.Eval(numbers[i], numbers[j]) }},
		{"rankings", "ranking", "mallows(rate=0.3)", ranks,
			func(i, j int) float64 { return discrete.Mallows{Rate: 0.3}.Eval(places[i], places[j]) }},
		{"sets", "set", "jaccard()", sets, func(i, j int) float64 {
			return discrete.Jaccard[string]{}.Eval(items[i],
				items[j])
		}},
		{"fuzzy sets", "fuzzy", "fuzzyintersection()", fuzzy, func(i, j int) float64 {
			return discrete.FuzzyIntersection[string]{}.Eval(members[i], members[j])
		}},
		{"graphs", "graph", "wl(h=2)", graphed, func(i, j int) float64 {
			return graph.WL{Iterations: 2}.Eval(drawn[i],
				drawn[j])
		}},
		{"a mixed table", "text", "spectrum(k=2) on object + 0.5*gaussian(lengthscale=2) on x", texts, nil},
		{"words", "text", "linear()", words, nil},
	}
}

// write makes a file of the column, a number x, a number z and a group.
func (k *kindOfData) write(t *testing.T, dir string) (file string, options []string, x []float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("object,x,z,group\n")
	x = make([]float64, kindRows)
	for i := range x {
		x[i] = math.Round(100*(float64(i%2)+rng.NormFloat64())) / 100
		fmt.Fprintf(&b, "\"%s\",%g,%g,%s\n", strings.ReplaceAll(k.cells[i], `"`, `""`), x[i],
			math.Round(100*rng.NormFloat64())/100, []string{"u", "v"}[i%2])
	}
	file = filepath.Join(dir, "table.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if k.name == "a mixed table" {
		k.value = func(i, j int) float64 {
			d := x[i] - x[j]
			return seq.Spectrum{K: 2}.Eval(k.cells[i], k.cells[j]) + 0.5*math.Exp(-d*d/8)
		}
	}
	return file, []string{"--type", "object=" + k.kind, "--scaling", "none"}, x
}

// command runs a verb in this process.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, said bytes.Buffer
	a := &App{In: strings.NewReader(""), Out: &out, Err: &said}
	cmd := newRoot(a)
	cmd.SetArgs(args)
	a.Args = args
	err := cmd.ExecuteContext(context.Background())
	return out.String(), err
}

// columns are those that the kernel of the kind looks at.
func (k *kindOfData) columns() string {
	if k.name == "a mixed table" {
		return "object,x"
	}
	return "object"
}

// numbersOf reads a file of numbers, without its first lines.
func numbersOf(t *testing.T, file string, skip int) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[skip:] {
		var row []float64
		for _, cell := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				v = math.NaN()
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// Gram matrices are those of the library, and a two-sample test has the p-value that stat finds on
// that matrix, whatever the rows hold.
func TestGramAndTwoSampleOfEveryKind(t *testing.T) {
	for _, k := range kindsOfData(t) {
		dir := t.TempDir()
		file, options, _ := k.write(t, dir)
		if k.value == nil {
			continue // words: as vectors, which other tests are of
		}
		out := filepath.Join(dir, "k.csv")
		if said, err := command(t, append([]string{"gram", file, "--target", "group", "--kernel", k.kernel, "-o", out, "-q"},
			options...)...); err != nil {
			t.Errorf("gram of %s: %v %s", k.name, err, said)
			continue
		}
		got, whole := numbersOf(t, out, 0), mat.NewDense(kindRows, kindRows, nil)
		for i := range kindRows {
			for j := range kindRows {
				want := k.value(i, j)
				whole.Set(i, j, want)
				if math.Abs(got[i][j]-want) > 1e-12*math.Max(1, math.Abs(want)) {
					t.Fatalf("gram of %s: entry (%d, %d) is %g, want %g", k.name, i, j, got[i][j], want)
				}
			}
		}
		said, err := command(t, append([]string{"test", "two-sample", file, "--by", "group", "--columns", k.columns(),
			"--kernel", k.kernel, "--permutations", "299", "--seed", "7", "--json"}, options...)...)
		if err != nil {
			t.Errorf("two-sample of %s: %v", k.name, err)
			continue
		}
		var result struct{ P, Statistic float64 }
		if err := json.Unmarshal([]byte(said), &result); err != nil {
			t.Fatal(err)
		}
		given := kernel.Precomputed{K: whole}
		var x, y data.Slice[int]
		for i := range kindRows {
			if i%2 == 0 {
				x = append(x, i)
			} else {
				y = append(y, i)
			}
		}
		want, err := stat.MMD[int]{Kernel: given, TestSettings: stat.TestSettings{Permutations: 299, Alpha: 0.05,
			Seed: 7}}.Test(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		if result.P != want.P || math.Abs(result.Statistic-want.Statistic) > 1e-9*math.Max(1, math.Abs(want.Statistic)) {
			t.Errorf("two-sample of %s: p %g, statistic %g; by stat on the matrix p %g, %g", k.name, result.P, result.Statistic,
				want.P, want.Statistic)
		}
	}
}

// Every verb works on rows of every kind, with the kernel that is asked for and with the one that
// it finds itself, or says by what mathematics it does not.
func TestVerbsTimesKinds(t *testing.T) {
	for i, k := range kindsOfData(t) {
		if testing.Short() && i%2 == 1 {
			continue // strings, series, sets, graphs and words are left
		}
		dir := t.TempDir()
		file, options, _ := k.write(t, dir)
		at := func(name string) string { return filepath.Join(dir, name) }
		column, object := k.columns(), k.kernel != "linear()"
		for _, c := range []struct {
			verb    string
			args    []string
			refused string // of objects; empty: it works
		}{
			{"gram", []string{"gram", file, "--target", "group"}, ""},
			{"pca", []string{"pca", file, "--columns", column, "--label", "group", "--plot", at("pca.svg")}, ""},
			{"pca --denoise", []string{"pca", file, "--columns", column, "--denoise", at("clean.csv")}, "have a pre-image"},
			{"cluster", []string{"cluster", file, "--columns", column, "-k", "2", "--plot", at("k.svg")}, ""},
			{"cluster --method kmedoids", []string{"cluster", file, "--columns", column, "-k", "2", "--method", "kmedoids"}, ""},
			{"cluster --method spectral", []string{"cluster", file, "--columns", column, "-k", "2", "--method", "spectral",
				"--neighbours", "5"}, ""},
			{"features", []string{"features", file, "--columns", column, "--map", "nystrom", "--dim", "4", "--plot",
				at("f.svg")}, ""},
			{"features --map fourier", []string{"features", file, "--columns", column, "--map", "fourier", "--dim", "4"},
				"Fourier transform"},
			{"cca", []string{"cca", file, "--x", "object", "--y", "x,z", "--permutations", "19", "--plot", at("c.svg")}, ""},
			{"test two-sample", []string{"test", "two-sample", file, "--by", "group", "--columns", column, "--permutations",
				"99", "--plot", at("w.svg")}, ""},
			{"test two-sample --widths", []string{"test", "two-sample", file, "--by", "group", "--columns", column, "--widths",
				"median", "--permutations", "99"}, "gaussians of numbers"},
			{"test independence", []string{"test", "independence", file, "--x", "object", "--y", "x", "--permutations", "99",
				"--plot", at("i.svg")}, ""},
			{"test independence --method kcc", []string{"test", "independence", file, "--x", "object", "--y", "x", "--method",
				"kcc", "--permutations", "19", "--alpha", "0.1"}, ""},
			{"test independence --method dhsic", []string{"test", "independence", file, "--x", "object,x,z", "--method", "dhsic",
				"--permutations", "99"}, ""},
			{"test independence --given object", []string{"test", "independence", file, "--x", "x", "--y", "z", "--given",
				"object", "--permutations", "99"}, ""},
			{"test independence of objects --given", []string{"test", "independence", file, "--x", "object", "--y", "x",
				"--given", "z", "--permutations", "99"}, ""},
			{"density", []string{"density", file, "--columns", "object"}, "unit of volume"},
			{"fit --task novelty", []string{"fit", file, "--task", "novelty", "--ignore", "group,z", "-o", at("n.mercer"),
				"--holdout", "0"}, ""},
		} {
			_, err := command(t, append(slices.Clone(c.args), options...)...)
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("%s of %s: %v", c.verb, k.name, err)
			case c.refused != "" && object && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("%s of %s: %v; it should say %q", c.verb, k.name, err, c.refused)
			}
		}
	}
}

// A verb of numbers names every column that it does not look at, of whatever kind.
func TestVerbsOfNumbersNameWhatTheyPassOver(t *testing.T) {
	for _, k := range kindsOfData(t) {
		dir := t.TempDir()
		file, options, _ := k.write(t, dir)
		for _, args := range [][]string{{"density", file}, {"smooth", file, "--target", "z"},
			{"data", file, "--plot", filepath.Join(dir, "rows.svg")}} {
			if args[0] == "data" {
				if k.kind == "text" {
					continue // its picture has the words
				}
				options = options[:2] // it takes no --scaling
			}
			var said bytes.Buffer
			a := &App{In: strings.NewReader(""), Out: io.Discard, Err: &said, Args: append(args, options...)}
			cmd := newRoot(a)
			cmd.SetArgs(a.Args)
			if err := cmd.ExecuteContext(context.Background()); err != nil {
				t.Errorf("%s of %s: %v", args[0], k.name, err)
			}
			if n := strings.Count(said.String(), `column "object" is a column of `); n != 1 {
				t.Errorf("%s of %s names the column %d times:\n%s", args[0], k.name, n, said.String())
			}
		}
	}
}

// What --save wrote gives the same coordinates by mercer transform and by mercer serve, and those
// that the verb itself wrote of the rows that it was fitted on.
func TestSavedProjectionsOfEveryKind(t *testing.T) {
	for i, k := range kindsOfData(t) {
		if testing.Short() && i%2 == 0 && k.name != "graphs" {
			continue // trees, rankings, fuzzy sets, graphs and a mixed table are left
		}
		dir := t.TempDir()
		file, options, _ := k.write(t, dir)
		for _, c := range []struct {
			verb string
			args []string
			own  int // columns that the verb writes itself
		}{
			{"pca", []string{"pca", file, "--columns", k.columns(), "--components", "2"}, 2},
			{"features", []string{"features", file, "--columns", k.columns(), "--map", "nystrom", "--dim", "3"}, 3},
			{"cca", []string{"cca", file, "--x", "object", "--y", "x,z", "--permutations", "0"}, 2},
			{"cluster", []string{"cluster", file, "--columns", k.columns(), "-k", "2"}, 0},
		} {
			saved, own, again := filepath.Join(dir, c.verb+".mercer"), filepath.Join(dir, "own.csv"),
				filepath.Join(dir, "again.csv")
			if _, err := command(t, append(append(slices.Clone(c.args), "--save", saved, "-o", own, "-q"),
				options...)...); err != nil {
				t.Errorf("%s of %s: %v", c.verb, k.name, err)
				continue
			}
			if _, err := command(t, "transform", saved, file, "-o", again, "-q", "--type", "object="+k.kind); err != nil {
				t.Errorf("transform, %s of %s: %v", c.verb, k.name, err)
				continue
			}
			got, first := numbersOf(t, again, 1), numbersOf(t, own, 1)
			for i := range got {
				for j := range min(c.own, len(got[i])) { // of rows that depend on each other features are fewer
					if math.Abs(got[i][j]-first[i][j]) > 1e-9 {
						t.Fatalf("%s of %s: row %d, column %d is %g by transform, and %g when it was fitted", c.verb, k.name, i+1, j+1,
							got[i][j], first[i][j])
					}
				}
			}
			if served := servedCSV(t, saved, file); served != readText(t, again) {
				t.Errorf("%s of %s: the server says\n%s\nand transform\n%s", c.verb, k.name, served, readText(t, again))
			}
		}
	}
}

// servedCSV is what a server answers to a table.
func servedCSV(t *testing.T, file, table string) string {
	t.Helper()
	m, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New(serve.Options{})
	if err := s.Add("it", m); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/predict/it", strings.NewReader(readText(t, table)))
	r.Header.Set("Content-Type", "text/csv")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
