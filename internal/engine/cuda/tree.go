package cuda

import "math"

// Metric names a number of two points, in the order of package kernel.
type Metric int

// The metrics.
const (
	Inner Metric = iota
	SqDist
	L1Dist
	ChiSqDist
	MinSum
)

// Op is an operation on values of pairs.
type Op int

// The operations: x is the value so far. Load and Constant put it aside, Add and Mul take it up
// again.
const (
	Load     Op = iota // the metric of source Index
	Constant           // A
	Affine             // A·x + B
	Exp                // e^{A·x}
	Sqrt               // √x
	Power              // x^A
	PowerI             // x^Index
	Tanh               // tanh x
	Matern             // p(z)e^{-z}, z = A·√x; p has Index coefficients in the table, from B on
	Add                // x + the last put aside
	Mul                // x · the last put aside
	Ratio              // (1 + A·x)^B
)

// Instruction is an operation with its numbers.
type Instruction struct {
	Op    Op
	Index int
	A, B  float64
}

// Source is a metric between points of some number of coordinates.
type Source struct {
	Metric Metric
	Dim    int
}

// Tree is a kernel as a list of operations, the operands before their operator.
type Tree struct {
	Sources []Source
	Code    []Instruction
	Table   []float64
}

// What the kernels hold at once.
const (
	mostAside  = 4
	mostCode   = 64
	mostTable  = 64
	widest     = 4 // columns of v of a direct product
	directSide = 64
)

// Fits says whether the kernels can hold the tree.
func (t Tree) Fits() bool {
	aside, most := 0, 0
	for i, c := range t.Code {
		switch c.Op {
		case Load, Constant:
			if i > 0 {
				aside++
			}
		case Add, Mul:
			aside--
		}
		most = max(most, aside)
	}
	return len(t.Code) > 0 && len(t.Code) <= mostCode && len(t.Table) <= mostTable && most <= mostAside && aside == 0
}

// The profiles of packed rows, in the order of _gen/common.cu.
const (
	gaussKind = iota
	laplaceKind
	matern32Kind
	matern52Kind
	rationalKind
	polyKind
)

const nearPairs = 1.0 / 128 // NEAR of _gen/common.cu

// profile is κ of packed rows: factor·κ(q; a, b, n), coordinates multiplied by scale.
type profile struct {
	kind   int
	a, b   float64
	n      int32
	scale  float64
	factor float64
	norms  bool // q = -½‖x-c‖², else ⟨x, c⟩
}

// normed is norms as kernels take it.
func (p profile) normed() int32 {
	if p.norms {
		return 1
	}
	return 0
}

// profileOf is the tree as a profile, where it is one, and the largest norm of a point, from the
// shift that its metric allows, up to which sums of products have the digits: farther out numbers
// of 22 bits would not do (of 53 bits, for Double). reach is the largest norm that is known;
// profiles of inner products bring it near 1.
func (t Tree) profileOf(reach float64) (p profile, limit float64, ok bool) {
	if len(t.Sources) != 1 || len(t.Code) < 1 || t.Code[0] != (Instruction{Op: Load}) || t.Sources[0].Dim < 1 {
		return profile{}, 0, false
	}
	p = profile{factor: 1}
	code := t.Code[1:]
	if n := len(code); n > 0 && code[n-1].Op == Affine && code[n-1].B == 0 && (n > 1 || t.Sources[0].Metric == SqDist) {
		p.factor, code = code[n-1].A, code[:n-1]
	}
	if t.Sources[0].Metric == Inner {
		return innerProfile(p, code, reach)
	}
	if t.Sources[0].Metric != SqDist {
		return p, 0, false
	}
	p.norms = true
	switch {
	case len(code) == 1 && code[0].Op == Exp && code[0].A < 0: // e^{A‖x-c‖²}
		p.kind, p.scale = gaussKind, math.Sqrt(-2*code[0].A*math.Log2E)
	case len(code) == 2 && code[0].Op == Sqrt && code[1].Op == Exp && code[1].A < 0:
		p.kind, p.scale = laplaceKind, -code[1].A*math.Log2E
	case len(code) == 1 && code[0].Op == Matern && code[0].Index == 2:
		p.kind, p.scale = matern32Kind, code[0].A*math.Log2E
	case len(code) == 1 && code[0].Op == Matern && code[0].Index == 3:
		p.kind, p.scale = matern52Kind, code[0].A*math.Log2E
	case len(code) == 1 && code[0].Op == Ratio && code[0].A > 0 && code[0].B < 0 && code[0].B >= -16:
		p.kind, p.scale, p.a = rationalKind, math.Sqrt(2*code[0].A), code[0].B
	default:
		return p, 0, false
	}
	square := 128.0 // ½‖x‖² to 22 bits is then off by 1.5e-5, which is the relative error of a Gaussian at worst
	if p.kind == laplaceKind {
		square = 16 // a root of what is off by more is off by more than that where points are near
	}
	return p, math.Sqrt(square) / p.scale, p.scale > 0 && !math.IsInf(p.scale, 0)
}

// innerProfile is (A·⟨x, c⟩ + B)^n or e^{A⟨x, c⟩}. Coordinates are brought near 1 by a power of
// two.
func innerProfile(p profile, code []Instruction, reach float64) (_ profile, limit float64, ok bool) {
	if !(reach > 0) || reach > 1e15 {
		return p, 0, false
	}
	_, e := math.Frexp(reach)
	p.scale = math.Ldexp(1, -e)
	back := math.Ldexp(1, 2*e)
	switch {
	case len(code) == 1 && code[0].Op == Exp && code[0].A > 0:
		p.kind, p.scale = gaussKind, math.Sqrt(code[0].A*math.Log2E)
		return p, math.Sqrt(32 / code[0].A), true
	case len(code) == 0:
		p.kind, p.a, p.n = polyKind, back, 1
	case len(code) == 1 && code[0].Op == Affine:
		p.kind, p.a, p.b, p.n = polyKind, code[0].A*back, code[0].B, 1
	case len(code) == 2 && code[0].Op == Affine && code[1].Op == PowerI && code[1].Index >= 1 && code[1].Index <= 16:
		p.kind, p.a, p.b, p.n = polyKind, code[0].A*back, code[0].B, int32(code[1].Index)
	default:
		return p, 0, false
	}
	top := math.Pow(math.Abs(p.a)+math.Abs(p.b), float64(p.n))
	return p, math.Ldexp(1, e), top < 1e30 // far from the end of single precision
}

// The layout of packed rows, see _gen/common.cu.
const (
	packedRows = 128 // rows are padded to multiples of it
	mostBlocks = 20  // of 16 numbers, in shared memory
	deepFrom   = 13  // blocks from which some columns at a time are faster (64 columns: 3.25 and 3.40 ms, 96: 4.5 and 6.6)
	fewColumns = 4   // up to which differences are as fast as matrix instructions, and exact
	mostFew    = 8   // up to which there are kernels for differences of one profile
)

// packedBlocks is the number of blocks of 16 numbers of a row of d columns.
func packedBlocks(d int) int { return (3*d + 4 + 15) / 16 }
