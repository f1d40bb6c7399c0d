package gram

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// rates is what a device and the processor were measured at, once: a product of a pass takes about
//
//	device: start + n·d·4 / copy + n·m / pairs,   processor: n·m / own.
type rates struct {
	start float64 // seconds of a pass that has next to nothing to do
	copy  float64 // bytes a second to the device
	pairs float64 // kernel values a second, single precision, by matrix instructions
	own   float64 // kernel values a second of one thread
	flops float64 // operations a second of one thread in products of matrices
}

// nominal is a slow processor, which says how much work is too little to measure anything for;
// measuredFrom is that, in its seconds.
var nominal = rates{own: 1e8, flops: 1e9}

const measuredFrom = 0.03

// openSeconds is about what opening a device and measuring it takes (0.4 s, H200).
const openSeconds = 0.5

// doubleShare is about how many values in double precision a device makes in the time of one in
// single precision: 0.106 s and 0.0148 s for the same product (H200).
const doubleShare = 1.0 / 7

// keptShare is about how much of the time of an evaluation it takes the processor to read an entry
// that is kept.
const keptShare = 1.0 / 8

// worth says whether a product of the pair is made sooner on the device, as far as it has been
// measured.
func (d *Device) worth(p *devicePair, columns int) bool {
	return d.sooner(func(r rates) (device, own float64) {
		return r.deviceSeconds(p.n, p.m, len(p.centers.At(0)), columns, len(d.chips), p.prec),
			r.ownSeconds(p.n, p.m, columns, threadsOf(p.threads))
	})
}

// worth says the same of a product with the matrix, which the processor may keep.
func (g *deviceGram) worth(columns int) bool {
	return g.device.sooner(func(r rates) (device, own float64) {
		n := g.c.r
		own = r.ownSeconds(n, n, columns, threadsOf(g.c.Threads))
		if g.c.Layout != Lazy {
			own *= keptShare
		}
		return r.deviceSeconds(n, n, len(g.points.At(0)), columns, 1, g.pair.prec), own
	})
}

// sooner says whether the device is, by what was measured of both. One that is not open yet is
// opened once the processor has been at such work for as long as opening takes: whatever comes
// then, the processor alone would not have been done in half of the time.
func (d *Device) sooner(seconds func(r rates) (device, own float64)) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.always || d.lost {
		return d.always && !d.lost
	}
	if d.rates == nil && d.later {
		_, own := seconds(nominal)
		if d.little += own; d.little < measuredFrom {
			return false
		}
	}
	if d.rates == nil {
		d.rates = measureOwn()
	}
	if d.later {
		_, own := seconds(*d.rates)
		if d.spent += own; d.spent < openSeconds {
			return false
		}
		if err := d.openNow(); err != nil {
			d.lost = true
			if errors.Is(err, cuda.ErrOldDriver) {
				d.keepNote(fmt.Sprintf("no GPU is used: %v", err))
			}
			return false
		}
	}
	if len(d.chips) == 0 {
		return false
	}
	if d.rates.pairs == 0 {
		d.rates.measure(d.chips[0])
	}
	device, own := seconds(*d.rates)
	return device < own
}

// Expect tells of so many kernel values that will be asked for, and says whether there are GPUs for
// them: those that are opened later are opened now if the processor would be at it for as long as
// that takes.
func (d *Device) Expect(values float64, threads int) bool {
	if !d.usable() {
		return false
	}
	d.mu.Lock()
	always := d.always
	d.mu.Unlock()
	return always || d.sooner(func(r rates) (device, own float64) {
		own = values / (r.own * float64(threadsOf(threads)))
		if r.pairs == 0 {
			return 0, own
		}
		return r.start + values/(doubleShare*r.pairs), own
	})
}

// first is the device for a factorisation of n points, which cannot be split; nil where the
// processor is as soon done.
func (d *Device) first(n int) cuda.Device {
	return d.firstFor(float64(n) * float64(n) * float64(n) / 3)
}

// firstFor is the same for so many operations in products of matrices.
func (d *Device) firstFor(operations float64) cuda.Device {
	if !d.usable() {
		return nil
	}
	worth := d.sooner(func(r rates) (device, own float64) {
		return r.start + operations/(factorShare*r.pairs), operations / (r.flops * float64(threadsOf(0)))
	})
	if !worth {
		return nil
	}
	return d.one()
}

// factorShare is about how many operations of a factorisation a device makes in the time of one
// kernel value in single precision: 42 TFLOP/s and 2.7e12 (H200).
const factorShare = 15

func threadsOf(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

func (r rates) deviceSeconds(n, m, dim, columns, chips int, p cuda.Precision) float64 {
	pairs := 2 * float64(n) * float64(m) * float64((columns+1)/2) / r.pairs
	if p == cuda.Double {
		pairs /= doubleShare
	}
	return r.start + (float64(n)*float64(4*dim+16*columns)/r.copy+pairs)/float64(chips)
}

func (r rates) ownSeconds(n, m, columns, threads int) float64 {
	return float64(n) * float64(m) * (1 + 0.1*float64(columns)) / (r.own * float64(threads))
}

// measured is a Gaussian kernel of 16 columns, and points for it.
func measured(n int) (kernel.Kernel[kernel.Vec], data.Points[kernel.Vec]) {
	const dim = 16
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, dim, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return kernel.Gaussian{Lengthscale: 4}, data.Rows(x)
}

// The rows and centres that are measured with, and those of the processor.
const (
	measuredRows    = 1 << 15
	measuredCenters = 2048
	measuredOwn     = 2048
	measuredSide    = 256
)

// measureOwn times one thread of the processor: some ten milliseconds.
func measureOwn() *rates {
	k, x := measured(measuredCenters)
	r := &rates{own: 1, flops: 1}
	if s := passSeconds(nil, k, x, x, 1); s > 0 {
		r.own = measuredOwn * measuredCenters / s
	}
	a, c := linalg.New[float64](measuredSide, measuredSide), linalg.New[float64](measuredSide, measuredSide)
	start := time.Now()
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, a, a, 0, c)
	if s := time.Since(start).Seconds(); s > 0 {
		r.flops = 2 * measuredSide * measuredSide * measuredSide / s
	}
	return r
}

// measure times a device: some ten milliseconds. What cannot be measured is not worth it.
func (r *rates) measure(chip cuda.Device) {
	r.start, r.copy, r.pairs = 1e300, 1, 1
	k, x := measured(measuredRows)
	y := data.Span(x, 0, measuredCenters)
	alone := &Device{chips: []cuda.Device{chip}, always: true}
	little := passSeconds(alone, k, data.Span(x, 0, 64), y, 5)
	if little <= 0 {
		return
	}
	much := passSeconds(alone, k, x, y, 5)
	if much <= little || !alone.usable() {
		return
	}
	if copied := copyRate(chip); copied > 0 {
		r.start, r.copy, r.pairs = little, copied, 2*measuredRows*measuredCenters/(much-little)
	}
}

// passSeconds is the mean time of a pass, on a device after one that takes memory; it is negative
// where that fails.
func passSeconds(d *Device, k kernel.Kernel[kernel.Vec], x, y data.Points[kernel.Vec], times int) float64 {
	ctx, m := context.Background(), y.Len()
	p, err := NewPair(k, data.NewInMemory(x, nil, 0, nil), y, PairOptions{Threads: 1, Precision: Single, Device: d})
	if err != nil {
		return -1
	}
	on, _ := p.(*devicePair)
	if on != nil {
		defer func() { _ = on.Close() }()
	}
	v, w := mat.NewDense(m, 1, nil), mat.NewDense(m, 1, nil)
	for i := range m {
		v.Set(i, 0, 1)
	}
	if on != nil && (p.MulTo(ctx, w, v, Copy[kernel.Vec]) != nil || on.given) {
		return -1
	}
	start := time.Now()
	for range times {
		if p.MulTo(ctx, w, v, Copy[kernel.Vec]) != nil {
			return -1
		}
	}
	seconds := time.Since(start).Seconds() / float64(times)
	if on != nil && on.given {
		return -1
	}
	return seconds
}

// copyRate is the bytes a second of a copy from pinned memory.
func copyRate(chip cuda.Device) float64 {
	const bytes = 16 << 20
	host, err := chip.Pin(bytes)
	if err != nil {
		return 0
	}
	defer func() { _ = chip.Unpin(host) }()
	p, err := chip.Alloc(bytes)
	if err != nil {
		return 0
	}
	defer func() { _ = chip.Free(p) }()
	seconds := 0.0
	for range 2 { // the first has to find its way
		start := time.Now()
		if chip.ToDevice(0, p, host) != nil || chip.Sync(0) != nil {
			return 0
		}
		seconds = time.Since(start).Seconds()
	}
	return bytes / seconds
}
