package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/tune"
)

// A learner that was named and could not be fitted has an exit code of its own, and the message
// says that nothing was written and what would do.
func TestNotFittedHasItsExitCode(t *testing.T) {
	plan := timePlan{total: time.Minute}
	short := &tune.TooShort{Budget: time.Second, Least: 8 * time.Second, Why: "it ended before any cell was judged"}
	for _, c := range []struct {
		err  error
		says string
	}{
		{fmt.Errorf("tune: %w", &tune.NotFitted{Learners: []string{"rvm"}, Err: short}),
			"the least --time that would do is about 9s"},
		{&tune.NotFitted{Learners: []string{"svm"}, Err: errors.New("not separable")},
			"give other parameters, another kernel or another learner"},
	} {
		var said bytes.Buffer
		if code := (&App{Err: &said}).exit(fitError(plan.refuse(c.err, 0, 0))); code != exitNotFitted {
			t.Errorf("%v: exit code %d", c.err, code)
		}
		for _, want := range []string{"--learner: ", c.says, "nothing was written"} {
			if !strings.Contains(said.String(), want) {
				t.Errorf("it does not say %q: %s", want, said.String())
			}
		}
	}
	if codes := []int{exitOK, exitFailure, exitUsage, exitWorse, exitInterrupted}; slices.Contains(codes, exitNotFitted) {
		t.Errorf("%d is the code of something else", exitNotFitted)
	}
}
