// A graph of two segments. The Laplacian has the eigenvalue 0 once for each, with eigenvectors
// constant on a segment; the others are the rougher the larger their eigenvalue.
package main

import (
	"fmt"

	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

const first, second = 11, 7 // nodes of the segments

func main() {
	g := graph.Graph{Nodes: first + second}
	for i := range int32(first + second - 1) {
		if i != first-1 {
			g.Edges = append(g.Edges, [2]int32{i, i + 1})
		}
	}
	l := draw.Must(graph.NewLaplacian(g))
	component, count := l.Components()

	picture := draw.New(fmt.Sprintf("graph: %d components", count), "node", "")
	for c, nodes := range [][]float64{draw.Even(0, first-1, first), draw.Even(first, first+second-1, second)} {
		height := draw.Map(nodes, func(float64) float64 { return 1 - float64(c) })
		picture.Thin("edges", nodes, height)
		picture.Dots("nodes", c, nodes, height)
	}
	picture.Range(-1, first+second, -1, 2)
	picture.Bare()
	panels := []*draw.Panel{picture}
	values, vectors, err := l.Eigen()
	draw.Must(vectors, err)
	node := draw.Even(0, first+second-1, first+second)
	for _, i := range []int{0, 1, 2, 3, 5, 9, 17} {
		v := mat.Col(nil, i, vectors)
		if i < count { // of the eigenvalue 0 any mixture is an eigenvector: these are the ones of a component each
			for j, c := range component {
				v[j] = 0
				if c == i {
					v[j] = 1
				}
			}
		}
		p := draw.New(fmt.Sprintf("λ = %.3f", values[i]), "node", "")
		p.Stems("eigenvector, by node", 2, node, v)
		p.Range(-1, first+second, -1.1, 1.1)
		p.Bare()
		panels = append(panels, p)
	}
	draw.Save("segments", 4, panels...)
}
