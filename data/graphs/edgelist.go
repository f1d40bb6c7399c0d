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
	weighted := 0 // fields of the first edge: 2 or 3
	err = eachLine(r, file, func(f []string, fault func(reason, remedy string) error) error {
		if len(f) == 1 {
			node(f[0])
			return nil
		}
		if weighted != 0 && weighted != len(f) {
			return fault("a weight on some edges alone", "give all edges a weight, or none")
		}
		weighted = len(f)
		g.Edges = append(g.Edges, [2]int32{node(f[0]), node(f[1])})
		if len(f) == 3 {
			w, err := strconv.ParseFloat(f[2], 64)
			if err != nil || !(w > 0) || math.IsInf(w, 0) {
				return fault("not a weight > 0", "leave out edges of weight 0")
			}
			g.Weights = append(g.Weights, w)
		}
		return nil
	})
	if err != nil {
		return Graph{}, nil, err
	}
	g.Nodes = len(names)
	return g, names, nil
}

// ReadList is ReadEdges for lists as people write them: edges go to a Builder, which takes both
// directions, repetitions, edges from a node to itself and weights of 0.
func ReadList(r io.Reader, file string, b *Builder) error {
	weighted := 0
	return eachLine(r, file, func(f []string, fault func(reason, remedy string) error) error {
		if len(f) == 1 {
			b.Node(f[0])
			return nil
		}
		if weighted != 0 && weighted != len(f) {
			return fault("a weight on some edges alone", "give all edges a weight, or none")
		}
		weighted = len(f)
		from, to := b.Node(f[0]), b.Node(f[1])
		if len(f) == 2 {
			b.Add(from, to)
			return nil
		}
		w, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return fault("not a weight", "write a number, or leave weights out of all lines")
		}
		if err := b.AddWeighted(from, to, w); err != nil {
			return fault(err.Error(), "leave the edge out, or take another weight")
		}
		return nil
	})
}

// eachLine calls f with the one to three fields of each line that has some.
func eachLine(r io.Reader, file string, each func(f []string, fault func(reason, remedy string) error) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), 1<<24)
	line := 0
	for s.Scan() {
		line++
		text := s.Text()
		if at := strings.IndexAny(text, "#%"); at >= 0 {
			text = text[:at]
		}
		f := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' })
		fault := func(reason, remedy string) error {
			return &data.Error{File: file, Line: line, Byte: 1, Kind: data.ErrSyntax,
				Reason: fmt.Sprintf("%.60q: %s", text, reason), Advice: remedy}
		}
		switch {
		case len(f) == 0:
			continue
		case len(f) > 3:
			return fault(fmt.Sprintf("%d fields", len(f)), "write two nodes and, if edges have weights, a weight")
		}
		if err := each(f, fault); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return &data.Error{File: file, Line: line + 1, Err: err}
	}
	return nil
}
