package tudataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mercer-ml/mercer/data"
)

func folder(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for kind, text := range files {
		fs["T/T_"+kind+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func small() map[string]string {
	return map[string]string{
		"graph_indicator": "1\n1\n2\n2\n2\n",
		"A":               "1, 2\n2, 1\n3, 4\n4, 5\n",
		"graph_labels":    "1\n-1\n",
		"node_labels":     "7\n8\n9\n9\n7\n",
		"edge_labels":     "0\n0\n1\n2\n",
		"node_attributes": "1.5, 2\n0, 0\n3, 4\n5, 6\n7, 8\n",
	}
}

func ExampleRead() {
	set, err := Read(folder(small()), "T")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Name, len(set.Graphs), set.Labels)
	fmt.Println(set.Graphs[1].Nodes, set.Graphs[1].Edges, set.Graphs[1].NodeLabels)
	// Output:
	// T 2 [1 -1]
	// 3 [[0 1] [1 2]] [9 9 7]
}

func TestParts(t *testing.T) {
	s, err := Read(folder(small()), "T")
	if err != nil {
		t.Fatal(err)
	}
	g := s.Points().At(1)
	if !reflect.DeepEqual(g.EdgeLabels, []int{1, 2}) || !reflect.DeepEqual(g.NodeAttrs[0], []float64{3, 4}) {
		t.Errorf("%+v", g)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"graph_indicator", "1\nx\n", "T/T_graph_indicator.txt:2:1: \"x\": not numbers"},
		{"graph_indicator", "2\n", "graph 2 after graph 0"},
		{"graph_indicator", "", "no nodes"},
		{"A", "1, 9\n", "an edge between nodes 1 and 9"},
		{"A", "1, 3\n", "from graph 1 to graph 2"},
		{"A", "1\n", "not an edge"},
		{"node_labels", "1\n", "1 lines where 5 are needed"},
		{"node_labels", "1\n1\n1\n1\n1\n1\n", "more than the 5 lines"},
		{"node_labels", "1.5\n", "not a whole number"},
		{"graph_labels", "1, 2\n", "not one number"},
		{"node_attributes", "1, 2\n3\n", "1 attributes where lines before have 2"},
	} {
		files := small()
		files[c.kind] = c.text
		if _, err := Read(folder(files), "T"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v, want %q", c.kind, c.text, err, c.want)
		}
	}
	if _, err := Read(fstest.MapFS{"T/x.txt": &fstest.MapFile{}}, "T"); err == nil {
		t.Error("an unrelated folder: no error")
	}
}

// Two sets in one folder are not one of them; one that is there compressed, too, is one.
func TestTwoSetsInOneFolder(t *testing.T) {
	two := folder(small())
	two["T/U_graph_indicator.txt"] = &fstest.MapFile{Data: []byte("1\n")}
	two["T/U_A.txt"] = &fstest.MapFile{}
	if _, err := Read(two, "T"); err == nil || !strings.Contains(err.Error(), `"T" and "U"`) {
		t.Errorf("two sets: %v", err)
	}
	both := folder(small())
	both["T/T_graph_indicator.txt.gz"] = &fstest.MapFile{Data: []byte("no gzip, and not read")}
	if s, err := Read(both, "T"); err != nil || len(s.Graphs) != 2 {
		t.Errorf("a set that is there twice: %v", err)
	}
}

// A few kilobytes may be very many nodes, edges, labels or attributes: what they take is counted,
// and refused before it is taken.
func TestMemory(t *testing.T) {
	lines := func(line string, n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for range n {
			io.WriteString(z, line)
		}
		z.Close()
		return b.Bytes()
	}
	const many, allowed = 1_000_000, 4 << 20
	for name, files := range map[string]map[string][]byte{
		"nodes": {"graph_indicator": lines("1\n", many), "A": lines("", 0)},
		"edges": {"graph_indicator": lines("1\n", 10), "A": lines("1, 2\n", many)},
		"attributes": {"graph_indicator": lines("1\n", 100), "A": lines("1, 2\n", 1),
			"node_attributes": lines(strings.Repeat("1,", 9999)+"1\n", 100)},
	} {
		set := fstest.MapFS{}
		for kind, text := range files {
			set["T/T_"+kind+".txt.gz"] = &fstest.MapFile{Data: text}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadWithin(set, "T", allowed)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, data.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > 24*allowed { // garbage of lines among it
			t.Errorf("%s: %d bytes were made where %d are allowed", name, made, allowed)
		}
	}
	if _, err := ReadWithin(folder(small()), "T", 1<<20); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("1\n1\n2\n", "1, 2\n2, 1\n", "1\n-1\n", "0\n1\n2\n")
	f.Fuzz(func(t *testing.T, indicator, edges, labels, nodes string) {
		s, err := Read(folder(map[string]string{"graph_indicator": indicator, "A": edges, "graph_labels": labels,
			"node_labels": nodes}), "T")
		if err != nil {
			return
		}
		for _, g := range s.Graphs {
			for _, e := range g.Edges {
				if int(e[0]) >= g.Nodes || int(e[1]) >= g.Nodes {
					t.Fatal("an edge leaves its graph")
				}
			}
		}
	})
}
