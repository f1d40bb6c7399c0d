package play

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// counted is a context that ends when it has been asked so often: what is done after that is told
// by how often it is asked again.
type counted struct {
	context.Context
	end   context.CancelFunc
	after int64
	asked atomic.Int64
}

func endingAfter(after int64) *counted {
	ctx, end := context.WithCancel(context.Background())
	return &counted{Context: ctx, end: end, after: after}
}

func (c *counted) look() {
	if c.asked.Add(1) == c.after {
		c.end()
	}
}

func (c *counted) Err() error {
	c.look()
	return c.Context.Err()
}

func (c *counted) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

// A page that has gone leaves no work behind, wherever in an answer it goes: the computation asks,
// and ends when it is told to. No part is sent afterwards, the error is that of the context, and
// the next question is answered as if nothing had been.
func TestACancelledComputationEnds(t *testing.T) {
	p := moons(80)
	k := KernelText{Text: "gaussian(lengthscale=0.5)"}
	for _, q := range []struct {
		scene  string
		fields map[string]any
	}{
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "svm", "window": square}},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "gp", "window": square}},
		{"regress", map[string]any{"points": p, "kernel": k, "learner": "gp", "samples": 2, "window": square}},
		{"regress", map[string]any{"points": p, "kernel": k, "learner": "ridge", "window": square}},
		{"components", map[string]any{"points": p, "kernel": k, "components": 3, "window": square}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "k-means", "clusters": 3, "window": square}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "medoids", "clusters": 3, "window": square}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "spectral", "clusters": 3, "neighbours": 5,
			"window": square}},
		{"two-sample", map[string]any{"points": p, "kernel": k, "permutations": 500, "alpha": 0.05, "seed": 7,
			"window": square}},
		{"independence", map[string]any{"points": PlanePoints{XY: p.XY}, "median": true, "permutations": 500, "alpha": 0.05}},
		{"search", map[string]any{"points": p, "kernel": k, "task": "classify", "learner": "svm",
			"across": SearchAxis{"gaussian.lengthscale", 0.1, 10, 6}, "up": SearchAxis{"C", 0.1, 100, 6}, "folds": 5}},
		{"latent", map[string]any{"set": "flow", "n": 60, "seed": 1, "kernel": KernelText{Text: "gaussian(lengthscale=2)"}}},
	} {
		name := q.scene
		for _, key := range []string{"learner", "method"} {
			if v, ok := q.fields[key].(string); ok {
				name += " " + v
			}
		}
		player := &Player{}
		ask := func(ctx *counted) (parts int, late int, err error) {
			err = player.Handle(ctx, Request{Scene: q.scene, Fields: fields(t, q.fields)}, func(part Part) error {
				if parts++; ctx.Context.Err() != nil {
					late++
				}
				if part.Fault != nil {
					t.Errorf("%s: %v", name, part.Fault)
				}
				return nil
			})
			return parts, late, err
		}
		whole := endingAfter(-1)
		parts, _, err := ask(whole)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := whole.asked.Load()
		if all < 8 {
			t.Errorf("%s: the context is looked at %d times in the whole answer: a page that goes has to wait for most of it",
				name, all)
		}
		for _, share := range []float64{0, 0.1, 0.3, 0.5, 0.7, 0.9} {
			ctx := endingAfter(1 + int64(share*float64(all-1)))
			sent, late, err := ask(ctx)
			more := ctx.asked.Load() - ctx.after
			switch {
			case err == nil && sent == parts: // it was over before
			case !errors.Is(err, context.Canceled):
				t.Errorf("%s, at %g: %v", name, share, err)
			case late > 0:
				t.Errorf("%s, at %g: %d parts were sent to a page that had gone", name, share, late)
			case more > 200+all/4:
				t.Errorf("%s, at %g: the context was asked %d times more after its end, of %d in the whole answer: the work went on",
					name, share, more, all)
			}
		}
		again := endingAfter(-1)
		if sent, _, err := ask(again); err != nil || sent != parts {
			t.Errorf("%s, after all that: %d parts of %d, %v", name, sent, parts, err)
		}
	}
}

// Pages that have gone leave no memory behind, and no goroutine: what a player holds after many
// cancelled answers is what it holds after few.
func TestCancelledComputationsLeaveNothing(t *testing.T) {
	p := moons(120)
	k := KernelText{Text: "gaussian(lengthscale=0.5)"}
	questions := []Request{
		{Scene: "classify", Fields: fields(t, map[string]any{"points": p, "kernel": k, "learner": "svm", "window": square})},
		{Scene: "regress", Fields: fields(t, map[string]any{"points": p, "kernel": k, "learner": "gp", "samples": 2,
			"window": square})},
		{Scene: "two-sample", Fields: fields(t, map[string]any{"points": p, "kernel": k, "permutations": 500, "alpha": 0.05,
			"seed": 7, "window": square})},
	}
	player := &Player{}
	held := func(rounds int) (bytes int64, goroutines int) {
		for round := range rounds {
			for _, q := range questions {
				q.Page, q.Number = "page", round+1
				err := player.Handle(endingAfter(int64(2+round%20)), q, func(Part) error { return nil })
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
		}
		var m runtime.MemStats
		for range 3 { // pools are emptied by the second collection
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc), runtime.NumGoroutine()
	}
	few, before := held(20)
	many, after := held(200)
	if many > few+1<<20 || after > before+2 {
		t.Errorf("after 20 cancelled answers of each kind %d bytes and %d goroutines, after 220 %d and %d", few, before, many,
			after)
	}
}
