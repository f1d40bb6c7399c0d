package cuda

import "fmt"

// PairWeights are W[i, j] = scaleᵢ·Given[i, j] + Σ_t Left[t, i]·Right[t, j]: Given has a row for
// each of the points on the left, Left so many vectors Apart numbers from one another, Right as many
// of as many numbers as there are points on the right. Scale is 0 where all are 1.
type PairWeights struct {
	Given, Scale, Left, Right Ptr
	Apart, Targets            int
}

// Pulls adds up the derivatives of Σᵢⱼ Wᵢⱼ k(aᵢ, bⱼ), for the same b and one block of a after
// another: by A and B of each operation that is wanted, by the coordinates of b, and for each block
// by those of a.
type Pulls struct {
	sums     *Sums
	b        Points
	marks    Ptr
	rows     Ptr // addresses of the derivatives by a, of each source
	columns  Ptr // of those by b
	parts    []Ptr
	partial  Ptr // a place for each call
	blocks   int
	calls    int
	most     int
	finished Ptr
}

// pullBytes is what the parts of the derivatives by b may take, each block having one.
const pullBytes = 1 << 30

// NewPulls is for so many blocks of points. right says in which sources the derivatives by b are
// wanted. The sums are those of NewTree. Close gives the memory back.
func (s *Sums) NewPulls(q Stream, b Points, wanted [][2]bool, right []bool, calls int) (_ *Pulls, err error) {
	if err := s.byDifferences(); err != nil {
		return nil, err
	}
	d, ops, widest := s.device, len(s.tree.Code), 1
	for i, src := range s.tree.Sources {
		if right[i] {
			widest += src.Dim
		}
	}
	p := &Pulls{sums: s, b: b, most: calls, parts: make([]Ptr, len(right))}
	p.blocks = max(1, min(2*d.Info().Processors, int(pullBytes/(8*int64(b.N)*int64(widest)))))
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	alloc := func(p *Ptr, bytes int64) {
		if err == nil {
			*p, err = d.Alloc(bytes)
		}
	}
	alloc(&p.marks, int64(8*ops))
	alloc(&p.rows, int64(8*len(right)))
	alloc(&p.columns, int64(8*len(right)))
	alloc(&p.partial, int64(16*ops)*int64(p.blocks)*int64(calls))
	alloc(&p.finished, int64(16*ops))
	where := make([]uint64, len(right))
	for i, src := range s.tree.Sources {
		if right[i] {
			alloc(&p.parts[i], 8*int64(p.blocks)*int64(b.N)*int64(src.Dim))
			where[i] = uint64(p.parts[i])
		}
	}
	if err != nil {
		return nil, err
	}
	for i, at := range p.parts { // what blocks add to
		if at != 0 {
			if err := d.Zero(q, at, 8*int64(p.blocks)*int64(b.N)*int64(s.tree.Sources[i].Dim)); err != nil {
				return nil, err
			}
		}
	}
	if err := d.ToDevice(q, p.marks, bytesOf(s.tree.marks(wanted))); err != nil {
		return nil, err
	}
	if err := d.ToDevice(q, p.columns, bytesOf(where)); err != nil {
		return nil, err
	}
	return p, d.Sync(q)
}

// Add takes some points on the left. left has a place for the derivatives by them in each source, 0
// where they are not wanted.
func (p *Pulls) Add(q Stream, a Points, w PairWeights, left []Ptr) error {
	s, ops := p.sums, len(p.sums.tree.Code)
	if p.calls == p.most {
		return fmt.Errorf("cuda: more than %d blocks of points", p.most)
	}
	if err := s.setOrigins(q, a, p.b); err != nil {
		return err
	}
	where := make([]uint64, len(left))
	for i, at := range left {
		where[i] = uint64(at)
	}
	if err := s.device.ToDevice(q, p.rows, bytesOf(where)); err != nil {
		return err
	}
	name := "pulls_8"
	if ops > 8 {
		name = "pulls_64"
	}
	to := p.partial + Ptr(16*ops*p.blocks*p.calls)
	p.calls++
	return s.device.Launch(q, name, Shape{Blocks: [2]int{p.blocks}, Threads: 256, Shared: slopeShared}, s.origins, p.rows,
		p.columns, s.code, p.marks, int32(ops), s.table,
		uint64(a.N), uint64(p.b.N), w.Given, w.Scale, w.Left, uint64(w.Apart), w.Right, int32(w.Targets), to)
}

// Total is the derivatives by A and B of each operation, and those by the coordinates of b in each
// source, a row for each point.
func (p *Pulls) Total(q Stream) (numbers [][2]float64, right [][]float64, err error) {
	s, d, size := p.sums, p.sums.device, 2*len(p.sums.tree.Code)
	flat := make([]float64, size)
	if err := d.Launch(q, "totals", Shape{Blocks: [2]int{size}, Threads: 256}, p.partial, uint64(p.blocks*p.calls),
		int32(size), p.finished); err != nil {
		return nil, nil, err
	}
	if err := d.ToHost(q, bytesOf(flat), p.finished); err != nil {
		return nil, nil, err
	}
	right = make([][]float64, len(p.parts))
	for i, at := range p.parts {
		if at == 0 {
			continue
		}
		count := p.b.N * s.tree.Sources[i].Dim
		right[i] = make([]float64, count)
		if p.blocks > 1 { // into the first part, which each thread has read by then
			if err := d.Launch(q, "gather", Shape{Blocks: [2]int{(count + 255) / 256}, Threads: 256}, at, int32(p.blocks),
				uint64(count), 1.0, int32(0), at); err != nil {
				return nil, nil, err
			}
		}
		if err := d.ToHost(q, bytesOf(right[i]), at); err != nil {
			return nil, nil, err
		}
	}
	if err := d.Sync(q); err != nil {
		return nil, nil, err
	}
	numbers = make([][2]float64, len(s.tree.Code))
	for i := range numbers {
		numbers[i] = [2]float64{flat[2*i], flat[2*i+1]}
	}
	return numbers, right, nil
}

// Close gives the memory back.
func (p *Pulls) Close() {
	for _, at := range append([]Ptr{p.marks, p.rows, p.columns, p.partial, p.finished}, p.parts...) {
		if at != 0 {
			_ = p.sums.device.Free(at)
		}
	}
	p.parts, p.marks, p.rows, p.columns, p.partial, p.finished = nil, 0, 0, 0, 0, 0
}
