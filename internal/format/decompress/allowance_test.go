package decompress

import (
	"errors"
	"testing"
)

func TestAllowance(t *testing.T) {
	var free Allowance
	if err := free.Take(1 << 60); err != nil {
		t.Errorf("without a bound: %v", err)
	}
	a := Allowance{Most: 100}
	if err := errors.Join(a.Take(60), a.Take(40)); err != nil {
		t.Error(err)
	}
	var large *SizeError
	if err := a.Take(1); !errors.As(err, &large) || large.Need != 101 || large.Most != 100 {
		t.Errorf("one too many: %v", err)
	}
	a.Give(60)
	if err := a.Take(60); err != nil {
		t.Errorf("what was given back: %v", err)
	}
}
