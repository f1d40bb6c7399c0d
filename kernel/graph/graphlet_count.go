package graph

import (
	"slices"
	"sync"
)

// classes are the graphs of k nodes up to the order of the nodes. A graph is written as a code of
// k(k-1)/2 bits, one for each pair of nodes.
type classes struct {
	of    []int32 // by code
	kinds int
}

var classTables = [...]func() *classes{3: makeClasses(3), 4: makeClasses(4), 5: makeClasses(5)}

func graphletClasses(k int) *classes { return classTables[k]() }

// pairBit is the bit of the pair a < b.
func pairBit(a, b int) int { return b*(b-1)/2 + a }

// makeClasses numbers the codes by the least code among all orders of the nodes.
func makeClasses(k int) func() *classes {
	return sync.OnceValue(func() *classes {
		c := &classes{of: slices.Repeat([]int32{-1}, 1<<(k*(k-1)/2))}
		orders := permutations(k)
		for code := range c.of {
			if c.of[code] >= 0 {
				continue
			}
			for _, order := range orders { // all codes of the same graph
				other := 0
				for b := range k {
					for a := range b {
						if code>>pairBit(a, b)&1 == 1 {
							p, q := order[a], order[b]
							other |= 1 << pairBit(min(p, q), max(p, q))
						}
					}
				}
				c.of[other] = int32(c.kinds)
			}
			c.kinds++
		}
		return c
	})
}

func permutations(k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(k - 1) {
		for at := range k {
			out = append(out, slices.Insert(slices.Clone(p), at, k-1))
		}
	}
	return out
}

// codeOf is the code of the edges among some nodes.
func codeOf(f *form, nodes []int) int {
	code := 0
	for b, v := range nodes {
		for a, u := range nodes[:b] {
			if f.adjacent(u, v) {
				code |= 1 << pairBit(a, b)
			}
		}
	}
	return code
}

// allSubsets counts the codes of all subsets of k nodes in increasing order.
func allSubsets(f *form, k int) []int {
	next := make([][]uint8, f.n) // 1 where there is an edge
	for i := range next {
		next[i] = make([]uint8, f.n)
		for _, j := range f.neighbours(i) {
			next[i][j] = 1
		}
	}
	counts := make([]int, 1<<(k*(k-1)/2))
	chosen := make([]int, 0, k)
	var extend func(from, code int)
	extend = func(from, code int) {
		b := len(chosen)
		base := b * (b - 1) / 2
		if b == k-1 { // the last node: no further calls
			for v := from; v < f.n; v++ {
				c := code
				for a, u := range chosen {
					c |= int(next[u][v]) << (base + a)
				}
				counts[c]++
			}
			return
		}
		for v := from; v < f.n; v++ {
			c := code
			for a, u := range chosen {
				c |= int(next[u][v]) << (base + a)
			}
			chosen = append(chosen, v)
			extend(v+1, c)
			chosen = chosen[:b]
		}
	}
	extend(0, 0)
	return counts
}

// connectedSubsets counts the codes of the subsets of k nodes that hang together, each found once:
// from its least node, by neighbours that no earlier node of the subset has (the method ESU of S.
// Wernicke, Efficient detection of network motifs, 2006).
func connectedSubsets(f *form, k int) []int {
	counts := make([]int, 1<<(k*(k-1)/2))
	seen := make([]bool, f.n) // in the subset, or next to it
	chosen := make([]int, 0, k)
	var extend func(least int, open []int32)
	extend = func(least int, open []int32) {
		if len(chosen) == k {
			counts[codeOf(f, chosen)]++
			return
		}
		for i, v := range open {
			more := slices.Clone(open[i+1:])
			kept := len(more)
			for _, u := range f.neighbours(int(v)) {
				if int(u) > least && !seen[u] {
					seen[u] = true
					more = append(more, u)
				}
			}
			chosen = append(chosen, int(v))
			extend(least, more)
			chosen = chosen[:len(chosen)-1]
			for _, u := range more[kept:] {
				seen[u] = false
			}
		}
	}
	for v := range f.n {
		var open []int32
		seen[v] = true
		for _, u := range f.neighbours(v) {
			if int(u) > v {
				seen[u] = true
				open = append(open, u)
			}
		}
		chosen = append(chosen[:0], v)
		extend(v, open)
		seen[v] = false
		for _, u := range open {
			seen[u] = false
		}
	}
	return counts
}
