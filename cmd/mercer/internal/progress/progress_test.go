package progress

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func clocked(style Style, b *bytes.Buffer) (*Meter, *time.Time) {
	at := time.Unix(1000, 0)
	m := New(b, style, "searching")
	m.now = func() time.Time { return at }
	return m, &at
}

func TestBarRedrawsOneLine(t *testing.T) {
	var b bytes.Buffer
	m, at := clocked(Bar, &b)
	m.Update(State{Done: 5, Planned: 20, Best: "0.975", Left: 200 * time.Millisecond})
	first := b.String()
	if !strings.Contains(first, "██████░") || !strings.Contains(first, " 25%") || !strings.Contains(first, "best 0.975") ||
		!strings.Contains(first, "eta 0.2s") {
		t.Errorf("bar is %q", first)
	}
	m.Update(State{Done: 6, Planned: 20}) // too soon
	if b.String() != first {
		t.Error("redrawn within the same instant")
	}
	*at = at.Add(time.Second)
	m.Update(State{Done: 20, Planned: 20})
	m.Clear()
	if strings.Contains(b.String(), "\n") {
		t.Error("a bar stays on its line")
	}
	if !strings.HasSuffix(b.String(), " \r") {
		t.Errorf("not wiped: %q", b.String())
	}
}

func TestPlainAndJSON(t *testing.T) {
	var b bytes.Buffer
	m, at := clocked(Plain, &b)
	s := State{Done: 5, Planned: 20, Best: "svm 0.9", Elapsed: 3 * time.Second, Left: 9 * time.Second}
	m.Update(s)
	m.Update(s)
	*at = at.Add(plainEvery)
	m.Update(s)
	if got := b.String(); got != strings.Repeat("searching: 5 of 20, best svm 0.9, 3.0s, 9.0s left\n", 2) {
		t.Errorf("plain: %q", got)
	}
	b.Reset()
	m, _ = clocked(JSON, &b)
	m.Update(s)
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got["event"] != "searching" || got["left"] != 9.0 ||
		got["done"] != 5.0 {
		t.Errorf("json: %s %v", b.Bytes(), err)
	}
	b.Reset()
	m, _ = clocked(Quiet, &b)
	m.Update(s)
	m.Clear()
	if b.Len() > 0 {
		t.Errorf("quiet says %q", b.String())
	}
}

func TestNullDeviceIsNoTerminal(t *testing.T) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if IsTerminal(f) || StyleFor(f, false, false) != Plain {
		t.Error("the null device is taken for a terminal")
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{400 * time.Millisecond: "0.4s", 12 * time.Second: "12s",
		200 * time.Second: "3m20s", 125 * time.Minute: "2h05m"} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// COLUMNS counts where it is a number; the bar never fills the line.
func TestBarKeepsToTheWidth(t *testing.T) {
	s := State{Done: 5, Planned: 20, Best: "0.975", Left: 200 * time.Second}
	for _, c := range []struct {
		columns string
		width   int
		has     string
	}{{"", 80, "eta 3m20s"}, {"many", 80, "eta 3m20s"}, {"120", 120, "eta 3m20s"}, {"60", 60, "eta 3m20s"},
		{"40", 40, "best"}, {"3", leastWidth, "…"}} {
		t.Setenv("COLUMNS", c.columns)
		var b bytes.Buffer
		if got := Width(&b); got != c.width {
			t.Errorf("COLUMNS=%s: %d; want %d", c.columns, got, c.width)
		}
		m, _ := clocked(Bar, &b)
		m.Update(s)
		text := strings.TrimPrefix(b.String(), "\r")
		if n := utf8.RuneCountInString(text); n >= c.width || !strings.Contains(text, c.has) {
			t.Errorf("COLUMNS=%s: %d columns: %q; want %q in it", c.columns, n, text, c.has)
		}
	}
}
