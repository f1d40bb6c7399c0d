package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Features by name, for kernel.MapSparse: what a feature is called does not depend on other graphs.

// nodeNames is the labels of nodes as text; 0 where there are none.
func nodeNames(f *form) []string {
	names := make([]string, f.n)
	for i := range names {
		names[i] = "0"
		if f.label != nil {
			names[i] = strconv.Itoa(f.label[i])
		}
	}
	return names
}

// bondOf is the label of an entry of the neighbours; 0 where there are none.
func bondOf(f *form, entry int) int {
	if f.bond == nil {
		return 0
	}
	return f.bond[entry]
}

// namedRounds calls visit with the names of the nodes after each round of Weisfeiler and Lehman, and
// the number of the round with a colon.
func namedRounds(f *form, rounds int, edgeLabels bool, visit func(round string, names []string)) {
	names := nodeNames(f)
	visit("0:", names)
	var around []string
	for t := range rounds {
		next := make([]string, f.n)
		for i := range names {
			around = around[:0]
			for e, j := range f.neighbours(i) {
				name := names[j]
				if edgeLabels {
					name = strconv.Itoa(bondOf(f, int(f.ptr[i])+e)) + "-" + name
				}
				around = append(around, name)
			}
			slices.Sort(around)
			next[i] = shortName(names[i] + "(" + strings.Join(around, ",") + ")")
		}
		names = next
		visit(strconv.Itoa(t+1)+":", names)
	}
}

// shortName is a name, or a hash of a long one.
func shortName(name string) string {
	if len(name) <= 40 {
		return name
	}
	h := sha256.Sum256([]byte(name))
	return "#" + hex.EncodeToString(h[:16])
}

// pairName is two names in their order, whichever comes first, with what is between them.
func pairName(a, between, b string) string {
	if b < a {
		a, b = b, a
	}
	return a + "─" + between + "─" + b
}

// namedLengths is the length of the shortest path between each two nodes as text, entry i·n+j;
// empty where there is none.
func namedLengths(f *form) []string {
	out := make([]string, f.n*f.n)
	if f.weight == nil {
		d, _, _ := hops(f, nil)
		for i, v := range d {
			if v != far {
				out[i] = strconv.Itoa(int(v))
			}
		}
		return out
	}
	for i, v := range distances(f) {
		if v-v == 0 { // not infinite
			out[i] = strconv.FormatFloat(float64(v), 'g', 6, 32)
		}
	}
	return out
}

// eachPath adds √2 for the shortest path between each two nodes, by their names and its length, as
// it counts from both of its ends; between nodes of one name both are the same, and it is 2.
func eachPath(round string, names, lengths []string, add func(name string, value float64)) {
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			length := lengths[i*len(names)+j]
			if length == "" {
				continue
			}
			value := 2.0
			if names[i] != names[j] {
				value = root2
			}
			add(round+pairName(names[i], length, names[j]), value)
		}
	}
}

const root2 = 1.41421356237309504880168872420969807856967187537694
