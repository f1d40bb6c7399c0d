package kernel

import "github.com/mercer-ml/mercer/data"

// What leaves on vectors and on sparse rows ask of the rest, which works on erased points.

func lowerOf[T any](b *builder, k Kernel[T], p pair[T]) node {
	return lower(b, Erase(k), erasedPair(p))
}

func lowerGradOf[T any](b *builder, k Kernel[T], p pair[T]) gradNode {
	return lowerGrad(b, Erase(k), erasedPair(p))
}

func pairNodeOf[T any](b *builder, k Kernel[T], p pair[T]) node {
	return pairNode(b, doorOf[T]{k}, erasedPair(p))
}

func gradOfPairOf[T any](k Kernel[T], p pair[T]) pairwise { return gradOfPair(Erase(k), erasedPair(p)) }

func perPointOf[T any](b *builder, p pair[T], f func(T) float64) (left, right []float64) {
	return perPoint(b, erasedPair(p), func(x data.Points[any]) func(i int) float64 {
		points := mustPoints[T](x)
		return func(i int) float64 { return f(points.At(i)) }
	})
}
