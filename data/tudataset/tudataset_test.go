package tudataset

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
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

func FuzzRead(f *testing.F) {
	f.Add("1\n1\n2\n", "1, 2\n2, 1\n", "1\n-1\n", "0\n1\n2\n")
	f.Fuzz(func(t *testing.T, indicator, edges, labels, nodes string) {
		s, err := Read(folder(map[string]string{"graph_indicator": indicator, "A": edges, "graph_labels": labels, "node_labels": nodes}), "T")
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
