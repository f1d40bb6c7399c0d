package newcomer_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"testing/fstest"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/tudataset"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/stat"
)

// squaresAndPaths is a folder in the format of TUDataset: six squares of class 0, six paths of
// class 1.
func squaresAndPaths() fs.FS {
	var edges, owner, labels string
	for g := range 12 {
		at := func(i int) int { return 4*g + i%4 + 1 }
		for i := range 4 {
			owner += fmt.Sprintln(g + 1)
			if i < 3 || g < 6 {
				edges += fmt.Sprintf("%d, %d\n%d, %d\n", at(i), at(i+1), at(i+1), at(i))
			}
		}
		labels += fmt.Sprintln(g / 6)
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{"shapes/shapes_A.txt": file(edges), "shapes/shapes_graph_indicator.txt": file(owner),
		"shapes/shapes_graph_labels.txt": file(labels)}
}

// Graphs, from a file to a p-value: docs/graphs.md.
func Example_graphsToPValue() {
	ctx := context.Background()
	set, err := tudataset.Read(squaresAndPaths(), "shapes") // or os.DirFS("data"), "MUTAG"
	if err != nil {
		log.Fatal(err)
	}
	var of [2]data.Slice[graph.Graph]
	for i, g := range set.Graphs {
		of[int(set.Labels[i])] = append(of[int(set.Labels[i])], g)
	}
	test := stat.MMD[graph.Graph]{Kernel: kernel.Normalize[graph.Graph](graph.WL{Iterations: 2}),
		TestSettings: stat.TestSettings{Permutations: 499, Seed: 1}}
	r, err := test.Test(ctx, of[0], of[1])
	fmt.Println(r.Sizes, r.P <= 0.01, err)
	// Output: [6 6] true <nil>
}
