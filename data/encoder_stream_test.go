package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// tableOf is rows of every kind that is read in parts, some of them missing.
func tableOf(n int, gaps bool) *Dataset {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers, codes, when, target := make([]float64, n), make([]string, n), make([]time.Time, n), make([]float64, n)
	for i := range n {
		numbers[i] = 1e6 + rng.NormFloat64()
		codes[i] = []string{"b", "a", "10", "9"}[rng.IntN(4)]
		when[i] = time.Date(2020, 1, 1+rng.IntN(700), rng.IntN(24), 0, 0, 0, time.UTC)
		target[i] = rng.ExpFloat64()
		if gaps && i%7 == 3 {
			numbers[i], codes[i] = math.NaN(), ""
		}
	}
	return &Dataset{Name: "t", Target: "y", Columns: []Column{NumberColumn("x", numbers), LevelColumn("c", codes),
		TimeColumn("t", when), NumberColumn("y", target)}}
}

// parts cuts a data set into chunks, whose categories have levels of their own.
func parts(d *Dataset, sizes ...int) []*Dataset {
	var out []*Dataset
	at := 0
	for i := 0; at < d.Len(); i++ {
		size := min(sizes[i%len(sizes)], d.Len()-at)
		rows := make([]int, size)
		for j := range rows {
			rows[j] = at + j
		}
		part := d.Gather(rows)
		for j := range part.Columns {
			if c := &part.Columns[j]; c.Kind == Categorical {
				names := make([]string, c.Len())
				for k := range names {
					names[k] = c.String(k)
				}
				*c = LevelColumn(c.Name, names)
			}
		}
		out, at = append(out, part), at+size
	}
	return out
}

// encodings is ways to encode a table that its parts can be added up for.
var encodings = []EncoderOptions{
	{Task: Regression, Missing: missingIndicator},
	{Task: Regression, Missing: missingMean, Scaling: minMax},
	{Task: Regression, Missing: missingMean, Scaling: maxAbs, Categories: categoryCode},
	{Task: Regression, Missing: missingDrop, Scaling: noScaling},
}

// TestEncoderFitIsFitEncoder: chunks of any size give the encoder of all rows, to the bit.
func TestEncoderFitIsFitEncoder(t *testing.T) {
	for _, o := range encodings {
		want, err := FitEncoder(tableOf(1000, true), o)
		if err != nil {
			t.Fatal(err)
		}
		want.Target.Why = "the task is given"
		expect, _ := json.Marshal(want)
		for _, sizes := range [][]int{{1000}, {1}, {64, 1, 313}} {
			f, err := NewEncoderFit(o)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts(tableOf(1000, true), sizes...) {
				if err := f.Add(part); err != nil {
					t.Fatal(err)
				}
			}
			got, err := f.Encoder()
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := json.Marshal(got); !bytes.Equal(text, expect) {
				t.Errorf("chunks of %v: %s\nwant %s", sizes, text, expect)
			}
		}
	}
}

// TestEncoderFitRefuses: a fault names the row among all, and what needs all rows at once is
// refused.
func TestEncoderFitRefuses(t *testing.T) {
	o := EncoderOptions{Task: Regression}
	fit := func(o EncoderOptions, change func(*Dataset)) error {
		d := tableOf(1000, false)
		change(d)
		f, err := NewEncoderFit(o)
		if err != nil {
			return err
		}
		for _, part := range parts(d, 64) {
			if err := f.Add(part); err != nil {
				return err
			}
		}
		_, err = f.Encoder()
		return err
	}
	for _, c := range []struct {
		name   string
		o      EncoderOptions
		change func(*Dataset)
		kind   error
		row    int
	}{
		{"a gap", o, func(d *Dataset) { d.Columns[0].Numbers[800] = math.NaN() }, ErrMissing, 801},
		{"a target that is missing", o, func(d *Dataset) { d.Columns[3].Numbers[801] = math.NaN() }, ErrMissing, 802},
		{"an infinite number", o, func(d *Dataset) { d.Columns[0].Numbers[77] = math.Inf(1) }, ErrNotFinite, 78},
		{"a number beyond all measure", o, func(d *Dataset) { d.Columns[0].Numbers[900] = 1e305 }, ErrNotFinite, 901},
		{"text", o, func(d *Dataset) { d.Columns[0] = TextColumn("x", make([]string, 1000)) }, ErrTooLarge, 0},
		{"quartiles", EncoderOptions{Task: Regression, Scaling: robust}, func(*Dataset) {}, ErrTooLarge, 0},
	} {
		err := fit(c.o, c.change)
		var fault *Error
		if !errors.Is(err, c.kind) || !errors.As(err, &fault) || fault.Row != c.row {
			t.Errorf("%s: %v (row %d), want row %d", c.name, err, faultRow(err), c.row)
		}
	}
	if err := fit(EncoderOptions{}, func(*Dataset) {}); err == nil {
		t.Error("no task: no error")
	}
	f, _ := NewEncoderFit(o)
	if _, err := f.Encoder(); !errors.Is(err, ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
}

func faultRow(err error) int {
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Row
	}
	return -1
}

// TestMoments holds one pass against two in more digits, where sums of squares would lose them all.
func TestMoments(t *testing.T) {
	for _, c := range []struct {
		name      string
		x         []float64
		mean, std float64
	}{
		{"far from the origin", []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, 1e9 + 10, math.Sqrt(22.5)},
		{"tiny", []float64{1e-170, 3e-170}, 2e-170, 1e-170},
		{"huge", []float64{-1e300, 1e300}, 0, 1e300},
		{"growing", []float64{1, 1e200, -1e200}, 1.0 / 3, math.Sqrt(2.0/3) * 1e200},
		{"constant", []float64{0.1, 0.1, 0.1}, 0.1, 0},
		{"zeros", []float64{0, 0}, 0, 0},
		{"none", nil, 0, 0},
	} {
		var m moments
		for _, v := range c.x {
			m.add(v)
		}
		mean, std := m.meanStd()
		if size := math.Max(math.Abs(c.mean), c.std); math.Abs(mean-c.mean) > 1e-15*size || math.Abs(std-c.std) > 1e-14*size {
			t.Errorf("%s: mean %g, deviation %g; want %g, %g", c.name, mean, std, c.mean, c.std)
		}
	}
}
