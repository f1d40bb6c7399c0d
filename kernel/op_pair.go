package kernel

import "math"

// Pair is a point of a product space.
type Pair[A, B any] struct {
	First  A
	Second B
}

func first[A, B any](p Pair[A, B]) A  { return p.First }
func second[A, B any](p Pair[A, B]) B { return p.Second }

// DirectSum is k₁(x₁, y₁) + k₂(x₂, y₂) on pairs.
func DirectSum[A, B any](k1 Kernel[A], k2 Kernel[B]) Kernel[Pair[A, B]] {
	return directSum[A, B]{SumOf[Pair[A, B]]{[]Kernel[Pair[A, B]]{Pullback(k1, first[A, B]), Pullback(k2, second[A, B])}},
		k1, k2}
}

// directSum is the sum over the parts of a pair: it is a sum in all but what is known of it.
type directSum[A, B any] struct {
	SumOf[Pair[A, B]]
	first  Kernel[A]
	second Kernel[B]
}

// With sets the parameters of both.
func (k directSum[A, B]) With(theta []float64) Kernel[Pair[A, B]] {
	n := len(Params(k.first))
	return DirectSum(withOne(k.first, theta[:n]), withOne(k.second, theta[n:]))
}

// Properties of a direct sum: its functions are f(x₁) + g(x₂) and no others. On two different
// values of each part, k((a,c),·) - k((a,d),·) - k((b,c),·) + k((b,d),·) = 0: it is not strict, and
// sees no more of a distribution than its marginals.
func (k directSum[A, B]) Properties() Properties {
	ps := []Properties{PropertiesOf(k.first), PropertiesOf(k.second)}
	out := shared(ps)
	out.Isotropic = Unknown
	out.Strict, out.Universal, out.Characteristic = No, No, No
	out.Bound = ps[0].Bound + ps[1].Bound
	return out
}

// Tensor is k₁(x₁, y₁)·k₂(x₂, y₂) on pairs.
func Tensor[A, B any](k1 Kernel[A], k2 Kernel[B]) Kernel[Pair[A, B]] {
	return tensor[A, B]{ProductOf[Pair[A, B]]{[]Kernel[Pair[A, B]]{Pullback(k1, first[A, B]), Pullback(k2, second[A, B])}},
		k1, k2}
}

// tensor is the product over the parts of a pair: it is a product in all but what is known of it.
type tensor[A, B any] struct {
	ProductOf[Pair[A, B]]
	first  Kernel[A]
	second Kernel[B]
}

// With sets the parameters of both.
func (k tensor[A, B]) With(theta []float64) Kernel[Pair[A, B]] {
	n := len(Params(k.first))
	return Tensor(withOne(k.first, theta[:n]), withOne(k.second, theta[n:]))
}

// Properties of a tensor product. φ₁(x)⊗φ₂(y) of distinct pairs are independent where those of
// distinct points are, so strict kernels have a strict product; products of functions of each part
// are dense in those of both (Stone and Weierstrass), so universal ones a universal product. A
// product of characteristic kernels need not be characteristic, unless both are stationary; where
// one is not, neither is the product (Szabó and Sriperumbudur 2018, theorems 3 and 4).
func (k tensor[A, B]) Properties() Properties {
	ps := []Properties{PropertiesOf(k.first), PropertiesOf(k.second)}
	out := shared(ps)
	out.Isotropic = Unknown
	out.Strict = every(ps, isStrict)
	out.Universal = every(ps, isUniversal)
	out.Bound = ps[0].Bound * ps[1].Bound
	if math.IsInf(out.Bound, 1) || out.PSD != Yes {
		out.Characteristic = Unknown
		return out
	}
	switch {
	case ps[0].Characteristic == No || ps[1].Characteristic == No:
		out.Characteristic = No
	case out.Stationary == Yes && out.Continuous == Yes:
		out.Characteristic = every(ps, isCharacteristic)
	}
	return out
}
