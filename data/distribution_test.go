package data

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/celltext"
)

func TestHistogramShares(t *testing.T) {
	for s, want := range map[string][]float64{
		"3,1,0,4":                    {0.375, 0.125, 0, 0.5},
		"[0.25; 0.75]":               {0.25, 0.75},
		"2 2":                        {0.5, 0.5},
		"7":                          {1},
		"0.333333,0.333333,0.333334": {0.333333, 0.333333, 0.333334}, // shares stay as they are
		"1.5e308,1.5e308":            {0.5, 0.5},
		"5e-324,0":                   {1, 0},
	} {
		got, err := HistogramShares(s)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
		// Written and read again it has the same bits.
		if again, err := HistogramShares(formatSequence(got, 1)); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q again: %v, %v", s, again, err)
		}
	}
	for s, want := range map[string]string{
		"":              "no bins",
		"a,b":           "no list of counts",
		"[[1,2],[3,4]]": "no list of counts",
		"1,-1":          "bin 2 is -1",
		"0,0,0":         "all of its 3 bins are 0",
		"1,NaN":         "no list of counts",
	} {
		if got, err := HistogramShares(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", s, got, err, want)
		}
	}
}

func TestNormalParts(t *testing.T) {
	two := []celltext.NormalPart{{Weight: 1, Mean: []float64{1, 2}, Cov: [][]float64{{4, 0}, {0, 0.25}}}}
	for s, want := range map[string][]celltext.NormalPart{
		"1±2; 2±0.5":                            two,
		"1+-2, 2 +- 0.5":                        two,
		`{"mean":[1,2],"var":[4,0.25]}`:         two,
		`{"mean":[1,2],"cov":[[4,0],[0,0.25]]}`: two,
		`{"mean":1,"cov":4}`:                    {{Weight: 1, Mean: []float64{1}, Cov: [][]float64{{4}}}},
		`{"parts":[{"mean":1,"var":4}]}`:        {{Weight: 1, Mean: []float64{1}, Cov: [][]float64{{4}}}},
		`{"parts":[{"mean":1,"var":4},{"mean":0,"var":1}]}`: {{Weight: 0.5, Mean: []float64{1}, Cov: [][]float64{{4}}},
			{Weight: 0.5, Mean: []float64{0}, Cov: [][]float64{{1}}}},
		`{"parts":[{"weight":0.25,"mean":1,"var":4},{"weight":0.75,"mean":0,"var":1}]}`: {{Weight: 0.25, Mean: []float64{1},
			Cov: [][]float64{{4}}}, {Weight: 0.75, Mean: []float64{0}, Cov: [][]float64{{1}}}},
	} {
		if got, err := celltext.NormalParts(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"":                                   "it is empty",
		"1.2":                                "no mean with its deviation",
		"1±x":                                "no mean with its deviation",
		`{"mean":[1,2]}`:                     `give "cov"`,
		`{"mean":[1],"cov":[[1]],"var":[1]}`: "not both",
		`{"cov":[[1]]}`:                      `no "mean"`,
		`{"mean":[1,2],"var":[1]}`:           "1 variances for a mean of 2",
		`{"mean":[1,2],"cov":[[1,0]]}`:       "1 rows for a mean of 2",
		`{"mean":[1,2],"cov":[[1,0],[0]]}`:   "row 2 of the covariance has 1",
		`{"mean":[1,2],"cov":[[1,3],[2,9]]}`: "not symmetric: entry (2, 1) is 2, (1, 2) is 3",
		`{"mean":1,"sd":2}`:                  "no distribution",
		`{"mean":`:                           "no distribution",
		`{"parts":[]}`:                       "no parts",
		`{"parts":[{"mean":1,"var":1},{"mean":[1,2],"var":[1,1]}]}`:                "part 2 has 2 coordinates",
		`{"parts":[{"weight":0.5,"mean":1,"var":1}]}`:                              "sum to 0.5",
		`{"parts":[{"weight":-1,"mean":1,"var":1},{"weight":2,"mean":1,"var":1}]}`: "the weight of part 1 is -1",
		`{"parts":[{"weight":1,"mean":1,"var":1},{"mean":1,"var":1}]}`:             "1 of its 2 parts have a weight",
		`{"mean":1,"parts":[{"mean":1,"var":1}]}`:                                  "write either",
		`{"parts":[{"parts":[{"mean":1,"var":1}]}]}`:                               "a mixture itself",
		`{"weight":0.5,"mean":1,"var":1}`:                                          "the only part",
	} {
		if got, err := celltext.NormalParts(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", s, got, err, want)
		}
	}
}

// Whatever stands in a cell, it is a distribution or an error, and shares sum to 1.
func FuzzDistributionCells(f *testing.F) {
	for _, s := range []string{"3,1,0", "0.5 0.5", "0", "1e308,1e308", `{"mean":[1,2],"cov":[[1,0],[0,1]]}`, "1±2",
		`{"parts":[{"weight":1,"mean":0,"var":1}]}`, `{"mean":null}`, `{"mean":[1],"cov":[null]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := HistogramShares(s); err == nil {
			sum := 0.0
			for _, v := range p {
				if !(v >= 0) {
					t.Fatalf("%q: a share of %v", s, v)
				}
				sum += v
			}
			if math.Abs(sum-1) > 1e-6 {
				t.Fatalf("%q: shares sum to %v", s, sum)
			}
		}
		parts, err := celltext.NormalParts(s)
		if err != nil {
			return
		}
		for _, p := range parts {
			if len(p.Cov) != len(p.Mean) || len(p.Mean) != len(parts[0].Mean) || len(p.Mean) == 0 {
				t.Fatalf("%q: %v", s, parts)
			}
			for _, row := range p.Cov {
				if len(row) != len(p.Mean) {
					t.Fatalf("%q: %v", s, parts)
				}
			}
		}
	})
}
