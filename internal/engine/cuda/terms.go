package cuda

import "slices"

// operand is where the operand starts that ends with the code.
func operand(code []Instruction) int {
	for i, want := len(code)-1, 1; i >= 0; i-- {
		switch code[i].Op {
		case Load, Constant:
			want--
		case Add, Mul:
			want++
		}
		if want == 0 {
			return i
		}
	}
	return 0
}

// summands is code as a sum; factors of sums are those of their terms.
func summands(code []Instruction) [][]Instruction {
	end := len(code) - 1
	switch last := code[end]; {
	case last.Op == Add:
		at := operand(code[:end])
		return append(summands(code[:at]), summands(code[at:end])...)
	case last.Op == Affine && last.B == 0 && end > 0:
		out := summands(code[:end])
		for i := range out {
			out[i] = append(slices.Clone(out[i]), last)
		}
		return out
	}
	return [][]Instruction{code}
}

// Separate is the tree with a source of its own for each term, where it is a sum of some that have
// one each, and the numbers that their sources had; else the tree as it is. Terms are then made one
// by one, each in the way that is best for it.
func (t Tree) Separate() (Tree, []int) {
	var from []int
	code := slices.Clone(t.Code)
	for i, c := range code {
		if c.Op == Load {
			code[i].Index = len(from)
			from = append(from, c.Index)
		}
	}
	out := Tree{Code: code, Table: t.Table}
	for _, s := range from {
		out.Sources = append(out.Sources, t.Sources[s])
	}
	if !t.Fits() || len(from) < 2 || len(out.terms()) != len(from) {
		same := make([]int, len(t.Sources))
		for i := range same {
			same[i] = i
		}
		return t, same
	}
	return out, from
}

// terms is a tree with a source for each term as trees of one source; nil for other trees.
func (t Tree) terms() []Tree {
	var out []Tree
	for _, code := range summands(t.Code) {
		loads := 0
		for _, c := range code {
			if c.Op == Load || c.Op == Constant {
				loads++
			}
		}
		if code[0].Op != Load || code[0].Index != len(out) || loads != 1 {
			return nil
		}
		code = slices.Clone(code)
		code[0].Index = 0
		out = append(out, Tree{Sources: []Source{t.Sources[len(out)]}, Code: code, Table: t.Table})
	}
	if len(out) < 2 || len(out) != len(t.Sources) {
		return nil
	}
	return out
}

// separate makes sums of the terms of a tree, if all of them are made by matrix instructions.
func (s *Sums) separate(reach []float64) error {
	if s.double {
		return nil
	}
	for i, t := range s.tree.terms() {
		one := &Sums{device: s.device, tree: t, room: s.room}
		if one.choose(reach[i]); !one.Packed() {
			s.terms = nil
			return nil
		}
		s.terms = append(s.terms, one)
	}
	if s.terms == nil {
		return nil
	}
	if err := s.alloc(&s.partial, s.room); err != nil {
		return err
	}
	for _, t := range s.terms {
		t.partial = s.partial // they take turns
	}
	return nil
}

// each calls f for every term with its place among points that start there.
func (s *Sums) each(n int, raw, at Ptr, f func(t *Sums, raw, at Ptr) error) error {
	for _, t := range s.terms {
		if err := f(t, raw, at); err != nil {
			return err
		}
		raw, at = raw+Ptr(t.HostBytes(n)), at+Ptr(t.DeviceBytes(n))
	}
	return nil
}

// timesTerms is Times, term by term.
func (s *Sums) timesTerms(q Stream, a, b Points, v Ptr, columns int, scale float64, add bool, out Ptr) error {
	return s.each(a.N, 0, a.At, func(t *Sums, _, left Ptr) error {
		right := b.At
		for _, before := range s.terms {
			if before == t {
				break
			}
			right += Ptr(before.DeviceBytes(b.N))
		}
		err := t.Times(q, Points{a.N, left}, Points{b.N, right}, v, columns, scale, add, out)
		add = true
		return err
	})
}
