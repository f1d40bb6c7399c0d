package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/kernel/graph"
	learned "github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// threadWorks is every parallel path, smallest part first. Those that other suites measure beside
// their peers are theirs.
func threadWorks() []threadWork {
	var all []threadWork
	add := func(area string, cases ...Case) {
		for _, c := range cases {
			all = append(all, threadWork{area, c})
		}
	}
	add("matrices", dgemm(1000, 1000, 1000), dgemm(2000, 2000, 2000), dgemm(4000, 4000, 4000),
		cholesky(2000), cholesky(4000), cholesky(8000), symEigen(1000), symEigen(2000))
	add("Gram matrices", gaussianPairs(8000, 100), evaluate(5000, 20_000, 20))
	add("machines", machineWork(50_000, 20, 2), machineWork(10_000, 20, 7))
	add("ridge and processes", ridgeFit(8000, 100), processFit(1000, 8, 20), falkonFit(200_000, 28, 1000, 20))
	add("searches", svmGrid(1000), ridgeGrid())
	add("tests and densities", mmdTest(2000, 1000), hsicTest(2000, 10, 1000), statDensity()[0])
	add("trees and graphs", forestWork(20_000, 20), graphWork(2000))
	add("files and servers", csvWork(200_000, 20), requestWork(2000))
	return all
}

// own is a case that only we run.
func own(work string, prepare func() func()) Case {
	return Case{Work: work, Prepare: func() Work { return Work{Run: prepare()} }}
}

// machineWork is the fit of a classifier to overlapping clumps.
func machineWork(n, d, classes int) Case {
	return own(fmt.Sprintf("C-SVC %d × %d, %d classes", n, d, classes), func() func() {
		l := clumps(n, d, classes)
		return func() {
			c := svm.Classification[kernel.Vec, float64]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))}, C: 1}
			must(c.Fit(context.Background(), l.dense, l.y))
		}
	})
}

// clumps has eight overlapping clumps for each of the classes.
func clumps(n, d, classes int) labelled {
	rng := rand.New(rand.NewPCG(71, 0))
	centre := random(8*classes, d, 72)
	x, y := linalg.New[float64](n, d), make([]float64, n)
	for i := range n {
		c := rng.IntN(8 * classes)
		y[i] = float64(c % classes)
		for j := range d {
			x.Set(i, j, 0.8*centre.At(c, j)+rng.NormFloat64())
		}
	}
	return labelled{dense: data.RowsOf(x), y: y}
}

func forestWork(n, d int) Case {
	return own(fmt.Sprintf("forest of 100 trees, %d × %d", n, d), func() func() {
		l := clumps(n, d, 3)
		return func() {
			c := learned.Classification[float64]{Growth: forest.Growth{Trees: 100}}
			must(c.Fit(context.Background(), l.dense, l.y))
		}
	})
}

// graphWork is the Gram matrix of random trees of thirty nodes by their shortest paths.
func graphWork(n int) Case {
	return own(fmt.Sprintf("Gram matrix of %d graphs, shortest path", n), func() func() {
		rng := rand.New(rand.NewPCG(73, 0))
		set := make([]graph.Graph, n)
		for i := range set {
			g := graphs.Graph{Nodes: 30, NodeLabels: make([]int, 30)}
			for v := range 30 {
				g.NodeLabels[v] = rng.IntN(4)
				if v > 0 {
					g.Edges = append(g.Edges, [2]int32{rng.Int32N(int32(v)), int32(v)})
				}
			}
			set[i] = g
		}
		return func() {
			must(gram.New(context.Background(), graph.ShortestPath{}, data.Points[graph.Graph](data.Slice[graph.Graph](set)),
				gram.Options{Bytes: 1 << 30}))
		}
	})
}

func csvWork(rows, columns int) Case {
	return own(fmt.Sprintf("reading CSV, %d × %d", rows, columns), func() func() {
		rng := rand.New(rand.NewPCG(74, 0))
		var b bytes.Buffer
		for j := range columns {
			fmt.Fprintf(&b, "c%d%c", j, ",\n"[j/(columns-1)])
		}
		for range rows {
			for j := range columns {
				fmt.Fprintf(&b, "%.6f%c", rng.NormFloat64(), ",\n"[j/(columns-1)])
			}
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
		return func() { must(csvio.Read(open, "numbers.csv", csvio.Options{})) }
	})
}

// requestWork is requests to a server in this process, each of one row, by as many clients as there
// are threads. The network is left out.
func requestWork(requests int) Case {
	return own(fmt.Sprintf("server, %d requests of a row, 4,800 centres", requests), func() func() {
		l := clumps(4800, 50, 2)
		fitted := must(svm.Classification[kernel.Vec, float64]{Kernel: kernel.Gaussian{Lengthscale: 1},
			C: 1}.Fit(context.Background(), l.dense, l.y))
		s := serve.New(serve.Options{})
		if err := s.Add("m", must(model.New(fitted, model.Info{}))); err != nil {
			panic(err)
		}
		row := strings.Trim(strings.ReplaceAll(fmt.Sprint(l.dense.At(0)), " ", ","), "[]")
		body := fmt.Sprintf(`{"inputs":[{"name":"x","shape":[1,50],"datatype":"FP64","data":[%s]}]}`, row)
		return func() {
			var group sync.WaitGroup
			clients := runtime.GOMAXPROCS(0)
			for c := range clients {
				group.Go(func() {
					for range (requests + clients - 1 - c) / clients {
						answer := httptest.NewRecorder()
						s.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", strings.NewReader(body)))
						if answer.Code != http.StatusOK {
							panic(answer.Body.String())
						}
					}
				})
			}
			group.Wait()
		}
	})
}
