package fasta

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func ExampleRead() {
	records, err := Read(strings.NewReader(">p1 a promoter\nACGT\nTTGA\n>p2\nCCCC\n"), "genes.fasta")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range records {
		fmt.Println(r.ID, r.Sequence)
	}
	// Output:
	// p1 ACGTTTGA
	// p2 CCCC
}

func TestRoundTrip(t *testing.T) {
	in := []Record{{"a", "first one", strings.Repeat("ACGT", 50)}, {"b", "", "M-K*"}}
	var b bytes.Buffer
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	out, err := Read(strings.NewReader("; comment\n"+strings.ReplaceAll(b.String(), "\n", "\r\n")), "t")
	if err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v, %v", out, err)
	}
	if d := Dataset(out, "t"); d.Len() != 2 || d.Columns[2].String(1) != "M-K*" {
		t.Errorf("data set %v", d)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                "t: no sequences",
		"ACGT\n":          "t:1:1: letters before the first >",
		">a\nAC1T\n":      "t:2:3: '1' is not a letter",
		">a\n>b\nACGT\n":  `t:1:1: "a" has no sequence`,
		">a\nACGT\n>b\n ": `t:3:1: "b" has no sequence`,
	} {
		if _, err := Read(strings.NewReader(text), "t"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(">a b\nACGT\n")
	f.Fuzz(func(t *testing.T, text string) {
		records, err := Read(strings.NewReader(text), "t")
		if err != nil {
			return
		}
		for _, r := range records {
			if r.Sequence == "" {
				t.Fatal("an empty sequence")
			}
		}
	})
}
