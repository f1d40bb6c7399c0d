package graphs

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// ReadEdges reads a graph as a list of edges: a line names two nodes and, where the edges have
// weights, the weight, with blanks, tabs or commas between. A line that names one node alone is a
// node that may have no edge. Empty lines and what follows # or % are skipped. Nodes are numbered
// as they come; names[i] is the name of node i. The file's name is for errors.
func ReadEdges(r io.Reader, file string) (g Graph, names []string, err error) {
	number := map[string]int32{}
	node := func(name string) int32 {
		i, ok := number[name]
		if !ok {
			i = int32(len(names))
			number[name] = i
			names = append(names, name)
		}
		return i
	}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), 1<<24)
	line, weighted := 0, 0 // fields of the first edge: 2 or 3
	for s.Scan() {
		line++
		text := s.Text()
		if at := strings.IndexAny(text, "#%"); at >= 0 {
			text = text[:at]
		}
		f := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' })
		fault := func(reason, remedy string) error {
			return &data.Error{File: file, Line: line, Byte: 1, Kind: data.ErrSyntax, Reason: fmt.Sprintf("%.60q: %s", text, reason), Advice: remedy}
		}
		switch {
		case len(f) == 0:
			continue
		case len(f) == 1:
			node(f[0])
			continue
		case len(f) > 3:
			return Graph{}, nil, fault(fmt.Sprintf("%d fields", len(f)), "write two nodes and, if edges have weights, a weight")
		case weighted != 0 && weighted != len(f):
			return Graph{}, nil, fault("a weight on some edges alone", "give all edges a weight, or none")
		}
		weighted = len(f)
		g.Edges = append(g.Edges, [2]int32{node(f[0]), node(f[1])})
		if len(f) == 3 {
			w, err := strconv.ParseFloat(f[2], 64)
			if err != nil || !(w > 0) || math.IsInf(w, 0) {
				return Graph{}, nil, fault("not a weight > 0", "leave out edges of weight 0")
			}
			g.Weights = append(g.Weights, w)
		}
	}
	if err := s.Err(); err != nil {
		return Graph{}, nil, &data.Error{File: file, Line: line + 1, Err: err}
	}
	g.Nodes = len(names)
	return g, names, nil
}
