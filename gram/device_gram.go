package gram

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// deviceGram is K(X, X) whose products a device makes: with the matrix itself in its memory, where
// it has room for it and libraries to multiply it, else evaluated in every product. Entries are the
// processor's, and so is every product that the device does not make.
type deviceGram struct {
	Accessor // evaluates what is asked for, and keeps nothing
	c        choice
	device   *Device
	points   data.Points[kernel.Vec]
	own      func() Accessor // the matrix as the processor keeps it

	mu     sync.Mutex // one product at a time
	pair   *devicePair
	matrix *deviceMatrix
	tried  bool // to keep the matrix
	given  bool // the device was given up
}

// newDeviceGram is nil where the kernel is no matter for the device.
func newDeviceGram[T any](
	c choice, k kernel.Kernel[T], x data.Points[T], entries Accessor, own func() (Accessor, error),
) *deviceGram {
	precision := Double
	if c.single {
		precision = Single
	}
	pair := newDevicePair(k, data.NewInMemory(x, nil, 0, nil), x,
		PairOptions{Precision: precision, Device: c.Device, Threads: c.Threads}, nil)
	if pair == nil {
		return nil
	}
	return &deviceGram{Accessor: entries, c: c, device: c.Device, points: pair.centers, pair: pair,
		own: sync.OnceValue(func() Accessor {
			a, err := own()
			if err != nil { // entries that are no numbers, or a context that ended: products say so
				return entries
			}
			return a
		})}
}

// MulTo sets dst = K·v.
func (g *deviceGram) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(g, dst, v, trans)
	if !g.onDevice(dst, v) {
		g.own().MulTo(dst, v, trans)
	}
}

// onDevice makes the product there, and says whether it did. Once the context has ended the product
// is left unfinished.
func (g *deviceGram) onDevice(dst, v *mat.Dense) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, columns := v.Dims()
	if g.given || !g.device.usable() || !g.worth(columns) {
		return false
	}
	ctx := g.c.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	if g.keep() {
		err := g.matrix.mulTo(dst, v)
		if err == nil || ctx.Err() != nil {
			return true
		}
		g.drop(err)
	}
	if !g.device.usable() {
		return false
	}
	err := g.pair.MulTo(ctx, nil, v, rowsInto(dst))
	if errors.Is(err, errDeclined) {
		g.given = true
		return false
	}
	return true
}

// keep says whether the matrix lies in the memory of the device, which is tried once: it may take
// half of what is free.
func (g *deviceGram) keep() bool {
	if g.tried {
		return g.matrix != nil
	}
	g.tried = true
	if g.c.single || g.c.r > mostKept {
		return false
	}
	m, err := newDeviceMatrix(g.device, g.pair.tree, g.points)
	if err != nil {
		g.drop(err)
		return false
	}
	g.matrix = m
	return true
}

// drop goes on without the matrix; a device that was lost is none.
func (g *deviceGram) drop(err error) {
	if g.matrix != nil {
		g.matrix.close()
		g.matrix = nil
	}
	if !errors.Is(err, cuda.ErrOutOfMemory) { // without the matrix there is memory
		g.device.gaveUp(err, "")
	}
}

// mostKept is the number of points up to which a matrix is kept: 80 GB.
const mostKept = 100000

// Close gives the memory of the device back; products to come are the processor's.
func (g *deviceGram) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.matrix != nil {
		g.matrix.close()
		g.matrix = nil
	}
	g.given, g.tried = true, true
	return g.pair.Close()
}

// Describe says how the matrix is kept, and why.
func (g *deviceGram) Describe() string {
	return fmt.Sprintf("products on %s, %d×%d; else %s", g.device, g.c.r, g.c.c, g.c.describe())
}

// Release gives back what a Gram matrix holds beside the memory of the host: that of a device.
// Whoever makes one with Options.Device calls it in the end.
func Release(g Gram) {
	switch g := g.(type) {
	case *deviceGram:
		_ = g.Close()
	case *Centered:
		Release(g.g)
	}
}
