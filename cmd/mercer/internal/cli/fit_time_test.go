package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/tune"
)

// The parts of a plan add up to the whole, whatever was spent before.
func TestTimePlan(t *testing.T) {
	begun := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	p := timePlan{begun: begun, total: 100 * time.Second, page: true}
	budget, spent := p.search(begun.Add(7 * time.Second))
	if budget != 90*time.Second || spent != 7*time.Second {
		t.Errorf("the search has %v, of which %v are gone", budget, spent)
	}
	if c := p.curve(begun.Add(92 * time.Second)); c != 7*time.Second {
		t.Errorf("the curve has %v", c)
	}
	if c := p.curve(begun.Add(105 * time.Second)); c >= 0 {
		t.Errorf("after the end the curve has %v", c)
	}
	p.page = false
	if budget, _ := p.search(begun); budget != 98*time.Second {
		t.Errorf("without a page the search has %v", budget)
	}
}

// What cannot be kept is refused with the least that would do.
func TestTooShortIsRefused(t *testing.T) {
	p := timePlan{total: 2 * time.Second, page: true}
	for _, c := range []struct {
		err        error
		read, size int64
		want       string
	}{
		{fmt.Errorf("fit: %w", &tune.TooShort{Budget: p.total, Least: 9 * time.Second, Why: "reading took all of it"}), 0, 0,
			"--time: 2s is too short: reading took all of it; the least that would do is about 10s"},
		{errReadingTooLong, 100, 400,
			"--time: 2s is too short: 25 % of the data were read in 1.6s of it; the least that would do is about 13s"},
		{errReadingTooLong, 0, 0, "--time: 2s is too short: the data were not read by then; give several times as much"},
	} {
		got := p.refuse(c.err, c.read, c.size)
		var bad *UsageError
		if !errors.As(got, &bad) || got.Error() != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	if other := errors.New("no such file"); p.refuse(other, 1, 2) != other {
		t.Error("another error was reworded")
	}
}

// A report without a learning curve says why.
func TestNoTimeForALearningCurve(t *testing.T) {
	p := &reportPage{}
	if err := p.learning(t.Context(), nil, &tune.AutoResult{}, 0); err != nil {
		t.Fatal(err)
	}
	if len(p.Figures) != 0 || len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "too short for its fits") {
		t.Errorf("figures %v, missing %q", p.Figures, p.Missing)
	}
	if text := tooLong(123456 * time.Microsecond); !strings.Contains(text, "120ms") {
		t.Error(text)
	}
}
