package simd

import "fmt"

// Sums of exponentials over tiles that live in registers alone: what the
// evaluation of Σⱼ wⱼ·exp(-γ‖x-cⱼ‖²) at many points spends its time on.
//
// Points go side by side in the lanes of a panel, ExpSumWidth of them: coordinate p
// of point l is x[p*width+l]. Centres are columns: coordinate p of centre j is
// c[p*ldc+j]. The exponents are of two. A value 2^s has a relative error of at most
// 3 units of roundoff in float64 and 5 in float32, beside that of s.
//
// Sums go over the centres in order, but values of s and the rounding of 2^s
// depend on the CPU level.

// ExpSumWidth is the number of points of a panel at the current level.
func ExpSumWidth[F Float]() int {
	width := expSumWidth(Current())
	if isSingle[F]() {
		width *= 2
	}
	return width
}

// ExpSumFast says whether the sums run in assembly at the current level.
func ExpSumFast() bool { return expSumFast() }

// ExpSumProducts adds Σⱼ w[j]·2^⟨x_l, c_j⟩ to out[l]. The exponents must stay
// within ±1000 (in float32 ±120).
func ExpSumProducts[F Float](x, c []F, ldc int, w, out []F) {
	if d := checkExpSum(x, c, ldc, w, out); len(w) > 0 {
		expSumProducts(d, x, c, ldc, w, out)
	}
}

// ExpSumDistances adds Σⱼ w[j]·2^(scale·‖x_l-c_j‖²) to out[l], for scale < 0.
// Exponents below -1000 (in float32 -120) count as that.
func ExpSumDistances[F Float](x, c []F, ldc int, scale F, w, out []F) {
	if !(scale < 0) {
		panic(fmt.Sprintf("simd: distances scaled by %g, which is not negative", scale))
	}
	if d := checkExpSum(x, c, ldc, w, out); len(w) > 0 {
		expSumDistances(d, x, c, ldc, scale, expSumFloor[F]()/scale, w, out)
	}
}

// expSumFloor is the least exponent: that of a normal number, and far under any
// sum of interest.
func expSumFloor[F Float]() F {
	if isSingle[F]() {
		return -120
	}
	return -1000
}

// ExpSumBoth is ExpSumProducts that also uses each value the other way: the
// elements of sums from j·width/2 to (j+1)·width/2 add up to Σ_l v[l]·2^⟨x_l, c_j⟩
// more than before.
func ExpSumBoth[F Float](x, c []F, ldc int, w, v, out, sums []F) {
	d := checkExpSum(x, c, ldc, w, out)
	if len(v) != len(out) || len(sums) != len(w)*len(out)/2 {
		panic(fmt.Sprintf("simd: %d weights of points and %d sums for %d points and %d centres", len(v), len(sums), len(out),
			len(w)))
	}
	if len(w) > 0 {
		expSumBoth(d, x, c, ldc, w, v, out, sums)
	}
}

func isSingle[F Float]() bool {
	_, single := any(*new(F)).(float32)
	return single
}

// checkExpSum panics where a slice is too short, and returns the number of
// coordinates.
func checkExpSum[F Float](x, c []F, ldc int, w, out []F) int {
	width := ExpSumWidth[F]()
	if len(out) != width || len(x)%width != 0 {
		panic(fmt.Sprintf("simd: a panel of %d numbers for %d points, where panels have %d", len(x), len(out), width))
	}
	d := len(x) / width
	if d > 0 && len(w) > 0 && (ldc < len(w) || len(c) < (d-1)*ldc+len(w)) {
		panic(fmt.Sprintf("simd: %d numbers with %d in a row for %d centres of %d coordinates", len(c), ldc, len(w), d))
	}
	return d
}
