// Package names numbers what points are made of, in the order in which it is met: labels, cells,
// shapes.
package names

// Numbers are the numbers of names from 0 on. The zero value has none yet.
type Numbers struct {
	known map[string]int32 // of the Numbers that these go on from; only read
	own   map[string]int32
}

// Of is the number of a name, a new one where it was never met.
func (n *Numbers) Of(name []byte) int32 {
	if i, ok := n.Find(name); ok {
		return i
	}
	if n.own == nil {
		n.own = map[string]int32{}
	}
	i := int32(n.Len())
	n.own[string(name)] = i
	return i
}

// Find is the number of a name that was met.
func (n *Numbers) Find(name []byte) (int32, bool) {
	if i, ok := n.known[string(name)]; ok {
		return i, true
	}
	i, ok := n.own[string(name)]
	return i, ok
}

// Len is how many names have a number.
func (n *Numbers) Len() int { return len(n.known) + len(n.own) }

// Next goes on from these numbers, which must not grow any more: several may, side by side.
func (n *Numbers) Next() Numbers {
	if n.known != nil {
		panic("names: numbers that go on from others that do")
	}
	return Numbers{known: n.own}
}
