// Package datatest finds the real data sets that tests read: files too large or not ours to keep in
// the tree, in shared/data beside the checkout. Where they are not at hand a test is skipped,
// loudly.
package datatest

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root is the folder of go.mod, from wherever in the module a test runs.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// Folder is where the data sets are, whether or not they are there.
func Folder(t testing.TB) string {
	t.Helper()
	return filepath.Join(filepath.Dir(Root(t)), "shared", "data")
}

// Path is the path of a data set; the test is skipped where it is not at hand.
func Path(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Folder(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT TESTED: needs the data set %s in ../shared/data: %v", name, err)
	}
	return path
}

// Open reads a data set, unpacked: name may be that of a file that is stored as name.gz.
func Open(t testing.TB, name string) io.Reader {
	t.Helper()
	if _, err := os.Stat(filepath.Join(Folder(t), name)); err != nil && !strings.HasSuffix(name, ".gz") {
		name += ".gz"
	}
	f, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
