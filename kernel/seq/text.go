package seq

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// checkText refuses strings that are no UTF-8.
func checkText(name string, x data.Points[string]) error {
	for i := range x.Len() {
		if s := x.At(i); !utf8.ValidString(s) {
			at := invalidByte(s)
			return fmt.Errorf("seq: %s: row %d, byte %d is 0x%02x, which is no UTF-8; convert the text to UTF-8 first", name, i,
				at, s[at])
		}
	}
	return nil
}

// invalidByte is the place of the first byte that is no UTF-8.
func invalidByte(s string) int {
	for at, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[at:]); size == 1 {
				return at
			}
		}
	}
	return len(s) - 1
}

// textFeatures are the properties of an inner product of counts on strings: continuity, shifts and
// the like mean nothing there.
func textFeatures() kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Strict: kernel.No, Stationary: kernel.No, Isotropic: kernel.No,
		Bound: math.Inf(1), Smoothness: math.NaN()}
}

// sums are the properties of a positive semi-definite kernel of which no more is known.
func sums() kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Bound: math.Inf(1), Smoothness: math.NaN()}
}

// whole describes a whole number ≥ low as a parameter.
func whole(name string, value, low int) kernel.Param {
	return kernel.Param{Name: name, Value: float64(value), Domain: kernel.Domain{Low: float64(low), High: 1 << 30,
		Integer: true}}
}

// share describes a parameter in (0, 1].
func share(name string, value float64) kernel.Param {
	return kernel.Param{Name: name, Value: value, Domain: kernel.Domain{Low: 0, High: 1, OpenLow: true}}
}

// positive describes a parameter in (0, ∞).
func positive(name string, value float64) kernel.Param {
	return kernel.Param{Name: name, Value: value, Domain: kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true,
		LogScale: true}}
}

// or is the rule that a zero field means its default.
func or[N int | float64](v, otherwise N) N {
	if v == 0 {
		return otherwise
	}
	return v
}

// mustBe returns the error of a field that has to satisfy what.
func mustBe(ok bool, name, field string, v any, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("seq: %s: %s = %v, want %s", name, field, v, want)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
