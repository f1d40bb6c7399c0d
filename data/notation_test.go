package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/mend"
)

// inferred is a column of strings as it is read in a file that has no others.
func inferred(t *testing.T, in Inference, values ...string) *Column {
	t.Helper()
	d := &Dataset{Name: "t", Columns: []Column{TextColumn("c", values)}}
	if err := InferKinds(d, in); err != nil {
		t.Fatalf("%q: %v", values, err)
	}
	return &d.Columns[0]
}

func TestNumbersByTheWholeColumn(t *testing.T) {
	for _, c := range []struct {
		values []string
		kind   Kind
		want   []string
		how    string
	}{
		{[]string{"$1,234", "$2,500.50", "$300"}, Numeric, []string{"1234", "2500.5", "300"}, `"," between thousands, in $`},
		{[]string{"45%", "7 %", "0"}, Numeric, []string{"45", "7", "0"}, "in %"},
		{[]string{"45%", "0.45"}, Categorical, nil, ""}, // which is meant?
		{[]string{"1.698,19", "12,5"}, Numeric, []string{"1698.19", "12.5"}, `decimal comma, "." between thousands`},
		{[]string{"1,234", "5,678"}, Numeric, []string{"1234", "5678"},
			`"," between thousands, though "," may be the decimal mark`},
		{[]string{"1,234", "0,5"}, Numeric, []string{"1.234", "0.5"}, "decimal comma"},
		{[]string{"1,234", "0,567"}, Numeric, []string{"1.234", "0.567"}, "decimal comma"}, // no thousands begin with 0
		{[]string{"1.453", "2.500"}, Numeric, []string{"1.453", "2.5"}, ""},
		{[]string{"1.453.000", "2.500"}, Numeric, []string{"1453000", "2500"}, `decimal comma, "." between thousands`},
		{[]string{"1 234,5", "12\u00a0345", "5"}, Numeric, []string{"1234.5", "12345", "5"},
			`decimal comma, " " between thousands`},
		{[]string{"1'234.5", "12'345"}, Numeric, []string{"1234.5", "12345"}, `"'" between thousands`},
		// which no one takes for a decimal mark
		{[]string{"1'234", "12'345"}, Numeric, []string{"1234", "12345"}, `"'" between thousands`},
		{[]string{"1 234", "12 345"}, Numeric, []string{"1234", "12345"}, `" " between thousands`},
		{[]string{"($5.50)", "-$3", "$−2"}, Numeric, []string{"-5.5", "-3", "-2"}, "in $"},
		{[]string{"$5", "€5"}, Categorical, nil, ""},
		{[]string{"1,5", "1.5"}, Categorical, nil, ""}, // no way of writing has both
		{[]string{"1_000", "2_000"}, Categorical, nil, ""},
		{[]string{"0x10", "0x1p3"}, Categorical, nil, ""},
		{[]string{"12,34,567", "1"}, Sequence, nil, ""}, // no thousands, but a list of numbers
		{[]string{"1e3", "2E-3"}, Numeric, []string{"1000", "0.002"}, ""},
		{[]string{"1e400", "2"}, Categorical, nil, ""},
		{[]string{"01234", "99999"}, Categorical, []string{"01234", "99999"}, "digits kept as they are"},
		{[]string{"01234", "1234"}, Categorical, []string{"01234", "1234"}, "digits kept as they are"},
		{[]string{"01", "12", "07"}, Numeric, []string{"01", "12", "07"}, "filled with zeros to 2 digits"},
		{[]string{"-01", "12"}, Numeric, []string{"-1", "12"}, ""},
		{[]string{"9007199254740993", "9007199254740992", "9007199254740993"}, Categorical,
			[]string{"9007199254740993", "9007199254740992", "9007199254740993"}, "digits kept as they are"},
		{[]string{"1600000000000000001", "1600000000000000007"}, Numeric, nil, ""}, // a count that does not come again
		{[]string{"", "NA"}, Numeric, []string{"", ""}, ""},
	} {
		got := inferred(t, Inference{}, c.values...)
		if got.Kind != c.kind || got.DescribeReading() != c.how {
			t.Errorf("%q: %v, %q, want %v, %q", c.values, got.Kind, got.DescribeReading(), c.kind, c.how)
			continue
		}
		for i, w := range c.want {
			if got.String(i) != w {
				t.Errorf("%q: value %d is %q, want %q", c.values, i, got.String(i), w)
			}
		}
	}
}

// Other columns of the file decide for one that could be read either way.
func TestDecimalMarkOfTheFile(t *testing.T) {
	d := &Dataset{Name: "t", Columns: []Column{TextColumn("a", []string{"1.453", "1.200"}),
		TextColumn("b", []string{"0,83", "1,5"}), TextColumn("c", []string{"1,234", "5,678"})}}
	if err := InferKinds(d, Inference{}); err != nil {
		t.Fatal(err)
	}
	if a, c := d.Columns[0], d.Columns[2]; a.Kind != Numeric || a.Numbers[0] != 1453 || c.Numbers[0] != 1.234 {
		t.Errorf("%v, %v", a.Numbers, c.Numbers)
	}
	if DecimalMark(slices.Values([]Column{TextColumn("a", []string{"1.5"}), TextColumn("b", []string{"1,5"})})) != "" {
		t.Error("a mark that columns disagree about")
	}
}

func TestDatesSayWhatTheyLeaveOpen(t *testing.T) {
	for _, c := range []struct {
		in        Inference
		values    []string
		first     string
		ambiguous bool
	}{
		{Inference{}, []string{"01/07/2021", "02/03/2021"}, "2021-01-07", true},
		{Inference{}, []string{"01/07/2021", "25/08/2021"}, "2021-07-01", false},
		{Inference{}, []string{"01-07-2021", "25-08-2021"}, "2021-07-01", false},
		{Inference{}, []string{"1/7/2021 3:04 PM", "8/25/2021 11:00 AM"}, "2021-01-07T15:04:00", false},
		{Inference{}, []string{"1.7.2021", "2.3.2021"}, "2021-07-01", false},
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "dmy"}}}, []string{"01/07/2021", "02/03/2021"},
			"2021-07-01", false},
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "mdy"}}}, []string{"01/07/2021"}, "2021-01-07", false},
		// Years of two digits are read where the order is told, and only there.
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "dmy"}}}, []string{"1/7/21", "13/8/99"}, "2021-07-01",
			false},
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "mdy"}}}, []string{"1-7-21 15:04", "8-25-68 00:10"},
			"2021-01-07T15:04:00", false},
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "dmy"}}}, []string{"1.7.21"}, "2021-07-01", false},
		{Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "ymd"}}}, []string{"21/07/01", "21/08/25"},
			"2021-07-01", false},
	} {
		got := inferred(t, c.in, c.values...)
		if got.Kind != Time || got.String(0) != c.first || got.Notation.Ambiguous != c.ambiguous {
			t.Errorf("%q: %v %s, open: %v", c.values, got.Kind, got.String(0), got.Notation.Ambiguous)
		}
	}
	d := &Dataset{Columns: []Column{TextColumn("c", []string{"25/08/2021"})}}
	var fault *Error
	if err := InferKinds(d, Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "mdy"}}}); !errors.As(err,
		&fault) || fault.Row != 1 {
		t.Errorf("a day that is no month: %v", err)
	}
	// What was read with years of two digits is read so again.
	first := inferred(t, Inference{Told: map[string]Notation{"c": {Kind: Time, Order: "dmy"}}}, "13/8/99", "1/7/21")
	n := *first.Notation
	n.Settled = true
	if again := inferred(t, Inference{Told: map[string]Notation{"c": n}}, "1/7/21"); again.Kind != Time ||
		again.String(0) != "2021-07-01" || n.Describe() != "written dd/mm/yy" {
		t.Errorf("again: %v %s, %s", again.Kind, again.String(0), n.Describe())
	}
}

// However a column is cut into chunks, with what is told of it every value is read as in the whole,
// or refused.
func TestChunksAreReadAsTheWhole(t *testing.T) {
	for _, values := range [][]string{
		{"01/07/2021", "02/03/2021", "25/08/2021", "03/04/2021"}, {"1.453", "0,83", "1.200", "5"}, {"01234", "1234", "5"},
		{"2021-01-02", "NA", "2021-03-04"},
	} {
		whole := inferred(t, Inference{}, values...)
		e, err := FitEncoder(&Dataset{Name: "t", Columns: []Column{*whole}}, EncoderOptions{Missing: missingMean})
		if err != nil {
			t.Fatal(err)
		}
		// As a model file has it.
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Encoder
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back.Readings(), e.Readings()) {
			t.Fatalf("%v: %v became %v", err, e.Readings(), back.Readings())
		}
		for i, v := range values {
			one := inferred(t, Inference{Told: back.Readings()}, v)
			if one.Kind != whole.Kind || one.String(0) != whole.String(i) {
				t.Errorf("%q by itself is %v %q, in the whole %v %q", v, one.Kind, one.String(0), whole.Kind, whole.String(i))
			}
			// A stream that knows of no readings is read by the encoder.
			x, err := back.Transform(&Dataset{Name: "t", Columns: []Column{TextColumn("c", []string{v})}})
			all, err2 := e.Transform(&Dataset{Name: "t", Columns: []Column{*whole}})
			if err != nil || err2 != nil || !slices.Equal(x.Dense.At(0), all.Dense.At(i)) {
				t.Errorf("%q is encoded otherwise by itself: %v %v", v, err, err2)
			}
		}
	}
}

// What is told without a way of writing is settled by the first chunk, and contradicted by none.
func TestFirstChunkSettles(t *testing.T) {
	in := ChunkInference{In: Inference{Told: Kinds(map[string]Kind{"c": Time})}}
	chunk := func(values ...string) (*Column, error) {
		d := &Dataset{Name: "t", Columns: []Column{TextColumn("c", values)}}
		err := in.Infer(d)
		return &d.Columns[0], err
	}
	if c, err := chunk("NA"); err != nil || !c.IsMissing(0) {
		t.Fatal(err)
	}
	if c, err := chunk("25/08/2021"); err != nil || c.String(0) != "2021-08-25" {
		t.Fatal(err)
	}
	if c, err := chunk("01/07/2021"); err != nil || c.String(0) != "2021-07-01" {
		t.Errorf("%v: the order of the first chunk does not hold", err)
	}
	var fault *Error
	if _, err := chunk("01/07/2021", "07/25/2021"); !errors.As(err, &fault) || fault.Remedy != mend.Dates ||
		fault.Row != 2 {
		t.Errorf("another order: %v", err)
	}
}

func TestWordsOfFormatsWithNull(t *testing.T) {
	if c := inferred(t, Inference{Literal: true}, "NA", "None", "DE", ""); c.Kind != Categorical ||
		strings.Join(c.Levels, ",") != "DE,NA,None" || c.Missing() != 1 {
		t.Errorf("%v", c.Levels)
	}
	if c := inferred(t, Inference{Missing: []string{"keine"}}, "1", "keine", "NA"); c.Kind != Numeric || c.Missing() != 2 {
		t.Errorf("%v %v", c.Kind, c.Numbers)
	}
}

func TestParseNotation(t *testing.T) {
	for text, want := range map[string]Notation{
		"numeric": {Kind: Numeric}, "numeric:comma": {Kind: Numeric, Decimal: ","},
		"numeric:point": {Kind: Numeric, Decimal: "."},
		"date":          {Kind: Time}, "time:dmy": {Kind: Time, Order: "dmy"}, "date:ymd": {Kind: Time, Order: "ymd"},
	} {
		if got, err := ParseNotation(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "number", "numeric:", "numeric:dmy", "text:comma"} {
		if got, err := ParseNotation(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// Encoders of before there were notations read by kind, and dates by their layout.
func TestOldEncodersHaveReadings(t *testing.T) {
	old := `{"options":{"Scaling":"standardize","Missing":"error","Unseen":"error","Text":"keep","Categories":"onehot"},"columns":[{"name":"d","kind":"time","offset":0,"width":1,"scale":[{}],"fill":[0],"layout":"2/1/2006","parts":["days"]}],"dim":1}`
	var e Encoder
	if err := json.Unmarshal([]byte(old), &e); err != nil {
		t.Fatal(err)
	}
	if c := inferred(t, Inference{Told: map[string]Notation{"c": e.Readings()["d"]}},
		"01/07/2021"); c.String(0) != "2021-07-01" {
		t.Errorf("read as %s", c.String(0))
	}
}

func TestEveryRowDropped(t *testing.T) {
	d := &Dataset{Name: "t", Columns: []Column{NumberColumn("a", []float64{1, 2, 3}), inferNothing(3),
		NumberColumn("y", []float64{1, 2, 3})}, Target: "y"}
	_, err := FitEncoder(d, EncoderOptions{Missing: missingDrop})
	var fault *Error
	if !errors.As(err, &fault) || fault.Column != "none" || fault.Remedy != mend.Ignore || !errors.Is(err, ErrNoRows) {
		t.Errorf("a column without values: %v", err)
	}
	d.Columns[1] = TextColumn("none", []string{"a", "", ""})
	d.Columns[0].Numbers[0] = d.Columns[0].Numbers[0] / 0 * 0
	if _, err := FitEncoder(d, EncoderOptions{Missing: missingDrop}); !errors.As(err, &fault) ||
		fault.Remedy != mend.Missing {
		t.Errorf("gaps in turn: %v", err)
	}
}

func inferNothing(n int) Column { return TextColumn("none", make([]string, n)) }

func TestUnseenAreCounted(t *testing.T) {
	d := &Dataset{Name: "t", Columns: []Column{LevelColumn("a", []string{"x", "y", "x"}),
		LevelColumn("b", []string{"u", "v", "u"})}}
	e, err := FitEncoder(d, EncoderOptions{Unseen: unseenZero, Missing: missingMean})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(&Dataset{Name: "n", Columns: []Column{LevelColumn("a", []string{"x", "z", "q", ""}),
		LevelColumn("b", []string{"u", "w", "v", "u"})}})
	if err != nil {
		t.Fatal(err)
	}
	want := []UnseenCount{{Column: "a", Rows: 2, Value: "z"}, {Column: "b", Rows: 1, Value: "w"}}
	if x.UnseenRows != 2 || x.Filled != 1 || fmt.Sprint(x.Unseen) != fmt.Sprint(want) {
		t.Errorf("%d rows, %d filled, %v", x.UnseenRows, x.Filled, x.Unseen)
	}
}
