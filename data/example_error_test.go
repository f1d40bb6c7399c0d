package data_test

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// A program asks what is wrong and where, and has words of its own for the remedy.
func ExampleError() {
	fitted := &data.Dataset{Name: "towns.csv", Columns: []data.Column{data.LevelColumn("town", []string{"bonn", "kiel"})}}
	encoder, err := data.FitEncoder(fitted, data.EncoderOptions{})
	if err != nil {
		panic(err)
	}
	_, err = encoder.Transform(&data.Dataset{Name: "new.csv",
		Columns: []data.Column{data.LevelColumn("town", []string{"kiel", "ulm"})}})
	fmt.Println(err)
	fmt.Println()

	var fault *data.Error
	if errors.As(err, &fault) {
		fmt.Println(errors.Is(err, data.ErrUnseen), fault.Row, fault.Column, fault.Value)
		if fault.Remedy == "unseen" {
			fmt.Println(fault.With("tick the box “unknown towns are none”"))
		}
	}
	// Output:
	// new.csv: row 2: column "town" is "ulm", a category not seen when the model was fitted (known: bonn, kiel)
	//   set EncoderOptions.Unseen to "zero" to encode it as none of them
	//
	// true 2 town ulm
	// new.csv: row 2: column "town" is "ulm", a category not seen when the model was fitted (known: bonn, kiel)
	//   tick the box “unknown towns are none”
}
