package nodes

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

func TestDegenerate(t *testing.T) {
	// No edges: every node is told by itself, the others by the prior.
	s, err := NewSpace(graph.Graph{Nodes: 4}, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, iterative := range []bool{false, true} {
		s.Iterative = iterative
		for _, r := range []graph.Transform{graph.Regularised{}, graph.Diffusion{}, graph.WalkSteps{},
			graph.InverseCosine{}} {
			m, err := s.Fit(t.Context(), Known{Nodes: []int{0, 1, 2}, Y: []float64{0, 0, 1}, Classes: 2},
				Setting{Transform: r, Lambda: 0.01}, 1)
			if err != nil {
				t.Fatalf("%s: %v", r.Name(), err)
			}
			p := m.Predict([]int{0, 2, 3, 7})
			if p.Class[0] != 0 || p.Class[1] != 1 || p.Class[2] != 0 || math.Abs(p.Prob[2*2+1]-1.0/3) > 1e-12 ||
				p.Prob[3*2+1] != p.Prob[2*2+1] || !m.Alone(3) {
				t.Errorf("%s without edges: %+v", r.Name(), p)
			}
		}
	}
	// One known node: its value for all of its component.
	g, _ := blocks(2, 5, 1)
	if s, err = NewSpace(g, []int{3}); err != nil {
		t.Fatal(err)
	}
	m, err := s.Fit(t.Context(), Known{Nodes: []int{3}, Y: []float64{2.5}},
		Setting{Transform: graph.Diffusion{}, Lambda: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Predict([]int{0, 13}); p.Value[0] != 2.5 || p.Value[1] != 2.5 {
		t.Errorf("one known node: %v", p.Value)
	}
	// All answers are one.
	m, err = s.Fit(t.Context(), Known{Nodes: []int{3, 4}, Y: []float64{1, 1}, Classes: 2},
		Setting{Transform: graph.Regularised{}, Lambda: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Predict([]int{0, 14}); p.Class[0] != 1 || p.Class[1] != 1 || p.Prob[3] != 1 {
		t.Errorf("one class of two: %+v", p)
	}
}

func TestRefusals(t *testing.T) {
	g, _ := blocks(2, 5, 1)
	s, err := NewSpace(g, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	good := Setting{Transform: graph.Diffusion{}, Lambda: 1}
	two := Known{Nodes: []int{1, 2}, Y: []float64{0, 1}, Classes: 2}
	for want, call := range map[string]func() error{
		"0 nodes with 0 answers": func() error { _, err := s.Fit(t.Context(), Known{}, good, 0); return err },
		"has two answers": func() error {
			_, err := s.Fit(t.Context(), Known{Nodes: []int{1, 1}, Y: []float64{0, 1}}, good, 0)
			return err
		},
		"is NaN": func() error {
			_, err := s.Fit(t.Context(), Known{Nodes: []int{1}, Y: []float64{math.NaN()}}, good, 0)
			return err
		},
		"and there are 2": func() error {
			_, err := s.Fit(t.Context(), Known{Nodes: []int{1}, Y: []float64{2}, Classes: 2}, good, 0)
			return err
		},
		"of a graph of 15": func() error {
			_, err := s.Fit(t.Context(), Known{Nodes: []int{99}, Y: []float64{2}}, good, 0)
			return err
		},
		"lambda = 0": func() error {
			_, err := s.Fit(t.Context(), two, Setting{Transform: graph.Diffusion{}}, 0)
			return err
		},
		"take the normalised": func() error {
			_, err := s.Fit(t.Context(), two, Setting{Combinatorial: true, Transform: graph.InverseCosine{}, Lambda: 1}, 0)
			return err
		},
		"was not among those": func() error {
			_, err := s.Fit(t.Context(), Known{Nodes: []int{14}, Y: []float64{2}}, good, 0)
			return err
		},
		"joins node 0 to itself": func() error {
			_, err := NewSpace(graph.Graph{Nodes: 1, Edges: [][2]int32{{0, 0}}}, nil)
			return err
		},
		"node 5 of a graph of 1": func() error { _, err := NewSpace(graph.Graph{Nodes: 1}, []int{5}); return err },
		"0 candidates":           func() error { _, err := s.Choose(t.Context(), two, Search{}); return err },
		"1 classes": func() error {
			_, err := Restore(Plain{Classes: 1, Values: mat.NewDense(1, 1, nil)})
			return err
		},
		"shares that sum": func() error {
			_, err := Restore(Plain{Classes: 2, Prior: []float64{1, 1}, Values: mat.NewDense(1, 1, nil)})
			return err
		},
		"named out of order": func() error {
			_, err := Restore(Plain{Prior: []float64{1}, Alone: []int{1}, Values: mat.NewDense(1, 1, nil)})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	s.Iterative = true
	if _, err := s.Fit(gone, two, good, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
