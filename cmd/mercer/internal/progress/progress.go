// Package progress tells a person or a program how far long work has come: a
// bar with the time left and the best result so far on a terminal, plain lines
// in a pipe, JSON lines for programs, or nothing.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Style is how progress is told.
type Style int

// The styles.
const (
	Quiet Style = iota // nothing
	Bar                // one line, redrawn
	Plain              // a line every few seconds
	JSON               // a JSON object on each line
)

// State is how far the work has come.
type State struct {
	Done    int           `json:"done"`
	Planned int           `json:"planned"`        // 0: not known
	Best    string        `json:"-"`              // for people
	Score   *float64      `json:"best,omitempty"` // the same for programs; nil: not known
	Elapsed time.Duration `json:"-"`
	Left    time.Duration `json:"-"` // an estimate; 0: not known
}

// Meter tells of one piece of work. It is safe for concurrent use.
type Meter struct {
	mu    sync.Mutex
	w     io.Writer
	style Style
	verb  string
	now   func() time.Time
	last  time.Time
	drawn int // width of the bar on the screen
}

// New tells w about work that is called by a verb, such as "searching".
func New(w io.Writer, style Style, verb string) *Meter {
	return &Meter{w: w, style: style, verb: verb, now: time.Now}
}

// StyleFor chooses a style for a stream: a bar on a terminal, plain lines in a
// pipe or file.
func StyleFor(w io.Writer, quiet, machine bool) Style {
	switch {
	case quiet:
		return Quiet
	case machine:
		return JSON
	case IsTerminal(w):
		return Bar
	}
	return Plain
}

// Intervals between two drawings.
const (
	barEvery   = 100 * time.Millisecond
	plainEvery = 2 * time.Second
)

// Update tells where the work stands, unless it told a moment ago.
func (m *Meter) Update(s State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	every := plainEvery
	if m.style == Bar {
		every = barEvery
	}
	if m.style == Quiet || m.style != JSON && now.Sub(m.last) < every {
		return
	}
	m.last = now
	switch m.style {
	case Bar:
		m.redraw(bar(m.verb, s, Width(m.w)-1)) // in the last column some terminals go on to the next line
	case Plain:
		fmt.Fprintln(m.w, plain(m.verb, s))
	case JSON:
		line, err := json.Marshal(struct {
			Event string `json:"event"`
			State
			Seconds float64 `json:"seconds"`
			Left    float64 `json:"left,omitempty"`
		}{m.verb, s, s.Elapsed.Seconds(), s.Left.Seconds()})
		if err == nil {
			fmt.Fprintf(m.w, "%s\n", line)
		}
	}
}

// Clear wipes the bar off the screen.
func (m *Meter) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wipe()
}

// Close wipes the bar off the screen and is silent from then on.
func (m *Meter) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wipe()
	m.style = Quiet
}

func (m *Meter) wipe() {
	if m.style == Bar && m.drawn > 0 {
		m.redraw("")
		fmt.Fprint(m.w, "\r")
	}
}

// redraw overwrites what stands on the line.
func (m *Meter) redraw(text string) {
	width := utf8.RuneCountInString(text)
	fmt.Fprint(m.w, "\r"+text+strings.Repeat(" ", max(m.drawn-width, 0)))
	m.drawn = width
}

// bar is "  searching ████████░░░░  33%  best 0.975  eta 0.2s", in at most width columns: where
// there is little room the bar is a short one, and what is still too long is cut.
func bar(verb string, s State, width int) string {
	text := barOf(24, verb, s)
	if utf8.RuneCountInString(text) > width {
		text = barOf(8, verb, s)
	}
	if utf8.RuneCountInString(text) > width {
		text = string([]rune(text)[:width-1]) + "…"
	}
	return text
}

func barOf(cells int, verb string, s State) string {
	text := "  " + verb + " "
	if s.Planned > 0 {
		done := min(cells*s.Done/s.Planned, cells)
		text += strings.Repeat("█", done) + strings.Repeat("░", cells-done) + fmt.Sprintf(" %3d%%",
			min(100*s.Done/s.Planned, 100))
	} else if s.Done > 0 {
		text += thousands(s.Done) + " done"
	} else {
		text += Duration(s.Elapsed)
	}
	if s.Best != "" {
		text += "  best " + s.Best
	}
	if s.Left > 0 {
		text += "  eta " + Duration(s.Left)
	}
	return text
}

func plain(verb string, s State) string {
	text := verb + ": "
	switch {
	case s.Planned > 0:
		text += fmt.Sprintf("%s of %s, ", thousands(s.Done), thousands(s.Planned))
	case s.Done > 0:
		text += thousands(s.Done) + " done, "
	}
	if s.Best != "" {
		text += "best " + s.Best + ", "
	}
	text += Duration(s.Elapsed)
	if s.Left > 0 {
		text += ", " + Duration(s.Left) + " left"
	}
	return text
}

// thousands writes a count with commas: 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Duration writes a time for a person: 0.4s, 12s, 3m20s, 2h05m.
func Duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
