package newcomer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
)

func Example_search() {
	x, y := ring()
	p, err := learn.Classify(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := tune.NewSearch(p,
		tune.Try("svm", kernel.Gaussian{}, tune.Over("gaussian.lengthscale", 0.1, 1, 10), tune.Over("C", 1, 10, 100)),
		tune.Try("knn", kernel.Linear{}, tune.Over("k", 1, 3, 5)))
	r, err := s.Run(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Cells), "settings, the best is right", r.Best.Mean, "of the time")
	// Output: 12 settings, the best is right 1 of the time
}

func Example_twoSampleTest() {
	before, after := make([]float64, 50), make([]float64, 50)
	for i := range before {
		before[i], after[i] = float64(i%10), float64(i%10)+4
	}
	r, err := stat.MMD[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3},
		TestSettings: stat.TestSettings{Seed: 1}}.Test(ctx, data.Line(before), data.Line(after))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("different:", r.P < 0.01)
	// Output: different: true
}

func Example_kernelPCA() {
	x, _ := ring()
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Components: 2}.Fit(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := m.Transform(ctx, centre)
	rows, columns := z.Dims()
	fmt.Println(rows, columns, err)
	// Output: 2 2 <nil>
}

func Example_saveAndLoad() {
	x, y := ring()
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, _ := os.MkdirTemp("", "mercer")
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "ring.mercer")
	saved, err := model.New(m, model.Info{Classes: m.Classes()})
	if err == nil {
		err = saved.Save(file)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := model.Load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := &data.Dataset{Columns: []data.Column{data.NumberColumn("x", []float64{0, 3}),
		data.NumberColumn("y", []float64{0, 0})}}
	p, err := back.Predict(ctx, rows, model.Want{})
	fmt.Println(p.Labels, err)
	// Output: [in out] <nil>
}

func Example_onlineUpdates() {
	machine, err := online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Loss: online.Squared,
		Schedule: online.Constant, Eta: 0.2, Lambda: 1e-3, Budget: 200}.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := wave()
	for range 50 { // as examples arrive
		for i := range x.Len() {
			if _, err := machine.Observe(x.At(i), y[i]); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	at, err := machine.Model().Predict(ctx, quarter)
	fmt.Println(at[0] > 0.9, at[0] < 1.1, err)
	// Output: true true <nil>
}

func Example_insideAService() {
	x, y := ring()
	m, err := svm.Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{}}.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // models are safe for concurrent use
		var point kernel.Vec = make(kernel.Vec, 2)
		if _, err := fmt.Fscan(r.Body, &point[0], &point[1]); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		label, err := m.Predict(r.Context(), data.Slice[kernel.Vec]{point})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, label[0])
	})
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader("0.1 0.2")))
	fmt.Println(w.Body)
	// Output: in
}
