package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// domainTransform is that of things that predict nothing. Their files are of format 2: what knew
// format 1 alone says that it is too old.
const (
	domainTransform = "transform"
	transformFormat = 2
)

// The parts of a file that only such things have.
const (
	keyKernels = "kernels" // of the functions, in their order
	keyTexts   = "texts"

	funcPrefix = "function." // and its number, then one of the names of tensors

	tensorHeld = "held.log_density" // of rows that a density did not see
)

// mostFunctions bounds the functions of one thing.
const mostFunctions = 64

// numbers is what a thing without functions is.
func (t *transform) numbers() rkhs.Plain[kernel.Vec] {
	p := t.plain
	return rkhs.Plain[kernel.Vec]{Kind: p.Kind, Numbers: p.Numbers, Arrays: p.Arrays, Texts: p.Texts}
}

// onRows says that a function compares objects.
func onRows(f *rkhs.Func[any]) bool {
	_, ok := kernel.Concrete(f.Kernel).(kernel.Kernel[mixed.Row])
	return ok
}

// readKernels writes every kernel down and reads it again.
func (t *transform) readKernels() error {
	if len(t.plain.Funcs) > mostFunctions {
		return fmt.Errorf("%d functions", len(t.plain.Funcs))
	}
	if slices.ContainsFunc(t.plain.Funcs, onRows) {
		var err error
		if t.parts, err = t.partsOf(len(t.plain.Funcs)); err != nil {
			return err
		}
	}
	funcs := make([]*rkhs.Func[any], len(t.plain.Funcs))
	for i, f := range t.plain.Funcs {
		text, again, err := t.readKernel(i, f)
		if err != nil {
			return err
		}
		t.kernels, funcs[i] = append(t.kernels, text), again
	}
	t.plain.Funcs = funcs
	return nil
}

// readKernel is a function with the kernel that a file would give back, and its text.
func (t *transform) readKernel(i int, f *rkhs.Func[any]) (string, *rkhs.Func[any], error) {
	if k, ok := kernel.Concrete(f.Kernel).(kernel.Kernel[mixed.Row]); ok {
		if t.parts[i].vectors {
			return "", nil, fmt.Errorf("function %d compares objects, and its columns have none", i)
		}
		text, again, err := t.parts[i].readRows(k)
		return text, &rkhs.Func[any]{Kernel: again, Centers: f.Centers, Coef: f.Coef, Bias: f.Bias}, err
	}
	v, ok := rkhs.OnVectors(f)
	if !ok {
		return "", nil, fmt.Errorf("a thing with a kernel of type %T cannot be saved: its points are neither vectors nor "+
			"rows of a table", kernel.Concrete(f.Kernel))
	}
	if t.parts != nil && !t.parts[i].vectors {
		return "", nil, fmt.Errorf("function %d compares numbers, and its columns have objects", i)
	}
	centers, err := denseRows(v.Centers)
	if err != nil {
		return "", nil, err
	}
	again := func(k kernel.Kernel[kernel.Vec]) *rkhs.Func[any] {
		return &rkhs.Func[any]{Kernel: kernel.OnVectors(k), Centers: data.EraseVectors(centers), Coef: f.Coef, Bias: f.Bias}
	}
	if k, ok := valuesOf(v.Kernel); ok {
		if err := t.checkValues(k, centers); err != nil {
			return "", nil, err
		}
		t.plain.Numbers = maps.Clone(t.plain.Numbers)
		t.plain.Numbers[numberObjects] = float64(k.objects)
		return valuesText, again(k), nil
	}
	text, err := spec.FormatKernel(v.Kernel)
	if err != nil {
		return "", nil, err
	}
	if len(text) > maxKernelText {
		return "", nil, fmt.Errorf("a kernel text of %d bytes", len(text))
	}
	k, err := spec.ParseKernel(text)
	if err != nil {
		return "", nil, fmt.Errorf("kernel %q: %w", clip(text), err)
	}
	return text, again(k), nil
}

func (t *transform) kernelText() string { return strings.Join(t.kernels, "; ") }

// record is what a summary and a refused export look at.
func (t *transform) record() record {
	return record{learner: t.plain.Kind, domain: domainTransform, kernel: t.kernelText(), dim: t.size,
		numbers: t.plain.Numbers, report: t.report()}
}

// put writes what such a thing has into a container.
func (t *transform) put(c *container.File) error {
	c.Metadata[keyFormat] = strconv.Itoa(transformFormat)
	if t.parts != nil {
		c.Metadata[keyFormat] = strconv.Itoa(rowsFormat)
	}
	delete(c.Metadata, keyKernel)
	for key, v := range map[string]any{keyKernels: t.kernels, keyTexts: t.plain.Texts} {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("model: %s: %w", key, err)
		}
		if s := string(b); s != "null" && s != "{}" {
			c.Metadata[key] = s
		}
	}
	for i, f := range t.plain.Funcs {
		name := funcPrefix + strconv.Itoa(i) + "."
		if t.parts != nil && !t.parts[i].vectors {
			if err := t.parts[i].putCenters(f, name, c.Tensors); err != nil {
				return err
			}
			continue
		}
		centers, _ := data.VectorsOf(f.Centers)
		c.Tensors[name+tensorCenters] = container.MatrixTensor(centers.(data.DenseRows).RawMatrix())
		c.Tensors[name+tensorCoef] = container.MatrixTensor(linalg.Of(f.Coef))
		if f.Bias != nil {
			c.Tensors[name+tensorBias] = container.Float64s(f.Bias, len(f.Bias))
		}
	}
	for name, a := range t.plain.Arrays {
		if a == nil || a.IsEmpty() {
			return fmt.Errorf("model: array %q is empty", name)
		}
		c.Tensors[arrayPrefix+name] = container.MatrixTensor(linalg.Of(a))
	}
	return nil
}

// takeTransform reads it back.
func takeTransform(kind string, numbers map[string]float64, c *container.File, e *data.Encoder) (*transform, error) {
	p := rkhs.Plain[any]{Kind: kind, Numbers: numbers, Arrays: map[string]*mat.Dense{}}
	var kernels []string
	for key, to := range map[string]any{keyKernels: &kernels, keyTexts: &p.Texts} {
		if text, ok := c.Metadata[key]; ok {
			if err := json.Unmarshal([]byte(text), to); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	if len(kernels) > mostFunctions {
		return nil, fmt.Errorf("%d functions", len(kernels))
	}
	for name, t := range c.Tensors {
		if short, ok := strings.CutPrefix(name, arrayPrefix); ok {
			m, err := t.Matrix()
			if err != nil || m.Rows == 0 || m.Cols == 0 {
				return nil, fmt.Errorf("tensor %q: shape %v: %w", name, t.Shape, err)
			}
			p.Arrays[short] = linalg.Dense(linalg.Matrix[float64](m))
		}
	}
	parts, err := filedParts(p, len(kernels), c, e)
	if err != nil {
		return nil, err
	}
	for i, text := range kernels {
		f, err := takeFunction(text, i, parts, p, c.Tensors)
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		p.Funcs = append(p.Funcs, f)
	}
	return newTransform(p, e)
}

// filedParts is what the functions of a file look at; nil where all of them see vectors.
func filedParts(p rkhs.Plain[any], functions int, c *container.File, e *data.Encoder) ([]part, error) {
	if v, err := strconv.Atoi(c.Metadata[keyFormat]); err != nil || v < rowsFormat || e == nil {
		return nil, nil // of vectors
	}
	if !slices.ContainsFunc(e.Columns, func(c data.ColumnCode) bool { return c.Object() }) {
		return nil, nil
	}
	return (&transform{plain: p, encoder: e}).partsOf(functions)
}

func takeFunction(
	text string, i int, parts []part, p rkhs.Plain[any], tensors map[string]container.Tensor,
) (*rkhs.Func[any], error) {
	prefix := funcPrefix + strconv.Itoa(i) + "."
	if parts != nil && !parts[i].vectors {
		k, err := parts[i].parse(text)
		if err != nil {
			return nil, err
		}
		return parts[i].takeCenters(k, prefix, tensors)
	}
	k, err := takeKernel(text, p)
	if err != nil {
		return nil, err
	}
	f, err := takeFunc(k, prefix, tensors)
	if err != nil {
		return nil, err
	}
	return rkhs.EraseVectors(f), nil
}

// takeKernel is the kernel of a text.
func takeKernel(text string, p rkhs.Plain[any]) (kernel.Kernel[kernel.Vec], error) {
	if len(text) > maxKernelText {
		return nil, fmt.Errorf("a kernel text of %d bytes", len(text))
	}
	if text == valuesText {
		n, err := p.Whole(numberObjects, 1, maxDim)
		return kernelValues{n}, err
	}
	k, err := spec.ParseKernel(text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(text), err)
	}
	return k, nil
}

func takeFunc(k kernel.Kernel[kernel.Vec], prefix string,
	tensors map[string]container.Tensor) (*rkhs.Func[kernel.Vec], error) {
	matrix := func(name string) (linalg.Matrix[float64], error) {
		m, err := tensors[prefix+name].Matrix()
		if err != nil || m.Rows == 0 || m.Cols == 0 {
			return linalg.Matrix[float64]{}, fmt.Errorf("tensor %q is missing, or no matrix", prefix+name)
		}
		return linalg.Matrix[float64](m), nil
	}
	centers, err := matrix(tensorCenters)
	if err != nil {
		return nil, err
	}
	coef, err := matrix(tensorCoef)
	if err != nil {
		return nil, err
	}
	f := &rkhs.Func[kernel.Vec]{Kernel: k, Centers: data.RowsOf(centers), Coef: linalg.Dense(coef)}
	if b, ok := tensors[prefix+tensorBias]; ok {
		if f.Bias, err = b.Float64s(); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", prefix+tensorBias, err)
		}
	}
	return f, f.Check()
}
