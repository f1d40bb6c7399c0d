package csvio

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
)

// percents is a table of a percent and a money column, plain numbers and names, with words in the
// rows that are named: row (from 0), column, word.
func percents(words map[[2]int]string) string {
	var b strings.Builder
	b.WriteString("share,price,size,colour\n")
	for i := range 300 {
		row := []string{fmt.Sprintf("%.1f%%", 10+float64(i%50)/7), fmt.Sprintf("\"$1,%03d.50\"", i), fmt.Sprint(i % 17),
			[]string{"red", "unknown"}[i%2]}
		for j := range row {
			if w, ok := words[[2]int{i, j}]; ok {
				row[j] = w
			}
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

// A word for a missing value makes no text of percents, money or numbers; it is told once for all
// columns, and stays a level where it is one.
func TestUsualWordsAmongNumbers(t *testing.T) {
	d, err := readString(t, percents(map[[2]int]string{{7, 0}: "unknown", {9, 1}: "tbd", {11, 1}: "Unknown",
		{20, 2}: "-"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, gaps := range map[string]int{"share": 1, "price": 2, "size": 1} {
		c, err := d.Column(name)
		if err != nil || c.Kind != data.Numeric || c.Missing() != gaps {
			t.Errorf("%s is %v with %d missing (%v)", name, c.Kind, c.Missing(), err)
		}
	}
	if c, _ := d.Column("share"); c.Numbers[8] != 10+math.Round(80.0/7)/10 && math.Abs(c.Numbers[8]-11.1) > 1e-12 {
		t.Errorf("row 8 is %g", c.Numbers[8])
	}
	if c, _ := d.Column("colour"); c.Kind != data.Categorical || c.Missing() != 0 || len(c.Levels) != 2 {
		t.Errorf("colour is %v with levels %q", c.Kind, c.Levels)
	}
	if want := `"unknown", "tbd", "Unknown", "-" among the numbers of share, price, size: taken for missing values`; len(d.Notes) != 1 ||
		d.Notes[0].Text != want {
		t.Errorf("notes %+v, want %q", d.Notes, want)
	}
	// A model keeps them, so that the next file is read as this one was.
	if c, _ := d.Column("price"); c.Notation == nil || strings.Join(c.Notation.Missing, ",") != "tbd,Unknown" ||
		c.Notation.Unit != "$" {
		t.Errorf("price: %+v", c.Notation)
	}
}

// Other words are an error that names all of them, wherever they stand, and the option that takes
// them together.
func TestStrangeWordsAmongNumbers(t *testing.T) {
	_, err := readString(t, percents(map[[2]int]string{{7, 0}: "lots", {9, 1}: "cheap", {20, 2}: "big", {21, 2}: "huge"}),
		Options{})
	var fault *data.Error
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	for _, want := range []string{`column "share" is "lots" where 299 other rows are numbers`, `"cheap" in column "price"`,
		`"big" in column "size"`, `"huge" in column "size"`} {
		if !strings.Contains(fault.Reason, want) {
			t.Errorf("%q does not say %q", fault.Reason, want)
		}
	}
	if fault.Remedy != mend.Kind || fault.Value != "lots,cheap,big,huge" {
		t.Errorf("%+v", fault)
	}
	d, err := readString(t, percents(map[[2]int]string{{7, 0}: "lots", {20, 2}: "big"}),
		Options{NA: []string{"lots", "big"}})
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := d.Column("share"); c.Kind != data.Numeric || c.Missing() != 1 {
		t.Errorf("share is %v with %d missing", c.Kind, c.Missing())
	}
	// Told kinds stand.
	d, err = readString(t, percents(map[[2]int]string{{7, 0}: "lots"}),
		Options{Told: data.Kinds(map[string]data.Kind{"share": data.Text})})
	if err != nil || d.Columns[0].Kind != data.Text {
		t.Errorf("%v, %v", d.Columns[0].Kind, err)
	}
}

// More words than one in ten are a column of words.
func TestManyWordsAreNoStrays(t *testing.T) {
	words := map[[2]int]string{}
	for i := range 60 {
		words[[2]int{5 * i, 0}] = "unknown"
	}
	d, err := readString(t, percents(words), Options{})
	if err != nil || d.Columns[0].Kind == data.Numeric {
		t.Errorf("%v, %v", d.Columns[0].Kind, err)
	}
}

func TestTwoLinesOfNames(t *testing.T) {
	rows := "1,2,u\n3,4,v\n5,6,u\n"
	for text, want := range map[string]string{
		"a,b,c\ns,kPa,x\n" + rows:        "[a s b kPa c x]",
		"Q1,,shop\nlow,high,\n" + rows:   "[Q1 low Q1 high shop]",
		"a,b,c\ns,kPa,\n" + rows[:6]:     "[a s b kPa c]",
		"T\na,b,c\ns,kPa,\n" + rows:      "[a s b kPa c]",
		"a,b,c\nNA,NA,x\n" + rows:        "[a b c]", // missing values are no names
		"a,b,c\ns,,x\n1,2,u\n1,x,v\n":    "[a b c]", // one column of numbers at the most
		"a,b,c\nred,big,x\nblue,big,y\n": "[a b c]", // words below
	} {
		d, err := readString(t, text, Options{})
		if err != nil || fmt.Sprint(d.Names()) != want {
			t.Errorf("%q: %v, %v; want %s", text, d, err, want)
			continue
		}
		if two := strings.Contains(want, "a s") || strings.Contains(want, "low"); two != (len(d.Notes) > 0 &&
			strings.Contains(fmt.Sprint(d.Notes), "the first two lines are taken for names")) {
			t.Errorf("%q: notes %+v", text, d.Notes)
		}
	}
	d, err := readString(t, "a,b\nred,big\nblue,small\n", Options{Header: HeaderTwo})
	if err != nil || fmt.Sprint(d.Names(), d.Len()) != "[a red b big] 1" {
		t.Errorf("two as told: %v, %v", d, err)
	}
	// As told, one line: the second is a row of words, which is what it was before.
	if _, err := readString(t, "a,b,c\ns,kPa,x\n"+strings.Repeat("1,2,u\n", 30), Options{Header: HeaderYes}); err == nil ||
		!strings.Contains(err.Error(), "2 columns of numbers have words in the first row") {
		t.Errorf("one line as told: %v", err)
	}
	// A file of one row is read as the model's was.
	one := "a,b,c\ns,kPa,x\n1,2,u\n"
	d, err = readString(t, one, Options{Told: data.Kinds(map[string]data.Kind{"a s": data.Numeric,
		"b kPa": data.Numeric})})
	if err != nil || fmt.Sprint(d.Names()) != "[a s b kPa c x]" {
		t.Errorf("one row: %v, %v", d, err)
	}
}

func TestNamesThatComeTwice(t *testing.T) {
	d, err := readString(t, "a,b,a\n1,2,3\n", Options{})
	if err != nil || fmt.Sprint(d.Names()) != "[a b a.2]" || len(d.Notes) != 1 ||
		d.Notes[0].Text != `column 3, a further "a", is called "a.2"` {
		t.Errorf("%v %v %+v", err, d.Names(), d.Notes)
	}
	if c, _ := d.Column("a.2"); c.Numbers[0] != 3 {
		t.Errorf("a.2 is %v", c.Numbers)
	}
}
