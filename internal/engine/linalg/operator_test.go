package linalg

import (
	"fmt"
	"strings"
	"testing"
)

// checkOperator compares products with those of the dense matrix a.
func checkOperator(t *testing.T, what string, o Operator, a Matrix[float64]) {
	t.Helper()
	if r, c := o.Dims(); r != a.Rows || c != a.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, r, c, a.Rows, a.Cols)
	}
	if a.Rows == 0 || a.Cols == 0 {
		return
	}
	for _, trans := range []bool{false, true} {
		for _, k := range []int{1, 2, 4, 5, 9} {
			used := a
			if trans {
				used = transposed(a)
			}
			v := fillNormal(New[float64](used.Cols, k), 11)
			dst, check := inNaN[float64](used.Rows, k)
			o.MulTo(Dense(dst), Dense(v), trans)
			check(t)
			within(t, fmt.Sprintf("%s, trans=%v, %d columns", what, trans, k), gap(dst, naiveMul(used, v)),
				20*float64(a.Rows+a.Cols)*eps64*(1+frobenius(a))*frobenius(v))
		}
	}
}

func TestOperatorsEqualTheirMatrices(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 300} {
		a := fillNormal(New[float64](n, n+3), 1)
		checkOperator(t, "dense", DenseOp{A: a}, a)
		s := randomSymmetric(n, 2)
		half := New[float64](n, n)
		setLower(half, s)
		sym := SymmetricOp{A: half}
		checkOperator(t, "symmetric", sym, s)

		u, v := fillNormal(New[float64](n, 3), 3), fillNormal(New[float64](n, 3), 4)
		d := fillNormal(New[float64](n, 1), 5).Data
		uv, uu := naiveMul(u, transposed(v)), naiveMul(u, transposed(u))
		checkOperator(t, "U·Uᵀ", LowRankPlusDiagonal{U: u}, uu)
		for i := range n {
			uv.Data[i*uv.Stride+i] += d[i]
			uu.Data[i*uu.Stride+i] += d[i]
		}
		checkOperator(t, "U·Vᵀ + D", LowRankPlusDiagonal{U: u, V: v, D: d}, uv)
		checkOperator(t, "U·Uᵀ + D", LowRankPlusDiagonal{U: u, D: d}, uu)

		sum := s.Clone()
		for i := range sum.Data {
			sum.Data[i] = 3*sum.Data[i] + uv.Data[i]
		}
		checkOperator(t, "sum", SumOp{ScaledOp{3, sym}, LowRankPlusDiagonal{U: u, V: v, D: d}}, sum)
	}
}

func TestSymmetricOpSameBitsAtAnyThreadCount(t *testing.T) {
	a := randomSymmetric(600, 1)
	for _, k := range []int{1, 4, 20} {
		v := fillNormal(New[float64](600, k), 2)
		one := New[float64](600, k)
		SymmetricOp{A: a, Threads: 1}.MulTo(Dense(one), Dense(v), false)
		for _, threads := range []int{2, 8} {
			got := New[float64](600, k)
			SymmetricOp{A: a, Threads: threads}.MulTo(Dense(got), Dense(v), false)
			sameBits(t, fmt.Sprintf("%d columns", k), one, got)
		}
	}
}

func TestOperatorsRefuseWrongShapes(t *testing.T) {
	a := DenseOp{A: New[float64](3, 4)}
	for what, f := range map[string]func(){
		"applied to":     func() { a.MulTo(Dense(New[float64](3, 1)), Dense(New[float64](3, 1)), false) },
		"term 1 is 4×3":  func() { SumOp{a, DenseOp{A: New[float64](4, 3)}}.Dims() },
		"no operators":   func() { SumOp{}.Dims() },
		"D has 2":        func() { LowRankPlusDiagonal{U: New[float64](3, 1), D: make([]float64, 2)}.Dims() },
		"must be square": func() { SymmetricOp{A: New[float64](3, 4)}.Dims() },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), what) {
					t.Errorf("panic %v, want %q", r, what)
				}
			}()
			f()
		}()
	}
}
