package learn

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestEncodeLabelsAnyOrderedType(t *testing.T) {
	l, err := EncodeLabels([]string{"pear", "apple", "pear", "fig"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Classes, []string{"apple", "fig", "pear"}) || !slices.Equal(l.Code, []int{2, 0, 2, 1}) {
		t.Fatalf("got %v", l)
	}
	if got := l.Decode(l.Code); !slices.Equal(got, []string{"pear", "apple", "pear", "fig"}) {
		t.Fatalf("decoded %v", got)
	}
	if m := l.Members(); !slices.Equal(m[2], []int{0, 2}) || !slices.Equal(m[1], []int{3}) {
		t.Fatalf("members %v", m)
	}
}

func TestEncodeLabelsRefuses(t *testing.T) {
	if _, err := EncodeLabels([]int{}); !errors.Is(err, ErrNoPoints) {
		t.Errorf("no labels: %v", err)
	}
	if _, err := EncodeLabels([]int{7, 7}); !errors.Is(err, ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	if _, err := EncodeLabels([]float64{1, math.NaN()}); err == nil {
		t.Error("NaN label accepted")
	}
}

func TestPointWeights(t *testing.T) {
	l, _ := EncodeLabels([]int{1, 1, 1, 2})
	w, err := l.PointWeights(Balanced, nil, []float64{1, 2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w, []float64{4.0 / 6, 8.0 / 6, 0, 2}) {
		t.Errorf("balanced: %v", w)
	}
	w, err = l.PointWeights(Unbalanced, map[int]float64{2: 5, 9: 3}, nil)
	if err != nil || !slices.Equal(w, []float64{1, 1, 1, 5}) {
		t.Errorf("per class: %v %v", w, err)
	}
	for _, bad := range [][]float64{{1}, {1, 1, 1, -1}, {1, 1, math.Inf(1), 1}, {1, 1, 1, 0}} {
		if _, err := l.PointWeights(Unbalanced, nil, bad); err == nil {
			t.Errorf("sample weights %v accepted", bad)
		}
	}
}

func TestTasksCoverPairs(t *testing.T) {
	l, _ := EncodeLabels([]int{0, 1, 2, 3, 1})
	pairs := l.Tasks(OneVsOne)
	if len(pairs) != 6 || pairs[3].Plus != 1 || pairs[3].Minus != 2 || !slices.Equal(pairs[3].Index, []int{1, 2, 4}) {
		t.Fatalf("pairs %+v", pairs)
	}
	rest := l.Tasks(OneVsRest)
	if len(rest) != 4 || !slices.Equal(rest[1].Targets(), []float64{-1, 1, -1, -1, 1}) {
		t.Fatalf("one-vs-rest %+v", rest)
	}
}
