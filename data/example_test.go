package data_test

import (
	"encoding/json"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

func ExampleBuiltin() {
	d, err := data.Builtin("iris", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	target, _ := d.Column(d.Target)
	task, why, _ := data.InferTask(target)
	fmt.Println(d.Summary())
	fmt.Printf("%v: %s\n", task, why)
	// Output:
	// iris: 150 rows, 4 numeric columns, target "species" (3 classes, balanced)
	// multi-class classification: target "species" has 3 levels
}

func ExampleFitEncoder() {
	d := &data.Dataset{Name: "flats.csv", Target: "rent", Columns: []data.Column{
		data.NumberColumn("area", []float64{30, 50, 70}),
		data.LevelColumn("town", []string{"Ulm", "Bonn", "Ulm"}),
		data.NumberColumn("rent", []float64{410.5, 720, 815}),
	}}
	e, err := data.FitEncoder(d, data.EncoderOptions{Scaling: "minmax"})
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, _ := json.Marshal(e) // travels with the model
	var later data.Encoder
	if err := json.Unmarshal(stored, &later); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(later.Names())

	next := &data.Dataset{Name: "new.csv", Columns: []data.Column{
		data.LevelColumn("town", []string{"Bonn"}), data.NumberColumn("area", []float64{40})}}
	x, err := later.Transform(next)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Dense.At(0))
	_, err = later.Transform(&data.Dataset{Name: "other.csv", Columns: next.Columns[:1]})
	fmt.Println(err)
	// Output:
	// [area town=Bonn town=Ulm]
	// [0.25 1 0]
	// other.csv: the model needs column "area", which is not here (found: town)
}

func ExampleStratified() {
	class := []int{0, 0, 0, 0, 1, 1}
	folds, err := data.Stratified(class, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range folds {
		fmt.Println(len(f.Train), len(f.Test))
	}
	_, err = data.Stratified(class, 3, 1)
	fmt.Println(err)
	// Output:
	// 3 3
	// 3 3
	// class 1 has 2 rows for 3 folds, so a fold would lack it; use at most 2 folds or plain ones
}

func ExampleHoldout() {
	f, err := data.Holdout(150, 0.2, 1)
	fmt.Println(len(f.Train), len(f.Test), err)
	// Output: 120 30 <nil>
}

func ExampleRepeated() {
	folds, err := data.Repeated(3, 1, func(seed uint64) ([]data.Fold, error) { return data.KFold(20, 5, seed) })
	fmt.Println(len(folds), err)
	// Output: 15 <nil>
}

func ExampleFitScaler() {
	x := data.Rows(mat.NewDense(3, 2, []float64{1, 10, 2, 20, 3, 30}))
	s, err := data.FitScaler("minmax", x)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, _ := s.Transform(x)
	back, _ := s.Invert(y)
	fmt.Println(y.At(0), y.At(1), y.At(2))
	fmt.Println(back.At(0), back.At(1), back.At(2))
	// Output:
	// [0 0] [0.5 0.5] [1 1]
	// [1 10] [2 20] [3 30]
}

func ExampleGather() {
	p := data.Slice[string]{"a", "b", "c"}
	q := data.Gather[string](p, []int{2, 0})
	fmt.Println(q.At(0), q.At(1))
	// Output: c a
}
