package play

import (
	"context"
	"encoding/json"
	"math"
	"testing"
)

// fields writes settings as a page does.
func fields(t *testing.T, settings map[string]any) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	for name, v := range settings {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = raw
	}
	return out
}

// asking asks once and returns the parts by stage, and the fault.
func asking(t *testing.T, p *Player, scene string, settings map[string]any) (map[string]any, *Fault) {
	t.Helper()
	parts, done := map[string]any{}, 0
	var fault *Fault
	err := p.Handle(context.Background(), Request{Scene: scene, Fields: fields(t, settings)}, func(part Part) error {
		if done > 0 {
			t.Error("a part after the last")
		}
		if _, err := json.Marshal(part); err != nil {
			t.Errorf("%s, %s: %v", scene, part.Stage, err)
		}
		if part.Done {
			done++
			fault = part.Fault
		} else {
			parts[part.Stage] = part.Value
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != 1 {
		t.Fatalf("%s: %d last parts", scene, done)
	}
	return parts, fault
}

func readingOf(t *testing.T, readings []Reading, name string) float64 {
	t.Helper()
	for _, r := range readings {
		if r.Name == name {
			return float64(r.Value)
		}
	}
	t.Fatalf("no reading %q in %v", name, readings)
	return 0
}

var square = Window{-2, 3, -2, 2}

func moons(n int) PlanePoints {
	s, _ := drawnSet("moons")
	return s.draw(n, 0.1, 1)
}

// near says whether numbers agree to rounding of the way they were summed.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
