package model

import (
	"github.com/mercer-ml/mercer/data"
)

// encoder adds the inputs of the graph and what makes features of them.
func (g *graph) encoder(e *data.Encoder, r record) (x string, notes map[string]string, err error) {
	notes = map[string]string{}
	if e == nil {
		return g.input("features", onnxDouble, r.dim), notes, nil
	}
	if e.SparseIndex != nil {
		return "", nil, unfit(onnxFormat,
			"%d sparse features, nearly all of them never used, are too many for its dense input", e.SparseDim)
	}
	var names []string // of numeric columns
	var center, factor, fill []float64
	var indicator []int64         // numeric columns with an indicator
	place := make([]int64, e.Dim) // feature → column of the pieces
	for j := range e.SparseDim {
		center, factor, fill = append(center, 0), append(factor, e.SparseFactor(j)), append(fill, 0)
		names = append(names, "")
		place[j] = int64(j)
	}
	var categories []*data.ColumnCode
	for i := range e.Columns {
		c := &e.Columns[i]
		switch {
		case c.Kind == data.Numeric:
			place[c.Offset] = int64(len(names))
			names = append(names, c.Name)
			center, factor, fill = append(center, c.Scale[0].Center), append(factor, c.Scale[0].Factor), append(fill, c.Fill[0])
		case named(c):
			categories = append(categories, c)
		default:
			return "", nil, unfit(onnxFormat, "column %q is %s, which its operators do not encode", c.Name, c.Kind)
		}
	}
	n := len(names)
	var pieces []string
	at := int64(n)
	if n > 0 {
		raw := g.input("features", onnxDouble, n)
		notes["mercer.columns"] = join(names)
		scaled := g.op("Mul", g.op("Sub", raw, g.store(center, 1, n)), g.store(factor, 1, n))
		if p := e.Options.Missing; p == "mean" || p == "indicator" {
			gone := g.op("IsNaN", raw)
			scaled = g.op("Where", gone, g.store(fill, 1, n), scaled)
			k := 0
			for i := range e.Columns {
				c := &e.Columns[i]
				if c.Kind != data.Numeric {
					continue
				}
				if c.Indicator {
					indicator = append(indicator, int64(e.SparseDim+k))
					place[c.Offset+c.Width] = at + int64(len(indicator)) - 1
				}
				k++
			}
			pieces = append(pieces, scaled)
			if indicator != nil {
				pieces = append(pieces, g.cast(g.gather(gone, 1, indicator...), onnxDouble))
				at += int64(len(indicator))
			}
		} else {
			pieces = append(pieces, scaled)
		}
	}
	for _, c := range categories {
		piece, width := g.category(e, c)
		for j := range width {
			place[c.Offset+j] = at + int64(j)
		}
		pieces = append(pieces, piece)
		at += int64(width)
	}
	x = pieces[0]
	if len(pieces) > 1 {
		x = g.opWith("Concat", []attribute{{"axis", int64(1)}}, pieces...)
	}
	for j, p := range place {
		if int64(j) != p {
			return g.gather(x, 1, place...), notes, nil
		}
	}
	return x, notes, nil
}

// category is the features of a categorical column, its indicator last. The
// empty string is a missing value: the last column of the one-hot code, before
// it is filled in.
func (g *graph) category(e *data.Encoder, c *data.ColumnCode) (piece string, width int) {
	in := g.input(c.Name, onnxString, 1)
	k := len(c.Levels)
	zeros := int64(0)
	if e.Options.Unseen == "zero" {
		zeros = 1
	}
	hot := g.name("onehot")
	fills := e.Options.Missing == "mean" || e.Options.Missing == "indicator"
	cats := append([]string(nil), c.Levels...)
	if fills {
		cats = append(cats, "")
	}
	g.node("OneHotEncoder", onnxMLDomain, []attribute{{"cats_strings", cats}, {"zeros", zeros}}, []string{in},
		[]string{hot})
	// N×1×levels, in single precision: 0 and 1 are exact there.
	wide := g.cast(g.op("Squeeze", hot, g.indices(1)), onnxDouble)
	width = c.Width
	rows := len(cats)
	to := width
	if c.Indicator {
		to++
	}
	m := make([]float64, rows*to)
	for l := range k {
		if c.Coded {
			m[l*to] = float64(l + 1) // less 1 below, so that none is -1
		} else {
			m[l*to+l] = 1
		}
	}
	if fills {
		if !c.Coded {
			copy(m[k*to:], c.Fill)
		}
		if c.Indicator {
			m[k*to+width] = 1
		}
	}
	piece = g.op("MatMul", wide, g.store(m, rows, to))
	if c.Coded {
		less := make([]float64, to)
		less[0] = 1
		piece = g.op("Sub", piece, g.store(less, 1, to))
	}
	return piece, to
}

// named says that a column becomes features by the names of its values: categories, and truth
// values, which are named false and true.
func named(c *data.ColumnCode) bool { return c.Kind == data.Categorical || c.Kind == data.Boolean }
