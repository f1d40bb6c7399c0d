package data

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// JoinPoints is the points of all parts, one after the other, in storage as good as theirs: rows of matrices become those of one.
func JoinPoints[T any](parts []Points[T]) Points[T] {
	if len(parts) == 1 {
		return parts[0]
	}
	if len(parts) > 1 {
		if first, ok := parts[0].(keeper[T]); ok {
			if all := first.join(parts); all != nil {
				return all
			}
		}
	}
	all := make(Slice[T], 0)
	for _, p := range parts {
		for i := range p.Len() {
			all = append(all, p.At(i))
		}
	}
	if len(parts) == 0 {
		return all
	}
	switch first := any(parts[0]).(type) {
	case DenseRows:
		m := linalg.New[float64](len(all), first.Dim())
		for i, row := range any(all).(Slice[[]float64]) {
			if len(row) != m.Cols {
				return all // rows of several lengths, for others to refuse
			}
			copy(m.Row(i), row)
		}
		return any(DenseRows{m}).(Points[T])
	case *Numbered[T]:
		var number []int
		for _, p := range parts {
			own, ok := p.(*Numbered[T])
			if !ok || own.whole != first.whole {
				return all
			}
			number = append(number, own.number...)
		}
		return &Numbered[T]{first.whole, number, first.under}
	case SparseRows:
		return any(SparseOf(any(all).(Slice[SparseVec]), first.Dim())).(Points[T])
	}
	return all
}
