package celltext

import (
	"reflect"
	"strings"
	"testing"
)

func TestFuzzyItems(t *testing.T) {
	want := []Membership{{"a", 0.5}, {"b c", 1}, {"d", 0}}
	for _, s := range []string{"d:0;b c:1;a:0.5", "{a:.5, b c:1, d:0}", ` {"b c": 1, "a": 0.5, "d": 0} `,
		"a:5e-1|b c: 1|d:0|"} {
		if got, err := FuzzyItems(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if got, err := FuzzyItems("12:30:0.5 x:1"); err != nil ||
		!reflect.DeepEqual(got, []Membership{{"12:30", 0.5}, {"x", 1}}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "{}", " ; "} {
		if got, err := FuzzyItems(s); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"a:0.5;é:-0.25":     `the membership of "é" at letter 7 is -0.25`,
		`{"a":0.5,"b":1.5}`: `the membership of "b" at letter 11 is 1.5`,
		"a:0.5;b:high":      `the membership of "b" at letter 7 is "high", and no number`,
		"a:0.5;b":           `"b" at letter 7 has no degree`,
		"a:NaN":             `the membership of "a" at letter 1 is NaN`,
		"a:0.5;a:0.5":       `item "a" at letter 1 comes twice`,
		":0.5":              "has no degree",
	} {
		if _, err := FuzzyItems(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}
