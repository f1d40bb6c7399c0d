package spec

import (
	"errors"
	"strings"
	"testing"
)

func TestFormatIsTheInverseOfParse(t *testing.T) {
	for text, want := range map[string]string{
		"gaussian(lengthscale=2)":                          "gaussian(lengthscale=2)",
		"0.5*gaussian(lengthscale=[1,2,0.3]) + linear()^2": "0.5*gaussian(lengthscale=[1, 2, 0.3]) + linear()^2",
		" ( linear() + 1 ) * periodic( period = 1e-3 ) ":   "(linear() + 1)*periodic(period=0.001)",
		"(a()*b())^2":   "(a()*b())^2",
		"(a()^2)^3":     "(a()^2)^3",
		"a()*(b()*c())": "a()*(b()*c())",
		"a()+(b()+c())": "a() + (b() + c())",
		"svm(kernel=linear(), c=0.1, shrink=true, name=\"é\")": `svm(kernel=linear(), c=0.1, shrink=true, name="é")`,
		"x([])":                                 "x([])",
		"0.1*k(0.30000000000000004, -2.5e-300)": "0.1*k(0.30000000000000004, -2.5e-300)",
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		got := Format(e)
		if got != want {
			t.Errorf("Format(Parse(%q)) = %q, want %q", text, got, want)
		}
		again, err := Parse(got)
		if err != nil || Format(again) != got {
			t.Errorf("Parse(%q) does not come back: %v", got, err)
		}
	}
}

func TestParseErrorsPointAtTheColumn(t *testing.T) {
	for text, column := range map[string]int{
		"":                       1,
		"gaussian(":              10,
		"gaussian(lengthscale":   21,
		"linear() linear()":      10,
		"linear() +":             11,
		"linear()^x":             10,
		"é() ~":                  5,
		"k(1e999)":               3,
		"k(1.2.3)":               3,
		"k(\"open)":              3,
		"k(1,)":                  5,
		"k(a==1)":                5,
		strings.Repeat("(", 500): 102,
	} {
		_, err := Parse(text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q): error %v, want an *Error", text, err)
			continue
		}
		if e.Column != column {
			t.Errorf("Parse(%q): column %d, want %d (%v)", text, e.Column, column, e)
		}
	}
}

func TestDidYouMeanFindsTheNearestName(t *testing.T) {
	known := []string{"gaussian", "linear", "matern", "polynomial"}
	for name, want := range map[string]string{"gausian": "gaussian", "lniear": "linear", "Matern": "matern"} {
		if got := didYouMean(name, known); !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("didYouMean(%q) = %q, want %q", name, got, want)
		}
	}
	if got := didYouMean("xyzzy", known); !strings.HasPrefix(got, "known: ") {
		t.Errorf("didYouMean of nonsense = %q, want the list", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("0.5*gaussian(lengthscale=[1,2,0.3]) + linear()^2")
	f.Add(`a(b="c\n", -1e-7)*(d+e)^3`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("Parse(%q): error of type %T", text, err)
			}
			return
		}
		once := Format(e)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("Parse(%q) printed %q, which does not parse: %v", text, once, err)
		}
		if twice := Format(again); twice != once {
			t.Fatalf("Parse(%q) printed %q, then %q", text, once, twice)
		}
	})
}
