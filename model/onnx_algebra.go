package model

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// composed is the values of a kernel made of others.
func (p *onnxPair) composed(k kernel.Kernel[kernel.Vec]) (string, error) {
	g := p.g
	switch k := k.(type) {
	case kernel.ConstantOf[kernel.Vec]:
		// in the shape of kernel values
		return p.affine(p.products(), 0, k.C), nil
	case kernel.SumOf[kernel.Vec]:
		return p.fold("Add", k.Terms)
	case kernel.ProductOf[kernel.Vec]:
		return p.fold("Mul", k.Factors)
	case kernel.ScaleOf[kernel.Vec]:
		v, err := p.values(k.Kernel)
		return p.times(v, k.Factor), err
	case kernel.PowerOf[kernel.Vec]:
		v, err := p.values(k.Kernel)
		return p.power(v, float64(k.Exponent)), err
	case kernel.ExpOf[kernel.Vec]:
		v, err := p.values(k.Kernel)
		return g.op("Exp", v), err
	case kernel.PowersOf[kernel.Vec]:
		v, err := p.values(k.Kernel)
		if err != nil || len(k.Coef) == 0 {
			return v, err
		}
		last := len(k.Coef) - 1
		sum := p.affine(v, 0, k.Coef[last])
		for j := last - 1; j >= 0; j-- {
			sum = g.op("Add", g.op("Mul", sum, v), g.scalar(k.Coef[j]))
		}
		return sum, nil
	case kernel.NormalizeOf[kernel.Vec]:
		return p.normalized(k.Kernel)
	case kernel.ARD:
		return p.ard(k)
	case kernel.OnColumns:
		centers := linalg.New[float64](p.centers.Rows, len(k.Columns))
		index := make([]int64, len(k.Columns))
		for a, j := range k.Columns {
			index[a] = int64(j)
			for i := range centers.Rows {
				centers.Set(i, a, p.centers.At(i, j))
			}
		}
		return p.on(g.gather(p.x, 1, index...), len(index), centers).values(k.Kernel)
	}
	text, err := spec.FormatKernel(k)
	if err != nil {
		return "", err
	}
	return "", unfit(onnxFormat, "the kernel %s is not written in its operators", clip(text))
}

func (p *onnxPair) fold(op string, parts []kernel.Kernel[kernel.Vec]) (string, error) {
	all := ""
	for _, part := range parts {
		v, err := p.values(part)
		if err != nil {
			return "", err
		}
		if all == "" {
			all = v
		} else {
			all = p.g.op(op, all, v)
		}
	}
	return all, nil
}

// ard divides the coordinates by their length-scales.
func (p *onnxPair) ard(k kernel.ARD) (string, error) {
	centers := linalg.New[float64](p.centers.Rows, p.d)
	for i := range centers.Rows {
		for j, v := range p.centers.Row(i) {
			centers.Set(i, j, v/k.Lengthscales[j])
		}
	}
	x := p.g.op("Div", p.x, p.g.store(k.Lengthscales, 1, p.d))
	return p.on(x, p.d, centers).values(k.Kernel)
}
