package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// A file that a Go or a Python program saved has no encoding of columns: the features are the
// columns of the table in their order.
func TestTransformWithoutAnEncoding(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 0, 1, 9, 9, 9, 8}))
	m, err := cluster.KMeans[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 2}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := model.NewTransform(m, model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	file, table := filepath.Join(dir, "m.mercer"), filepath.Join(dir, "new.csv")
	if err := saved.Save(file); err != nil {
		t.Fatal(err)
	}
	try := func(rows string) (string, error) {
		if err := os.WriteFile(table, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		a := &App{In: strings.NewReader(""), Out: &out, Err: &said}
		cmd := newRoot(a)
		cmd.SetArgs([]string{"transform", file, table, "-q"})
		err := cmd.ExecuteContext(ctx)
		return out.String(), err
	}
	got, err := try("a,b\n0,0.5\n8,8\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	labels := m.Labels()
	if len(lines) != 3 || lines[0] != "cluster,distance" {
		t.Fatalf("got %q", got)
	}
	for i, row := range []int{0, 2} {
		if code, _, _ := strings.Cut(lines[i+1], ","); code != string(rune('1'+labels[row])) {
			t.Errorf("row %d is in group %s, want that of training row %d", i+1, code, row)
		}
	}
	if _, err := try("a,b\n0,1\n0,x\n"); err == nil || !strings.Contains(err.Error(), `column "b"`) {
		t.Errorf("a text among the numbers: %v", err)
	}
	if _, err := try("a,b,c\n0,1,2\n"); err == nil {
		t.Error("three columns for two features were taken")
	}
}
