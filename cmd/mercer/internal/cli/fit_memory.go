package cli

import (
	"errors"
	"runtime/debug"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
)

// programBytes is what the program itself takes beyond --memory at the most: code, runtime, stacks,
// buffers of readers, the report.
const programBytes = 64 << 20

// leastMemory is the least that --memory can be, whatever the data.
const leastMemory = 1e6

// memoryPlan keeps the whole command to --memory: the data as read, as encoded, and all that is
// computed from them.
type memoryPlan struct{ total int64 }

// newMemoryPlan reads the flag; without it a quarter of the machine's memory is for the command.
func newMemoryPlan(flag string) (memoryPlan, error) {
	if flag == "" {
		return memoryPlan{gram.DefaultBytes()}, nil
	}
	total, err := parseBytes(flag)
	switch {
	case err != nil:
		return memoryPlan{}, usage("--memory: %w", err)
	case total < leastMemory:
		return memoryPlan{}, usage("--memory: %s is %s; the least that would do is %s, and more where the data are large "+
			"(write 512MB, 2GB or the like)", flag, sizeText(total), sizeText(leastMemory))
	}
	return memoryPlan{total}, nil
}

// keep has memory that is no longer used given back before the command goes beyond the plan. Of
// what the program may take besides, a quarter is its own data; the rest is code, and what is
// allocated before the collector has caught up.
func (m memoryPlan) keep() { debug.SetMemoryLimit(m.total + programBytes/4) }

// Rows beyond these are fitted on centres, which need no more than enoughBytes: what a plan that
// nobody asked for does not use, others can.
const (
	manyRows    = 100_000
	enoughBytes = 3_400_000_000
)

// suit lowers a plan that was not asked for to what so many rows can use.
func (m *memoryPlan) suit(asked string, d *data.Dataset) {
	if asked == "" && d.Len() > manyRows && m.total > enoughBytes && 8*d.Bytes() < enoughBytes {
		m.total = enoughBytes
		m.keep()
	}
}

// left is what the plan has for the search beside the data as read; it refuses data that leave
// nothing.
func (m memoryPlan) left(d *data.Dataset) (int64, error) {
	held := d.Bytes()
	if m.total <= held {
		return 0, m.refuse(d, 5*held+leastMemory) // the data as encoded, too, and copies of rows
	}
	return m.total - held, nil
}

// refuse says what would do in place of a plan that is too small.
func (m memoryPlan) refuse(d *data.Dataset, least int64) error {
	return usage("--memory: %s is too small for %s of %s; the least that would do is about %s", sizeText(m.total),
		plural(d.Len(), "row"), d.Name, sizeText(least+least/20))
}

// inMemory words the refusal of a search that found its encoded rows too large for what the plan
// left it.
func (m memoryPlan) inMemory(d *data.Dataset, err error) error {
	var over *learn.OverBudget
	if errors.As(err, &over) {
		return m.refuse(d, m.total-over.Budget+over.Needs)
	}
	return err
}
