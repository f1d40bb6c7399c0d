package progress

import (
	"bytes"
	"testing"
)

// A name that would colour the terminal, or clear it, is seen; text, lines and the bar, which goes
// back to the start of its line, are as they were.
func TestControlCharactersAreSeen(t *testing.T) {
	var out bytes.Buffer
	for from, to := range map[string]string{
		"a\x1b[31mred":                "a␛[31mred",
		"bell \a, null \x00, \x7f":    "bell ␇, null ␀, ␡",
		"one\ttwo\r\nümlaut █ € \xff": "one\ttwo\r\nümlaut █ € \xff",
		"next\u0085line \u009b31m ¡":  "next�line �31m ¡",
	} {
		out.Reset()
		if n, err := (visible{&out}).Write([]byte(from)); n != len(from) || err != nil {
			t.Errorf("%q: %d bytes of %d, %v", from, n, len(from), err)
		}
		if got := out.String(); got != to {
			t.Errorf("%q is shown as %q, want %q", from, got, to)
		}
	}
	if w := Visible(&out); w != &out {
		t.Error("what is no terminal is changed")
	}
}
