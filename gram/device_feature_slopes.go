package gram

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
)

// FeatureTerm is a part of the derivatives of a number by the features of the rows,
//
//	φ̄ᵢ = aᵢμ + uᵢ(I - A⁻¹)φᵢ,
//
// with Pull a and Mean μ. Weights u is nil where A is the moment of them.
type FeatureTerm struct {
	Pull, Mean []float64
	Moment     *FeatureMoment
	Weights    []float64
}

// SlopesTo sets grad to the derivatives by the parameters of the kernel that are wanted of a number
// whose derivatives by the features are φ̄ᵢ = ownᵢφᵢ (nil: none) and the terms, and, where it is not
// nil, points to those by the coordinates of Z, one point after the other. What the number owes to
// k(x, x) is not in them.
//
// Since φ = L⁻¹k, the derivatives by k(Z, xᵢ) are L⁻ᵀφ̄ᵢ. With P = Σ φ̄φᵀ those by K(Z, Z) are
// -½L⁻ᵀ(⌞P⌟ + ⌞P⌟ᵀ)L⁻¹, where ⌞P⌟ is the lower triangle with half the diagonal (I. Murray,
// Differentiation of the Cholesky decomposition, 2016).
func (f *FeatureRows) SlopesTo(ctx context.Context, grad, points []float64, terms []FeatureTerm, own []float64) error {
	s := &featureSlopes{FeatureRows: f, terms: terms}
	defer s.close()
	err := s.run(ctx, grad, points, own)
	return f.noted(err)
}

// featureSlopes is the work of SlopesTo.
type featureSlopes struct {
	*FeatureRows
	terms []FeatureTerm
	given []cuda.Ptr
	pulls *cuda.Pulls

	outer         cuda.Ptr   // P
	inner         cuda.Ptr   // A⁻¹
	through       []cuda.Ptr // (I - A⁻¹)L⁻¹ of each term
	weights       []cuda.Ptr // u
	own           cuda.Ptr
	turned        cuda.Ptr   // R⁻¹L⁻¹, where R⁻¹φ of all rows is there
	pull, lean    cuda.Ptr   // a, and L⁻ᵀμ, of all terms
	moves, right  []bool     // sources in which derivatives by rows, and by Z, are wanted
	byRows, byOwn []cuda.Ptr // those by rows, and by Z on the left
}

func (s *featureSlopes) take(bytes int64) (cuda.Ptr, error) {
	p, err := s.chip.Alloc(max(bytes, 8))
	if err == nil {
		s.given = append(s.given, p)
	}
	return p, err
}

func (s *featureSlopes) hold(v []float64) (cuda.Ptr, error) {
	p, err := s.put(v)
	if err == nil {
		s.given = append(s.given, p)
	}
	return p, err
}

func (s *featureSlopes) close() {
	_ = s.chip.Sync(s.queue)
	for _, p := range s.given {
		_ = s.chip.Free(p)
	}
	if s.pulls != nil {
		s.pulls.Close()
	}
}

func (s *featureSlopes) run(ctx context.Context, grad, points, own []float64) error {
	for i := range s.slopes.Sources {
		s.moves = append(s.moves, s.slopes.Moves(i, s.wanted))
		s.right = append(s.right, s.moves[i] || points != nil)
	}
	if err := s.prepare(own); err != nil {
		return err
	}
	if err := s.every(s.piece); err != nil {
		return err
	}
	if err := s.center(); err != nil {
		return err
	}
	return s.collect(ctx, grad, points)
}

// prepare makes the matrices of the terms, P, and room for what is added up.
func (s *featureSlopes) prepare(own []float64) (err error) {
	m, square := s.m, 8*int64(s.m)*int64(s.m)
	for _, p := range []*cuda.Ptr{&s.outer, &s.inner} {
		if *p, err = s.take(square); err != nil {
			return err
		}
	}
	if err := s.chip.Zero(s.queue, s.outer, square); err != nil {
		return err
	}
	if s.pull, err = s.take(8 * int64(len(s.terms)) * int64(s.n)); err != nil {
		return err
	}
	if s.lean, err = s.take(8 * int64(len(s.terms)) * int64(m)); err != nil {
		return err
	}
	for i, t := range s.terms {
		if err := s.term(i, t); err != nil {
			return err
		}
	}
	if own != nil {
		if err := s.momentTo(s.outer, own, true); err != nil {
			return err
		}
		if err := s.turn(own); err != nil {
			return err
		}
	}
	for i, src := range s.tree.tree.Sources {
		var rows, z cuda.Ptr
		if s.moves[i] {
			if rows, err = s.take(8 * int64(s.n) * int64(src.Dim)); err != nil {
				return err
			}
		}
		if s.right[i] {
			if z, err = s.take(8 * int64(m) * int64(src.Dim)); err != nil {
				return err
			}
		}
		s.byRows, s.byOwn = append(s.byRows, rows), append(s.byOwn, z)
	}
	s.pulls, err = s.sums.NewPulls(s.queue, s.centers, s.slopes.Numbers(s.wanted), s.right, len(s.pieces)+1)
	return err
}

// turn brings what rows have of their own to the device. With V = R⁻¹φ of all rows there,
//
//	L⁻ᵀφ̄ = L⁻ᵀ(own + u)φ - (R⁻¹L⁻¹)ᵀuV + …
//
// has products with triangles alone.
func (s *featureSlopes) turn(own []float64) (err error) {
	if len(s.terms) != 1 || s.terms[0].Weights != nil || s.terms[0].Moment.spread == nil {
		s.own, err = s.hold(own)
		return err
	}
	moment := s.terms[0].Moment
	both, less := make([]float64, s.n), make([]float64, s.n)
	for i, u := range moment.weights {
		both[i], less[i] = own[i]+u, -u
	}
	if s.own, err = s.hold(both); err != nil {
		return err
	}
	if s.weights[0], err = s.hold(less); err != nil {
		return err
	}
	if s.turned, err = s.take(8 * int64(s.m) * int64(s.m)); err != nil {
		return err
	}
	return s.chip.Libraries().Multiply(s.queue, cuda.Multiplication{Rows: s.m, Columns: s.m, Inner: s.m, Alpha: 1,
		A: moment.root, StrideA: s.m, B: s.inverse, StrideB: s.m, C: s.turned, StrideC: s.m})
}

// term adds what a term has to say to P: μ(Σ aφ)ᵀ + (I - A⁻¹)Σ uφφᵀ.
func (s *featureSlopes) term(i int, t FeatureTerm) error {
	m, l := s.m, s.chip.Libraries()
	product := cuda.Multiplication{Rows: m, Columns: m, Inner: m, Alpha: -1, Beta: 1, A: s.inner, StrideA: m, StrideB: m,
		StrideC: m}
	if err := l.Gram(s.queue, m, t.Moment.root, s.inner); err != nil {
		return err
	}
	if err := cuda.Mirror(s.chip, s.queue, m, s.inner); err != nil {
		return err
	}
	through, err := s.take(8 * int64(m) * int64(m))
	if err != nil {
		return err
	}
	if err := cuda.LowerOf(s.chip, s.queue, m, s.inverse, through); err != nil {
		return err
	}
	product.B, product.C = s.inverse, through
	if err := l.Multiply(s.queue, product); err != nil {
		return err
	}
	s.through = append(s.through, through)
	u := t.Weights
	if u == nil { // Σ uφφᵀ = A - I
		u = t.Moment.weights
		for _, a := range []cuda.Ptr{t.Moment.a, s.inner} {
			if err := cuda.AddTo(s.chip, s.queue, m*m, a, s.outer); err != nil {
				return err
			}
		}
		if err := cuda.Diagonal(s.chip, s.queue, m, s.outer, -2, s.spare); err != nil {
			return err
		}
	} else {
		if err := s.momentTo(s.spare, u, false); err != nil {
			return err
		}
		if err := cuda.Mirror(s.chip, s.queue, m, s.spare); err != nil {
			return err
		}
		if err := cuda.AddTo(s.chip, s.queue, m*m, s.spare, s.outer); err != nil {
			return err
		}
		product.B, product.C = s.spare, s.outer
		if err := l.Multiply(s.queue, product); err != nil {
			return err
		}
	}
	weights, err := s.hold(u)
	if err != nil {
		return err
	}
	s.weights = append(s.weights, weights)
	pull, lean := s.pull+8*cuda.Ptr(i)*cuda.Ptr(s.n), s.lean+8*cuda.Ptr(i)*cuda.Ptr(m)
	if err := upload(s.chip, s.queue, pull, t.Pull); err != nil {
		return err
	}
	mean, err := s.hold(t.Mean)
	if err != nil {
		return err
	}
	if err := l.Times(s.queue, true, m, m, m, 1, s.inverse, mean, 0, lean); err != nil {
		return err
	}
	if err := s.transposed(s.spare, pull); err != nil {
		return err
	}
	return l.Multiply(s.queue, cuda.Multiplication{Rows: m, Columns: m, Inner: 1, Alpha: 1, Beta: 1, A: mean, StrideA: 1,
		B: s.spare, StrideB: m, C: s.outer, StrideC: m})
}

// piece makes the derivatives by k(Z, x) of some rows and what they mean for the kernel. The rows of
// one product get their weights there; of several each before.
func (s *featureSlopes) piece(p featurePiece, phi cuda.Ptr) error {
	n, m, at := p.points.N, s.m, 8*cuda.Ptr(p.first)
	w := cuda.PairWeights{Given: s.out, Left: s.pull + at, Right: s.lean, Apart: s.n, Targets: len(s.terms)}
	product := cuda.Multiplication{Rows: n, Columns: m, Inner: m, Alpha: 1, A: phi, StrideA: m, StrideB: m, C: s.out,
		StrideC: m}
	if s.turned != 0 {
		index := slices.IndexFunc(s.pieces, func(q featurePiece) bool { return q.first == p.first })
		if err := s.triangle(p, phi, s.own+at, s.inverse, false); err != nil {
			return err
		}
		if err := s.triangle(p, s.terms[0].Moment.spread[index], s.weights[0]+at, s.turned, true); err != nil {
			return err
		}
	} else if s.own == 0 && len(s.terms) == 1 {
		w.Scale, product.B = s.weights[0]+at, s.through[0]
		if err := s.chip.Libraries().Multiply(s.queue, product); err != nil {
			return err
		}
	} else {
		if s.own != 0 {
			if err := s.triangle(p, phi, s.own+at, s.inverse, false); err != nil {
				return err
			}
			product.Beta = 1
		}
		product.A = s.values
		for i, through := range s.through {
			if err := cuda.Scaled(s.chip, s.queue, n, m, phi, s.weights[i]+at, s.values); err != nil {
				return err
			}
			product.B = through
			if err := s.chip.Libraries().Multiply(s.queue, product); err != nil {
				return err
			}
			product.Beta = 1
		}
	}
	left := make([]cuda.Ptr, len(s.byRows))
	for i, base := range s.byRows {
		if base != 0 {
			left[i] = base + at*cuda.Ptr(s.tree.tree.Sources[i].Dim)
		}
	}
	return s.pulls.Add(s.queue, p.points, w, left)
}

// triangle sets the numbers of a piece to rows a, each times a weight, times a lower triangle, or
// adds that to them.
func (s *featureSlopes) triangle(p featurePiece, a, by, l cuda.Ptr, add bool) error {
	if err := cuda.Scaled(s.chip, s.queue, p.points.N, s.m, a, by, s.values); err != nil {
		return err
	}
	return cuda.TimesTriangle(s.chip, s.queue, p.points.N, s.m, s.values, l, false, add, s.out)
}

// center adds what goes through K(Z, Z).
func (s *featureSlopes) center() error {
	m, l := s.m, s.chip.Libraries()
	if err := cuda.Mirror(s.chip, s.queue, m, s.outer); err != nil {
		return err
	}
	if err := l.Multiply(s.queue, cuda.Multiplication{Rows: m, Columns: m, Inner: m, Alpha: 1, A: s.outer, StrideA: m,
		B: s.inverse, StrideB: m, C: s.spare, StrideC: m}); err != nil {
		return err
	}
	if err := l.Multiply(s.queue, cuda.Multiplication{Rows: m, Columns: m, Inner: m, Alpha: -0.5, A: s.inverse, StrideA: m,
		TransposeA: true, B: s.spare, StrideB: m, C: s.inner, StrideC: m}); err != nil {
		return err
	}
	return s.pulls.Add(s.queue, s.centers, cuda.PairWeights{Given: s.inner}, s.byOwn)
}

// collect brings all derivatives to the host, and takes those by images of points through the maps.
func (s *featureSlopes) collect(ctx context.Context, grad, points []float64) error {
	numbers, right, err := s.pulls.Total(s.queue)
	if err != nil {
		return err
	}
	maps := false
	for i, at := range s.byOwn {
		maps = maps || s.moves[i]
		if at == 0 {
			continue
		}
		more := make([]float64, len(right[i]))
		if err := s.read(more, at); err != nil {
			return err
		}
		for c, v := range more {
			right[i][c] += v
		}
	}
	s.slopes.ParamGrad(grad, s.wanted, numbers, s.z, right)
	if points != nil {
		clear(points)
		s.slopes.PointGrad(points, s.z, right)
	}
	if !maps {
		return nil
	}
	return s.rowsThroughMaps(ctx, grad)
}

// rowsThroughMaps adds what the images of the rows owe to the parameters of maps.
func (s *featureSlopes) rowsThroughMaps(ctx context.Context, grad []float64) error {
	bars := make([][]float64, len(s.byRows))
	for i, at := range s.byRows {
		if at == 0 {
			continue
		}
		host, err := s.chip.Pin(8 * int64(s.n) * int64(s.tree.tree.Sources[i].Dim))
		if err != nil {
			return err
		}
		defer func() { _ = s.chip.Unpin(host) }()
		bars[i] = cuda.Of[float64](host)
		if err := s.read(bars[i], at); err != nil {
			return err
		}
	}
	part, none := make([]float64, len(grad)), make([][2]float64, len(s.slopes.Steps))
	return s.pass(ctx, func(b data.Block[kernel.Vec]) error {
		some := make([][]float64, len(bars))
		for i, all := range bars {
			if all != nil {
				dim := s.tree.tree.Sources[i].Dim
				some[i] = all[b.First*dim : (b.First+b.Len())*dim]
			}
		}
		s.slopes.ParamGrad(part, s.wanted, none, b.Points, some)
		for p, v := range part {
			grad[p] += v
		}
		return nil
	})
}
