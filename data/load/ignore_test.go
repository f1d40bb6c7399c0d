package load

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A set that names its target may be read without that column: what is predicted then is as in a
// file that never had it (nothing, of sparse rows).
func TestIgnoredTarget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.libsvm")
	if err := os.WriteFile(file, bytes.Repeat([]byte("1 1:0.5 2:1\n-1 1:0.25 2:3\n"), 5), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, ignore, target string }{{"iris", "species", "petal_width"},
		{"iris", "petal_width", "species"}, {file, "label", ""}} {
		d, err := Read(t.Context(), c.path, Options{Ignore: []string{c.ignore}})
		if err != nil {
			t.Errorf("%s without %s: %v", c.path, c.ignore, err)
			continue
		}
		if d.Target != c.target {
			t.Errorf("%s without %s: target %q, want %q", c.path, c.ignore, d.Target, c.target)
		}
		if d, err = Read(t.Context(), c.path, Options{Ignore: []string{c.ignore}, NoTarget: true}); err != nil ||
			d.Target != "" {
			t.Errorf("%s without %s and target: %v", c.path, c.ignore, err)
		}
	}
}
