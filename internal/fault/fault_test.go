package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestPlain(t *testing.T) {
	deep := Errorf("kernel", "row %d is %g", 3, 0.5)
	for _, c := range []struct {
		err         error
		text, plain string
	}{
		{deep, "kernel: row 3 is 0.5", "row 3 is 0.5"},
		{In("project", deep), "project: kernel: row 3 is 0.5", "row 3 is 0.5"},
		{Errorf("project", "view %d: %w", 1, deep), "project: view 1: kernel: row 3 is 0.5", "view 1: kernel: row 3 is 0.5"},
		{fmt.Errorf("fitting: %w", deep), "fitting: kernel: row 3 is 0.5", "fitting: kernel: row 3 is 0.5"},
		{io.EOF, "EOF", "EOF"},
	} {
		if c.err.Error() != c.text || Plain(c.err).Error() != c.plain {
			t.Errorf("%q and %q, want %q and %q", c.err, Plain(c.err), c.text, c.plain)
		}
	}
	var e *Error
	if err := Errorf("a", "reading: %w", io.EOF); !errors.Is(err, io.EOF) || !errors.As(err, &e) || e.Package != "a" {
		t.Errorf("%v does not say what it wraps", err)
	}
}

func TestName(t *testing.T) {
	f := func(err error) (_ int, named error) {
		defer Name("ridge", &named)
		return 0, err
	}
	if _, err := f(nil); err != nil {
		t.Errorf("nothing became %v", err)
	}
	if _, err := f(io.EOF); err == nil || err.Error() != "ridge: EOF" || !errors.Is(err, io.EOF) {
		t.Errorf("EOF became %v", err)
	}
}
