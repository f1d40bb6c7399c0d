package cuda

import "fmt"

// Weights are W = ½(Σ_t α_t α_tᵀ - T·A⁻¹): the lower triangle of the inverse, and so many vectors
// of as many numbers as there are points.
type Weights struct {
	Inverse Ptr
	Alpha   Ptr
	Targets int
}

// The tile of _gen/slopes.cu, the shared memory of a block, the rounds of blocks that even out
// their work, and the bytes that partial sums by coordinates may take beyond one part.
const (
	slopeSide   = 64
	slopeShared = 8 * 65 * (16 + 16 + 64)
	slopeRounds = 8
	slopeBytes  = 256 << 20
)

// Slopes is the derivatives of Σᵢⱼ Wᵢⱼ k(xᵢ, xⱼ) by A and B of each operation that is wanted, and
// by the coordinates of the points in each source that moves, a row for each point: all in one pass
// over the pairs. The sums are those of NewTree.
func (s *Sums) Slopes(
	q Stream, x Points, w Weights, wanted [][2]bool, moves []bool,
) (numbers [][2]float64, images [][]float64, err error) {
	if s.way != byTree || !s.double || s.terms != nil {
		return nil, nil, fmt.Errorf("cuda: derivatives of sums that are not by differences in double precision")
	}
	d, ops, widest := s.device, len(s.tree.Code), 0
	for i, src := range s.tree.Sources {
		if moves[i] {
			widest += src.Dim
		}
	}
	tiles := (x.N + slopeSide - 1) / slopeSide
	parts := max(1, min(tiles, (slopeRounds*2*d.Info().Processors+tiles-1)/tiles,
		int(slopeBytes/(8*int64(x.N)*int64(max(widest, 1)))), 65535))
	chunk := (tiles + parts - 1) / parts
	parts = (tiles + chunk - 1) / chunk // each has some columns
	var taken []Ptr
	defer func() {
		for _, p := range taken {
			_ = d.Free(p)
		}
	}()
	alloc := func(bytes int64) (p Ptr) {
		if err == nil {
			if p, err = d.Alloc(bytes); err == nil {
				taken = append(taken, p)
			}
		}
		return p
	}
	blocks, size := tiles*parts, 2*ops
	partial, sums, marks := alloc(int64(8*blocks*size)), alloc(int64(8*size)), alloc(int64(8*ops))
	moved := alloc(int64(8 * len(s.tree.Sources)))
	to, out := make([]uint64, len(moves)), make([]Ptr, len(moves))
	for i, src := range s.tree.Sources {
		if moves[i] {
			to[i] = uint64(alloc(8 * int64(parts) * int64(x.N) * int64(src.Dim)))
			out[i] = alloc(8 * int64(x.N) * int64(src.Dim))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.setOrigins(q, x, x); err != nil {
		return nil, nil, err
	}
	said := s.tree.marks(wanted)
	if err := d.ToDevice(q, marks, bytesOf(said)); err != nil {
		return nil, nil, err
	}
	if err := d.ToDevice(q, moved, bytesOf(to)); err != nil {
		return nil, nil, err
	}
	name := "slopes_8"
	if ops > 8 {
		name = "slopes_64"
	}
	if err := d.Launch(q, name, Shape{Blocks: [2]int{tiles, parts}, Threads: 256, Shared: slopeShared}, s.origins, moved,
		s.code, marks, int32(ops), s.table,
		uint64(x.N), uint64(chunk*slopeSide), w.Inverse, w.Alpha, int32(w.Targets), partial); err != nil {
		return nil, nil, err
	}
	flat := make([]float64, size)
	if err := d.Launch(q, "totals", Shape{Blocks: [2]int{size}, Threads: 256}, partial, uint64(blocks), int32(size),
		sums); err != nil {
		return nil, nil, err
	}
	if err := d.ToHost(q, bytesOf(flat), sums); err != nil {
		return nil, nil, err
	}
	images = make([][]float64, len(moves))
	for i, src := range s.tree.Sources {
		if moves[i] {
			images[i] = make([]float64, x.N*src.Dim)
			count := len(images[i])
			if err := d.Launch(q, "gather", Shape{Blocks: [2]int{(count + 255) / 256}, Threads: 256}, Ptr(to[i]), int32(parts),
				uint64(count), 1.0, int32(0), out[i]); err != nil {
				return nil, nil, err
			}
			if err := d.ToHost(q, bytesOf(images[i]), out[i]); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := d.Sync(q); err != nil {
		return nil, nil, err
	}
	numbers = make([][2]float64, ops)
	for i := range numbers {
		numbers[i] = [2]float64{flat[2*i], flat[2*i+1]}
	}
	return numbers, images, nil
}

// marks is what _gen/slopes.cu is told of each operation: where its other operand is, and what is
// wanted of it.
func (t Tree) marks(wanted [][2]bool) []int32 {
	out := make([]int32, 2*len(t.Code))
	last := map[int]int{} // load of each source
	for at, c := range t.Code {
		if c.Op == Add || c.Op == Mul {
			right := operand(t.Code[:at]) // where the second operand starts
			out[2*at], out[2*right] = int32(right-1), int32(at)
		}
		if c.Op == Load {
			last[c.Index] = at
		}
		if wanted[at][0] {
			out[2*at+1] |= 1
		}
		if wanted[at][1] {
			out[2*at+1] |= 2
		}
	}
	for at, c := range t.Code {
		if c.Op == Load {
			out[2*at+1] = 0
		}
	}
	for _, at := range last {
		out[2*at+1] = 1
	}
	return out
}
