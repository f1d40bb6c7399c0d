package model_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
)

// shoes is a data set of sizes and whether they fit.
func shoes() *data.Dataset {
	return &data.Dataset{Name: "shoes", Target: "fits", Columns: []data.Column{
		data.NumberColumn("size", []float64{36, 38, 39, 40, 41, 42, 44, 46}),
		data.LevelColumn("fits", []string{"no", "no", "no", "yes", "yes", "yes", "no", "no"}),
	}}
}

func fitShoes() *model.Model {
	d := shoes()
	encoder, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		panic(err)
	}
	x, err := encoder.TransformLabelled(d)
	if err != nil {
		panic(err)
	}
	fitted, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5},
		C: 100}.Fit(context.Background(), x.Dense, x.Codes())
	if err != nil {
		panic(err)
	}
	m, err := model.New(fitted, model.Info{Encoder: encoder, DataName: d.Name, Rows: d.Len()})
	if err != nil {
		panic(err)
	}
	return m
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "mercer")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "shoes.mercer")
	if err := fitShoes().Save(file); err != nil {
		panic(err)
	}
	m, err := model.Load(file)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Learner(), m.Kernel(), m.Task(), m.Classes())
	p, err := m.Predict(context.Background(),
		&data.Dataset{Columns: []data.Column{data.NumberColumn("size", []float64{37, 41, 45})}}, model.Want{})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Labels)
	// Output:
	// svc gaussian(lengthscale=0.5) binary classification [no yes]
	// [no yes no]
}

func ExampleReadLIBSVM() {
	m, err := model.ReadLIBSVM(strings.NewReader(`svm_type epsilon_svr
kernel_type linear
nr_class 2
total_sv 1
rho -1
SV
2 1:3
`))
	if err != nil {
		panic(err)
	}
	p, err := m.Predict(context.Background(),
		&data.Dataset{Columns: []data.Column{data.NumberColumn("x", []float64{0, 10})}}, model.Want{})
	fmt.Println(p.Values, err)
	// Output: [1 61] <nil>
}

func ExampleModel_WriteLIBSVM() {
	var ranges strings.Builder // for svm-scale -r, which scales the rows as the model's encoder does
	err := fitShoes().WriteLIBSVM(io.Discard, model.LIBSVMOptions{Range: &ranges})
	fmt.Println(err)
	fmt.Println(ranges.String())
	// Output: <nil>
	// x
	// -1 1
	// 1 37.718911086754453 43.781088913245533
}

func ExampleModel_WriteONNX() {
	err := fitShoes().WriteONNX(io.Discard, model.ONNXOptions{})
	fmt.Println(err)
	// Output: <nil>
}
