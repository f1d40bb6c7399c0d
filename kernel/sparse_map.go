package kernel

import (
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
)

// SparseMapper is an optional interface of kernels that are inner products of features of which a
// point has finitely many, and few,
//
//	k(x, y) = Σ_f φ_f(x)·φ_f(y),
//
// as counts of words and of runs of letters are. MapSparse makes rows of them, which a linear
// machine takes in time that grows with their entries and not with the square of the points. A kernel
// that has them for some of its parameters alone says when by a method HasFeatures() bool.
type SparseMapper[T any] interface {
	// EachFeature calls add with the name and the value of each feature of x that is not 0. What is
	// added under one name adds up; names of different features differ.
	EachFeature(x T, add func(name string, value float64))
}

// featureMap is φ of an erased kernel: each feature of a point, and with norm that all of them are
// to be divided by the root of the sum of their squares.
type featureMap struct {
	each func(x any, add func(name string, value float64))
	norm bool
}

// mostPower is the highest power of a kernel that is written out in features: there are so many
// times more of them with each.
const mostPower = 3

// HasSparseMap says whether k is known by features that MapSparse can make rows of: a SparseMapper,
// and sums, products of two or three, scales, normalised forms and maps to such kernels.
func HasSparseMap(k Kernel[any]) bool {
	_, ok := featureMapOf(k)
	return ok
}

func featureMapOf(k Kernel[any]) (featureMap, bool) {
	if o, ok := operatorOf(k); ok {
		return featureMapOfOperator(o)
	}
	switch own := bare(k).(type) {
	case Linear:
		return featureMap{each: func(x any, add func(string, float64)) {
			for j, v := range x.(Vec) {
				add(strconv.Itoa(j), v)
			}
		}}, true
	case Polynomial:
		return polynomialMap(own, OnVectors(Linear{}))
	case Overlap:
		return featureMap{each: own.eachCode}, true
	case ARD:
		return embeddedMap(own.embedding())
	case OnColumns:
		return embeddedMap(own.embedding())
	case Cosine:
		return embeddedMap(own.embedding())
	case SparseOf:
		return sparseRowsMap(own)
	}
	each := doorFor(k).eachFeature()
	return featureMap{each: each}, each != nil
}

// embeddedMap is the features of a kernel on vectors that are made of others: scaled, or some of the
// coordinates. A basis makes dense ones, and has no map here.
func embeddedMap(e embedding) (featureMap, bool) {
	m, ok := featureMapOf(OnVectors(e.inner))
	if !ok {
		return m, false
	}
	each := m.each
	m.each = func(x any, add func(string, float64)) {
		image := make(Vec, e.dim(len(x.(Vec))))
		e.apply(image, x.(Vec))
		each(image, add)
	}
	return m, true
}

// sparseRowsMap is the features of a kernel on sparse rows, where it is the linear one or a power.
func sparseRowsMap(k SparseOf) (featureMap, bool) {
	linear := featureMap{each: func(x any, add func(string, float64)) {
		row := x.(data.SparseVec)
		for i, j := range row.Index {
			add(strconv.Itoa(int(j)), row.Value[i])
		}
	}}
	switch own := k.Dense.(type) {
	case Linear:
		return linear, true
	case Polynomial:
		return powerMap(shifted(linear, orOne(own.Gamma), own.Offset), own.degree())
	}
	return featureMap{}, false
}

// polynomialMap is the features of (γ⟨x, y⟩ + c)^p.
func polynomialMap(k Polynomial, linear Kernel[any]) (featureMap, bool) {
	of, _ := featureMapOf(linear)
	return powerMap(shifted(of, orOne(k.Gamma), k.Offset), k.degree())
}

// shifted is γk + c.
func shifted(m featureMap, gamma, c float64) featureMap {
	root, one := math.Sqrt(gamma), math.Sqrt(c)
	return featureMap{each: func(x any, add func(string, float64)) {
		if one != 0 {
			add("1", one)
		}
		m.each(x, func(name string, v float64) { add("x"+name, root*v) })
	}}
}

func featureMapOfOperator(o operator) (featureMap, bool) {
	switch o := o.(type) {
	case pullback:
		m, ok := featureMapOf(o.kernel)
		if !ok {
			return m, false
		}
		each := m.each
		m.each = func(x any, add func(string, float64)) { each(o.image(x), add) }
		return m, true
	case normalized:
		m, ok := featureMapOf(o.Kernel)
		m.norm = true
		return m, ok
	case constant:
		root := math.Sqrt(o.C)
		return featureMap{each: func(_ any, add func(string, float64)) { add("1", root) }}, true
	case scale:
		m, ok := mergedMapOf(o.Kernel)
		root, each := math.Sqrt(o.Factor), m.each
		return featureMap{each: func(x any, add func(string, float64)) {
			each(x, func(name string, v float64) { add(name, root*v) })
		}}, ok && o.Factor >= 0
	case sum:
		return sumMap(o.Terms)
	case product:
		if len(o.Factors) > mostPower || len(o.Factors) == 0 {
			return featureMap{}, false
		}
		out, ok := mergedMapOf(o.Factors[0])
		for _, f := range o.Factors[1:] {
			next, mapped := mergedMapOf(f)
			if !ok || !mapped {
				return featureMap{}, false
			}
			out = pairsOf(out, next)
		}
		return out, ok
	case power:
		m, ok := mergedMapOf(o.Kernel)
		if !ok {
			return m, false
		}
		return powerMap(m, o.Exponent)
	}
	return featureMap{}, false
}

// sumMap is the features of all terms, side by side.
func sumMap(terms []Kernel[any]) (featureMap, bool) {
	parts := make([]featureMap, len(terms))
	for i, t := range terms {
		var ok bool
		if parts[i], ok = mergedMapOf(t); !ok {
			return featureMap{}, false
		}
	}
	return featureMap{each: func(x any, add func(string, float64)) {
		for i, part := range parts {
			prefix := strconv.Itoa(i+1) + ":"
			part.each(x, func(name string, v float64) { add(prefix+name, v) })
		}
	}}, true
}

// powerMap is the features of kᵖ: all products of p of them.
func powerMap(m featureMap, p int) (featureMap, bool) {
	if p < 1 || p > mostPower {
		return featureMap{}, false
	}
	m = merged(m)
	out := m
	for range p - 1 {
		out = pairsOf(out, m)
	}
	return out, true
}

// pairsOf is the features of a product of two kernels: the products of theirs.
func pairsOf(a, b featureMap) featureMap {
	return featureMap{each: func(x any, add func(string, float64)) {
		var names []string
		var values []float64
		b.each(x, func(name string, v float64) { names, values = append(names, name), append(values, v) })
		a.each(x, func(first string, u float64) {
			first = strconv.Itoa(len(first)) + "." + first + "×" // where it ends is told by its length
			for i, name := range names {
				add(first+name, u*values[i])
			}
		})
	}}
}

// mergedMapOf is φ as features alone, one call for each name.
func mergedMapOf(k Kernel[any]) (featureMap, bool) {
	m, ok := featureMapOf(k)
	if !ok {
		return m, false
	}
	return merged(m), true
}

// merged collects the features of a point by name, in the order of their first appearance.
func merged(m featureMap) featureMap {
	return featureMap{each: func(x any, add func(string, float64)) {
		at := map[string]int{}
		var names []string
		var values []float64
		m.each(x, func(name string, v float64) {
			i, ok := at[name]
			if !ok {
				i = len(names)
				at[name] = i
				names, values = append(names, name), append(values, 0)
			}
			values[i] += v
		})
		scale := 1.0
		if m.norm {
			scale = inverseRoot(sumOfSquares(values))
		}
		for i, name := range names {
			if v := values[i] * scale; v != 0 {
				add(name, v)
			}
		}
	}}
}

func sumOfSquares(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return s
}
