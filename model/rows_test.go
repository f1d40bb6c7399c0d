package model_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
)

// orders is a table with a column of every kind, and a target.
func orders(n int) *data.Dataset {
	pick := func(i int, of ...string) string { return of[(i*7+i/3)%len(of)] }
	texts := func(of ...string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = pick(i, of...)
		}
		return out
	}
	price, target := make([]float64, n), make([]float64, n)
	series, bags := make([][]float64, n), make([][]float64, n)
	for i := range n {
		price[i] = float64(i%5) + 0.1
		target[i] = float64((i*i)%11) / 3
		series[i] = []float64{float64(i % 3), 1, 0.1 * float64(i)}
		bags[i] = []float64{float64(i % 2), 1, 0.25, float64(i % 3)}
	}
	return &data.Dataset{Name: "orders", Target: "y", Columns: []data.Column{
		data.NumberColumn("price", price), data.TextColumn("code", texts("ACGT", "AC GT", "ÅÄÖ", "", "\"q\",\n")),
		data.TextColumn("note", texts("good and cheap", "bad", "dear")),
		data.SequenceColumn("sold", series), {Name: "cells", Kind: data.Bag, Channels: 2, Sequences: bags},
		{Name: "parse", Kind: data.Tree, Strings: texts("(S (A a))", "(S (B b))", "(S (A a)(B b))")},
		{Name: "tags", Kind: data.Set, Strings: texts("a;b", "b", "c|a")},
		{Name: "moods", Kind: data.Fuzzy, Strings: texts("calm:0.5;glad:1", "calm:1", `{"sad":0.25}`)},
		{Name: "votes", Kind: data.Ranking, Strings: texts("x>y", "y>x", "x=y")},
		{Name: "molecule", Kind: data.Graph, Strings: texts(`{"edges":[[0,1]]}`, `{"nodes":3,"edges":[[0,1],[1,2]]}`)},
		data.NumberColumn("y", target),
	}}
}

const everyKind = "gaussian(lengthscale=2) on price + cosine() on note + 0.5*(spectrum(k=2) on code) + " +
	"normalize(gak(width=2)) on sold + subsettree() on parse + " +
	"jaccard() on tags + fuzzyintersection() on moods + kendall() on votes + " +
	"normalize(multiinstance(kernel=gaussian(lengthscale=1))) on cells + normalize(wl(h=2)) on molecule"

// A model on rows of every kind goes through a file and predicts the same, with dense features and
// with sparse ones.
func TestModelsOnRows(t *testing.T) {
	ctx := context.Background()
	d := orders(24)
	for _, note := range []data.TextPolicy{"tfidf", "keep"} {
		text := everyKind
		if note == "keep" {
			text = "gaussian(lengthscale=2) on price + words() on note + spectrum(k=2) on code"
		}
		e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean",
			Texts: map[string]data.TextPolicy{"note": note}})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.TransformLabelled(d)
		if err != nil {
			t.Fatal(err)
		}
		s := mixing.SchemaOf(e)
		rows, err := s.Rows(x)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.ParseRows(s, text)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := ridge.Regression[mixed.Row]{Kernel: k, Lambda: 0.1}.Fit(ctx, rows, x.Target)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fitted.Predict(ctx, rows)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.New(fitted, model.Info{}); err == nil {
			t.Error("rows without their encoder are saved")
		}
		m, err := model.New(fitted, model.Info{Encoder: e})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := m.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := model.Decode(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		p, err := back.Predict(ctx, orders(24), model.Want{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if diff := p.Values[i] - want[i]; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("%s: row %d is %g after the file, %g before", note, i, p.Values[i], want[i])
			}
		}
		var again bytes.Buffer
		if _, err := back.WriteTo(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Errorf("%s: the file of a model that was read is another (%v)", note, err)
		}
	}
}

// Damaged objects are refused, whatever byte is changed: nothing panics.
func TestDamagedRows(t *testing.T) {
	ctx := context.Background()
	d := orders(9)
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := e.TransformLabelled(d)
	s := mixing.SchemaOf(e)
	rows, err := s.Rows(x)
	if err != nil {
		t.Fatal(err)
	}
	k, err := spec.ParseRows(s, "subsettree() on parse + jaccard() on tags")
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := ridge.Regression[mixed.Row]{Kernel: k, Lambda: 0.1}.Fit(ctx, rows, x.Target)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(fitted, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	c, err := container.Read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for name, tensor := range c.Tensors {
		for _, damage := range []func([]byte) []byte{
			func(b []byte) []byte { return b[:len(b)/2] },
			func(b []byte) []byte { b[0] ^= 0x80; return b },
			func(b []byte) []byte { return append(b, ')') },
		} {
			bad := container.File{Metadata: c.Metadata, Tensors: map[string]container.Tensor{}}
			for n, t := range c.Tensors {
				bad.Tensors[n] = t
			}
			b := damage(slices.Clone(tensor.Bytes))
			shape := tensor.Shape
			if tensor.DType == "U8" {
				shape = []int{len(b)}
			}
			bad.Tensors[name] = container.Tensor{DType: tensor.DType, Shape: shape, Bytes: b}
			var out bytes.Buffer
			if _, err := bad.WriteTo(&out); err != nil {
				continue // the container itself sees it
			}
			if m, err := model.Decode(out.Bytes()); err == nil {
				if _, err := m.Predict(ctx, orders(3), model.Want{}); err != nil {
					t.Logf("%s: %v", name, err)
				}
			}
		}
	}
}

func Example_table() {
	ctx := context.Background()
	d := &data.Dataset{Name: "genes", Target: "class", Columns: []data.Column{
		data.TextColumn("gene", []string{"ACGTACGT", "ACGTTTGT", "GGCCGGCC", "GGCCGCGC"}),
		data.LevelColumn("class", []string{"a", "a", "b", "b"}),
	}}
	e, _ := data.FitEncoder(d, data.EncoderOptions{})
	x, _ := e.TransformLabelled(d)
	s := mixing.SchemaOf(e)
	rows, _ := s.Rows(x)
	k, _ := spec.ParseRows(s, "normalize(spectrum(k=2)) on gene")
	fitted, err := svm.Classification[mixed.Row, int]{Kernel: k, C: 10}.Fit(ctx, rows, x.Codes())
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := model.New(fitted, model.Info{Encoder: e})
	p, _ := m.Predict(ctx, &data.Dataset{Columns: []data.Column{data.TextColumn("gene", []string{"TACGTA", "CCGGCC"})}},
		model.Want{})
	fmt.Println(p.Labels)
	// Output: [a b]
}
