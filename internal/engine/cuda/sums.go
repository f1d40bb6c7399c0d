package cuda

import (
	"fmt"
	"math"
)

// Sums is products K(A, B)·v of one kernel on one device. It is for one goroutine at a time.
type Sums struct {
	device  Device
	tree    Tree
	way     way
	double  bool
	profile profile
	limit   float64 // of the norms of points
	blocks  int     // of a packed row
	terms   []*Sums // of a sum of kernels, each by matrix instructions; nil for others

	code    Ptr // the tree
	table   Ptr
	origins Ptr
	partial Ptr
	room    int64 // bytes of partial sums
}

// Precision names that of kernel values.
type Precision int

// Single is 22 bits and more, Double 53.
const (
	Single Precision = iota
	Double
)

// way is how values are made.
type way int

const (
	byTree    way = iota // differences, by a list of operations
	byPacked             // matrix instructions on numbers of half precision, in single precision
	byDeep               // the same for many columns, some at a time
	byFew                // differences of few columns and one profile, in single precision
	byProduct            // matrix instructions in double precision, of one profile
)

// NewSums makes a tree ready on a device. reach is the largest norm of a point after its shift, for each source; room the bytes that partial sums may take.
func NewSums(d Device, t Tree, p Precision, reach []float64, room int64) (*Sums, error) {
	if !t.Fits() {
		return nil, fmt.Errorf("cuda: a tree of %d operations on %d sources", len(t.Code), len(t.Sources))
	}
	s := &Sums{device: d, tree: t, double: p == Double, room: room}
	if s.choose(reach[0]); s.way != byTree {
		return s, s.alloc(&s.partial, room)
	}
	if err := s.separate(reach); err != nil || s.terms != nil {
		return s, err
	}
	code := make([]float64, 0, 4*len(t.Code))
	for _, c := range t.Code {
		code = append(code, float64(c.Op), float64(c.Index), c.A, c.B)
	}
	for _, a := range []struct {
		p     *Ptr
		bytes int64
		from  []byte
	}{{&s.code, int64(8 * len(code)), bytesOf(code)}, {&s.table, int64(8*len(t.Table) + 8), bytesOf(t.Table)}, {&s.origins, int64(32 * len(t.Sources)), nil}, {&s.partial, room, nil}} {
		if err := s.alloc(a.p, a.bytes); err != nil {
			return nil, err
		}
		if err := d.ToDevice(0, *a.p, a.from); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, d.Sync(0)
}

// choose finds the way for points that reach so far.
func (s *Sums) choose(reach float64) {
	var is bool
	if s.profile, s.limit, is = s.tree.profileOf(reach); !is {
		s.limit = math.Inf(1)
		return
	}
	near, dim := reach <= s.limit, s.tree.Sources[0].Dim
	switch {
	case s.double && near && s.profile.kind != laplaceKind: // the root of a small difference of large numbers has half of its digits
		s.way = byProduct
	case s.double:
	case near && packedBlocks(dim) >= deepFrom && s.profile.kind != laplaceKind && deepShared(2) <= s.device.Info().Shared:
		s.way, s.blocks = byDeep, (dim+31)/32*2
	case near && packedBlocks(dim) <= mostBlocks && !(s.profile.norms && dim <= fewColumns):
		s.blocks = s.stored(packedBlocks(dim))
		if s.sharedBytes(2) <= s.device.Info().Shared {
			s.way = byPacked
		}
	}
	if s.way == byTree && !s.double && s.profile.norms && dim <= mostFew {
		s.way = byFew
	}
	if s.way == byTree || s.way == byFew {
		s.limit = math.Inf(1)
	}
}

// Limit is the largest norm of a point of source i for which these sums have their digits; for farther ones a caller makes new sums with a larger reach.
func (s *Sums) Limit(i int) float64 {
	if s.terms != nil {
		return s.terms[i].limit
	}
	return s.limit
}

func (s *Sums) alloc(p *Ptr, bytes int64) (err error) {
	if *p, err = s.device.Alloc(bytes); err != nil {
		s.Close()
	}
	return err
}

// Close gives its memory back.
func (s *Sums) Close() {
	for _, p := range []*Ptr{&s.code, &s.table, &s.origins, &s.partial} {
		if *p != 0 {
			_ = s.device.Free(*p)
			*p = 0
		}
	}
}

// hopperBlocks are the numbers of blocks for which there is a kernel of sm_90a.
var hopperBlocks = []int{1, 2, 3, 4, 6, 8}

func (s *Sums) hopper() bool { i := s.device.Info(); return i.Major == 9 && i.Minor == 0 }

// stored is how many blocks a row is stored in: those of the next kernel.
func (s *Sums) stored(blocks int) int {
	for _, b := range hopperBlocks {
		if s.hopper() && b >= blocks {
			return b
		}
	}
	return blocks
}

// smallBlocks is up to how many blocks of a row two blocks of _gen/wgmma.cu are on a multiprocessor.
const smallBlocks = 4

func (s *Sums) wide() bool { return s.hopper() && s.blocks <= hopperBlocks[len(hopperBlocks)-1] }

// sharedBytes is what a block of a packed kernel asks for.
func (s *Sums) sharedBytes(columns int) int {
	if !s.wide() {
		return 128*s.blocks*32 + 2*(64*s.blocks*32+columns*64*4)
	}
	return 4 * (128*s.blocks*32 + columns*128*4)
}

// Precision is that of the values: Double only where it was asked for.
func (s *Sums) Precision() Precision {
	if s.double {
		return Double
	}
	return Single
}

// Way says how values are made, for people.
func (s *Sums) Way() string {
	switch {
	case s.terms != nil:
		return "term by term, " + s.terms[0].Way()
	case s.way == byPacked && s.wide():
		return "matrix instructions of Hopper"
	case s.way == byPacked:
		return "matrix instructions"
	case s.way == byDeep:
		return "matrix instructions, some columns at a time"
	case s.way == byFew:
		return "single precision by differences of few columns"
	case s.way == byProduct:
		return "double precision by matrix instructions"
	case s.double:
		return "double precision"
	}
	return "single precision by differences"
}

// Scale is what coordinates of source i are multiplied by on the host, and whether they may be shifted first.
func (s *Sums) Scale(i int) (scale float64, shifted bool) {
	if s.terms != nil {
		return s.terms[i].Scale(0)
	}
	m := s.tree.Sources[i].Metric
	switch {
	case s.way == byFew && (s.profile.kind == gaussKind || s.profile.kind == rationalKind): // κ of the square itself, not of half of it
		return s.profile.scale * math.Sqrt2 / 2, true
	case s.way != byTree:
		return s.profile.scale, m == SqDist
	}
	return 1, m == SqDist || m == L1Dist
}

// number is the bytes of a coordinate, and of an entry of v.
func (s *Sums) number() int64 {
	if s.double {
		return 8
	}
	return 4
}

// HostBytes is what the coordinates of n points take as they come from the host; DeviceBytes is what they take in the end.
func (s *Sums) HostBytes(n int) int64 {
	dims := 0
	for _, src := range s.tree.Sources {
		dims += src.Dim
	}
	return int64(n) * int64(dims) * s.number()
}

// DeviceBytes is the memory that n points take.
func (s *Sums) DeviceBytes(n int) int64 {
	if s.terms != nil {
		bytes := int64(0)
		for _, t := range s.terms {
			bytes += t.DeviceBytes(n)
		}
		return bytes
	}
	switch s.way {
	case byPacked:
		return int64(padded(n)) * int64(s.blocks) * 32
	case byDeep:
		return int64(padded(n)) * int64(64*s.blocks+4)
	case byProduct: // with the norms
		return s.HostBytes(n) + int64(8*n)
	}
	return s.HostBytes(n)
}

func padded(n int) int { return (n + packedRows - 1) / packedRows * packedRows }

// Stride is the distance between the columns of v for n points, in numbers of the precision of v: they are padded by zeros.
func Stride(n int) int { return padded(n) }

// Slot is where entry i of a column of v is put: in packed kernels the eight entries of 32 that a thread multiplies by are next to one another.
func (s *Sums) Slot(i int) int {
	if !s.Packed() {
		return i
	}
	return packedSlot(i)
}

func packedSlot(i int) int { return i&^31 | i>>1&3<<3 | i>>3&3<<1 | i&1 }

// VectorBytes is the memory of v of some columns for n points.
func (s *Sums) VectorBytes(n, columns int) int64 {
	return int64(Stride(n)) * int64(columns) * s.number()
}

// Points are points in the memory of the device: the coordinates of each source after those of the one before, or packed.
type Points struct {
	N  int
	At Ptr
}

// Put makes points of the coordinates at raw (those of source 0 of all points, then of source 1, …), which are in the memory of the device already. Where they
// are not packed, raw is what they are kept in, DeviceBytes long.
func (s *Sums) Put(q Stream, raw Ptr, n int, to Ptr) error {
	if s.terms != nil {
		return s.each(n, raw, to, func(t *Sums, raw, to Ptr) error { return t.Put(q, raw, n, to) })
	}
	d := s.tree.Sources[0].Dim
	if s.way == byProduct && s.profile.norms {
		return s.device.Launch(q, "norms", Shape{Blocks: [2]int{(n + 255) / 256}, Threads: 256}, raw, uint64(n), int32(d))
	}
	if !s.Packed() {
		return nil
	}
	npad := uint64(padded(n))
	if s.way == byDeep {
		shape := func(threads uint64) Shape { return Shape{Blocks: [2]int{int((threads + 255) / 256)}, Threads: 256} }
		if err := s.device.Launch(q, "deep_pack", shape(npad*uint64(2*s.blocks)), raw, uint64(n), npad, int32(d), int32(s.blocks), to); err != nil {
			return err
		}
		return s.device.Launch(q, "deep_norms", shape(32*npad), raw, uint64(n), npad, int32(d), int32(s.blocks), s.profile.normed(), to)
	}
	threads := npad * uint64(2*s.blocks)
	return s.device.Launch(q, "pack", Shape{Blocks: [2]int{int((threads + 255) / 256)}, Threads: 256},
		raw, uint64(n), npad, int32(d), int32(s.blocks), s.profile.normed(), to)
}

// Packed says whether Put fills memory of its own.
func (s *Sums) Packed() bool { return s.way == byPacked || s.way == byDeep || s.terms != nil }

// Times sets out[c·a.N + i] = (add ? out : 0) + scale·Σⱼ k(aᵢ, bⱼ)·v[c·Stride + Slot(j)].
func (s *Sums) Times(q Stream, a, b Points, v Ptr, columns int, scale float64, add bool, out Ptr) error {
	if s.terms != nil {
		return s.timesTerms(q, a, b, v, columns, scale, add, out)
	}
	for c := 0; c < columns; {
		width := min(columns-c, widest)
		if s.way != byTree {
			width = min(columns-c, 2)
		}
		if err := s.some(q, a, b, v+Ptr(s.VectorBytes(b.N, c)), width, scale, add, out+Ptr(8*c*a.N)); err != nil {
			return err
		}
		c += width
	}
	return nil
}

// splits is how many parts the columns are cut into: the number for which the multiprocessors, together blocks at a time, are done first. A block takes about startStages stages of
// columns to get going, and a round that is not full costs as much as a full one.
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

// FullRows is how many rows of dim columns, or a multiple of how many, keep every multiprocessor of a device at work in each round of the kernels for packed rows; 0 for others, whose blocks are
// so small that the columns are cut for that.
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
	case s.double:
		name = "direct64"
	}
	parts, chunk := s.splits(rows, together, stage, a.N, b.N, columns)
	l := Shape{Blocks: [2]int{(a.N + rows - 1) / rows, parts}, Threads: threads}
	var err error
	if s.way == byTree {
		if err := s.setOrigins(q, a, b); err != nil {
			return err
		}
		err = s.device.Launch(q, name, l, s.origins, s.code, int32(len(s.tree.Code)), s.table, uint64(a.N), uint64(b.N), uint64(chunk), v, uint64(Stride(b.N)), int32(columns), s.partial)
	} else {
		scale *= s.profile.factor
		args := []any{a.At, uint64(a.N), b.At, uint64(b.N), uint64(chunk), v, uint64(Stride(b.N)), s.partial, int32(s.tree.Sources[0].Dim)}
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

// The rows of a block of _gen/few.cu and of _gen/double.cu.
const (
	fewRows    = 1024
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
	return s.device.Launch(q, "gather", Shape{Blocks: [2]int{(size + 255) / 256}, Threads: 256}, s.partial, int32(parts), uint64(size), scale, more, out)
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

// Matrix sets the lower triangle of the n×n matrix at out to the kernel between points in double precision, with ridge on the diagonal.
func (s *Sums) Matrix(q Stream, a Points, ridge float64, out Ptr) error {
	return s.matrix(q, "matrix", a, 1, ridge, out, a.N)
}

// Rounded is Matrix with the kernel times scale, rounded to single precision, stride numbers from row to row.
func (s *Sums) Rounded(q Stream, a Points, scale, ridge float64, out Ptr, stride int) error {
	return s.matrix(q, "rounded", a, scale, ridge, out, stride)
}

func (s *Sums) matrix(q Stream, name string, a Points, scale, ridge float64, out Ptr, stride int) error {
	if !s.double {
		return fmt.Errorf("cuda: a matrix of kernel values in single precision")
	}
	side := func(size int) int { return (a.N + size - 1) / size }
	n := uint64(a.N)
	if s.way == byProduct {
		const chunk = 512
		d, p := s.tree.Sources[0].Dim, s.profile
		return s.device.Launch(q, fmt.Sprintf("%s_%d", name, p.kind), Shape{Blocks: [2]int{side(doubleRows), side(chunk)}, Threads: 128, Shared: doubleShared(d, 0)},
			a.At, n, uint64(chunk), out, uint64(stride), int32(d), p.normed(), p.a, p.b, p.n, scale*p.factor, ridge)
	}
	if err := s.setOrigins(q, a, a); err != nil {
		return err
	}
	return s.device.Launch(q, name+"64", Shape{Blocks: [2]int{side(directSide), side(directSide)}, Threads: 128},
		s.origins, s.code, int32(len(s.tree.Code)), s.table, n, n, scale, ridge, out, uint64(stride))
}
