package kernel

import "fmt"

// An embedding is a map u from Rᵈ to Rᵉ after which a kernel on vectors is
// another kernel: k(x, y) = inner(u(x), u(y)). Each point is mapped once. Two
// embeddings with the same key are the same map, so kernels that share one share
// the metrics computed after it.
type embedding struct {
	inner Kernel[Vec]
	key   []any // printed when a plan is made, not for each value
	dim   func(d int) int
	apply func(dst, x Vec)
	// pull adds J(x)ᵀg to dx, J the Jacobian of the map at x.
	pull func(dx, g, x Vec)
	// tangent sets dst = ∂u(x)/∂θₚ for the p-th parameter of the map itself.
	tangent func(dst Vec, p int, x Vec)
	// tangentDot adds ū·∂u(x)/∂θₚ to sum[p] for every parameter of the map at once;
	// nil where tangent is as good.
	tangentDot func(sum []float64, ubar, x Vec)
	linear     bool // u(x) - u(y) = u(x-y)
	turns      bool // inner(u(x), u(y)) is a function of x-y, and apply keeps its digits anywhere
	own        int  // how many parameters the map has; they come first
	// kept lists the parameters of inner that are parameters of the whole;
	// nil means all.
	kept []int
}

func keyOf(e embedding) string { return "|" + fmt.Sprint(e.key...) }

// embedded is a kernel that is another kernel after an embedding.
type embedded interface {
	Kernel[Vec]
	embedding() embedding
}

// image is u(x) in fresh storage.
func (e embedding) image(x Vec) Vec {
	u := make(Vec, e.dim(len(x)))
	e.apply(u, x)
	return u
}

// embeddedEval is the meaning of an embedded kernel.
func embeddedEval(k embedded, x, y Vec) float64 {
	e := k.embedding()
	if e.linear {
		x, y = e.together(x, y)
	}
	return e.inner.Eval(e.image(x), e.image(y))
}
