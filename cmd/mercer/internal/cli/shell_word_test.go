package cli

import "testing"

// A name stands in a command that is shown as the shell of the system wants it.
func TestShellWords(t *testing.T) {
	for _, c := range []struct{ name, unix, windows string }{
		{"model.mercer", "model.mercer", "model.mercer"},
		{"mein Modell ä.mercer", "'mein Modell ä.mercer'", `"mein Modell ä.mercer"`},
		{`C:\models\m.mercer`, `'C:\models\m.mercer'`, `C:\models\m.mercer`},
		{`it's`, `'it'\''s'`, `"it's"`},
		{`say "hi"`, `'say "hi"'`, `"say \"hi\""`},
		{"", "''", `""`},
	} {
		if got := shellWordOf("linux", c.name); got != c.unix {
			t.Errorf("%q is %s, want %s", c.name, got, c.unix)
		}
		if got := shellWordOf("windows", c.name); got != c.windows {
			t.Errorf("%q is %s on Windows, want %s", c.name, got, c.windows)
		}
	}
}
