// Package tudataset reads folders of graphs in the text format of the
// TUDataset collection (C. Morris et al., TUDataset: a collection of benchmark
// datasets for learning with graphs, 2020): NAME_A.txt (edges as "i, j", nodes
// numbered from 1 through all graphs), NAME_graph_indicator.txt (each node's
// graph), and where they exist graph labels, node labels, edge labels, and
// node, edge and graph attributes. Each file may be gzipped.
package tudataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Graph is a graph as the files give it: undirected edges stand there in both directions.
type Graph = graphs.Graph

// Set is a folder of graphs.
type Set struct {
	Name   string
	Graphs []Graph
	Labels []float64   // class or value of each graph; nil: none
	Attrs  [][]float64 // attributes (regression targets) of each graph; nil: none

	room *room.Room // while it is read
}

// maxNodes bounds the nodes of all graphs together.
const maxNodes = 1 << 28

// Read reads the folder dir of fsys; os.DirFS gives one.
func Read(fsys fs.FS, dir string) (*Set, error) { return ReadWithin(fsys, dir, 0) }

// What things take while they are read, their share of lists that grow among it.
const (
	graphBytes = 384
	nodeBytes  = 24
	edgeBytes  = 40
	labelBytes = 24
	listBytes  = 48 // a list of attributes, beside its numbers
)

// ReadWithin is Read in so many bytes of memory for the graphs, 0 meaning half of the machine's:
// files of a few bytes may be very many nodes when they are decompressed.
func ReadWithin(fsys fs.FS, dir string, bytes int64) (*Set, error) {
	name, err := findName(fsys, dir)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name, room: room.New(name, bytes)}
	defer func() { s.room = nil }()
	file := func(kind string) string { return path.Join(dir, name+"_"+kind+".txt") }
	owner, local, err := s.readNodes(fsys, file("graph_indicator"))
	if err != nil {
		return nil, err
	}
	edgeOwner, err := s.readEdges(fsys, file("A"), owner, local)
	if err != nil {
		return nil, err
	}
	eachInt := func(kind string, want int, put func(i, v int)) error {
		return eachLine(fsys, file(kind), true, want, func(i int, f []float64, fault func(string, string) error) error {
			if len(f) != 1 || f[0] != math.Trunc(f[0]) || math.Abs(f[0]) > 1<<31 {
				return fault("not a whole number", "write one label per line")
			}
			put(i, int(f[0]))
			return s.room.Take(labelBytes)
		})
	}
	if err := eachInt("node_labels", len(owner), func(i, v int) {
		g := &s.Graphs[owner[i]]
		g.NodeLabels = append(g.NodeLabels, v)
	}); err != nil {
		return nil, err
	}
	if err := eachInt("edge_labels", len(edgeOwner), func(i, v int) {
		g := &s.Graphs[edgeOwner[i]]
		g.EdgeLabels = append(g.EdgeLabels, v)
	}); err != nil {
		return nil, err
	}
	attributes := func(kind string, want int, put func(i int, f []float64)) error {
		width := -1
		return eachLine(fsys, file(kind), true, want, func(i int, f []float64, fault func(string, string) error) error {
			if width >= 0 && len(f) != width {
				return fault(fmt.Sprintf("%d attributes where lines before have %d", len(f), width), "give every line as many")
			}
			width = len(f)
			put(i, f)
			return s.room.Take(listBytes + 8*int64(len(f)))
		})
	}
	if err := attributes("node_attributes", len(owner), func(i int, f []float64) {
		g := &s.Graphs[owner[i]]
		g.NodeAttrs = append(g.NodeAttrs, f)
	}); err != nil {
		return nil, err
	}
	if err := attributes("edge_attributes", len(edgeOwner), func(i int, f []float64) {
		g := &s.Graphs[edgeOwner[i]]
		g.EdgeAttrs = append(g.EdgeAttrs, f)
	}); err != nil {
		return nil, err
	}
	if err := attributes("graph_attributes", len(s.Graphs),
		func(_ int, f []float64) { s.Attrs = append(s.Attrs, f) }); err != nil {
		return nil, err
	}
	err = eachLine(fsys, file("graph_labels"), true, len(s.Graphs),
		func(_ int, f []float64, fault func(string, string) error) error {
			if len(f) != 1 {
				return fault("not one number", "write one label per line")
			}
			s.Labels = append(s.Labels, f[0])
			return s.room.Take(labelBytes)
		})
	return s, err
}

// Points returns the graphs as points.
func (s *Set) Points() data.Slice[Graph] { return s.Graphs }

func findName(fsys fs.FS, dir string) (string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return "", err
	}
	found := ""
	for _, e := range entries {
		n, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), "_graph_indicator.txt")
		switch {
		case !ok || n == found && found != "":
		case found != "":
			return "", &data.Error{File: dir, Kind: data.ErrFormat,
				Reason: fmt.Sprintf("two sets of graphs in this folder, %q and %q", found, n),
				Advice: "give each a folder of its own"}
		default:
			found = n
		}
	}
	if found != "" {
		return found, nil
	}
	return "", &data.Error{File: dir, Kind: fs.ErrNotExist, Reason: "no NAME_graph_indicator.txt in this folder",
		Advice: "give a folder in TUDataset format"}
}

// readNodes makes the graphs, and returns each node's graph and its number there.
func (s *Set) readNodes(fsys fs.FS, file string) (owner, local []int32, err error) {
	err = eachLine(fsys, file, false, -1, func(i int, f []float64, fault func(string, string) error) error {
		if len(f) != 1 || f[0] != math.Trunc(f[0]) || f[0] < 1 || f[0] > maxNodes {
			return fault("not the number of a graph", "graphs are numbered from 1")
		}
		g := int(f[0]) - 1
		if g > len(s.Graphs) || g < len(s.Graphs)-1 {
			return fault(fmt.Sprintf("graph %d after graph %d", g+1, len(s.Graphs)),
				"list the nodes of graph 1 first, then those of graph 2, and so on")
		}
		if g == len(s.Graphs) {
			if err := s.room.Take(graphBytes); err != nil {
				return err
			}
			s.Graphs = append(s.Graphs, Graph{})
		}
		owner = append(owner, int32(g))
		local = append(local, int32(s.Graphs[g].Nodes))
		s.Graphs[g].Nodes++
		return s.room.Take(nodeBytes)
	})
	if err == nil && len(s.Graphs) == 0 {
		err = &data.Error{File: file, Kind: data.ErrNoRows, Reason: "no nodes",
			Advice: "give the graph of each node, one per line"}
	}
	return owner, local, err
}

func (s *Set) readEdges(fsys fs.FS, file string, owner, local []int32) (edgeOwner []int32, err error) {
	n := float64(len(owner))
	err = eachLine(fsys, file, false, -1, func(_ int, f []float64, fault func(string, string) error) error {
		if len(f) != 2 || f[0] != math.Trunc(f[0]) || f[1] != math.Trunc(f[1]) {
			return fault("not an edge", "write two node numbers: i, j")
		}
		if f[0] < 1 || f[1] < 1 || f[0] > n || f[1] > n {
			return fault(fmt.Sprintf("an edge between nodes %g and %g where there are nodes 1 to %g", f[0], f[1], n),
				"nodes are numbered from 1 through all graphs")
		}
		i, j := int(f[0])-1, int(f[1])-1
		if owner[i] != owner[j] {
			return fault(fmt.Sprintf("an edge from graph %d to graph %d", owner[i]+1, owner[j]+1),
				"an edge joins nodes of one graph")
		}
		g := &s.Graphs[owner[i]]
		g.Edges = append(g.Edges, [2]int32{local[i], local[j]})
		edgeOwner = append(edgeOwner, owner[i])
		return s.room.Take(edgeBytes)
	})
	return edgeOwner, err
}

// eachLine gives the numbers of each line of a file (or file.gz). A file that
// need not be there may be absent; want, if not negative, is its number of
// lines.
func eachLine(
	fsys fs.FS, file string, optional bool, want int,
	f func(i int, numbers []float64, fault func(reason, remedy string) error) error,
) error {
	src, err := fsys.Open(file)
	zipped := false
	if errors.Is(err, fs.ErrNotExist) {
		src, err = fsys.Open(file + ".gz")
		zipped = true
	}
	if errors.Is(err, fs.ErrNotExist) {
		if optional {
			return nil
		}
		return &data.Error{File: file, Kind: fs.ErrNotExist, Reason: "no such file", Advice: "a TUDataset folder needs it"}
	}
	if err != nil {
		return err
	}
	defer src.Close()
	var r io.Reader = src
	if zipped {
		if r, err = gzip.NewReader(src); err != nil {
			return &data.Error{File: file + ".gz", Err: err}
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), 1<<24)
	line, i := 0, 0
	for s.Scan() {
		line++
		text := strings.TrimSpace(s.Text())
		if text == "" {
			continue
		}
		fault := func(reason, advice string) error {
			return &data.Error{File: file, Line: line, Byte: 1, Reason: fmt.Sprintf("%.60q: %s", text, reason), Advice: advice,
				Kind: data.ErrSyntax}
		}
		parts := strings.Split(text, ",")
		numbers := make([]float64, len(parts))
		for k, p := range parts {
			x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return fault("not numbers", "write numbers with commas between")
			}
			numbers[k] = x
		}
		if want >= 0 && i >= want {
			return fault(fmt.Sprintf("more than the %d lines there should be", want),
				"give as many lines as there are nodes, edges or graphs")
		}
		if err := f(i, numbers, fault); err != nil {
			return err
		}
		i++
	}
	if err := s.Err(); err != nil {
		return &data.Error{File: file, Line: line + 1, Err: err}
	}
	if want >= 0 && i < want {
		return &data.Error{File: file, Line: line, Kind: data.ErrSyntax,
			Reason: fmt.Sprintf("%d lines where %d are needed", i, want),
			Advice: "give as many lines as there are nodes, edges or graphs"}
	}
	return nil
}
