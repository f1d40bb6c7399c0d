package cuda

import (
	"fmt"
	"math"
)

// smallBlocks is up to how many blocks of a row two blocks of _gen/wgmma.cu are on a
// multiprocessor.
const smallBlocks = 4

// sharedBytes is what a block of a packed kernel asks for.
func (s *Sums) sharedBytes(columns int) int {
	if !s.wide() {
		return 128*s.blocks*32 + 2*(64*s.blocks*32+columns*64*4)
	}
	return 4 * (128*s.blocks*32 + columns*128*4)
}

// Times sets out[c·a.N + i] = (add ? out : 0) + scale·Σⱼ k(aᵢ, bⱼ)·v[c·Stride + Slot(j)].
func (s *Sums) Times(q Stream, a, b Points, v Ptr, columns int, scale float64, add bool, out Ptr) error {
	if s.terms != nil {
		return s.timesTerms(q, a, b, v, columns, scale, add, out)
	}
	for c := 0; c < columns; {
		width := min(columns-c, widest)
		if s.way != byTree || s.exact {
			width = min(columns-c, 2)
		}
		if err := s.some(q, a, b, v+Ptr(s.VectorBytes(b.N, c)), width, scale, add, out+Ptr(8*c*a.N)); err != nil {
			return err
		}
		c += width
	}
	return nil
}

// splits is how many parts the columns are cut into: the number for which the multiprocessors,
// together blocks at a time, are done first. A block takes about startStages stages of columns to
// get going, and a round that is not full costs as much as a full one.
func (s *Sums) splits(rows, together, stage, na, nb, columns int) (parts, chunk int) {
	const side = packedRows // a multiple of what each kernel goes through at a time
	down, wide := (na+rows-1)/rows, s.device.Info().Processors*together
	most := max(min(int(s.room/int64(8*na*columns)), (nb+1023)/1024, (32*wide+down-1)/down, 65535), 1)
	best := math.MaxInt
	for p := 1; p <= most; p++ {
		length := ((nb+p-1)/p + side - 1) / side * side
		even := (nb + length - 1) / length
		if cost := (down*even + wide - 1) / wide * (length/stage + startStages); cost < best {
			best, parts, chunk = cost, even, length
		}
	}
	return parts, chunk
}

const startStages = 2

// FullRows is how many rows of dim columns, or a multiple of how many, keep every multiprocessor of
// a device at work in each round of the kernels for packed rows; 0 for others, whose blocks are so
// small that the columns are cut for that.
func FullRows(d Device, p Precision, dim int) int {
	switch blocks := packedBlocks(dim); {
	case p == Double || dim <= fewColumns:
		return 0
	case blocks <= smallBlocks:
		return 2 * 256 * d.Info().Processors
	}
	return 256 * d.Info().Processors
}

func (s *Sums) some(q Stream, a, b Points, v Ptr, columns int, scale float64, add bool, out Ptr) error {
	if int64(8*a.N*columns) > s.room {
		return fmt.Errorf("cuda: sums of %d rows do not fit into the %d bytes there are for them", a.N, s.room)
	}
	rows, threads, name := directSide, 128, "direct32"
	together, stage := 4, 64 // blocks that a multiprocessor holds, columns that they go through at a time
	switch {
	case s.way == byPacked && s.wide():
		if together, stage = 1, 128; s.blocks <= smallBlocks {
			together = 2
		}
		rows, threads, name = 256, 512, fmt.Sprintf("wgmma_%d_%d_%d", s.blocks, s.profile.kind, columns)
	case s.way == byPacked:
		rows, name = 128, fmt.Sprintf("mma_%d_%d", s.profile.kind, columns)
	case s.way == byDeep:
		together, stage = 2, 128
		rows, threads, name = 128, 256, fmt.Sprintf("deep_%d_%d", s.profile.kind, columns)
	case s.way == byFew:
		stage = 128
		rows, name = fewRows, fmt.Sprintf("few_%d_%d_%d", fewRoom(s.tree.Sources[0].Dim), s.profile.kind, columns)
	case s.way == byProduct:
		together, stage = 3, 32
		rows, name = doubleRows, fmt.Sprintf("double_%d_%d", s.profile.kind, columns)
	case s.close:
		together, stage = 5-columns, 128
		rows, name = closeRows, fmt.Sprintf("near_%d", columns)
	case s.exact:
		together, stage = 3, 128
		rows, name = exactRows, fmt.Sprintf("exact_%d_%d_%d", fewRoom(s.tree.Sources[0].Dim), s.profile.kind, columns)
	case s.double:
		name = "direct64"
	}
	parts, chunk := s.splits(rows, together, stage, a.N, b.N, columns)
	l := Shape{Blocks: [2]int{(a.N + rows - 1) / rows, parts}, Threads: threads}
	var err error
	if s.close {
		scale *= s.profile.factor
		err = s.device.Launch(q, name, l, a.At, uint64(a.N), b.At, uint64(b.N), uint64(chunk), v, uint64(Stride(b.N)),
			s.partial, int32(s.tree.Sources[0].Dim), math.Sqrt(32)*s.profile.scale)
	} else if s.exact {
		p := s.profile
		rate := -32 * p.scale // of the exponent, in parts of 32
		if scale *= p.factor; p.kind == gaussKind {
			rate = -16 * p.scale * p.scale
		}
		err = s.device.Launch(q, name, l, a.At, uint64(a.N), b.At, uint64(b.N), uint64(chunk), v, uint64(Stride(b.N)),
			s.partial, int32(s.tree.Sources[0].Dim), rate, p.scale*math.Ln2, exactTop(rate))
	} else if s.way == byTree {
		if err := s.setOrigins(q, a, b); err != nil {
			return err
		}
		err = s.device.Launch(q, name, l, s.origins, s.code, int32(len(s.tree.Code)), s.table, uint64(a.N), uint64(b.N),
			uint64(chunk), v, uint64(Stride(b.N)), int32(columns), s.partial)
	} else {
		scale *= s.profile.factor
		args := []any{a.At, uint64(a.N), b.At, uint64(b.N), uint64(chunk), v, uint64(Stride(b.N)), s.partial,
			int32(s.tree.Sources[0].Dim)}
		p := s.profile
		switch s.way {
		case byPacked, byDeep:
			if l.Shared = s.sharedBytes(columns); s.way == byDeep {
				l.Shared = deepShared(columns)
			}
			args = append(args, int32(s.blocks), float32(p.a), float32(p.b), p.n)
		case byFew:
			args = append(args, float32(p.a))
		default:
			l.Shared = doubleShared(s.tree.Sources[0].Dim, columns)
			args = append(args, p.normed(), p.a, p.b, p.n)
		}
		err = s.device.Launch(q, name, l, args...)
	}
	if err != nil {
		return err
	}
	return s.gather(q, parts, a.N*columns, scale, add, out)
}

// exactTop is the first half of the number from which on a value of such a rate, in parts of 32, is
// below 2⁻¹⁰⁰⁰.
func exactTop(rate float64) int32 { return int32(math.Float64bits(-32000/rate) >> 32) }

// The rows of a block of _gen/few.cu, of _gen/exact.cu by differences and by matrix instructions, and
// of _gen/double.cu.
const (
	fewRows    = 1024
	exactRows  = 1024
	closeRows  = 128
	doubleRows = 128
)

// fewRoom is the number of coordinates of the kernel for d of them.
func fewRoom(d int) int {
	if d > fewColumns {
		return mostFew
	}
	return d
}

// deepShared is the bytes of shared memory of a block of _gen/deep.cu.
func deepShared(columns int) int { return 6*16384 + 2*(columns+1)*128*4 }

// doubleShared is the bytes of shared memory of a block of _gen/double.cu.
func doubleShared(d, columns int) int {
	apart := min(32, (d+3)/4*4)
	if apart%8 != 4 {
		apart += 4
	}
	return 8 * ((doubleRows+2*32)*apart + 2*(columns+1)*32)
}

func (s *Sums) gather(q Stream, parts, size int, scale float64, add bool, out Ptr) error {
	more := int32(0)
	if add {
		more = 1
	}
	return s.device.Launch(q, "gather", Shape{Blocks: [2]int{(size + 255) / 256}, Threads: 256}, s.partial, int32(parts),
		uint64(size), scale, more, out)
}

// setOrigins tells the kernels where the coordinates of each source are.
func (s *Sums) setOrigins(q Stream, a, b Points) error {
	words := make([]uint64, 0, 4*len(s.tree.Sources))
	at, bt := a.At, b.At
	for _, src := range s.tree.Sources {
		words = append(words, uint64(at), uint64(bt), uint64(src.Dim), uint64(src.Metric))
		at += Ptr(int64(a.N) * int64(src.Dim) * s.number())
		bt += Ptr(int64(b.N) * int64(src.Dim) * s.number())
	}
	return s.device.ToDevice(q, s.origins, bytesOf(words))
}
