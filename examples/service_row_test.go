package newcomer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/model"
)

// One row for a model of columns that have names.
func Example_oneRow() {
	ctx := context.Background()
	table := &data.Dataset{Name: "table", Target: "side", Columns: []data.Column{
		data.NumberColumn("x0", []float64{0, 0.1, 3, 3.1}),
		data.NumberColumn("x1", []float64{0, 1, 0, 1}),
		data.LevelColumn("colour", []string{"red", "red", "blue", "blue"}),
		data.LevelColumn("side", []string{"left", "left", "right", "right"}),
	}}
	encoder, err := data.FitEncoder(table, data.EncoderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := encoder.TransformLabelled(table)
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := logistic.Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 0.01}.Fit(ctx,
		x.Dense, x.Codes())
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.New(fitted, model.Info{Encoder: encoder})
	if err != nil {
		log.Fatal(err)
	}

	row := &data.Dataset{Columns: []data.Column{
		data.NumberColumn("x1", []float64{0.4}),
		data.NumberColumn("x0", []float64{0.2}),
		data.LevelColumn("colour", []string{"red"}),
	}}
	p, err := m.Predict(ctx, row, model.Want{Proba: true})
	if err != nil {
		log.Fatal(err) // which column, and what is wrong with it
	}
	fmt.Println(p.Labels[0], p.Proba.At(0, 0) > 0.5)
	// Output: left true
}

// A learner that is taught one example after the other.
func Example_observe() {
	machine, err := online.Norma[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Loss: online.Hinge,
		Lambda: 0.01}.Start()
	if err != nil {
		log.Fatal(err)
	}
	for range 50 {
		for _, side := range []float64{-1, 1} {
			if _, err := machine.Observe(kernel.Vec{side}, side); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(machine.Decision(kernel.Vec{-1}) < 0, machine.Decision(kernel.Vec{1}) > 0, machine.State().Step)
	// Output: true true 100
}
