package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// What a memory budget cannot hold is refused in the words of the command line, with the least that
// would do.
func TestMemoryPlan(t *testing.T) {
	d := &data.Dataset{Name: "big.csv", Columns: []data.Column{data.NumberColumn("x", make([]float64, 250_000))}} // 2 MB
	for _, c := range []struct{ flag, want string }{
		{"5", "--memory: 5 is 5 bytes; the least that would do is 1 MB"},
		{"999kB", "--memory: 999kB is 999 kB; the least that would do is 1 MB"},
		{"lots", `--memory: "lots" is not a size`},
		{"1MB", "--memory: 1 MB is too small for 250,000 rows of big.csv; the least that would do is about 11.6 MB"},
	} {
		m, err := newMemoryPlan(c.flag)
		if err == nil {
			_, err = m.left(d)
		}
		var bad *UsageError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "Bytes") {
			t.Errorf("--memory %s: %v, want %s", c.flag, err, c.want)
		}
	}
	m, err := newMemoryPlan("10MB")
	if err != nil {
		t.Fatal(err)
	}
	if left, err := m.left(d); err != nil || left != 8_000_000 {
		t.Errorf("%d bytes are left, %v", left, err)
	}
	err = m.inMemory(d, fmt.Errorf("tune: %w", &learn.OverBudget{Needs: 20_000_000, Budget: 8_000_000}))
	if want := "--memory: 10 MB is too small for 250,000 rows of big.csv; the least that would do is about 23.1 MB"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if other := errors.New("other"); m.inMemory(d, other) != other {
		t.Error("another error was reworded")
	}
	if m, err := newMemoryPlan(""); err != nil || m.total <= 0 {
		t.Errorf("without the flag %d bytes, %v", m.total, err)
	}
}
