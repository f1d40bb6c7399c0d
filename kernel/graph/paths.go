package graph

import (
	"container/heap"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// far is the number of a length that is no length: the nodes are not connected.
const far = -1

// lengths are the lengths of the shortest paths between the nodes i < j of each graph, as numbers:
// 0 for the shortest length of all graphs that comes, and so on. Edges are as long as their weight;
// lengths that agree to six digits are one, as sums of weights depend on their order.
type lengths struct {
	number [][]int32 // by graph, entry i·n+j; far where there is no path
	kinds  int
}

// lengthNames are the numbers of the lengths of the columns.
type lengthNames struct {
	weighted bool              // some column has weights; else a length is the number of edges, and so its number
	of       map[float32]int32 // where it is weighted
	kinds    int
}

// number is that of a length; far where no column has it.
func (n *lengthNames) number(v float32) int32 {
	if n.weighted {
		if i, ok := n.of[v]; ok {
			return i
		}
		return far
	}
	if v >= 0 && v < float32(n.kinds) && v == float32(int32(v)) {
		return int32(v)
	}
	return far
}

func (r *reader) shortestPaths(graphs []*form) lengths {
	out := lengths{number: make([][]int32, len(graphs))}
	weighted := slices.ContainsFunc(graphs, func(f *form) bool { return f.weight != nil })
	if !r.learns {
		weighted = weighted || r.paths[r.asked.paths].weighted
	}
	var names *lengthNames
	if !weighted {
		longest := make([]int32, len(graphs))
		par.For(0, len(graphs), 8, func(lo, hi int) {
			var queue []int32
			for g := lo; g < hi; g++ {
				out.number[g], longest[g], queue = hops(graphs[g], queue)
			}
		})
		names = part(r, &r.vocabulary.paths, &r.asked.paths, func() *lengthNames {
			n := &lengthNames{}
			for _, l := range longest {
				n.kinds = max(n.kinds, int(l)+1)
			}
			return n
		})
		for g, l := range longest {
			if int(l) < names.kinds {
				continue
			}
			for i, d := range out.number[g] {
				if int(d) >= names.kinds {
					out.number[g][i] = far
				}
			}
		}
	} else {
		real := make([][]float32, len(graphs))
		par.For(0, len(graphs), 8, func(lo, hi int) {
			for g := lo; g < hi; g++ {
				real[g] = distances(graphs[g])
			}
		})
		names = part(r, &r.vocabulary.paths, &r.asked.paths, func() *lengthNames { return numberLengths(real) })
		for g, d := range real {
			out.number[g] = make([]int32, len(d))
			for i, v := range d {
				out.number[g][i] = names.number(v)
			}
		}
	}
	out.kinds = names.kinds
	return out
}

// numberLengths numbers the lengths of paths in their order; that there is none is no length.
func numberLengths(real [][]float32) *lengthNames {
	n := &lengthNames{weighted: true, of: map[float32]int32{}}
	for _, d := range real {
		for _, v := range d {
			n.of[v] = 0
		}
	}
	delete(n.of, float32(math.Inf(1)))
	sorted := make([]float32, 0, len(n.of))
	for v := range n.of {
		sorted = append(sorted, v)
	}
	slices.Sort(sorted)
	for i, v := range sorted {
		n.of[v] = int32(i)
	}
	n.kinds = len(sorted)
	return n
}

// hops are the numbers of edges between nodes, breadth first from each node.
func hops(f *form, queue []int32) (d []int32, longest int32, _ []int32) {
	d = make([]int32, f.n*f.n)
	for i := range d {
		d[i] = far
	}
	for s := range f.n {
		row := d[s*f.n : (s+1)*f.n]
		row[s] = 0
		queue = append(queue[:0], int32(s))
		for at := 0; at < len(queue); at++ {
			v := queue[at]
			next := row[v] + 1
			for _, u := range f.to[f.ptr[v]:f.ptr[v+1]] {
				if row[u] < 0 {
					row[u] = next
					queue = append(queue, u)
				}
			}
		}
		longest = max(longest, row[queue[len(queue)-1]])
	}
	return d, longest, queue
}

// distances are the lengths of shortest paths by Dijkstra's method from each node, to six digits.
func distances(f *form) []float32 {
	out := make([]float32, f.n*f.n)
	row := make([]float64, f.n)
	for s := range f.n {
		dijkstra(f, s, row)
		for i, v := range row {
			out[s*f.n+i] = sixDigits(v)
		}
	}
	for i := range f.n { // from either end the same
		for j := range i {
			out[i*f.n+j] = out[j*f.n+i]
		}
	}
	return out
}

// sixDigits drops the last bits, in which sums in another order differ.
func sixDigits(v float64) float32 {
	if v == 0 || math.IsInf(v, 0) {
		return float32(v)
	}
	_, e := math.Frexp(v)
	return float32(math.Ldexp(math.RoundToEven(math.Ldexp(v, 20-e)), e-20))
}

func dijkstra(f *form, s int, dist []float64) {
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	dist[s] = 0
	q := &frontier{{0, int32(s)}}
	for q.Len() > 0 {
		v := heap.Pop(q).(reached)
		if v.at > dist[v.node] {
			continue
		}
		for e := f.ptr[v.node]; e < f.ptr[v.node+1]; e++ {
			if d := v.at + f.weightAt(e); d < dist[f.to[e]] {
				dist[f.to[e]] = d
				heap.Push(q, reached{d, f.to[e]})
			}
		}
	}
}

type reached struct {
	at   float64
	node int32
}

// frontier is a heap of nodes by distance.
type frontier []reached

func (q frontier) Len() int           { return len(q) }
func (q frontier) Less(i, j int) bool { return q[i].at < q[j].at }
func (q frontier) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *frontier) Push(x any)        { *q = append(*q, x.(reached)) }
func (q *frontier) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
