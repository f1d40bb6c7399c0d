package cli

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/tune"
)

// Every text after --grid gives an axis with values, or a message that quotes it and says what to
// write.
func FuzzGrid(f *testing.F) {
	for _, s := range []string{"C=1,2,4", "lambda=0.1:10:5", "gaussian.lengthscale=1", "=", "C=", "C=1:1:1",
		"C=1:2:1000000", "C=-1:2:3", "C=nan", "C=1e999", "a=b=c", "C=0:0:0", "C=5e-324:1e308:1000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out tune.AutoOptions
		err := (&fitOptions{Grid: []string{text}}).grid(&out)
		var bad *UsageError
		switch {
		case err != nil && (!errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "--grid: ")):
			t.Fatalf("%q: %v", text, err)
		case err != nil:
			return
		case len(out.Axes) != 1 || len(out.Axes[0].Values) == 0 ||
			len(out.Axes[0].Values) > max(1000, strings.Count(text, ",")+1):
			t.Fatalf("%q became %v", text, out.Axes)
		}
		for _, v := range out.Axes[0].Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%q has the value %g", text, v)
			}
		}
	})
}

// Every text after --type gives kinds of columns, or a message that quotes it; the same goes for
// the other flags of a reader and for sizes, which come out positive.
func FuzzType(f *testing.F) {
	for _, s := range []string{"zip=categorical", "a=numeric", "a=", "=text", "a=b=time", "x", "a=Numeric", "\x00=text"} {
		f.Add(s, "csv", ",", "2GB")
	}
	f.Add("a=text", "parquett", "tab", "-1")
	f.Add("a=text", "", "\\t", "1e30TB")
	f.Fuzz(func(t *testing.T, kind, format, delimiter, memory string) {
		o := &inputOptions{Types: []string{kind}, Format: format, Delimiter: delimiter, Memory: memory}
		out, err := o.options(&App{})
		var bad *UsageError
		switch {
		case err != nil && (!errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "--")):
			t.Fatalf("%q %q %q %q: %v", kind, format, delimiter, memory, err)
		case err != nil:
			return
		}
		name := kind[:strings.LastIndexByte(kind, '=')]
		if _, ok := out.Told[name]; !ok || len(out.Told) != 1 {
			t.Fatalf("%q became %v", kind, out.Told)
		}
		if out.Bytes < 0 || memory != "" && out.Bytes == 0 {
			t.Fatalf("%q became %d bytes", memory, out.Bytes)
		}
	})
}
