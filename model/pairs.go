package model

// The machines of a one-vs-one classifier as LIBSVM and ONNX have them: pairs
// (i, j), i < j, of an order of the classes, the decision being positive for the
// first of the pair.

// pairSign finds the column of the decision between two classes of k, and
// the sign that makes it positive for the first.
func pairSign(k, first, second int) (column int, sign float64) {
	if k == 2 { // positive for class 1
		if first == 1 {
			return 0, 1
		}
		return 0, -1
	}
	a, b := min(first, second), max(first, second)
	column = a*(2*k-a-1)/2 + b - a - 1
	if first > second {
		return column, -1
	}
	return column, 1
}

// eachPair visits the pairs of an order of classes.
func eachPair(order []int, visit func(i, j, column int, sign float64)) {
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			column, sign := pairSign(len(order), order[i], order[j])
			visit(i, j, column, sign)
		}
	}
}

// pairwise is the coefficients of a one-vs-one classifier sorted by class.
type pairwise struct {
	order  []int       // class codes as the format has them
	rows   []int       // centres, those of the first class first
	counts []int       // centres of each class
	coef   [][]float64 // k-1 rows: against the other classes in order
	rho    []float64   // by pair: minus the bias
	a, b   []float64   // by pair: Platt's; nil when there are none
}

// sideOf finds the place in order of the class that a centre belongs to: the one
// that all pairs with a coefficient have in common. Where there is a single pair
// both classes would do, and the sign says which is the centre's own.
func sideOf(order []int, row []float64) (int, bool) {
	first, second, positive := -1, -1, false
	ok, found := true, false
	eachPair(order, func(i, j, column int, sign float64) {
		v := sign * row[column]
		if v == 0 {
			return
		}
		if !found {
			first, second, positive, found = i, j, v > 0, true
			return
		}
		if first != i && first != j {
			first = -1
		}
		if second != i && second != j {
			second = -1
		}
		ok = ok && (first >= 0 || second >= 0)
	})
	switch {
	case first < 0:
		return max(second, 0), ok
	case second >= 0 && !positive:
		return second, ok
	}
	return first, ok
}

// pairwiseOf sorts the centres by class.
func (r record) pairwiseOf(format string) (*pairwise, error) {
	k := r.classes
	if r.numbers["one-vs-rest"] != 0 && k > 2 {
		return nil, unfit(format, "it tells its %d classes apart one-vs-rest, the format one-vs-one", k)
	}
	p := &pairwise{order: make([]int, k), counts: make([]int, k), coef: make([][]float64, k-1)}
	for c := range p.order {
		p.order[c] = c
	}
	if o := r.arrays["order"]; o != nil {
		for i, v := range o.RawRowView(0) {
			p.order[i] = int(v)
		}
	} else if k == 2 {
		p.order = []int{1, 0} // so that a positive decision keeps its sign
	}
	n, _ := r.coef.Dims()
	side := make([]int, n) // place in order
	for s := range n {
		var ok bool
		if side[s], ok = sideOf(p.order, r.coef.RawRowView(s)); !ok {
			return nil, unfit(format,
				"centre %d has coefficients in pairs of classes with none in common: it is not a support vector of one class", s)
		}
		p.counts[side[s]]++
	}
	for c := range k {
		for s := range n {
			if side[s] == c {
				p.rows = append(p.rows, s)
			}
		}
	}
	for i := range p.coef {
		p.coef[i] = make([]float64, n)
	}
	platt := r.arrays["platt"]
	eachPair(p.order, func(i, j, column int, sign float64) {
		bias := 0.0
		if r.bias != nil {
			bias = r.bias[column]
		}
		p.rho = append(p.rho, -sign*bias)
		if platt != nil {
			// P(first) = 1/(1 + exp(Af + B)); with the classes swapped f and B change sign.
			p.a, p.b = append(p.a, platt.At(column, 0)), append(p.b, sign*platt.At(column, 1))
		}
		for at, s := range p.rows {
			switch side[s] {
			case i:
				p.coef[j-1][at] = sign * r.coef.At(s, column)
			case j:
				p.coef[i][at] = sign * r.coef.At(s, column)
			}
		}
	})
	return p, nil
}
