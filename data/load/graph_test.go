package load

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/format/npy"
)

func TestReadGraph(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		text  string
		o     GraphOptions
		names []string
		edges [][2]int32
		w     []float64
	}{
		"a.csv": {"source,target\n007,NA\nNA,9007199254740993\n007,9007199254740993\nalone,\n", GraphOptions{},
			[]string{"007", "NA", "9007199254740993", "alone"}, [][2]int32{{0, 1}, {0, 2}, {1, 2}}, nil},
		"b.csv": {"who,whom,much\nx,y,2\ny,z,0.5\n", GraphOptions{}, []string{"x", "y", "z"}, [][2]int32{{0, 1}, {1, 2}},
			[]float64{2, 0.5}},
		"c.csv": {"n,b,a\n1,x,y\n1,y,z\n", GraphOptions{From: "b", To: "a"}, []string{"x", "y", "z"},
			[][2]int32{{0, 1}, {1, 2}}, []float64{1, 1}},
		"d.txt": {"# comment\nx y 2\n", GraphOptions{}, []string{"x", "y"}, [][2]int32{{0, 1}}, []float64{2}},
		"e.mtx": {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n", GraphOptions{},
			[]string{"1", "2"}, [][2]int32{{0, 1}}, []float64{4}},
		"f.libsvm": {"0 2:1 3:2\n0 1:1\n0 1:2\n", GraphOptions{}, []string{"1", "2", "3"}, [][2]int32{{0, 1}, {0, 2}},
			[]float64{1, 2}},
	} {
		g, err := ReadGraph(t.Context(), file(name, c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(g.Names, c.names) || !reflect.DeepEqual(g.Graph.Edges, c.edges) ||
			!reflect.DeepEqual(g.Graph.Weights, c.w) || g.Graph.Validate() != nil || len(g.Hash) != 64 {
			t.Errorf("%s: %q %v %v, hash %q", name, g.Names, g.Graph.Edges, g.Graph.Weights, g.Hash)
		}
		if v, isNew := g.Node("a new one"); !isNew || v != len(c.names) || g.Graph.Nodes != v+1 {
			t.Errorf("%s: a new node is %d of %d", name, v, g.Graph.Nodes)
		}
	}
	for text, want := range map[string]string{
		"a,b\n,\n":             "no node in columns",
		"a,b,w\nx,y,-2\n":      "an edge of weight -2",
		"a\nx\n":               "1 columns",
		"a,b,w\nx,y,\nu,v,1\n": `column "w" is missing`,
	} {
		if _, err := ReadGraph(t.Context(), file("bad.csv", text), GraphOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	g, err := ReadGraph(t.Context(), "-", GraphOptions{Options: Options{Stdin: strings.NewReader("from,to\nx,y\n")}})
	if err != nil || len(g.Names) != 2 {
		t.Errorf("standard input: %+v %v", g, err)
	}
}

// A matrix as scipy.sparse.save_npz writes it.
// A line of a file may speak of a billion nodes: they are counted before any is made.
func TestNodesKeepToTheMemory(t *testing.T) {
	for text, format := range map[string]Format{"%%MatrixMarket matrix coordinate real general\n1000000000 " +
		"1000000000 1\n1 2 1\n": "", "1 60000000:1\n": formatLIBSVM} {
		o := GraphOptions{Options: Options{Stdin: strings.NewReader(text), Bytes: 1 << 20, Format: format}}
		if g, err := ReadGraph(t.Context(), "-", o); err == nil || !strings.Contains(err.Error(), "memory") &&
			!strings.Contains(err.Error(), "matrix of") {
			t.Errorf("%.40q: %v, %v", text, g, err)
		}
	}
}

func TestReadGraphOfScipy(t *testing.T) {
	write := func(arrays map[string][]float64) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, v := range arrays {
			w, err := z.Create(name + ".npy")
			if err == nil {
				err = npy.Write(w, &npy.Array{Shape: []int{len(v)}, Values: v})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		p := filepath.Join(t.TempDir(), "m.npz")
		if err := os.WriteFile(p, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	good := map[string][]float64{"indptr": {0, 1, 3, 4}, "indices": {1, 0, 2, 1}, "data": {2, 2, 3, 3}, "shape": {3, 3}}
	g, err := ReadGraph(t.Context(), write(good), GraphOptions{})
	if err != nil || !reflect.DeepEqual(g.Graph.Edges, [][2]int32{{0, 1}, {1, 2}}) ||
		!reflect.DeepEqual(g.Graph.Weights, []float64{2, 3}) {
		t.Fatalf("%+v %v", g, err)
	}
	for what, v := range map[string][]float64{"indptr": {0, 3, 1, 4}, "indices": {1, 0, 7, 1}, "shape": {3, 4},
		"data": {1}} {
		bad := map[string][]float64{}
		for k, old := range good {
			bad[k] = old
		}
		bad[what] = v
		if _, err := ReadGraph(t.Context(), write(bad), GraphOptions{}); err == nil {
			t.Errorf("a bad %s: no error", what)
		}
	}
}

func TestReadAnswers(t *testing.T) {
	p := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(p, []byte("label,node\na,9007199254740993\n,NA\nb,9007199254740992\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, id, err := ReadAnswers(t.Context(), p, Options{}, "")
	if err != nil || id != "node" || d.Target != "label" {
		t.Fatal(id, err)
	}
	c, err := d.Column("node")
	if err != nil || c.String(0) != "9007199254740993" || c.String(1) != "NA" || c.String(2) != "9007199254740992" {
		t.Errorf("%v %v", c, err)
	}
	if _, _, err := ReadAnswers(t.Context(), p, Options{}, "nosuch"); err == nil {
		t.Error("a column that is not there: no error")
	}
}
