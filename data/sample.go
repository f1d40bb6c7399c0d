package data

import (
	"cmp"
	"slices"
)

// RowSample draws rows out of chunks that come one after the other, all equally likely, none twice,
// without knowing how many will come: a row has a number that is as good as random, made of its
// place and the seed, and the rows with the smallest numbers stay.
type RowSample struct {
	count int
	seed  uint64
	seen  int
	limit uint64 // rows with larger numbers are out already
	parts []*Dataset
	rows  []sampledRow
}

type sampledRow struct {
	key       uint64
	row       int // among all
	part, own int // among the parts, and there
}

// NewRowSample is for so many rows.
func NewRowSample(count int, seed uint64) *RowSample {
	return &RowSample{count: max(count, 1), seed: seed, limit: ^uint64(0)}
}

// scrambled is a good hash of a number (the finaliser of splitmix64).
func scrambled(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Add looks at the next rows, and keeps copies of those that are drawn.
func (s *RowSample) Add(d *Dataset) error {
	var take []int
	for i := range d.Len() {
		if key := scrambled(scrambled(s.seed) + uint64(s.seen+i)); key <= s.limit {
			s.rows = append(s.rows, sampledRow{key, s.seen + i, len(s.parts), len(take)})
			take = append(take, i)
		}
	}
	s.seen += d.Len()
	if len(take) > 0 {
		s.parts = append(s.parts, d.Gather(take))
	}
	if len(s.rows) > 2*s.count {
		return s.cut()
	}
	return nil
}

// cut keeps the rows with the smallest numbers.
func (s *RowSample) cut() error {
	if len(s.rows) > s.count {
		slices.SortFunc(s.rows, func(a, b sampledRow) int { return cmp.Compare(a.key, b.key) })
		s.rows = s.rows[:s.count]
		s.limit = s.rows[s.count-1].key
	}
	slices.SortFunc(s.rows, func(a, b sampledRow) int { return cmp.Compare(a.row, b.row) })
	own := make([][]int, len(s.parts))
	for _, r := range s.rows {
		own[r.part] = append(own[r.part], r.own)
	}
	for p, rows := range own {
		s.parts[p] = s.parts[p].Gather(rows)
	}
	whole, err := Concat(s.parts)
	if err != nil {
		return err
	}
	s.parts = []*Dataset{whole}
	for i := range s.rows {
		s.rows[i].part, s.rows[i].own = 0, i
	}
	return nil
}

// Rows is the rows that were drawn, in their order, with their numbers among all, from 0.
func (s *RowSample) Rows() (*Dataset, []int, error) {
	if len(s.rows) == 0 {
		return nil, nil, &Error{Reason: "no rows to draw from", Kind: ErrNoRows}
	}
	if err := s.cut(); err != nil {
		return nil, nil, err
	}
	rows := make([]int, len(s.rows))
	for i, r := range s.rows {
		rows[i] = r.row
	}
	return s.parts[0], rows, nil
}
