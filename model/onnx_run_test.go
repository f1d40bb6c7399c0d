package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
)

// A small runtime of ONNX: the operators that WriteONNX uses, by their definitions in the standard.
// It stands in for onnxruntime where that is not installed, and disagrees with nobody about what an
// operator means.

// nd is a tensor; truth values and whole numbers are numbers, too.
type nd struct {
	dims []int
	num  []float64
	str  []string
}

// field is a field of a protocol buffer.
type protoField struct {
	number int
	value  uint64
	bytes  []byte
}

func protoFields(t *testing.T, b []byte) []protoField {
	t.Helper()
	var out []protoField
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		b = b[n:]
		f := protoField{number: int(tag >> 3)}
		switch tag & 7 {
		case 0:
			f.value, n = binary.Uvarint(b)
			b = b[n:]
		case 2:
			size, n := binary.Uvarint(b)
			f.bytes, b = b[n:n+int(size)], b[n+int(size):]
		case 5:
			f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		default:
			t.Fatalf("wire type %d", tag&7)
		}
		out = append(out, f)
	}
	return out
}

func protoTensor(t *testing.T, b []byte) (name string, x nd) {
	t.Helper()
	kind := uint64(0)
	var raw []byte
	for _, f := range protoFields(t, b) {
		switch f.number {
		case 1:
			x.dims = append(x.dims, int(f.value))
		case 2:
			kind = f.value
		case 6:
			x.str = append(x.str, string(f.bytes))
		case 8:
			name = string(f.bytes)
		case 9:
			raw = f.bytes
		}
	}
	for i := 0; i < len(raw); i += 8 {
		v := binary.LittleEndian.Uint64(raw[i:])
		if kind == onnxInt64 {
			x.num = append(x.num, float64(int64(v)))
		} else {
			x.num = append(x.num, math.Float64frombits(v))
		}
	}
	return name, x
}

// protoNode is a node with its attributes: whole numbers, or strings.
type protoNode struct {
	op      string
	in, out []string
	ints    map[string][]int
	strs    map[string][]string
}

func protoNodeOf(t *testing.T, b []byte) protoNode {
	t.Helper()
	n := protoNode{ints: map[string][]int{}, strs: map[string][]string{}}
	for _, f := range protoFields(t, b) {
		switch f.number {
		case 1:
			n.in = append(n.in, string(f.bytes))
		case 2:
			n.out = append(n.out, string(f.bytes))
		case 4:
			n.op = string(f.bytes)
		case 5:
			name := ""
			for _, a := range protoFields(t, f.bytes) {
				switch a.number {
				case 1:
					name = string(a.bytes)
				case 3, 8:
					n.ints[name] = append(n.ints[name], int(int64(a.value)))
				case 9:
					n.strs[name] = append(n.strs[name], string(a.bytes))
				}
			}
		}
	}
	return n
}

// evaluateONNX runs a file on inputs.
func evaluateONNX(t *testing.T, file []byte, values map[string]nd) map[string]nd {
	t.Helper()
	var graph []byte
	for _, f := range protoFields(t, file) {
		if f.number == 7 {
			graph = f.bytes
		}
	}
	out := map[string]nd{}
	for _, f := range protoFields(t, graph) {
		if f.number == 5 {
			name, x := protoTensor(t, f.bytes)
			values[name] = x
		}
	}
	for _, f := range protoFields(t, graph) {
		switch f.number {
		case 1:
			n := protoNodeOf(t, f.bytes)
			in := make([]nd, len(n.in))
			for i, name := range n.in {
				x, ok := values[name]
				if !ok {
					t.Fatalf("%s reads %q, which is not there yet", n.op, name)
				}
				in[i] = x
			}
			if _, twice := values[n.out[0]]; twice {
				t.Fatalf("%q is made twice", n.out[0])
			}
			values[n.out[0]] = n.run(t, in)
		case 12:
			name := string(protoFields(t, f.bytes)[0].bytes)
			out[name] = values[name]
		}
	}
	return out
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// spreadTo is the elements of x as a tensor of dims has them by broadcasting.
func (x nd) spreadTo(dims []int) []int {
	at := make([]int, size(dims))
	lead := len(dims) - len(x.dims)
	for i := range at {
		rest, from, step := i, 0, 1
		for d := len(dims) - 1; d >= 0; d-- {
			place := rest % dims[d]
			rest /= dims[d]
			if d >= lead {
				if x.dims[d-lead] > 1 {
					from += place * step
				}
				step *= x.dims[d-lead]
			}
		}
		at[i] = from
	}
	return at
}

func common(all ...nd) []int {
	var dims []int
	for _, x := range all {
		for len(dims) < len(x.dims) {
			dims = append([]int{1}, dims...)
		}
	}
	for _, x := range all {
		for i, d := range x.dims {
			at := len(dims) - len(x.dims) + i
			if dims[at] != d && dims[at] != 1 && d != 1 {
				panic(fmt.Sprint("shapes ", dims, x.dims))
			}
			dims[at] = max(dims[at], d)
		}
	}
	return dims
}

func (x nd) each(f func(v float64) float64) nd {
	out := nd{dims: x.dims, num: make([]float64, len(x.num))}
	for i, v := range x.num {
		out.num[i] = f(v)
	}
	return out
}

func pairwiseND(a, b nd, f func(u, v float64) float64) nd {
	dims := common(a, b)
	out := nd{dims: dims, num: make([]float64, size(dims))}
	i, j := a.spreadTo(dims), b.spreadTo(dims)
	for k := range out.num {
		out.num[k] = f(a.num[i[k]], b.num[j[k]])
	}
	return out
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (n protoNode) run(t *testing.T, in []nd) nd {
	t.Helper()
	pairs := map[string]func(u, v float64) float64{
		"Add": func(u, v float64) float64 { return u + v }, "Sub": func(u, v float64) float64 { return u - v },
		"Mul": func(u, v float64) float64 { return u * v }, "Div": func(u, v float64) float64 { return u / v },
		"Max": math.Max, "Min": math.Min, "Pow": math.Pow,
		"Equal":   func(u, v float64) float64 { return truth(u == v) },
		"Greater": func(u, v float64) float64 { return truth(u > v) },
	}
	if f, ok := pairs[n.op]; ok {
		return pairwiseND(in[0], in[1], f)
	}
	single := map[string]func(v float64) float64{
		"Exp": math.Exp, "Sqrt": math.Sqrt, "Tanh": math.Tanh, "Sin": math.Sin, "Abs": math.Abs,
		"Neg": func(v float64) float64 { return -v }, "IsNaN": func(v float64) float64 { return truth(math.IsNaN(v)) },
		"Sigmoid": func(v float64) float64 { return 1 / (1 + math.Exp(-v)) },
	}
	if f, ok := single[n.op]; ok {
		return in[0].each(f)
	}
	x := in[0]
	axis := 0
	if a := n.ints["axis"]; a != nil {
		axis = a[0]
	}
	switch n.op {
	case "Identity", "Cast":
		return x
	case "MatMul":
		a, b := in[0], in[1]
		out := nd{dims: []int{a.dims[0], b.dims[1]}, num: make([]float64, a.dims[0]*b.dims[1])}
		for i := range a.dims[0] {
			for p := range a.dims[1] {
				for j := range b.dims[1] {
					out.num[i*b.dims[1]+j] += a.num[i*a.dims[1]+p] * b.num[p*b.dims[1]+j]
				}
			}
		}
		return out
	case "ReduceSum":
		return x.reduce(int(in[1].num[0]), n.ints["keepdims"][0] == 1, 0, func(s, v float64) float64 { return s + v })
	case "ReduceMax":
		return x.reduce(n.ints["axes"][0], n.ints["keepdims"][0] == 1, math.Inf(-1), math.Max)
	case "ArgMax":
		out := nd{dims: x.dims[:1], num: make([]float64, x.dims[0])}
		for i := range out.num {
			row := x.num[i*x.dims[1] : (i+1)*x.dims[1]]
			for j, v := range row {
				if v > row[int(out.num[i])] {
					out.num[i] = float64(j)
				}
			}
		}
		return out
	case "Softmax":
		top := x.reduce(1, true, math.Inf(-1), math.Max)
		e := pairwiseND(x, top, func(u, v float64) float64 { return math.Exp(u - v) })
		return pairwiseND(e, e.reduce(1, true, 0, func(s, v float64) float64 { return s + v }), pairs["Div"])
	case "Where":
		dims := common(in...)
		out := nd{dims: dims, num: make([]float64, size(dims))}
		c, a, b := in[0].spreadTo(dims), in[1].spreadTo(dims), in[2].spreadTo(dims)
		for k := range out.num {
			out.num[k] = in[2].num[b[k]]
			if in[0].num[c[k]] != 0 {
				out.num[k] = in[1].num[a[k]]
			}
		}
		return out
	case "Gather":
		return x.gather(axis, in[1])
	case "Concat":
		return concatND(axis, in)
	case "Reshape":
		dims := make([]int, len(in[1].num))
		for i, v := range in[1].num {
			dims[i] = int(v)
		}
		if dims[0] < 0 {
			dims[0] = len(x.num) / size(dims[1:])
		}
		return nd{dims, x.num, x.str}
	case "Squeeze":
		return nd{slices.Delete(slices.Clone(x.dims), int(in[1].num[0]), int(in[1].num[0])+1), x.num, x.str}
	case "Unsqueeze":
		return nd{slices.Insert(slices.Clone(x.dims), int(in[1].num[0]), 1), x.num, x.str}
	case "OneHotEncoder":
		cats := n.strs["cats_strings"]
		out := nd{dims: append(slices.Clone(x.dims), len(cats)), num: make([]float64, len(x.str)*len(cats))}
		for i, s := range x.str {
			j := slices.Index(cats, s)
			if j < 0 && n.ints["zeros"][0] == 0 {
				t.Fatalf("unknown category %q", s)
			}
			if j >= 0 {
				out.num[i*len(cats)+j] = 1
			}
		}
		return out
	}
	t.Fatalf("operator %s is not known here", n.op)
	return nd{}
}

// around is the number of elements before and after an axis.
func (x nd) around(axis int) (before, after int) { return size(x.dims[:axis]), size(x.dims[axis+1:]) }

func (x nd) reduce(axis int, keep bool, start float64, f func(s, v float64) float64) nd {
	before, after := x.around(axis)
	out := nd{dims: slices.Clone(x.dims), num: make([]float64, before*after)}
	out.dims[axis] = 1
	if !keep {
		out.dims = slices.Delete(out.dims, axis, axis+1)
	}
	for b := range before {
		for a := range after {
			s := start
			for p := range x.dims[axis] {
				s = f(s, x.num[(b*x.dims[axis]+p)*after+a])
			}
			out.num[b*after+a] = s
		}
	}
	return out
}

func (x nd) gather(axis int, index nd) nd {
	before, after := x.around(axis)
	out := nd{dims: append(append(slices.Clone(x.dims[:axis]), index.dims...), x.dims[axis+1:]...)}
	for b := range before {
		for _, p := range index.num {
			for a := range after {
				at := (b*x.dims[axis]+int(p))*after + a
				if x.str != nil {
					out.str = append(out.str, x.str[at])
				} else {
					out.num = append(out.num, x.num[at])
				}
			}
		}
	}
	return out
}

func concatND(axis int, parts []nd) nd {
	out := nd{dims: slices.Clone(parts[0].dims)}
	out.dims[axis] = 0
	for _, p := range parts {
		out.dims[axis] += p.dims[axis]
	}
	before, _ := out.around(axis)
	for b := range before {
		for _, p := range parts {
			_, after := p.around(axis)
			run := p.dims[axis] * after
			out.num = append(out.num, p.num[b*run:(b+1)*run]...)
		}
	}
	return out
}
