package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/spec"
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

// readKernels writes every kernel down and reads it again.
func (t *transform) readKernels() error {
	if len(t.plain.Funcs) > mostFunctions {
		return fmt.Errorf("%d functions", len(t.plain.Funcs))
	}
	funcs := make([]*rkhs.Func[kernel.Vec], len(t.plain.Funcs))
	for i, f := range t.plain.Funcs {
		if k, ok := valuesOf(f.Kernel); ok {
			centers, err := denseRows(f.Centers)
			if err == nil {
				err = t.checkValues(k, centers)
			}
			if err != nil {
				return err
			}
			t.plain.Numbers = maps.Clone(t.plain.Numbers)
			t.plain.Numbers[numberObjects] = float64(k.objects)
			t.kernels = append(t.kernels, valuesText)
			funcs[i] = &rkhs.Func[kernel.Vec]{Kernel: k, Centers: centers, Coef: f.Coef, Bias: f.Bias}
			continue
		}
		text, err := spec.FormatKernel(f.Kernel)
		if err != nil {
			return err
		}
		if len(text) > maxKernelText {
			return fmt.Errorf("a kernel text of %d bytes", len(text))
		}
		k, err := spec.ParseKernel(text)
		if err != nil {
			return fmt.Errorf("kernel %q: %w", clip(text), err)
		}
		centers, err := denseRows(f.Centers)
		if err != nil {
			return err
		}
		t.kernels = append(t.kernels, text)
		funcs[i] = &rkhs.Func[kernel.Vec]{Kernel: k, Centers: centers, Coef: f.Coef, Bias: f.Bias}
	}
	t.plain.Funcs = funcs
	return nil
}

func (t *transform) kernelText() string { return strings.Join(t.kernels, "; ") }

// record is what a summary and a refused export look at.
func (t *transform) record() record {
	return record{learner: t.plain.Kind, domain: domainTransform, kernel: t.kernelText(), dim: t.size, numbers: t.plain.Numbers, report: t.report()}
}

// put writes what such a thing has into a container.
func (t *transform) put(c *Container) error {
	c.Metadata[keyFormat] = strconv.Itoa(transformFormat)
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
		c.Tensors[name+tensorCenters] = MatrixTensor(f.Centers.(data.DenseRows).RawMatrix())
		c.Tensors[name+tensorCoef] = MatrixTensor(linalg.Of(f.Coef))
		if f.Bias != nil {
			c.Tensors[name+tensorBias] = Float64s(f.Bias, len(f.Bias))
		}
	}
	for name, a := range t.plain.Arrays {
		if a == nil || a.IsEmpty() {
			return fmt.Errorf("model: array %q is empty", name)
		}
		c.Tensors[arrayPrefix+name] = MatrixTensor(linalg.Of(a))
	}
	return nil
}

// takeTransform reads it back.
func takeTransform(kind string, numbers map[string]float64, c *Container) (*transform, error) {
	p := rkhs.Plain[kernel.Vec]{Kind: kind, Numbers: numbers, Arrays: map[string]*mat.Dense{}}
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
	for i, text := range kernels {
		k, err := takeKernel(text, p)
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		f, err := takeFunc(k, funcPrefix+strconv.Itoa(i)+".", c.Tensors)
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		p.Funcs = append(p.Funcs, f)
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
	return newTransform(p)
}

// takeKernel is the kernel of a text.
func takeKernel(text string, p rkhs.Plain[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
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

func takeFunc(k kernel.Kernel[kernel.Vec], prefix string, tensors map[string]Tensor) (*rkhs.Func[kernel.Vec], error) {
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
