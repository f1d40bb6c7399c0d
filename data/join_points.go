package data

import "github.com/mercer-ml/mercer/internal/engine/linalg"

// JoinPoints is the points of all parts, one after the other, in storage as good as theirs: rows of
// matrices become those of one.
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
	if first, ok := parts[0].(*Numbered[T]); ok {
		return first.joined(parts, all)
	}
	if rows := joinRows(parts[0], all); rows != nil {
		return rows.(Points[T])
	}
	return all
}

// joined is numbered points of one whole, and all where they are of several.
func (n *Numbered[T]) joined(parts []Points[T], all Slice[T]) Points[T] {
	var number []int
	for _, p := range parts {
		own, ok := p.(*Numbered[T])
		if !ok || own.whole != n.whole {
			return all
		}
		number = append(number, own.number...)
	}
	return &Numbered[T]{n.whole, number, n.under}
}

// joinRows is vectors as rows of one matrix where the first of their parts has rows of one, and nil
// for others. It has no type parameter, so that who joins other points does not compile it again.
//
//go:noinline
func joinRows(first, all any) any {
	switch first := first.(type) {
	case DenseRows:
		rows := all.(Slice[[]float64])
		m := linalg.New[float64](len(rows), first.Dim())
		for i, row := range rows {
			if len(row) != m.Cols {
				return nil // rows of several lengths, for others to refuse
			}
			copy(m.Row(i), row)
		}
		return DenseRows{m}
	case SparseRows:
		return SparseOf(all.(Slice[SparseVec]), first.Dim())
	}
	return nil
}
