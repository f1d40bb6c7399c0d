package graph

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Transforms are the spectral transforms, each with its defaults, in the order of the notes.
func Transforms() []Transform {
	return []Transform{Regularised{}, Diffusion{}, WalkSteps{}, InverseCosine{}, Cutoff{}}
}

// FormatTransform writes a transform so that ParseTransform gives it back: diffusion(sigma=2).
func FormatTransform(t Transform) string {
	var parts []string
	for _, p := range t.Params() {
		_, name, _ := strings.Cut(p.Name, ".")
		parts = append(parts, name+"="+strconv.FormatFloat(p.Value, 'g', -1, 64))
	}
	if w, ok := t.(WalkSteps); ok && w.Alpha != 0 {
		parts = append(parts, "alpha="+strconv.FormatFloat(w.Alpha, 'g', -1, 64))
	}
	return t.Name() + "(" + strings.Join(parts, ", ") + ")"
}

// ParseTransform reads the name of a transform and, in brackets, its parameters; those that are left
// out have their defaults, and given is false where all are.
func ParseTransform(text string) (t Transform, given bool, err error) {
	name, rest, brackets := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.TrimSpace(name)
	var names []string
	for _, known := range Transforms() {
		names = append(names, known.Name())
		if known.Name() == name {
			t = known
		}
	}
	if t == nil {
		return nil, false, fmt.Errorf("unknown transform %q; there are %s", name, strings.Join(names, ", "))
	}
	if !brackets {
		return t, false, nil
	}
	inside, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	if !closed {
		return nil, false, fmt.Errorf("%q: the bracket is not closed", text)
	}
	if strings.TrimSpace(inside) == "" {
		return t, len(t.Params()) == 0, nil
	}
	for _, part := range strings.Split(inside, ",") {
		key, value, ok := strings.Cut(part, "=")
		v, bad := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if !ok || bad != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false, fmt.Errorf("%q: %q is no parameter with a number; write %s", text, strings.TrimSpace(part),
				FormatTransform(t))
		}
		if t, err = setParam(t, strings.TrimSpace(key), v); err != nil {
			return nil, false, fmt.Errorf("%q: %w", text, err)
		}
	}
	return t, true, nil
}

// setParam is the transform with one parameter.
func setParam(t Transform, key string, v float64) (Transform, error) {
	if w, ok := t.(WalkSteps); ok && key == "alpha" {
		if !(v > 0) {
			return nil, fmt.Errorf("alpha = %g, want a number > 0", v)
		}
		w.Alpha = v
		return w, nil
	}
	params := t.Params()
	theta := make([]float64, len(params))
	var names []string
	found := false
	for i, p := range params {
		_, name, _ := strings.Cut(p.Name, ".")
		names, theta[i] = append(names, name), p.Value
		if name == key {
			theta[i], found = v, true
			if !p.Domain.Contains(v) {
				return nil, fmt.Errorf("%s = %g, want a number in %s", name, v, p.Domain)
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("%s has no parameter %q; it has %s", t.Name(), key, strings.Join(names, ", "))
	}
	return t.With(theta), nil
}
