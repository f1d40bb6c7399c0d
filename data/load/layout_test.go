package load

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// layoutOf is that of the first file, sent to another process.
func layoutOf(t *testing.T, file string, o Options) Layout {
	t.Helper()
	table, err := OpenTable(context.Background(), file, o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	text, err := json.Marshal(table.Layout())
	if err != nil {
		t.Fatal(err)
	}
	var l Layout
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func rowsBy(l Layout, file string) (*data.Dataset, error) {
	s, err := l.Open(context.Background(), file, Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var chunks []*data.Dataset
	for {
		d, err := s.Next()
		if err == io.EOF {
			return data.Concat(chunks)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, d)
	}
}

// TestLayoutReadsOtherFilesTheSame: days before months, categories and the order of columns are
// those of the first file, though another by itself would be read otherwise.
func TestLayoutReadsOtherFilesTheSame(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := write("a.csv",
		"day,where,code,y\n13/02/2020,north,a,1.5\n14/02/2020,south,b,2\n15/02/2020,north,a,3\n16/02/2020,south,b,4\n")
	l := layoutOf(t, first, Options{Target: "y"})
	d, err := rowsBy(l, write("b.csv", "y,code,where,day\n7,1,east,03/04/2020\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Names(), " "); got != "day where code y" || d.Target != "y" {
		t.Errorf("columns %s, target %q", got, d.Target)
	}
	if day := d.Columns[0]; day.Kind != data.Time || !strings.HasPrefix(day.String(0), "03/04/2020") &&
		!strings.HasPrefix(day.String(0), "2020-04-03") {
		t.Errorf("day %v %s", day.Kind, day.String(0))
	}
	if code := d.Columns[2]; code.Kind != data.Categorical || code.String(0) != "1" {
		t.Errorf("code %v %s", code.Kind, code.String(0))
	}
	for name, c := range map[string]struct{ text, want string }{
		"fewer.csv":  {"day,where,y\n13/02/2020,north,1\n", `no column "code", which ` + first + " has"},
		"more.csv":   {"day,where,code,y,z\n13/02/2020,north,a,1,2\n", `a column "z", which ` + first + " does not have"},
		"letter.csv": {"day,where,code,y\n13/02/2020,north,a,1\n13/02/2020,north,a,high\n", "letter.csv:3"},
		"header.csv": {"13/02/2020,north,a,1\n13/02/2020,north,a,2\n", "header.csv"},
	} {
		_, err := rowsBy(l, write(name, c.text))
		var told *data.Error
		if !errors.As(err, &told) || !strings.HasSuffix(told.File, name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestTableIgnoresColumns: columns to leave out are left out of all chunks, and have to be there.
func TestTableIgnoresColumns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("x,z,y\n1,a,2\n2,b,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := OpenTable(context.Background(), file, Options{Target: "y", Ignore: []string{"z"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	check := func(d *data.Dataset) error {
		if got := strings.Join(d.Names(), " "); got != "x y" {
			t.Errorf("columns %s", got)
		}
		return nil
	}
	check(table.Head())
	if err := table.Pass(context.Background(), check); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTable(context.Background(), file, Options{Target: "y", Ignore: []string{"w"}},
		t.TempDir()); !errors.Is(err, data.ErrNoColumn) {
		t.Errorf("a column to ignore that is not there: %v", err)
	}
}
