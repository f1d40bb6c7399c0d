package model

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// manyClasses is machines of two classes each: of every coefficient row one in so many is not 0.
func manyClasses(t *testing.T, n, classes int) *Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	x, y := mat.NewDense(n, 2, nil), make([]string, n)
	for i := range n {
		c := i % classes
		y[i] = fmt.Sprintf("class %02d", c)
		x.SetRow(i, []float64{float64(c%4) + rng.NormFloat64(), float64(c/4) + rng.NormFloat64()})
	}
	fitted := must(svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1},
		C: 1}.Fit(context.Background(), data.Rows(x), y))
	return must(New(fitted, Info{}))
}

// Many coefficients of which most are 0 take room by those that are not, and come back to the bit.
func TestCoefficientsMostlyZero(t *testing.T) {
	m := manyClasses(t, 300, 12)
	file := encodeModel(t, m)
	c := must(container.Read(file))
	if _, dense := c.Tensors[tensorCoef]; dense || c.Metadata[keyFormat] != "9" {
		t.Fatalf("format %s, tensors %v: the coefficients are written with their zeros", c.Metadata[keyFormat],
			container.SortedKeys(c.Tensors))
	}
	if whole := 8 * 250 * 66; len(file) > whole/2 {
		t.Errorf("the file takes %d bytes; all coefficients alone take %d", len(file), whole)
	}
	back := must(Decode(file))
	if !mat.Equal(m.body.record().coef, back.body.record().coef) {
		t.Error("other coefficients after loading")
	}
	if !bytes.Equal(encodeModel(t, back), file) {
		t.Error("a loaded model writes another file")
	}
	few := manyClasses(t, 60, 12)
	if c := must(container.Read(encodeModel(t, few))); c.Metadata[keyFormat] != "1" {
		t.Errorf("few coefficients are written in format %s, which an older mercer does not read", c.Metadata[keyFormat])
	}
}

// What does not fit together is refused, whatever its checksum says.
func TestCoefficientsMostlyZeroDamaged(t *testing.T) {
	m := manyClasses(t, 300, 12)
	file := encodeModel(t, m)
	for name, change := range map[string]func(map[string]container.Tensor){
		"no columns":      func(t map[string]container.Tensor) { delete(t, tensorCoefIndex) },
		"no values":       func(t map[string]container.Tensor) { delete(t, tensorCoefValue) },
		"no width":        func(t map[string]container.Tensor) { delete(t, tensorCoefWidth) },
		"two widths":      func(t map[string]container.Tensor) { t[tensorCoefWidth] = container.Int64s([]int64{66, 66}) },
		"too narrow":      func(t map[string]container.Tensor) { t[tensorCoefWidth] = container.Int64s([]int64{3}) },
		"very wide":       func(t map[string]container.Tensor) { t[tensorCoefWidth] = container.Int64s([]int64{1 << 40}) },
		"negative width":  func(t map[string]container.Tensor) { t[tensorCoefWidth] = container.Int64s([]int64{-66}) },
		"no rows":         func(t map[string]container.Tensor) { t[tensorCoefStart] = container.Int64s([]int64{0}) },
		"rows go back":    func(t map[string]container.Tensor) { t[tensorCoefStart] = changed(t[tensorCoefStart], 5, -1) },
		"rows go too far": func(t map[string]container.Tensor) { t[tensorCoefStart] = changed(t[tensorCoefStart], 5, 1<<30) },
		"a row less": func(t map[string]container.Tensor) {
			s := must(t[tensorCoefStart].Int64s())
			t[tensorCoefStart] = container.Int64s(append(s[:3], s[4:]...))
		},
		"columns of texts": func(t map[string]container.Tensor) { t[tensorCoefIndex] = t[tensorCoefStart] },
	} {
		c := must(container.Read(file))
		change(c.Tensors)
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(b.Bytes()); err == nil || !strings.Contains(err.Error(), "damaged") &&
			!strings.Contains(err.Error(), "model") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func changed(t container.Tensor, at int, to int64) container.Tensor {
	v := must(t.Int64s())
	v[at] = to
	return container.Int64s(v)
}
