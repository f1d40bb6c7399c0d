package worker

import (
	"bytes"
	"fmt"
	"testing"
)

// Where memory cannot be shared, the arrays go with the message.
func TestWithoutMemoryToShare(t *testing.T) {
	var b bytes.Buffer
	l := &link{in: &b, out: &b, giveShared: func([]byte, []placed,
		int) error {
		return fmt.Errorf("%w: too large", errNoMemory)
	}}
	v := make([]float64, 3*inlineUpTo/8)
	v[len(v)-1] = 7
	a := newAnswer()
	put(a, "v", v)
	if err := l.send(response{ID: 5, Arrays: a.heads}, a.placed, a.size); err != nil {
		t.Fatal(err)
	}
	m, err := l.receive()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := vector[float64](arrays{a.heads, m.body}, "v"); err != nil || len(got) != len(v) || got[len(v)-1] != 7 {
		t.Errorf("%d numbers, %v", len(got), err)
	}
}
