package model

import (
	"fmt"
	"strconv"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/learn/nodes"
)

// Files of functions on the nodes of a graph are of format 8. They hold what is said of each node,
// not the graph: its other nodes are all that can be asked of it.
const (
	domainNodes = "nodes"
	nodesFormat = 8

	tensorNodes = "nodes.values" // nodes × outputs
	tensorPrior = "nodes.prior"  // shares of the classes, or the mean
	tensorAlone = "nodes.alone"  // nodes of components without a known answer

	numberSlope  = "slope"
	numberLambda = "lambda"
)

// record is what a summary and a refused export look at.
func (b *nodesBody) record() record {
	p := b.m.Plain()
	return record{learner: b.learner(), domain: domainNodes, kernel: p.Kernel, classes: p.Classes, dim: 1,
		report:  p.Report,
		numbers: map[string]float64{numberSlope: p.Slope, numberLambda: p.Lambda}}
}

// put writes the values into a container.
func (b *nodesBody) put(to *container.File) {
	p := b.m.Plain()
	to.Metadata[keyFormat] = strconv.Itoa(nodesFormat)
	to.Tensors[tensorNodes] = container.MatrixTensor(linalg.Of(p.Values))
	to.Tensors[tensorPrior] = container.Float64s(p.Prior, len(p.Prior))
	if len(p.Alone) > 0 {
		alone := make([]int32, len(p.Alone))
		for i, v := range p.Alone {
			alone[i] = int32(v)
		}
		to.Tensors[tensorAlone] = container.Int32s(alone)
	}
}

// takeNodes reads them back.
func takeNodes(r record, from *container.File) (*nodesBody, error) {
	p := nodes.Plain{Classes: r.classes, Slope: r.numbers[numberSlope], Lambda: r.numbers[numberLambda], Kernel: r.kernel,
		Report: r.report}
	if len(p.Kernel) > maxKernelText {
		return nil, fmt.Errorf("a kernel text of %d bytes", len(p.Kernel))
	}
	values, err := from.Tensors[tensorNodes].Matrix()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", tensorNodes, err)
	}
	if values.Rows == 0 || values.Cols == 0 {
		return nil, fmt.Errorf("tensor %q is empty", tensorNodes)
	}
	p.Values = linalg.Dense(linalg.Matrix[float64](values))
	if p.Prior, err = from.Tensors[tensorPrior].Float64s(); err != nil {
		return nil, fmt.Errorf("tensor %q: %w", tensorPrior, err)
	}
	if t, ok := from.Tensors[tensorAlone]; ok {
		alone, err := t.Int32s()
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", tensorAlone, err)
		}
		for _, v := range alone {
			p.Alone = append(p.Alone, int(v))
		}
	}
	m, err := nodes.Restore(p)
	if err != nil {
		return nil, err
	}
	return &nodesBody{m}, nil
}
