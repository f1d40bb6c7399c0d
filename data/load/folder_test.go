package load

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// What is wrong with a folder of graphs is said of the file and the line, not of the folder; memory
// is kept to; an empty folder, a folder in it, a file that is a folder and a link in a circle are
// refused.
func TestHostileFolders(t *testing.T) {
	write := func(dir string, files map[string]string) string {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	top := t.TempDir()
	sound := map[string]string{"T_graph_indicator.txt": "1\r\n1\r\n2\r\n2\r\n", "T_A.txt": "1, 2\r\n3, 4\r\n",
		"T_graph_labels.txt": "1\r\n-1\r\n"}
	with := func(name, text string) map[string]string {
		out := map[string]string{name: text}
		for n, s := range sound {
			if n != name {
				out[n] = s
			}
		}
		return out
	}
	if d, err := Read(context.Background(), write(filepath.Join(top, "sound"), sound), Options{}); err != nil ||
		d.Len() != 2 {
		t.Errorf("a sound folder: %v", err)
	}
	for name, c := range map[string]struct {
		dir  string
		says string
	}{
		"edge": {write(filepath.Join(top, "edge"), with("T_A.txt", "1, 2\n1, 9\n")), "edge" +
			string(filepath.Separator) + "T_A.txt:2"},
		"label":    {write(filepath.Join(top, "label"), with("T_graph_labels.txt", "1\n")), "T_graph_labels.txt"},
		"two sets": {write(filepath.Join(top, "two"), with("U_graph_indicator.txt", "1\n")), `"T" and "U"`},
		"empty":    {write(filepath.Join(top, "empty"), nil), "no graphs in the format of TUDataset"},
		"no edges": {write(filepath.Join(top, "none"), map[string]string{"T_graph_indicator.txt": "1\n"}),
			"no graphs in the format of TUDataset"},
		"a folder": {filepath.Dir(write(filepath.Join(top, "deep", "T_graph_indicator.txt"), nil)), ""},
		"not finite": {write(filepath.Join(top, "inf"), with("T_node_attributes.txt", "1e999\n1\n1\n1\n")),
			"T_node_attributes.txt:1"},
	} {
		_, err := Read(context.Background(), c.dir, Options{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	circle := filepath.Join(top, "circle")
	write(circle, map[string]string{"T_A.txt": ""})
	if err := os.Symlink("T_graph_indicator.txt", filepath.Join(circle, "T_graph_indicator.txt")); err == nil {
		if _, err := Read(context.Background(), circle, Options{}); err == nil {
			t.Error("a link to itself was read")
		}
	}
	large := write(filepath.Join(top, "large"), map[string]string{"T_graph_indicator.txt": strings.Repeat("1\n", 200_000),
		"T_A.txt": "1, 2\n"})
	if _, err := Read(context.Background(), large, Options{Bytes: 1 << 20}); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("a folder beyond its memory: %v", err)
	}
}
