package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/internal/format/mtx"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// GraphOptions says how one graph is read.
type GraphOptions struct {
	Options
	From, To string // columns of a table of edges that hold the ends; empty: by their names, else the first two
	Weight   string // column of the weights; empty: by its name, else a third column of numbers where there are three
}

// NodeGraph is one graph whose nodes have names.
type NodeGraph struct {
	Graph  graphs.Graph
	Names  []string
	Built  graphs.Built
	Labels []string // of the nodes, where the file has them; nil: none
	Name   string   // of the file
	Hash   string   // SHA-256 of it; empty: not known
	How    string   // what was read as what, in words
	Notes  []data.Note

	builder *graphs.Builder
}

// Node is the number of the node of a name; one that is not there becomes a node without edges.
func (g *NodeGraph) Node(name string) (node int, isNew bool) {
	before := len(g.builder.Names())
	node = int(g.builder.Node(name))
	g.Names, g.Graph.Nodes = g.builder.Names(), len(g.builder.Names())
	return node, node == before
}

// ReadGraph reads one graph: a table of edges in any format of Read (two columns of names and perhaps
// one of weights), a list of edges with comments, a square matrix (Matrix Market, scipy's NPZ, LIBSVM
// with a row for each node), or a folder of TUDataset's with one graph. Names of nodes are kept as
// they are written; rows of a matrix are the nodes 1, 2, …
func ReadGraph(ctx context.Context, path string, o GraphOptions) (*NodeGraph, error) {
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		return readGraphFolder(path, o)
	}
	src, set, err := openSource(ctx, path, o.Options)
	if err != nil {
		return nil, err
	}
	if set != nil {
		return nil, &data.Error{File: path, Kind: data.ErrFormat, Reason: "a built-in set, which has no edges",
			Advice: "name a file of edges"}
	}
	defer src.close()
	g := &NodeGraph{Name: src.name, builder: &graphs.Builder{}}
	switch {
	case bytes.HasPrefix(src.head, []byte(mtx.Banner)):
		err = g.readMatrixMarket(src)
	case o.Format == "" && (bytes.HasPrefix(src.head, []byte("#")) || bytes.HasPrefix(src.head, []byte("%"))):
		err = g.readList(src)
	default:
		err = g.readOther(ctx, src, path, o)
	}
	if err != nil {
		return nil, orCancelled(ctx, err)
	}
	if g.Hash == "" {
		if g.Hash, err = src.hash(); err != nil {
			return nil, err
		}
	}
	return g.finish(), nil
}

func (g *NodeGraph) finish() *NodeGraph {
	g.Graph, g.Built = g.builder.Graph()
	g.Names = g.builder.Names()
	return g
}

// readGraphFolder reads a folder of TUDataset's files with one graph.
func readGraphFolder(path string, o GraphOptions) (*NodeGraph, error) {
	set, err := tudataset.ReadWithin(os.DirFS(path), ".", o.Bytes)
	if err != nil {
		if _, folder := readFolder(path, o.Options); folder != nil { // which words it
			return nil, folder
		}
		return nil, err
	}
	if n := len(set.Graphs); n != 1 {
		return nil, &data.Error{File: path, Kind: data.ErrFormat,
			Reason: fmt.Sprintf("%d graphs, and nodes of one are to be learnt", n),
			Advice: "graphs as a whole are learnt by mercer fit"}
	}
	from := set.Graphs[0]
	g := &NodeGraph{Name: filepath.Clean(path), How: "a graph of TUDataset's files, nodes by number from 1",
		builder: &graphs.Builder{}}
	g.builder.Numbered(from.Nodes)
	for _, e := range from.Edges {
		g.builder.Add(e[0], e[1])
	}
	for _, l := range from.NodeLabels {
		g.Labels = append(g.Labels, strconv.Itoa(l))
	}
	return g.finish(), nil
}

func (g *NodeGraph) readMatrixMarket(src *source) error {
	r, err := src.open()
	if err != nil {
		return err
	}
	defer r.Close()
	m, err := mtx.Read(r, src.name, src.room.Left())
	if err != nil {
		return err
	}
	if m.Rows != m.Cols {
		return notSquare(src.name, m.Rows, m.Cols)
	}
	if err := g.square(src.room, m.Rows); err != nil {
		return err
	}
	for k, i := range m.Row {
		w := 1.0
		if m.Value == nil {
			g.builder.Add(i, m.Col[k])
			continue
		}
		w = m.Value[k]
		if err := g.builder.AddWeighted(i, m.Col[k], w); err != nil {
			return &data.Error{File: src.name, Row: int(i) + 1, Kind: data.ErrValue,
				Reason: fmt.Sprintf("entry (%d, %d): %v", i+1, m.Col[k]+1, err),
				Advice: "leave the edge out, or take another weight"}
		}
	}
	return nil
}

// nodeBytes is what a node costs beside its edges: its name, its row of the Laplacian, and what is
// told of it.
const nodeBytes = 128

// square is the nodes of a matrix of so many rows, of which a file may speak in one line.
func (g *NodeGraph) square(left *room.Room, nodes int) error {
	if err := left.Fits(int64(nodes), nodeBytes); err != nil {
		return err
	}
	g.How = "a square matrix, nodes by row from 1"
	g.builder.Numbered(nodes)
	return nil
}

func notSquare(name string, rows, cols int) error {
	return &data.Error{File: name, Kind: data.ErrFormat, Reason: fmt.Sprintf("a matrix of %d rows and %d columns", rows,
		cols), Advice: "the matrix of a graph is square: a row and a column for each node"}
}

// readSparse takes the rows of a square sparse matrix.
func (g *NodeGraph) readSparse(src *source, m *data.CSR) error {
	name := src.name
	if m.Rows != m.Cols {
		return notSquare(name, m.Rows, m.Cols)
	}
	if err := g.square(src.room, m.Rows); err != nil {
		return err
	}
	for i := range m.Rows {
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			if err := g.builder.AddWeighted(int32(i), m.Index[k], m.Value[k]); err != nil {
				return &data.Error{File: name, Row: i + 1, Kind: data.ErrValue,
					Reason: fmt.Sprintf("entry (%d, %d): %v", i+1, m.Index[k]+1, err),
					Advice: "leave the edge out, or take another weight"}
			}
		}
	}
	return nil
}

// readList reads lines of two names and perhaps a weight, between comments.
func (g *NodeGraph) readList(src *source) error {
	r, err := src.open()
	if err != nil {
		return err
	}
	defer r.Close()
	g.How = "a list of edges"
	return graphs.ReadList(r, src.name, g.builder)
}

// readOther reads a matrix of another format, or a table.
func (g *NodeGraph) readOther(ctx context.Context, src *source, path string, o GraphOptions) error {
	format, err := src.format(o.Format)
	if err != nil {
		return err
	}
	if format == formatNPZ {
		f, err := src.seekable()
		if err != nil {
			return err
		}
		m, ok, err := npy.ReadSparse(f.src, f.size, src.name, src.room.Left())
		if err != nil {
			return err
		}
		if ok {
			return g.readSparse(src, m)
		}
	}
	if src.path == "" { // read once, and wanted twice
		o.Stdin, o.StdinName, path = bytes.NewReader(src.whole), src.name, "-"
	}
	own := o.Options
	own.NoTarget = true
	if format == formatLIBSVM {
		d, err := Read(ctx, path, own)
		if err != nil {
			return err
		}
		m := *d.Sparse.CSR()
		m.Cols = max(m.Cols, m.Rows) // the last node may have no edge to it
		g.Hash = d.Hash
		return g.readSparse(src, &m)
	}
	first, err := firstChunk(ctx, path, own)
	if err != nil {
		return err
	}
	from, to, weight, err := edgeColumns(first, o)
	if err != nil {
		return err
	}
	own.Told = maps.Clone(own.Told)
	if own.Told == nil {
		own.Told = map[string]data.Notation{}
	}
	for _, name := range []string{from, to} {
		own.Told[name] = data.Notation{Kind: data.Categorical, Literal: true} // names, NA among them
	}
	if src.path == "" {
		own.Stdin = bytes.NewReader(src.whole)
	}
	d, err := Read(ctx, path, own)
	if err != nil {
		return err
	}
	g.Hash, g.Notes = d.Hash, d.Notes
	return g.readTable(d, from, to, weight)
}

// firstChunk is the first rows of a table.
func firstChunk(ctx context.Context, path string, o Options) (*data.Dataset, error) {
	s, err := Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	d, err := s.Next()
	if errors.Is(err, io.EOF) {
		return nil, &data.Error{File: path, Kind: data.ErrNoRows, Reason: "no edges", Advice: "give a row for each edge"}
	}
	return d, err
}

// endNames are what the ends of edges are called where they are called so.
var endNames = [][2]string{{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"head", "tail"}, {"node1", "node2"},
	{"u", "v"}}

// edgeColumns finds the columns of the ends and of the weight; that is empty where there is none.
func edgeColumns(d *data.Dataset, o GraphOptions) (from, to, weight string, err error) {
	names := d.Names()
	for _, asked := range []string{o.From, o.To, o.Weight} {
		if asked == "" {
			continue
		}
		if _, err := d.Column(asked); err != nil {
			return "", "", "", err
		}
	}
	if len(names) < 2 {
		return "", "", "", &data.Error{File: d.Name, Kind: data.ErrNoColumn, Reason: fmt.Sprintf("%d columns", len(names)),
			Advice: "a table of edges has two columns of names, one for each end, and perhaps one of weights"}
	}
	named := func(want string) string {
		at := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, want) })
		if at < 0 {
			return ""
		}
		return names[at]
	}
	from, to = o.From, o.To
	for _, pair := range endNames {
		if a, b := named(pair[0]), named(pair[1]); from == "" && to == "" && a != "" && b != "" {
			from, to = a, b
		}
	}
	spare := func() string {
		for _, n := range names {
			if n != from && n != to && n != o.Weight {
				return n
			}
		}
		return ""
	}
	if from == "" {
		from = spare()
	}
	if to == "" {
		to = spare()
	}
	if from == "" || to == "" || from == to {
		return "", "", "", &data.Error{File: d.Name, Kind: data.ErrNoColumn,
			Reason: fmt.Sprintf("the ends of edges are to be columns %q and %q", from, to), Advice: "name two columns"}
	}
	if weight = o.Weight; weight != "" {
		return from, to, weight, nil
	}
	for _, n := range []string{"weight", "weights", "w", "similarity"} {
		if c := named(n); c != "" && c != from && c != to {
			return from, to, c, nil
		}
	}
	if c := spare(); len(names) == 3 && c != "" {
		if column, err := d.Column(c); err == nil && column.Kind == data.Numeric {
			return from, to, c, nil
		}
	}
	return from, to, "", nil
}

// readTable takes the rows of a table as edges. A row with one end alone is a node that may have no
// edge.
func (g *NodeGraph) readTable(d *data.Dataset, from, to, weight string) error {
	a, err := d.Column(from)
	if err != nil {
		return err
	}
	b, err := d.Column(to)
	if err != nil {
		return err
	}
	g.How = fmt.Sprintf("edges from column %q to column %q", from, to)
	var w *data.Column
	if weight != "" {
		if w, err = d.Column(weight); err != nil {
			return err
		}
		if w.Kind != data.Numeric {
			return &data.Error{File: d.Name, Column: weight, Kind: data.ErrValue,
				Reason: fmt.Sprintf("column %q is %s, and weights are numbers", weight, w.Kind),
				Advice: "name another column of weights, or give every edge a number"}
		}
		g.How += fmt.Sprintf(", weights %q", weight)
	}
	place := [2][]int32{g.places(a), g.places(b)}
	for i := range d.Len() {
		if a.IsMissing(i) || b.IsMissing(i) {
			if a.IsMissing(i) && b.IsMissing(i) {
				return &data.Error{File: d.Name, Row: i + 1, Column: from, Kind: data.ErrMissing,
					Reason: fmt.Sprintf("no node in columns %q and %q", from, to), Advice: "leave the row out"}
			}
			if !a.IsMissing(i) {
				g.nodeOf(place[0], a, i)
			} else {
				g.nodeOf(place[1], b, i)
			}
			continue
		}
		x, y := g.nodeOf(place[0], a, i), g.nodeOf(place[1], b, i)
		if w == nil {
			g.builder.Add(x, y)
			continue
		}
		if w.IsMissing(i) {
			return &data.Error{File: d.Name, Row: i + 1, Column: weight, Kind: data.ErrMissing,
				Reason: fmt.Sprintf("column %q is missing", weight), Advice: "give every edge a weight, or none"}
		}
		if err := g.builder.AddWeighted(x, y, w.Numbers[i]); err != nil {
			return &data.Error{File: d.Name, Row: i + 1, Column: weight, Value: w.String(i), Kind: data.ErrValue,
				Reason: err.Error(), Advice: "leave the edge out, or take another weight"}
		}
	}
	return nil
}

// places has room for the number of each level's node.
func (g *NodeGraph) places(c *data.Column) []int32 {
	out := make([]int32, len(c.Levels))
	for i := range out {
		out[i] = -1
	}
	return out
}

// nodeOf is the node that row i names, looked up once for each name.
func (g *NodeGraph) nodeOf(place []int32, c *data.Column, i int) int32 {
	k := c.Codes[i]
	if place[k] < 0 {
		place[k] = g.builder.Node(c.Levels[k])
	}
	return place[k]
}

// ReadAnswers reads a table of nodes with what is known of them: a column of their names, which are
// kept as they are written, and the target, empty where nothing is known. The columns are those
// named, else one that is called id, node or name (or the first), and the usual target.
func ReadAnswers(ctx context.Context, path string, o Options, id string) (d *data.Dataset, names string, err error) {
	if path == "-" {
		src, _, err := openSource(ctx, path, o)
		if err != nil {
			return nil, "", err
		}
		o.StdinName = src.name
		whole := src.whole
		src.close()
		o.Stdin = bytes.NewReader(whole)
		defer func() { o.Stdin = nil }()
		return readAnswers(ctx, path, o, id, func() io.Reader { return bytes.NewReader(whole) })
	}
	return readAnswers(ctx, path, o, id, func() io.Reader { return nil })
}

func readAnswers(
	ctx context.Context, path string, o Options, id string, again func() io.Reader,
) (d *data.Dataset, names string, err error) {
	look := o
	look.NoTarget, look.Target, look.Stdin = true, "", again()
	first, err := firstChunk(ctx, path, look)
	if err != nil {
		return nil, "", err
	}
	if id != "" {
		if _, err := first.Column(id); err != nil {
			return nil, "", err
		}
	}
	all := first.Names()
	for _, usual := range []string{"id", "node", "name"} {
		for _, n := range all {
			if id == "" && strings.EqualFold(n, usual) && n != o.Target {
				id = n
			}
		}
	}
	for _, n := range all {
		if id == "" && n != o.Target {
			id = n
		}
	}
	if len(all) < 2 || id == o.Target {
		return nil, "", &data.Error{File: first.Name, Kind: data.ErrNoColumn,
			Reason: fmt.Sprintf("columns %s", strings.Join(all, ", ")),
			Advice: "a table of answers has a column of the nodes' names and one of what is known of them"}
	}
	o.Told = maps.Clone(o.Told)
	if o.Told == nil {
		o.Told = map[string]data.Notation{}
	}
	o.Told[id] = data.Notation{Kind: data.Categorical, Literal: true}
	o.Order, o.Stdin = id, again() // names are no answer
	d, err = Read(ctx, path, o)
	if err != nil {
		return nil, "", err
	}
	d.Order = ""
	return d, id, nil
}
