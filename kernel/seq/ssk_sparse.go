package seq

import "sync"

// The sparse form runs over the pairs of places with equal letters alone. The decayed sums V_p of
// all columns up to j come from a Fenwick tree over the columns: node e holds, for every level p,
// the sum over its columns j' and over the rows i' so far of λ^{(row-i')+(e-j')} D_p(i', j'), and
// the row it was last brought up to. In a row the columns are taken from right to left, so that no
// pair sees another of its row.

type sparseScratch struct {
	node  []float64 // levels of each node side by side
	row   []int32   // the row of each node
	v     []float64
	power []float64
}

var sparsePool = sync.Pool{New: func() any { return new(sparseScratch) }}

func (k Subsequences) sparse(x, y *letters, match []int32) float64 {
	n, lambda := k.length(), k.decay()
	cols, levels := len(y.code), max(n-1, 1)
	s := sparsePool.Get().(*sparseScratch)
	defer sparsePool.Put(s)
	s.node = zeroed(s.node, (cols+1)*levels)
	if cap(s.row) < cols+1 {
		s.row = make([]int32, cols+1)
	}
	s.row = s.row[:cols+1]
	clear(s.row)
	s.v = zeroed(s.v, levels+1)
	s.power = zeroed(s.power, max(len(x.code), cols)+2)
	for i := range s.power {
		if s.power[i] = 1; i > 0 {
			s.power[i] = s.power[i-1] * lambda
		}
	}
	totals := make([]float64, levels+2)
	square := lambda * lambda
	for i, c := range x.code {
		row := int32(i + 1)
		places := y.places(match[c])
		for p := len(places) - 1; p >= 0; p-- {
			j := places[p] + 1
			s.query(j-1, row-1, levels)
			totals[1] += square
			for q := range levels {
				totals[q+2] += square * s.v[q]
			}
			for q := levels - 1; q > 0; q-- {
				s.v[q] = square * s.v[q-1]
			}
			s.v[0] = square
			s.update(j, row, levels)
		}
	}
	value := 0.0
	for q := 1; q <= n; q++ {
		if wq := k.weight(q); wq != 0 {
			value += wq * totals[q]
		}
	}
	return value
}

// query sets v = V(row, j).
func (s *sparseScratch) query(j, row int32, levels int) {
	clear(s.v)
	for e := j; e > 0; e &= e - 1 {
		f := s.power[j-e] * s.power[row-s.row[e]]
		for q, u := range s.node[int(e)*levels : (int(e)+1)*levels] {
			s.v[q] += f * u
		}
	}
}

// update adds D = v at (row, j).
func (s *sparseScratch) update(j, row int32, levels int) {
	for e := j; int(e) < len(s.row); e += e & -e {
		node := s.node[int(e)*levels : (int(e)+1)*levels]
		old, far := s.power[row-s.row[e]], s.power[e-j]
		s.row[e] = row
		for q := range node {
			node[q] = old*node[q] + far*s.v[q]
		}
	}
}
