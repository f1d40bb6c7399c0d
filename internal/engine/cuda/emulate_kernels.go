package cuda

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/mercer-ml/mercer/internal/format/float16"
)

// machine is one launch: arguments are taken in order, and what is wrong with them ends it.
type machine struct {
	e      *emulated
	args   []any
	status Status
}

func argument[T any](m *machine) T {
	var zero T
	if len(m.args) == 0 {
		m.status = invalidValue
		return zero
	}
	v, ok := m.args[0].(T)
	if !ok {
		panic(fmt.Sprintf("cuda: argument is a %T, the kernel takes a %T", m.args[0], zero))
	}
	m.args = m.args[1:]
	return v
}

// numbers is count numbers from an address on.
func numbers[T float32 | float64 | uint64 | int32](m *machine, p Ptr, count uint64) []T {
	b := m.e.memory(p, count*uint64(unsafe.Sizeof(*new(T))))
	if b == nil && count > 0 {
		m.status = illegalAddress
	}
	return Of[T](b)
}

func emulatedKernel(name string, hopper bool) (func(*machine, Shape), bool) {
	switch name {
	case "pack":
		return emulatePack, true
	case "norms":
		return emulateNorms, true
	case "deep_pack":
		return emulateDeepPack, true
	case "deep_norms":
		return emulateDeepNorms, true
	case "gather":
		return emulateGather, true
	case "direct32":
		return emulateDirect[float32], true
	case "direct64":
		return emulateDirect[float64], true
	case "lower":
		return emulateLower, true
	case "diagonal":
		return emulateDiagonal, true
	case "raise":
		return emulateRaise, true
	case "triangle":
		return emulateTriangle, true
	case "invert":
		return emulateInvert, true
	case "slopes_8":
		return func(m *machine, l Shape) { emulateSlopes(m, l, 8) }, true
	case "slopes_64":
		return func(m *machine, l Shape) { emulateSlopes(m, l, mostCode) }, true
	case "pulls_8":
		return func(m *machine, l Shape) { emulatePulls(m, l, 8) }, true
	case "pulls_64":
		return func(m *machine, l Shape) { emulatePulls(m, l, mostCode) }, true
	case "rectangle64":
		return emulateRectangle, true
	case "scaled":
		return emulateScaled, true
	case "squares":
		return emulateSquares, true
	case "totals":
		return emulateTotals, true
	case "mirror":
		return emulateMirror, true
	case "permuted":
		return emulatePermuted, true
	case "matrix64":
		return emulateMatrix[float64], true
	case "rounded64":
		return emulateMatrix[float32], true
	case "identity":
		return emulateIdentity, true
	case "split":
		return emulateSplit, true
	case "box_select":
		return emulateBoxSelect, true
	case "box_points":
		return emulateBoxPoints, true
	case "square32":
		return emulateSquare, true
	case "box_pairs_4", "box_pairs_8":
		return func(m *machine, l Shape) { emulateBoxPairs(m, l, int(name[len(name)-1]-'0')) }, true
	}
	var kb, kind, columns int
	if n, _ := fmt.Sscanf(name, "few_%d_%d_%d", &kb, &kind, &columns); n == 3 {
		return func(m *machine, l Shape) { emulateFew(m, l, kb, kind, columns) }, true
	}
	if n, _ := fmt.Sscanf(name, "exact_%d_%d_%d", &kb, &kind, &columns); n == 3 && kind <= matern52Kind {
		return func(m *machine, l Shape) { emulateExact(m, l, kb, kind, columns) }, true
	}
	if n, _ := fmt.Sscanf(name, "near_%d", &columns); n == 1 {
		return func(m *machine, l Shape) { emulateClose(m, l, columns) }, true
	}
	if n, _ := fmt.Sscanf(name, "deep_%d_%d", &kind, &columns); n == 2 && kind != laplaceKind {
		return func(m *machine, l Shape) { emulateDeep(m, l, kind, columns) }, true
	}
	if n, _ := fmt.Sscanf(name, "matrix_%d", &kind); n == 1 && kind != laplaceKind {
		return func(m *machine, l Shape) { emulateMatrixByProducts[float64](m, l, kind) }, true
	}
	if n, _ := fmt.Sscanf(name, "rounded_%d", &kind); n == 1 && kind != laplaceKind {
		return func(m *machine, l Shape) { emulateMatrixByProducts[float32](m, l, kind) }, true
	}
	if n, _ := fmt.Sscanf(name, "double_%d_%d", &kind, &columns); n == 2 && kind != laplaceKind {
		return func(m *machine, l Shape) { emulateDouble(m, l, kind, columns) }, true
	}
	if n, _ := fmt.Sscanf(name, "wgmma_%d_%d_%d", &kb, &kind, &columns); n == 3 && hopper {
		return func(m *machine, l Shape) { emulatePacked(m, l, kind, columns, kb, 256) }, true
	}
	if n, _ := fmt.Sscanf(name, "mma_%d_%d", &kind, &columns); n == 2 && strings.HasPrefix(name, "mma_") {
		return func(m *machine, l Shape) { emulatePacked(m, l, kind, columns, 0, 128) }, true
	}
	return nil, false
}

// halfOf rounds to half precision and back.
func halfOf(x float32) (uint16, float32) {
	h := float16.FromFloat32(x)
	return h, halfTable()[h]
}

func emulatePack(m *machine, l Shape) {
	x, n, npad := argument[Ptr](m), argument[uint64](m), argument[uint64](m)
	d, kb, norms := int(argument[int32](m)), int(argument[int32](m)), argument[int32](m)
	out := argument[Ptr](m)
	rows := numbers[float32](m, x, n*uint64(d))
	to := m.e.memory(out, npad*uint64(kb)*32)
	if to == nil || uint64(l.Blocks[0])*uint64(l.Threads) < npad*uint64(2*kb) {
		m.status = illegalAddress
	}
	if m.status != success {
		return
	}
	clear(to)
	for i := range n {
		put := func(k int, v float32) float32 {
			h, back := halfOf(v)
			at := 2 * (int(i>>3)*kb*128 + (k>>3)*64 + int(i&7)*8 + k&7)
			to[at], to[at+1] = byte(h), byte(h>>8)
			return back
		}
		sum := 0.0
		for c := range d {
			v := rows[i*uint64(d)+uint64(c)]
			hi := put(c, v)
			lo := put(d+c, v-hi)
			put(2*d+c, v)
			sum += float64(hi) * (float64(hi) + 2*float64(lo))
		}
		if norms != 0 {
			put(3*d, 1)
			put(3*d+1, 1)
			hi := put(3*d+2, float32(-0.5*sum))
			put(3*d+3, float32(-0.5*sum-float64(hi)))
		}
	}
}

func emulateGather(m *machine, _ Shape) {
	part, parts, size := argument[Ptr](m), uint64(argument[int32](m)), argument[uint64](m)
	scale, add, dst := argument[float64](m), argument[int32](m), argument[Ptr](m)
	from, to := numbers[float64](m, part, parts*size), numbers[float64](m, dst, size)
	if m.status != success {
		return
	}
	for i := range size {
		s := 0.0
		for p := range parts {
			s += from[p*size+i]
		}
		if add == 0 {
			to[i] = 0
		}
		to[i] += scale * s
	}
}

// emulatePacked is Σ κ·v of packed rows. kb is 0 where the kernel serves any.
func emulatePacked(m *machine, l Shape, kind, columns, kb, rows int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out := argument[Ptr](m), argument[uint64](m), argument[Ptr](m)
	d, k := int(argument[int32](m)), int(argument[int32](m))
	s := profile{kind: kind, a: float64(argument[float32](m)), b: float64(argument[float32](m)), n: argument[int32](m)}
	if kb != 0 && k != kb {
		m.status = invalidValue
		return
	}
	splits := uint64(max(l.Blocks[1], 1))
	padded := func(n uint64) uint64 { return (n + packedRows - 1) / packedRows * packedRows }
	left, right := m.e.memory(a, padded(na)*uint64(k)*32), m.e.memory(b, padded(nb)*uint64(k)*32)
	vs := numbers[float32](m, v, uint64(columns-1)*ldv+padded(nb))
	to := numbers[float64](m, out, splits*uint64(columns)*na)
	if left == nil || right == nil || uint64(l.Blocks[0])*uint64(rows) < na || chunk%packedRows != 0 ||
		splits*chunk < nb || 3*d+4 > 16*k {
		m.status = illegalAddress
	}
	if m.status != success {
		return
	}
	x, y := unpacked(left, na, k), unpacked(right, nb, k)
	for i := range int(na) {
		a := x[i*16*k:][:16*k]
		for split := range int(splits) {
			total := make([]float64, columns)
			for j := split * int(chunk); j < min((split+1)*int(chunk), int(nb)); j++ {
				b := y[j*16*k:][:16*k]
				q := a[3*d+2] + a[3*d+3] + b[3*d+2] + b[3*d+3]
				for c, hi := range a[:d] {
					q += hi*b[c] + hi*b[d+c] + a[d+c]*b[c]
				}
				if kind == laplaceKind && -2*q < nearPairs {
					q = 0
					for c := range d {
						e := a[c] - b[c] + (a[d+c] - b[d+c])
						q -= e * e / 2
					}
				}
				value := float32(s.at(float64(q)))
				for c := range columns {
					total[c] += float64(value * vs[c*int(ldv)+packedSlot(j)])
				}
			}
			for c, t := range total {
				to[(split*columns+c)*int(na)+i] = t
			}
		}
	}
}

// halfTable is every number of half precision by its pattern.
var halfTable = sync.OnceValue(func() []float32 {
	t := make([]float32, 1<<16)
	for h := range t {
		t[h] = float32(float16.Float64(uint16(h)))
	}
	return t
})

// unpacked is packed rows one after the other, 16·blocks numbers each.
func unpacked(p []byte, n uint64, blocks int) []float32 {
	table, out := halfTable(), make([]float32, int(n)*16*blocks)
	for i := range int(n) {
		for c := range 16 * blocks {
			at := 2 * ((i>>3)*blocks*128 + (c>>3)*64 + i&7*8 + c&7)
			out[i*16*blocks+c] = table[uint16(p[at])|uint16(p[at+1])<<8]
		}
	}
	return out
}

// at is κ as the kernels have it, of q = -½‖x-c‖² or ⟨x, c⟩ in scaled coordinates.
func (s profile) at(q float64) float64 {
	switch s.kind {
	case gaussKind:
		return math.Exp2(q)
	case rationalKind:
		return math.Pow(1+max(-q, 0), s.a)
	case polyKind:
		return math.Pow(s.a*q+s.b, float64(s.n))
	}
	square := max(-2*q, 0)
	r := math.Sqrt(square)
	e := math.Exp2(-r)
	switch s.kind {
	case laplaceKind:
		return e
	case matern32Kind:
		return (r*math.Ln2 + 1) * e
	}
	return (square*(math.Ln2*math.Ln2/3) + r*math.Ln2 + 1) * e
}
