package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func randomMatrix64(m, n int, seed uint64) Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 41))
	a := New[float64](m, n)
	for i := range a.Data {
		a.Data[i] = r.NormFloat64()
	}
	return a
}

// withSingularValues returns a matrix U·diag(w)·Vᵀ with random orthogonal factors.
func withSingularValues(m int, w []float64, seed uint64) Matrix[float64] {
	n := len(w)
	u := NewQR(1, randomMatrix64(m, n, seed)).ThinQ(1)
	v := NewQR(1, randomMatrix64(n, n, seed+1)).ThinQ(1)
	for i := range m {
		for j := range n {
			u.Set(i, j, u.At(i, j)*w[j])
		}
	}
	a := New[float64](m, n)
	Gemm(1, NoTrans, Trans, 1, u, v, 0, a)
	return a
}

func checkSVD(t *testing.T, name string, a Matrix[float64], s *SVD) {
	t.Helper()
	m, n := a.Rows, a.Cols
	r := min(m, n)
	if len(s.Values) != r || s.U.Rows != m || s.U.Cols != r || s.V.Rows != n || s.V.Cols != r {
		t.Fatalf("%s: wrong shapes", name)
	}
	largest, _ := finiteAll(a)
	scale := unitScale(largest)
	us := s.U.Clone()
	for i := range m {
		for j := range r {
			us.Set(i, j, us.At(i, j)*(s.Values[j]*scale))
		}
	}
	product := New[float64](m, n)
	if r > 0 {
		Gemm(0, NoTrans, Trans, 1, us, s.V, 0, product)
	}
	diff, norm := 0.0, 0.0
	for i := range m {
		for j := range n {
			diff = worst(diff, math.Abs(product.At(i, j)-a.At(i, j)*scale))
		}
		as := append([]float64(nil), a.Row(i)...)
		scaleVec(scale, as)
		norm = max(norm, math.Sqrt(dotVec(as, as)))
	}
	size := float64(m + n)
	if !(diff <= 1e-15*size*norm+1e-15*norm) {
		t.Errorf("%s: |U·S·Vᵀ − A| = %.3g, norm %.3g", name, diff, norm)
	}
	for what, x := range map[string]Matrix[float64]{"U": s.U, "V": s.V} {
		if e := orthogonalityError(x); !(e <= 1e-15*size+1e-15) {
			t.Errorf("%s: orthogonality of %s: %.3g", name, what, e)
		}
	}
	for i, w := range s.Values {
		if !(w >= 0) || (i > 0 && !(w <= s.Values[i-1])) {
			t.Errorf("%s: singular value %d is %g after %g", name, i, w, s.Values[max(i-1, 0)])
		}
	}
}

func TestThinSVDShapes(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {5, 1}, {2, 2}, {15, 16}, {16, 16}, {17, 16}, {33, 32}, {31, 33}, {130, 70}, {70, 130}, {100, 100}, {300, 40}} {
		a := randomMatrix64(shape[0], shape[1], 5)
		s, err := ThinSVD(2, a.Clone())
		if err != nil {
			t.Fatalf("%v: %v", shape, err)
		}
		checkSVD(t, fmt.Sprint(shape), a, s)
	}
}

func TestThinSVDRecoversSingularValues(t *testing.T) {
	const n = 90
	spectra := map[string]func(i int) float64{
		"geometric to 1e-18": func(i int) float64 { return math.Pow(10, -18*float64(i)/(n-1)) },
		"geometric to 1e-9":  func(i int) float64 { return math.Pow(10, -9*float64(i)/(n-1)) },
		"rank 10":            func(i int) float64 { return map[bool]float64{true: float64(10 - i), false: 0}[i < 10] },
		"all equal":          func(int) float64 { return 3 },
		"two clusters":       func(i int) float64 { return map[bool]float64{true: 1, false: 1e-8}[i < n/2] },
		"one tiny":           func(i int) float64 { return map[bool]float64{true: 1, false: 1e-11}[i < n-1] },
	}
	for name, f := range spectra {
		w := make([]float64, n)
		for i := range w {
			w[i] = f(i)
		}
		for _, m := range []int{n, 150} {
			a := withSingularValues(m, w, 7)
			s, err := ThinSVD(0, a.Clone())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkSVD(t, name, a, s)
			for i := range w {
				// ε·‖A‖, not √ε·‖A‖: a singular value of 1e-11 has five digits.
				if !(math.Abs(s.Values[i]-w[i]) <= 40*0x1p-52*w[0]) {
					t.Errorf("%s: singular value %d is %.17g, want %.17g", name, i, s.Values[i], w[i])
				}
			}
		}
	}
}

func TestThinSVDHardCases(t *testing.T) {
	for _, c := range hardSymmetric() {
		s, err := ThinSVD(0, c.a.Clone())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkSVD(t, c.name, c.a, s)
	}
}

func TestThinSVDSameBitsAtAnyThreadCount(t *testing.T) {
	a := randomMatrix64(150, 120, 3)
	one, err := ThinSVD(1, a.Clone())
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 8} {
		s, err := ThinSVD(threads, a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.U.Data {
			if s.U.Data[i] != one.U.Data[i] {
				t.Fatalf("U differs with %d threads", threads)
			}
		}
		for i := range s.V.Data {
			if s.V.Data[i] != one.V.Data[i] {
				t.Fatalf("V differs with %d threads", threads)
			}
		}
		for i := range s.Values {
			if s.Values[i] != one.Values[i] {
				t.Fatalf("values differ with %d threads", threads)
			}
		}
	}
}

func TestThinSVDRefusesWhatIsNotFinite(t *testing.T) {
	a := randomMatrix64(4, 6, 1)
	a.Set(2, 5, math.Inf(-1))
	_, err := ThinSVD(0, a)
	var where *NotFinite
	if !errors.As(err, &where) || where.Row != 2 || where.Col != 5 {
		t.Errorf("error is %v", err)
	}
}
