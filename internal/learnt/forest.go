package learnt

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"gonum.org/v1/gonum/mat"
)

// Forest is the kernel of a random forest that is grown by the targets of the rows
// (forest.Supervised): the share of trees in which two points fall into one leaf.
type Forest struct {
	Trees  int // 100 when zero
	Depth  int // cuts above a leaf, at most; 0: no bound
	Min    int // rows of a leaf, at least; 1 when zero
	Random bool
	Seed   uint64

	Grown string // the trees, as Pack writes them
}

// Name is "forest".
func (Forest) Name() string { return "forest" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Forest) Eval(x, y kernel.Vec) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Forest) CheckPoints(data.Points[kernel.Vec]) error { return notYet("forest") }

// Properties of a forest.
func (Forest) Properties() kernel.Properties {
	p := finite(kernel.No)
	p.Continuous, p.Bound = kernel.No, 1
	return p
}

// Validate refuses numbers below 0.
func (f Forest) Validate() error {
	if f.Trees < 0 || f.Depth < 0 || f.Min < 0 {
		return fmt.Errorf("kernel: forest: %d trees of depth %d with leaves of %d rows, want none below 0", f.Trees, f.Depth,
			f.Min)
	}
	return nil
}

// grown is a forest with the settings that it was grown by.
type grown struct {
	*forest.Forest
	form Forest
}

// Form is the settings and the trees.
func (k grown) Form() any { return k.form }

// Kernel is the forest of trees that are given, and f itself where there are none yet.
func (f Forest) Kernel() (kernel.Kernel[kernel.Vec], error) {
	if err := f.Validate(); err != nil || f.Grown == "" {
		return f, err
	}
	trees, err := unpack(f.Grown)
	if err != nil {
		return nil, fmt.Errorf("kernel: forest: the trees cannot be read: %w", err)
	}
	return grown{trees, f}, nil
}

// Learn grows the trees.
func (f Forest) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[kernel.Vec]("forest", e)
	if err != nil {
		return nil, err
	}
	if e.Targets == nil {
		return nil, fmt.Errorf("kernel: forest: its trees are grown by a target, and there is none here")
	}
	s := forest.Supervised{Growth: forest.Growth{Trees: f.Trees, Depth: f.Depth, Min: f.Min, Seed: f.Seed},
		Weights: e.Weights, Threads: e.Threads}
	if f.Random {
		s.Splits = forest.RandomSplits
	}
	var trees *forest.Forest
	if e.Classes > 0 {
		codes := make([]int, len(e.Targets))
		for i, v := range e.Targets {
			codes[i] = int(v)
		}
		trees, _, err = s.FitClasses(ctx, x, codes, e.Classes)
	} else {
		trees, _, err = s.Fit(ctx, x, e.Targets)
	}
	if err != nil {
		return nil, err
	}
	if f.Grown, err = pack(trees); err != nil {
		return nil, err
	}
	return kernel.OnVectors(grown{trees, f}), nil
}

// mostTreeBytes is the most that the numbers of a forest may take that is read from a text.
const mostTreeBytes = 1 << 28

// pack writes the arrays of a forest as text: their names, sizes and numbers, compressed, in the
// alphabet of base 64.
func pack(f *forest.Forest) (string, error) {
	arrays := f.Arrays()
	delete(arrays, "importances") // the kernel is the trees
	var names []string
	for name := range arrays {
		names = append(names, name)
	}
	sort.Strings(names)
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		rows, cols := arrays[name].Dims()
		head := []uint32{uint32(len(name)), uint32(rows), uint32(cols)}
		if err := binary.Write(w, binary.LittleEndian, head); err != nil {
			return "", err
		}
		if _, err := io.WriteString(w, name); err != nil {
			return "", err
		}
		for i := range rows {
			if err := binary.Write(w, binary.LittleEndian, arrays[name].RawRowView(i)); err != nil {
				return "", err
			}
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// unpack reads what pack wrote, and believes no size that the text does not fill.
func unpack(text string) (*forest.Forest, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), mostTreeBytes+1))
	if err != nil {
		return nil, err
	}
	if len(all) > mostTreeBytes {
		return nil, fmt.Errorf("they take more than %d bytes", mostTreeBytes)
	}
	arrays := map[string]*mat.Dense{}
	for len(all) > 0 {
		if len(all) < 12 {
			return nil, io.ErrUnexpectedEOF
		}
		size, rows, cols := binary.LittleEndian.Uint32(all), binary.LittleEndian.Uint32(all[4:]),
			binary.LittleEndian.Uint32(all[8:])
		all = all[12:]
		need := uint64(rows) * uint64(cols)
		if size > 32 || rows == 0 || cols == 0 || uint64(size) > uint64(len(all)) ||
			need > (uint64(len(all))-uint64(size))/8 {
			return nil, io.ErrUnexpectedEOF
		}
		name := string(all[:size])
		all = all[size:]
		values := make([]float64, need)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(all[8*i:]))
		}
		all = all[8*need:]
		arrays[name] = mat.NewDense(int(rows), int(cols), values)
	}
	return forest.FromArrays(arrays)
}
