package tsfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

const head = "# a comment\n@problemName Two\n@timeStamps false\n@univariate false\n@dimensions 2\n@equalLength " +
	"false\n@classLabel true up down\n@data\n"

func ExampleRead() {
	d, err := Read(strings.NewReader("@classLabel true up down\n@data\n1,2,3:up\n3,2:down\n"), "moves.ts", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range d.Columns {
		fmt.Println(c.Name, c.Kind, c.String(1))
	}
	// Output:
	// series sequence 3,2
	// label categorical down
}

func TestChannels(t *testing.T) {
	d, err := Read(strings.NewReader(head+"1,2,3:10,20,30:up\n4, 5:40,50 : down\r\n"), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Columns[0]
	if c.Channels != 2 || !slices.Equal(c.Sequences[0], []float64{1, 10, 2, 20, 3, 30}) ||
		!slices.Equal(c.Sequences[1], []float64{4, 40, 5, 50}) {
		t.Errorf("%d channels, %v", c.Channels, c.Sequences)
	}
	if l := d.Columns[1]; l.Kind != data.Categorical || l.String(0) != "up" || l.String(1) != "down" {
		t.Errorf("label %v", l)
	}
	if d, err = Read(strings.NewReader("@targetLabel true\n@data\n1,2:0.5\n"), "t", 0); err != nil ||
		d.Columns[1].Numbers[0] != 0.5 {
		t.Errorf("a target that is a number: %v, %v", d, err)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "t: no series",
		"@data\n":                               "t: no series",
		"1,2:up\n":                              "t:1:1: a line of data before @data",
		head + "1,2:3,4\n":                      "t:9:1: 1 channels, where there should be 2",
		head + "1,2:3:up\n":                     "t:9:5: channel 2 has 1 steps and channel 1 has 2",
		head + "1,2:3,x:up\n":                   "t:9:7: \"x\" is not a number",
		head + "1,?:3,4:up\n":                   "t:9:3: \"?\" is not a number",
		head + "1,NaN:3,4:up\n":                 "t:9:3: \"NaN\" is not a number",
		head + "1,2:3,4:\n":                     "t:9:8: the case has no label",
		"@timeStamps true\n@data\n":             "t:1:1: steps with time stamps are not read",
		"@dimensions x\n":                       "t:1:1: @dimensions is no number of channels",
		"@targetLabel true\n@data\n1,2:a lot\n": "t: the target of case 1, \"a lot\", is not a number",
	} {
		if _, err := Read(strings.NewReader(text), "t", 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head + "1,2:3,4:up\n")
	f.Add("@data\n1,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "t", 1<<20)
		if err == nil && d.Check() != nil {
			t.Errorf("%q makes a data set that is not sound: %v", text, d.Check())
		}
	})
}
