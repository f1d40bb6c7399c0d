package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// committeeParts is members of one task on the columns of goldenRows, with their encoder and the
// rows.
func committeeParts(classes int) (members []*Model, e *data.Encoder, d *data.Dataset) {
	ctx := context.Background()
	x := newPoints(8, 30, 2)
	d = goldenRows(x)
	values, codes, names := make([]float64, x.Len()), make([]int, x.Len()), make([]string, x.Len())
	for i := range values {
		values[i] = x.At(i)[0]*x.At(i)[1] + 3
		codes[i] = i % max(classes, 1)
		names[i] = string(rune('a' + codes[i]))
	}
	if classes > 0 {
		d.Columns = append(d.Columns, data.LevelColumn("y", names))
	} else {
		d.Columns = append(d.Columns, data.NumberColumn("y", values))
	}
	d.Target = "y"
	e = must(data.FitEncoder(d, data.EncoderOptions{}))
	points := must(e.TransformLabelled(d)).Dense
	info := func(spec string) Info { return Info{Encoder: e, Spec: spec} }
	wide, narrow := kernel.Gaussian{Lengthscale: 1.5}, kernel.Laplace{Lengthscale: 0.7}
	if classes == 0 {
		return []*Model{
			must(New(must(ridge.Regression[kernel.Vec]{Kernel: wide, Lambda: 0.1, Intercept: true}.Fit(ctx, points, values)),
				info("ridge wide"))),
			must(New(must(gp.Regression[kernel.Vec]{Kernel: narrow, Noise: 0.05, FixedNoise: true,
				HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(ctx, points, values)), info("gp narrow"))),
		}, e, d
	}
	return []*Model{
		must(New(must(logistic.Regression[kernel.Vec, int]{Kernel: wide, Lambda: 0.1}.Fit(ctx, points, codes)),
			info("logistic wide"))),
		must(New(must(logistic.Regression[kernel.Vec, int]{Kernel: narrow, Lambda: 0.01}.Fit(ctx, points, codes)),
			info("logistic narrow"))),
	}, e, d
}

// committeeCases are committees of numbers, two and three classes.
func committeeCases() map[string]*Model {
	out := map[string]*Model{}
	for name, classes := range map[string]int{"committee-values": 0, "committee-2": 2, "committee-3": 3} {
		members, e, _ := committeeParts(classes)
		info := Info{Encoder: e, Rows: 30, Spec: "committee"}
		if classes == 0 {
			info.Residuals = []float64{0.1, 0.2, 0.4}
		}
		c := Committee{Report: learn.Report{Learner: "committee", Converged: true, Certified: "KKT violation of the weights",
			Certificate: 1e-14}}
		for m, w := range []float64{0.375, 0.625} {
			c.Members = append(c.Members, CommitteeMember{members[m], w})
		}
		out[name] = must(NewCommittee(c, info))
	}
	return out
}

// A committee says the weighted mean of what its members say; a file gives the same bits back.
func TestCommitteeIsTheMeanOfItsMembers(t *testing.T) {
	ctx := context.Background()
	for name, m := range committeeCases() {
		classes := len(m.Classes())
		members, _, d := committeeParts(classes)
		want := Want{Scores: true, Proba: classes > 0}
		got := must(m.Predict(ctx, d, want))
		back := must(Decode(encodeModel(t, m)))
		again := must(back.Predict(ctx, d, want))
		a, b := must(members[0].Predict(ctx, d, want)), must(members[1].Predict(ctx, d, want))
		for i := range got.Rows {
			if classes == 0 {
				if mean := 0.375*a.Values[i] + 0.625*b.Values[i]; math.Abs(got.Values[i]-mean) > 1e-14 ||
					got.Scores.At(i, 0) != got.Values[i] {
					t.Fatalf("%s: row %d: %g, want %g", name, i, got.Values[i], mean)
				}
				if again.Values[i] != got.Values[i] {
					t.Fatalf("%s: row %d: %g from the file, %g before", name, i, again.Values[i], got.Values[i])
				}
				continue
			}
			for c := range classes {
				p := 0.375*a.Proba.At(i, c) + 0.625*b.Proba.At(i, c)
				if math.Abs(got.Proba.At(i, c)-p) > 1e-15 || again.Proba.At(i, c) != got.Proba.At(i, c) {
					t.Fatalf("%s: row %d class %d: %g, want %g", name, i, c, got.Proba.At(i, c), p)
				}
				if p > got.Proba.At(i, got.Codes[i])+1e-15 {
					t.Fatalf("%s: row %d: class %d is not the most probable", name, i, got.Codes[i])
				}
			}
			if classes == 2 && math.Abs(got.Scores.At(i, 0)-math.Log(got.Proba.At(i, 1)/got.Proba.At(i, 0))) > 1e-12 {
				t.Fatalf("%s: row %d: a score of %g", name, i, got.Scores.At(i, 0))
			}
			if classes == 3 && got.Scores.At(i, 2) != math.Log(got.Proba.At(i, 2)) {
				t.Fatalf("%s: row %d: a score of %g", name, i, got.Scores.At(i, 2))
			}
		}
		if _, columns := got.Scores.Dims(); columns != m.Outputs() {
			t.Errorf("%s: %d scores, %d outputs", name, columns, m.Outputs())
		}
		if !bytes.Equal(encodeModel(t, m), encodeModel(t, back)) {
			t.Errorf("%s: written again, the file differs", name)
		}
		judged, _, err := m.Judged(ctx, d)
		if err != nil || classes > 0 && !slices.Equal(judged.Class, got.Codes) || classes == 0 &&
			!slices.Equal(judged.Value, got.Values) {
			t.Errorf("%s: judged otherwise: %v", name, err)
		}
		s := back.Summary()
		if s.Format != committeeFormat || !slices.Equal(s.Weights, []float64{0.375, 0.625}) || len(s.Members) != 2 ||
			s.Learner != "committee" || back.Centers() != members[0].Centers()+members[1].Centers() {
			t.Errorf("%s: %+v", name, s)
		}
		if back.Report().Certificate != 1e-14 || back.HasStd() || back.HasProba() != (classes > 0) ||
			back.HasIntervals() != (classes == 0) {
			t.Errorf("%s: report %+v", name, back.Report())
		}
	}
}

// A committee of one is that one, to the bit, with all that it gives.
func TestCommitteeOfOne(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{0, 3} {
		members, e, d := committeeParts(classes)
		m := must(NewCommittee(Committee{Members: []CommitteeMember{{members[0], 1}}}, Info{Encoder: e}))
		want := Want{Scores: true, Proba: classes > 0}
		a, b := must(members[0].Predict(ctx, d, want)), must(must(Decode(encodeModel(t, m))).Predict(ctx, d, want))
		if !slices.Equal(a.Values, b.Values) || !slices.Equal(a.Codes, b.Codes) || !mat.Equal(a.Scores, b.Scores) ||
			classes > 0 && !mat.Equal(a.Proba, b.Proba) {
			t.Errorf("%d classes: the only member says something else", classes)
		}
	}
}

// What cannot decide together is refused, and so is what only one function can do.
func TestCommitteeRefuses(t *testing.T) {
	values, e, d := committeeParts(0)
	classes, _, _ := committeeParts(2)
	whole := committeeCases()["committee-values"]
	bad := map[string][]CommitteeMember{
		"nobody":   nil,
		"missing":  {{nil, 1}},
		"sum":      {{values[0], 0.5}, {values[1], 0.4}},
		"negative": {{values[0], 1.5}, {values[1], -0.5}},
		"NaN":      {{values[0], math.NaN()}},
		"tasks":    {{values[0], 0.5}, {classes[0], 0.5}},
		"nested":   {{whole, 1}},
		"crowd":    slices.Repeat([]CommitteeMember{{values[0], 1.0 / 65}}, 65),
	}
	for name, members := range bad {
		if _, err := NewCommittee(Committee{Members: members}, Info{Encoder: e}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, write := range map[string]func(io.Writer) error{"json": whole.WriteJSON,
		"onnx":   func(w io.Writer) error { return whole.WriteONNX(w, ONNXOptions{}) },
		"libsvm": func(w io.Writer) error { return whole.WriteLIBSVM(w, LIBSVMOptions{}) },
	} {
		var unfit *UnfitError
		if err := write(io.Discard); !errors.As(err, &unfit) || !strings.Contains(unfit.Why, "committee") {
			t.Errorf("%s: %v", name, err)
		}
	}
	x := must(whole.Encode(d))
	if _, err := whole.NearestCenters(t.Context(), x, 0, 3); !errors.Is(err, ErrCommittee) {
		t.Errorf("centres: %v", err)
	}
	if _, _, err := whole.Update(t.Context(), d); !errors.Is(err, errNoUpdate) {
		t.Errorf("update: %v", err)
	}
}

// A file that lies about its members is refused.
func TestCommitteeFileDamaged(t *testing.T) {
	whole := committeeCases()["committee-2"]
	for name, change := range map[string]func(c *container.File, members []map[string]string){
		"no weights": func(c *container.File, _ []map[string]string) { delete(c.Tensors, tensorWeights) },
		"other weights": func(c *container.File, _ []map[string]string) {
			c.Tensors[tensorWeights] = container.Float64s([]float64{1, 1},
				2)
		},
		"three weights": func(c *container.File, _ []map[string]string) {
			c.Tensors[tensorWeights] = container.Float64s([]float64{0.5, 0.25, 0.25}, 3)
		},
		"a tensor less": func(c *container.File, _ []map[string]string) { delete(c.Tensors, memberPrefix+"1."+tensorCoef) },
		"a tensor more": func(c *container.File, _ []map[string]string) {
			c.Tensors[memberPrefix+"7."+tensorCoef] = container.Float64s([]float64{1}, 1, 1)
		},
		"another domain": func(_ *container.File, m []map[string]string) { m[0][keyDomain] = domainCommittee },
		"another width":  func(_ *container.File, m []map[string]string) { m[1][keyDim] = "3" },
		"no kernel":      func(_ *container.File, m []map[string]string) { delete(m[0], keyKernel) },
		"no class":       func(c *container.File, _ []map[string]string) { delete(c.Metadata, keyClasses) },
	} {
		c := must(container.Read(encodeModel(t, whole)))
		var members []map[string]string
		if err := json.Unmarshal([]byte(c.Metadata[keyMembers]), &members); err != nil {
			t.Fatal(err)
		}
		change(c, members)
		c.Metadata[keyMembers] = string(must(json.Marshal(members)))
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		var bad *container.DamagedError
		if _, err := Decode(b.Bytes()); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A mercer that does not know the format says so before anything else.
	var newer *versionError
	if err := checkVersion(bytes.Replace(encodeModel(t, whole), []byte(`"mercer.format":"4"`),
		fmt.Appendf(nil, `"mercer.format":"%d"`, formatVersion+1), 1)); !errors.As(err, &newer) {
		t.Errorf("format %d: %v", formatVersion+1, err)
	}
}
