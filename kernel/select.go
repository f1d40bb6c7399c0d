package kernel

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// Selector is an optional interface of Tiles that can cut rows and columns out
// of what they prepared, for the price of copying those points alone.
type Selector interface {
	Tiles
	// Select is the tiles of x[rows[0]], x[rows[1]], … against y[cols[0]],
	// y[cols[1]], …; a nil list means all, in order.
	Select(rows, cols []int) Tiles
	// KeepColumns makes tiles of a few rows and all columns, in single precision, cheaper, for
	// memory as large as the points. Called before anything else.
	KeepColumns()
}

// KeepColumns has the columns of every metric packed once, on first use.
func (p *plan) KeepColumns() {
	for _, s := range p.sources {
		s.keep = true
	}
}

// Select cuts rows and columns out of every metric and every per-point number
// of the plan.
func (p *plan) Select(rows, cols []int) Tiles {
	c := cutter{rows: rows, cols: cols}
	q := &plan{rows: p.rows, cols: p.cols, ctx: p.ctx, heavy: p.heavy}
	if rows != nil {
		q.rows = len(rows)
	}
	if cols != nil {
		q.cols = len(cols)
	}
	c.sources = make([]*source, len(p.sources))
	for i, s := range p.sources {
		c.sources[i] = s.cut(rows, cols)
	}
	for i, s := range p.sources {
		if s.products != nil {
			c.sources[i].products = c.sources[s.products.slot]
		}
	}
	q.sources = c.sources
	q.root = p.root.cut(&c)
	return q
}

// cutter rewrites the nodes of a plan for some of its rows and columns.
type cutter struct {
	rows, cols []int
	sources    []*source
}

func (c *cutter) nodes(in []node) []node {
	out := make([]node, len(in))
	for i, n := range in {
		out[i] = n.cut(c)
	}
	return out
}

// fill asks for the chosen rows one at a time, and for the chosen columns in
// runs that stand together.
func (c *cutter) fill(whole func(linalg.Matrix[float64], int, int)) func(linalg.Matrix[float64], int, int) {
	at := func(index []int, i int) int {
		if index == nil {
			return i
		}
		return index[i]
	}
	return func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			for b := 0; b < dst.Cols; {
				first, e := at(c.cols, j+b), b+1
				for e < dst.Cols && at(c.cols, j+e) == first+e-b {
					e++
				}
				whole(dst.Slice(a, a+1, b, e), at(c.rows, i+a), first)
				b = e
			}
		}
	}
}

func chosenOf(v []float64, index []int) []float64 {
	if index == nil {
		return v
	}
	out := make([]float64, len(index))
	for i, p := range index {
		out[i] = v[p]
	}
	return out
}

// cut is the source of some rows and columns. Its pairs are cut out of those
// of s when they are first needed.
func (s *source) cut(rows, cols []int) *source {
	c := &source{metric: s.metric, uses: s.uses, slot: s.slot, whole: s, rows: rows, cols: cols}
	if s.sparse != nil {
		c.sparse = s.sparse.cut(rows, cols)
	}
	return c
}

// pairs64 and pairs32 are the metric in double and single precision, made
// ready on first use.
func pairs64(s *source) *linalg.Pairs[float64] {
	s.once64.Do(func() {
		if s.whole != nil {
			s.p64 = pairs64(s.whole).Gather(s.rows, s.cols)
			return
		}
		p := newPairs[float64](s)
		if s.base == nil && s.summed && s.gaussians == s.uses {
			p.ColumnExponents(s.steepest)
		}
		s.p64 = p
	})
	return s.p64.(*linalg.Pairs[float64])
}

func pairs32(s *source) *linalg.Pairs[float32] {
	s.once32.Do(func() {
		if s.whole != nil {
			s.p32 = pairs32(s.whole).Gather(s.rows, s.cols)
			return
		}
		p := newPairs[float32](s)
		if s.base == nil && s.gaussians == s.uses {
			p.Exponents(s.steepest)
		}
		if s.keep {
			p.PackColumns()
		}
		s.p32 = p
	})
	return s.p32.(*linalg.Pairs[float32])
}

// cut copies the rows chosen on each side.
func (s *sparsePairs) cut(rows, cols []int) *sparsePairs {
	c := *s
	if rows != nil {
		c.xs = chosenOf(s.xs, rows)
		c.x, c.left = chooseBoth(s.x, s.left, rows)
	}
	if cols != nil {
		c.ys = chosenOf(s.ys, cols)
		c.y, c.right = chooseBoth(s.y, s.right, cols)
	}
	switch {
	case c.products == nil:
	case cols == nil: // the columns are prepared, which takes longer than a few rows
		c.products = s.products.WithRows(c.x)
	default:
		c.products = linalg.NewRowProducts(c.x, c.y)
	}
	return &c
}

// chooseBoth chooses of rows and of the same rows with the columns that occur, which may be one
// matrix and stay one.
func chooseBoth(m, used *linalg.CSR, index []int) (chosen, chosenUsed *linalg.CSR) {
	chosen = chooseRows(m, index)
	if used == m {
		return chosen, chosen
	}
	return chosen, chooseRows(used, index)
}

func chooseRows(m *linalg.CSR, index []int) *linalg.CSR {
	out := &linalg.CSR{Rows: len(index), Cols: m.Cols, Ptr: make([]int, len(index)+1)}
	for a, i := range index {
		out.Ptr[a+1] = out.Ptr[a] + m.Ptr[i+1] - m.Ptr[i]
	}
	out.Index = make([]int32, 0, out.Ptr[len(index)])
	out.Value = make([]float64, 0, out.Ptr[len(index)])
	for _, i := range index {
		columns, values := m.Row(i)
		out.Index, out.Value = append(out.Index, columns...), append(out.Value, values...)
	}
	return out
}
