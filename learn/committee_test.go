package learn

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestBlendOfNumbers(t *testing.T) {
	a := Predictions{Truth: []float64{1, 2}, Value: []float64{1, -3}, LogDensity: []float64{-1, -2}}
	b := Predictions{Truth: []float64{1, 2}, Value: []float64{5, 1}}
	got, err := Blend([]float64{0.25, 0.75}, []Predictions{a, b})
	if err != nil || !slices.Equal(got.Value, []float64{4, 0}) || got.LogDensity != nil {
		t.Errorf("%v, %v", got, err)
	}
	alone, err := Blend([]float64{1}, []Predictions{a})
	if err != nil || !reflect.DeepEqual(alone, a) {
		t.Errorf("one member: %v, %v", alone, err)
	}
}

func TestBlendOfClasses(t *testing.T) {
	a := Predictions{Classes: 2, Class: []int{0, 1}, Prob: []float64{0.9, 0.1, 0.2, 0.8}}
	b := Predictions{Classes: 2, Class: []int{1, 1}, Prob: []float64{0.3, 0.7, 0, 1}}
	got, err := Blend([]float64{0.5, 0.5}, []Predictions{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Class, []int{0, 1}) || math.Abs(got.Prob[0]-0.6) > 1e-15 ||
		math.Abs(got.Score[1]-math.Log(0.4/0.6)) > 1e-15 || got.Score[0] != -got.Score[1] {
		t.Errorf("%+v", got)
	}
	three := Predictions{Classes: 3, Class: []int{2}, Prob: []float64{0, 0.25, 0.75}}
	got, err = Blend([]float64{0.5, 0.5}, []Predictions{three, three})
	if err != nil || got.Class[0] != 2 || got.Score[2] != math.Log(0.75) || math.IsInf(got.Score[0], 0) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What does not fit together is refused.
func TestBlendRefuses(t *testing.T) {
	numbers, longer := Predictions{Value: []float64{1}}, Predictions{Value: []float64{1, 2}}
	sure, unsure := Predictions{Classes: 2, Class: []int{0}, Prob: []float64{1, 0}},
		Predictions{Classes: 2, Class: []int{0}, Score: []float64{1, -1}}
	for name, c := range map[string][]Predictions{
		"none": {}, "lengths": {numbers, longer}, "tasks": {numbers, sure}, "no probabilities": {sure, unsure},
		"none have probabilities": {unsure, unsure},
	} {
		if got, err := Blend(make([]float64, len(c)), c); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := Blend([]float64{1}, []Predictions{numbers, numbers}); err == nil {
		t.Error("one weight of two members")
	}
}
