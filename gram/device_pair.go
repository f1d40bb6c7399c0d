package gram

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// devicePair is a Pair on devices, with one on processors beside it: for what devices do not do,
// for products that are not worth the way, and for when they fail. Rows are dealt to devices in
// pieces, by position; they stay in their memory where there is room.
type devicePair struct {
	cpu     Pair[kernel.Vec]
	device  *Device
	tree    *deviceTree
	rows    data.Source[kernel.Vec]
	centers data.Points[kernel.Vec]
	n, m    int
	ones    int
	threads int
	prec    cuda.Precision

	mu    sync.Mutex // one pass at a time
	lanes []*lane
	reach []float64 // of points in each source, as far as they have been seen; nil before any has
	piece int       // rows of one
	given bool      // devices were given up
	unfit bool      // for points that are no matter for them
	fit   fitness
	anew  bool // rows are not kept
}

const (
	pieceRows = 1 << 20
	// of coordinates, in single precision; a source that is read from a file has eight times as
	// many at a time
	pieceBytes = 32 << 20
	fewestRows = 1 << 15
	leastPiece = 1 << 12
)

// newDevicePair is a Pair on a device, or nil where it cannot serve the kernel. What it cannot do
// itself, cpu does; none means that it declines.
func newDevicePair[T any](
	k kernel.Kernel[T], rows data.Source[T], centers data.Points[T], o PairOptions, cpu Pair[T],
) *devicePair {
	if !o.Device.usable() {
		return nil
	}
	kv, source, y, ok := vectorPair(k, rows, centers)
	if !ok {
		return nil
	}
	tree, ok := newDeviceTree(kv, y)
	if !ok {
		return nil
	}
	var own Pair[kernel.Vec] = declined{}
	switch cpu := any(cpu).(type) {
	case Pair[kernel.Vec]:
		own = cpu
	case Pair[any]:
		own = typedPair{cpu}
	}
	p := &devicePair{cpu: own, device: o.Device, tree: tree, rows: source, centers: y,
		n: rows.Len(), m: centers.Len(), threads: o.Threads, prec: cuda.Double, piece: pieceRows, anew: o.Stream}
	if o.Precision == Single {
		p.prec = cuda.Single
	}
	if o.Ones {
		p.ones = 1
	}
	return p
}

// Dims is the shape of K.
func (p *devicePair) Dims() (n, m int) { return p.n, p.m + p.ones }

// Visit is that of processors: who looks at K wants it on the host.
func (p *devicePair) Visit(ctx context.Context, f func(b data.Block[kernel.Vec], k *mat.Dense) error) error {
	return p.cpu.Visit(ctx, f)
}

// Close gives the memory of the devices back; what comes after is done by processors.
func (p *devicePair) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release()
	p.given = true
	return nil
}

func (p *devicePair) release() {
	for _, l := range p.lanes {
		l.close()
	}
	p.lanes = nil
}

// MulTo sets dst = Kᵀ·u, u made by between out of K·v. Where memory is short it tries again with
// smaller pieces; where a device is lost, or there is no memory for the smallest, processors make
// this product and those to come. between is then called again for rows that it has seen.
func (p *devicePair) MulTo(ctx context.Context, dst, v *mat.Dense, between Between[kernel.Vec]) error {
	in, out := 0, 0
	if v != nil {
		_, in = v.Dims()
	}
	if dst != nil {
		_, out = dst.Dims()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.given && p.device.usable() && p.device.worth(p, max(in, out)) {
		err := p.pass(ctx, dst, v, in, out, between)
		var source *sourceError
		var far farError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &source):
			return source.err
		case errors.Is(err, cuda.ErrOutOfMemory) && p.device.dropKept(p):
			p.release()
			continue
		case errors.Is(err, cuda.ErrOutOfMemory) && p.piece > leastPiece:
			p.release()
			p.piece /= 4
			continue
		case errors.Is(err, cuda.ErrOutOfMemory):
			p.device.note("the GPU has no memory left for a product with %d centres (%v); the processor makes it", p.m, err)
		case errors.As(err, &far):
			p.release()
			for i, r := range far {
				p.reach[i] = math.Max(p.reach[i], r)
			}
			continue
		case errors.Is(err, errUneven):
			p.unfit = true
		default:
			p.device.lose(err)
		}
		p.release()
		p.given = true
	}
	return p.cpu.MulTo(ctx, dst, v, between)
}

// sourceError is an error of the rows, which no other way to multiply would mend.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }

var errUneven = errors.New("gram: points of different dimensions")

// farError says that a row lies farther out than the sums are made for: how far, in each source.
type farError []float64

func (e farError) Error() string { return "gram: a point farther out than the centres" }

// open takes the devices' memory, unless it has it.
func (p *devicePair) open(in, out int) error {
	if len(p.lanes) > 0 && p.lanes[0].in >= in && p.lanes[0].out >= out {
		return nil
	}
	if len(p.lanes) > 0 {
		in, out = max(in, p.lanes[0].in), max(out, p.lanes[0].out)
	}
	p.release()
	chips := p.device.chips
	rows := p.pieceFor(len(chips))
	for _, chip := range chips {
		l, err := newLane(chip, p.tree, p.prec, p.reach, rows, in, out, p.centers)
		if err != nil {
			p.release()
			return err
		}
		p.lanes = append(p.lanes, l)
		free, _, err := chip.Memory()
		if err != nil {
			return err
		}
		mine := (p.n+rows-1)/rows/len(chips) + 1
		l.keep = !p.anew && float64(l.sums.DeviceBytes(rows))*float64(mine) < 0.8*float64(free)
	}
	return nil
}

// pieceFor is the rows of a piece: a sixteenth or a thirtieth of what falls to a device, so that
// the first and the last, which nothing runs beside, are short; but enough to be worth a launch,
// and so many that the last round of its blocks finds every multiprocessor at work.
func (p *devicePair) pieceFor(chips int) int {
	dims := 0
	for _, s := range p.tree.tree.Sources {
		dims += s.Dim
	}
	share, pieces := (p.n+chips-1)/chips, 30
	round := cuda.FullRows(p.device.chips[0], p.prec, dims)
	if round == 0 {
		round, pieces = leastPiece, 16
	}
	most := min(p.piece, max(pieceBytes/(4*max(dims, 1)), fewestRows))
	rows := min(most, max((share+pieces-1)/pieces, fewestRows))
	if up := (rows + round - 1) / round * round; up <= most {
		rows = up
	} else if round <= most {
		rows = most / round * round
	}
	return min(rows, share)
}

// pass is one product on devices.
func (p *devicePair) pass(ctx context.Context, dst, v *mat.Dense, in, out int, between Between[kernel.Vec]) error {
	if p.reach == nil {
		p.reach = p.tree.firstReach(p.centers)
	}
	if err := p.open(in, out); err != nil {
		return err
	}
	w := devicePass{ctx: ctx, p: p, in: in, out: out, between: between, scale: 1}
	if v != nil {
		if r, _ := v.Dims(); r != p.m+p.ones {
			panic("gram: pair product with a matrix of another number of rows than centres")
		}
		all := linalg.Of(v)
		flat := all.Data
		if all.Stride != in {
			flat = make([]float64, 0, p.m*in)
			for i := range p.m {
				flat = append(flat, all.Row(i)...)
			}
		}
		flat = flat[:p.m*in]
		w.scale = sizeOf(flat)
		if p.ones > 0 {
			w.shift = all.Row(p.m)
		}
		for _, l := range p.lanes {
			if err := l.putVector(flat, in, w.scale); err != nil {
				return err
			}
		}
	}
	if dst != nil {
		if r, _ := dst.Dims(); r != p.m+p.ones {
			panic("gram: pair product into a matrix of another number of rows than centres")
		}
		w.sum = make([]float64, out)
		for _, l := range p.lanes {
			if err := l.chip.Zero(l.work, l.dst, int64(8*p.m*out)); err != nil {
				return err
			}
		}
	}
	var failed error
	size := p.lanes[0].rows * laneSlots * len(p.lanes)
	// costs no memory, and pieces follow one another without a gap
	if _, here := p.rows.(data.InMemory[kernel.Vec]); here {
		size = p.n
	}
	err := p.rows.Pass(ctx, size, func(b data.Block[kernel.Vec]) error {
		failed = w.block(b)
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		for _, l := range p.lanes {
			_ = l.chip.Wait()
		}
		return &sourceError{err}
	}
	return w.finish(dst)
}

// sizeOf is a power of two near the largest number: vectors are brought near 1 before they lose
// digits.
func sizeOf(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		if a := math.Abs(x); a > most {
			most = a
		}
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return 1
	}
	_, e := math.Frexp(most)
	return math.Ldexp(1, min(e, 1000))
}
