package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every line of a file of tokens is one, whoever wrote it and however long the lines are; what
// cannot be a token is refused, not passed over.
func TestTokenFiles(t *testing.T) {
	const one, two = "0123456789abcdef", "fedcba9876543210"
	for name, c := range map[string]struct {
		text string
		want []string // nil: refused
	}{
		"plain":          {one + "\n" + two + "\n", []string{one, two}},
		"no end of line": {one, []string{one}},
		"from Windows":   {"\ufeff" + one + "\r\n" + two + "\r\n", []string{one, two}},
		"a long remark":  {"# " + strings.Repeat("x", 1<<20) + "\n" + one + "\n", []string{one}},
		"a long token":   {strings.Repeat("a", 1<<17) + "\n" + one + "\n", []string{strings.Repeat("a", 1<<17), one}},
		"blanks":         {one + "\n0123456789 abcdef\n", nil},
		"too short":      {one + "\nabc\n", nil},
		"not ASCII":      {one + "\n0123456789äbcdefg\n", nil},
		"a control":      {one + "\n0123456789\x01abcdef\n", nil},
		"UTF-16": {"\xff\xfe0\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00a\x00b\x00c\x00d\x00e\x00f\x00\n\x00",
			nil},
		"remarks alone":   {"# nobody\n", nil},
		"an empty file":   {"", nil},
		"an old Mac file": {one + "\r" + two + "\r", nil},
	} {
		file := filepath.Join(t.TempDir(), "tokens")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		get, err := Tokens(file, nil)
		if c.want == nil {
			if err == nil {
				t.Errorf("%s: taken as %d tokens", name, len(get()))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := get(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d tokens, want %d", name, len(got), len(c.want))
		}
	}
}
