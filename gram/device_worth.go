package gram

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
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
}

// doubleShare is about how many values in double precision a device makes in the time of one in single precision.
const doubleShare = 1.0 / 12

// worth says whether a product of the pair is made sooner on the device, as far as it has been measured.
func (d *Device) worth(p *devicePair, columns int) bool {
	if d.always {
		return true
	}
	d.mu.Lock()
	if d.rates == nil {
		d.rates = measureRates(d.chips[0])
	}
	r := *d.rates
	d.mu.Unlock()
	threads := p.threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return r.deviceSeconds(p.n, p.m, len(p.centers.At(0)), columns, len(d.chips), p.prec) < r.ownSeconds(p.n, p.m, columns, threads)
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

// measureRates times a device and the processor on a Gaussian kernel of 16 columns: some ten milliseconds each. What cannot be measured is not worth it.
func measureRates(chip cuda.Device) *rates {
	const n, m, dim = 1 << 15, 2048, 16
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) data.Points[kernel.Vec] {
		x := mat.NewDense(n, dim, nil)
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = rng.NormFloat64()
		}
		return data.Rows(x)
	}
	never := &rates{start: 1e300, copy: 1, pairs: 1, own: 1}
	k := kernel.Gaussian{Lengthscale: 4}
	x, y := random(n), random(m)
	ctx := context.Background()
	v, w := mat.NewDense(m, 1, nil), mat.NewDense(m, 1, nil)
	for i := range m {
		v.Set(i, 0, 1)
	}
	alone := &Device{chips: []cuda.Device{chip}, always: true}
	pass := func(d *Device, rows int, times int) float64 {
		p, err := NewPair[kernel.Vec](k, data.NewInMemory(data.Span(x, 0, rows), nil, 0, nil), y, PairOptions{Threads: 1, Precision: Single, Device: d})
		if err != nil {
			return -1
		}
		if c, ok := p.(*devicePair); ok {
			defer c.Close()
		}
		if d != nil && p.MulTo(ctx, w, v, Copy[kernel.Vec]) != nil { // takes memory
			return -1
		}
		start := time.Now()
		for range times {
			if p.MulTo(ctx, w, v, Copy[kernel.Vec]) != nil {
				return -1
			}
		}
		seconds := time.Since(start).Seconds() / float64(times)
		if c, ok := p.(*devicePair); ok && c.given {
			return -1
		}
		return seconds
	}
	little, much := pass(alone, 64, 5), pass(alone, n, 5)
	own := pass(nil, 2048, 1)
	if little <= 0 || much <= little || own <= 0 || !alone.usable() {
		return never
	}
	copied := copyRate(chip)
	if copied <= 0 {
		return never
	}
	return &rates{start: little, copy: copied, pairs: 2 * n * m / (much - little), own: 2048 * m / own}
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
