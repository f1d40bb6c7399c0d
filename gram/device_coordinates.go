package gram

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
)

// fitness says whether some points are fit for the kernel; nil means that it has been seen to. It
// is asked while they are on their way, so that they are read from memory once.
type fitness func(x data.Points[kernel.Vec]) bool

// moving is points on their way to a device, as it takes them: the coordinates of source 0 of all
// points, then those of source 1, …, part by part in any order.
type moving struct {
	t    *deviceTree
	x    data.Points[kernel.Vec]
	fit  fitness
	host []byte
	from []movingSource
	most []float64 // ‖x - shift‖² of each part in each source; NaN where a point is of another dimension, or not fit
	wide bool      // numbers are of double precision
}

// movingSource is how points are moved in a source.
type movingSource struct {
	dim, before int // coordinates, and those of the sources before
	scale       float64
	shift       []float64
	flat        []float64 // points that lie one after the other, and the shift for a batch of them
	over        []float64
}

// partRows is how many points are moved at a time.
const partRows = 512

func newMoving(t *deviceTree, s *cuda.Sums, host []byte, x data.Points[kernel.Vec], fit fitness) *moving {
	m := &moving{t: t, x: x, fit: fit, host: host, wide: s.Precision() == cuda.Double}
	before := 0
	for i, src := range t.tree.Sources {
		from := movingSource{dim: src.Dim, before: before, shift: t.shift[i], flat: t.flat(i, x)}
		var shifted bool
		if from.scale, shifted = s.Scale(i); !shifted {
			from.shift = make([]float64, src.Dim)
		}
		if from.flat != nil {
			from.over = repeated(from.shift, batchOf(src.Dim))
		}
		m.from = append(m.from, from)
		before += src.Dim
	}
	m.most = make([]float64, m.parts()*len(m.from))
	return m
}

func (m *moving) parts() int { return (m.x.Len() + partRows - 1) / partRows }

// move is a part.
func (m *moving) move(part int) {
	if m.wide {
		movePart(m, cuda.Of[float64](m.host), part)
	} else {
		movePart(m, cuda.Of[float32](m.host), part)
	}
}

func movePart[F float32 | float64](m *moving, dst []F, part int) {
	n := m.x.Len()
	lo, hi := part*partRows, min((part+1)*partRows, n)
	most := m.most[part*len(m.from) : (part+1)*len(m.from)]
	if m.fit != nil && !m.fit(data.Span(m.x, lo, hi)) {
		most[0] = math.NaN()
		return
	}
	for i, from := range m.from {
		d := from.dim
		to := dst[n*from.before:][lo*d : hi*d]
		if from.flat != nil {
			most[i] = moveRows(to, from.flat[lo*d:hi*d], from.over, d, from.scale)
			continue
		}
		image := make([]float64, d)
		for r := lo; r < hi; r++ {
			row := m.x.At(r)
			if len(row) != m.t.dim {
				most[i] = math.NaN()
				return
			}
			square := moveTo(to[(r-lo)*d:][:d], m.t.image(i, image, row), from.shift, from.scale)
			if square > most[i] || math.IsNaN(square) { // NaN stays
				most[i] = square
			}
		}
	}
}

// reach is how far points reach in each source, after the shift, once all parts are moved, and
// whether they have as many coordinates as the centres and, where somebody asked, are fit.
func (m *moving) reach() (reach []float64, even bool) {
	reach = make([]float64, len(m.from))
	for i, s := range m.most {
		if math.IsNaN(s) || math.IsInf(s, 1) {
			return nil, false
		}
		at := i % len(m.from)
		reach[at] = math.Max(reach[at], math.Sqrt(s))
	}
	return reach, true
}

// fillCoordinates moves points to the bytes of a host buffer.
func fillCoordinates(
	t *deviceTree, threads int, s *cuda.Sums, host []byte, x data.Points[kernel.Vec], fit fitness,
) (reach []float64, even bool) {
	m := newMoving(t, s, host, x, fit)
	par.For(threads, m.parts(), 1, func(lo, hi int) {
		for part := lo; part < hi; part++ {
			m.move(part)
		}
	})
	return m.reach()
}

// flat is the numbers of points that lie one after the other and are what source i sees; nil for
// others.
func (t *deviceTree) flat(i int, x data.Points[kernel.Vec]) []float64 {
	rows, ok := x.(data.DenseRows)
	if !ok || t.formula.Sources[i].Map != nil || rows.Dim() != t.dim || rows.Len() > 1 &&
		rows.RawMatrix().Stride != t.dim {
		return nil
	}
	return rows.RawMatrix().Data[:rows.Len()*t.dim]
}

// batchOf is how many rows are moved at a time: as many as stay in the nearest cache.
func batchOf(d int) int { return max(1024/d, 1) }

func repeated(v []float64, times int) []float64 {
	out := make([]float64, 0, len(v)*times)
	for range times {
		out = append(out, v...)
	}
	return out
}

// moveRows is moveTo for many rows, by vectors: over is the shift of each row of a batch. It
// returns the largest of ‖x - shift‖², or NaN.
func moveRows[F float32 | float64](dst []F, x, over []float64, d int, scale float64) (far float64) {
	room := make([]float64, len(over))
	for lo := 0; lo < len(x); lo += len(room) {
		hi := min(lo+len(room), len(x))
		moved := room[:hi-lo]
		copy(moved, x[lo:hi])
		simd.Axpy64(-1, over[:hi-lo], moved)
		for r := 0; r < len(moved); r += d {
			if square := simd.Dot64(moved[r:r+d], moved[r:r+d]); square > far || math.IsNaN(square) {
				if far = square; math.IsNaN(far) {
					return far
				}
			}
		}
		simd.Scal64(scale, moved)
		switch to := any(dst[lo:hi]).(type) {
		case []float32:
			simd.Narrow(to, moved)
		case []float64:
			copy(to, moved)
		}
	}
	return far
}

// moveTo sets dst = scale·(x - shift) and returns ‖x - shift‖², in four sums so that none waits for
// the last.
func moveTo[F float32 | float64](dst []F, x, shift []float64, scale float64) float64 {
	var a, b, c, d float64
	x, shift = x[:len(dst)], shift[:len(dst)]
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		p, q, r, s := x[i]-shift[i], x[i+1]-shift[i+1], x[i+2]-shift[i+2], x[i+3]-shift[i+3]
		a, b, c, d = a+p*p, b+q*q, c+r*r, d+s*s
		dst[i], dst[i+1], dst[i+2], dst[i+3] = F(p*scale), F(q*scale), F(r*scale), F(s*scale)
	}
	for ; i < len(dst); i++ {
		p := x[i] - shift[i]
		a += p * p
		dst[i] = F(p * scale)
	}
	return (a + b) + (c + d)
}
