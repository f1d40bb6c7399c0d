package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/npy"
)

func Example() {
	d, err := load.Read(context.Background(), "iris", load.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Summary())
	// Output:
	// iris: 150 rows, 4 numeric columns, target "species" (3 classes, balanced)
}

func ExampleOpen() {
	in := strings.NewReader("x,y\n1,2\n3,4\n")
	s, err := load.Open(context.Background(), "-", load.Options{Stdin: in})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for {
		chunk, err := s.Next()
		if err != nil {
			break // io.EOF
		}
		fmt.Println(chunk.Len(), chunk.Names())
	}
	// Output:
	// 2 [x y]
}

func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func zst(text string) string {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func TestFormats(t *testing.T) {
	var array bytes.Buffer
	npy.Write(&array, &npy.Array{Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}})
	const csv, svm, json = "a,b\n1,2\n3,4\n", "1 1:2 2:5\n-1 2:3\n", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n"
	for _, c := range []struct {
		file, text string
		names      string
	}{
		{"a.csv", csv, "a b"}, {"a", csv, "a b"}, {"a.csv.gz", gz(csv), "a b"}, {"a.csv.zst", zst(csv), "a b"},
		{"misnamed.csv", gz(csv), "a b"},
		{"a.tsv", "a\tb\n1\t2\n3\t4\n", "a b"}, {"a.svm", svm, "label"}, {"a", svm, "label"}, {"a.gz", gz(svm), "label"},
		{"a.jsonl", json, "a b"}, {"a", json, "a b"}, {"a.jsonl.zst", zst(json), "a b"},
		{"a.npy", array.String(), "x1 x2"}, {"a", array.String(), "x1 x2"}, {"a.npy.gz", gz(array.String()), "x1 x2"},
		{"a.ts", "@classLabel true u d\n@data\n1,2:u\n3:d\n", "series label"}, {"a", "@data\n1,2\n3\n", "series"},
		{"a.klp", "X |BT:p| (S a) |ET|\nY |BT:p| (S b) |ET|\n", "label p"},
		{"a", "X |BS:p| words |ES|\nY |BS:p| more |ES|\n", "label p"},
		{"a.fasta", ">p one\nACGT\n>q two\nGG\n", "id description sequence"},
		{"a", ">p one\nACGT\n>q two\nGG\n", "id description sequence"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		check := func(how string, d *data.Dataset, err error) {
			t.Helper()
			if err != nil || strings.Join(d.Names(), " ") != c.names || d.Len() != 2 {
				t.Errorf("%s %s: %v, %v", c.file, how, d, err)
			}
		}
		d, err := load.Read(context.Background(), path, load.Options{NoTarget: true})
		check("whole", d, err)
		sum := sha256.Sum256([]byte(c.text))
		if err == nil && d.Hash != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: hash %s", c.file, d.Hash)
		}
		s, err := load.Open(context.Background(), path, load.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		d, err = s.Next()
		check("streamed", d, err)
		if _, err := s.Next(); err != io.EOF {
			t.Errorf("%s: after the last chunk: %v", c.file, err)
		}
		s.Close()
		if strings.Contains(c.file, "tsv") {
			continue
		}
		d, err = load.Read(context.Background(), "-", load.Options{NoTarget: true, Stdin: strings.NewReader(c.text)})
		check("from standard input", d, err)
		s, err = load.Open(context.Background(), "-", load.Options{Stdin: strings.NewReader(c.text)})
		if err != nil {
			t.Errorf("%s from standard input: %v", c.file, err)
			continue
		}
		d, err = s.Next()
		check("streamed from standard input", d, err)
		s.Close()
	}
}

// npyHeader starts an NPY file of float64 numbers.
func npyHeader(shape string) string {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header
}

func TestSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	texts := "label,text\n"
	for i := range 50 {
		texts += fmt.Sprintf("%d,a text of its own number %d and some more words here\n", i%2, i)
	}
	for _, c := range []struct {
		path string
		o    load.Options
		want string
		kind error
	}{
		{"irys", load.Options{}, `did you mean the built-in set "iris"?`, fs.ErrNotExist},
		{filepath.Join(dir, "absent.csv"), load.Options{}, "no such file", fs.ErrNotExist},
		{dir, load.Options{}, "a folder", nil},
		{put("empty.csv", ""), load.Options{}, "the file is empty", data.ErrNoRows},
		{put("cut.csv.gz", gz("a,b\n1,2\n")[:15]), load.Options{}, "cut.csv.gz", data.ErrDamaged},
		{put("a.csv", "a,b\n1,2\n"), load.Options{Target: "bb"}, `no column "bb"; did you mean "b"?`, data.ErrNoColumn},
		{put("a.csv", "a,b\n1,2\n"), load.Options{Weights: "w"}, `no column "w"`, data.ErrNoColumn},
		{put("a.csv", "a,b\n1,2\n"), load.Options{Told: data.Kinds(map[string]data.Kind{"z": data.Text})}, `no column "z"`,
			data.ErrNoColumn},
		{put("a.csv", "a,b\n1,2\n"), load.Options{Format: "cvs"}, `did you mean "csv"?`, nil},
		{put("t.csv", texts), load.Options{Target: "text"},
			`column "text" is text, which cannot be predicted (found: label, text)`, data.ErrTarget},
		{put("bad.npy", "\x93NUMPYxx"), load.Options{}, "bad.npy", data.ErrFormat},
		{put("bad.parquet", "PAR1xx"), load.Options{}, "bad.parquet", data.ErrFormat},
		{put("bad.npz", "PK\x03\x04xx"), load.Options{}, "bad.npz", data.ErrFormat},
		{put("ragged.csv", "a,b\n1,2\n1,2,3\n"), load.Options{}, "ragged.csv:3:1", data.ErrSyntax},
		{put("inf.csv", "a,b\n1,2\n1,inf\n"), load.Options{}, "inf.csv:3:3", data.ErrNotFinite},
		{put("order.libsvm", "1 2:1 1:1\n"), load.Options{}, "order.libsvm:1:7", data.ErrSyntax},
		{put("inf.libsvm", "1 2:1\n1 1:inf\n"), load.Options{}, "inf.libsvm:2:5", data.ErrNotFinite},
		{put("none.libsvm", "# 1:1\n"), load.Options{}, "no rows", data.ErrNoRows},
		{put("bad.jsonl", "{\"x\": 1}\n[1]\n"), load.Options{}, "bad.jsonl:2:2", data.ErrSyntax},
		{put("mixed.jsonl", "{\"x\": [1]}\n{\"x\": 1}\n"), load.Options{}, "mixed.jsonl:2", data.ErrValue},
		{put("none.jsonl", "\n"), load.Options{}, "no rows", data.ErrNoRows},
		{put("bad.fasta", ">a\nAC1T\n"), load.Options{}, "bad.fasta:2:3", data.ErrSyntax},
		{put("none.fasta", "; nothing\n"), load.Options{}, "no sequences", data.ErrNoRows},
		{put("cut.npy", npyHeader("(3,)")+"12345"), load.Options{}, "ends after about 0 of 3", data.ErrDamaged},
		{put("inf.npy", npyHeader("(1,)")+"\x00\x00\x00\x00\x00\x00\xf0\x7f"), load.Options{}, "value [0] is +Inf",
			data.ErrNotFinite},
		{put("bad.arrow", "ARROW1\x00\x00xx"), load.Options{}, "bad.arrow", data.ErrFormat},
	} {
		_, err := load.Read(context.Background(), c.path, c.o)
		var fault *data.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != nil &&
			(!errors.Is(err, c.kind) || !errors.As(err, &fault) || fault.File != c.path) {
			t.Errorf("%s %+v: error %v, want %q, of kind %v", filepath.Base(c.path), c.o, err, c.want, c.kind)
		}
		if err != nil && strings.Contains(err.Error(), "goroutine") {
			t.Errorf("%s: a stack trace", c.path)
		}
	}
}

func TestCancel(t *testing.T) {
	path := writeNumbers(t, 4<<20)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	cancel(stop)
	if _, err := load.Read(ctx, path, load.Options{}); !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause", err)
	}
}

// A file larger than any chunk predicts the same whether whole or streamed.
func TestStreamedEncoding(t *testing.T) {
	path := writeNumbers(t, 3<<20)
	whole, err := load.Read(context.Background(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := data.FitEncoder(whole, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Transform(whole)
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.Open(context.Background(), path, load.Options{Readings: e.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	row, chunks := 0, 0
	stream := e.Stream(s)
	defer stream.Close()
	for {
		_, x, err := stream.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			for j, v := range x.Dense.At(i) {
				if v != want.Dense.At(row)[j] {
					t.Fatalf("row %d differs", row)
				}
			}
			row++
		}
		chunks++
	}
	if row != whole.Len() || chunks < 2 {
		t.Errorf("%d rows in %d chunks, want %d", row, chunks, whole.Len())
	}
}

func FuzzStdin(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "1 1:2\n", "{\"a\":1}\n", ">a\nACGT\n", gz("a\n1\n"), zst("a\n1\n"),
		"PK\x03\x04", "PAR1PAR1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := load.Read(context.Background(), "-", load.Options{Stdin: strings.NewReader(text)})
		if err == nil {
			d.Summary()
		}
	})
}
