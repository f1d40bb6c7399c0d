package svmtool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
)

// A problem of a few rows and columns is solved along LIBSVM's path whether or not that is asked
// for: it takes a hundredth of a second, and every digit is LIBSVM's. (Two solutions at the same
// tolerance differ by it, and now and then a test row lies in between: one does in svmguide1.t.)
const (
	smallRows    = 4000
	smallEntries = 40_000  // rows times columns
	smallWork    = 1 << 21 // pair updates, times rows, after which the problem is not small after all
)

// calibrationFits is how many fits probabilities take: five folds and the whole.
const calibrationFits = 6

// After as many pair updates as stillShare of its variables, C-SVC is looked at once: where
// stillPoints of the gradient have hardly moved from the start, rows are next to orthogonal, and
// nearly every point will be a support vector by a step of its own.
const (
	stillShare  = 1.0 / 16
	stillPoints = 0.5
	stillMove   = 0.01
)

// longStart says that the path is too long because of where it begins: ν machines begin with
// coefficients that take a row each, half of what a step takes.
func (s *pathQP) longStart() bool {
	if s.steps == nil {
		return false
	}
	for _, a := range s.alpha {
		if a != 0 {
			s.startRows++
		}
	}
	*s.steps -= s.startRows / 2
	return *s.steps < 0
}

// standsStill says whether the others do not feel who has moved.
func (s *pathQP) standsStill() bool {
	n := len(s.y)
	if s.startRows > 0 || s.iterations != int(stillShare*float64(n)) {
		return false
	}
	still := 0
	for t, g := range s.grad {
		if math.Abs(g-s.p[t]) < stillMove {
			still++
		}
	}
	return float64(still) > stillPoints*float64(n)
}

// errLongPath is LIBSVM's path given up for mercer's own solver.
var errLongPath = errors.New("the path takes too many steps")

// errBeyond is a path that came to no numbers.
var errBeyond = errors.New("ERROR: kernel values are beyond single precision, in which LIBSVM keeps them; scale the " +
	"data with svm-scale, or take another kernel")

func small(t *table) bool {
	n := t.rows.Len()
	return n <= smallRows && n*t.rows.Dim() <= smallEntries
}

// workSmall tries LIBSVM's path, and says nothing where it gives up, or has no numbers, which
// mercer's own solver has in double precision or refuses; done is false then.
func workSmall(
	ctx context.Context, t *trainer, rows *table, stdout io.Writer,
) (m *machines, sv []int, done bool, err error) {
	var said, warned bytes.Buffer
	try, left := *t, smallWork/max(rows.rows.Len(), 1)
	switch {
	case t.Probable:
		left /= calibrationFits // which are as many times the work, whether or not the path is given up
	case t.Type != cSVC:
		left /= 4 // its path is longer: what is not done soon is not done
	}
	try.Identical, try.random, try.steps = true, newRand(), &left
	try.warn = &warned
	if !t.Quiet {
		try.log = &said
	}
	p, err := rows.sparseProblem(t.Kernel, 0)
	if err != nil {
		return nil, nil, true, err
	}
	m, sv, err = work(ctx, &try, p, &said)
	if errors.Is(err, errLongPath) || errors.Is(err, errBeyond) {
		return nil, nil, false, nil
	}
	stdout.Write(said.Bytes())
	t.warn.Write(warned.Bytes())
	return m, sv, true, err
}
