package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// journaled is a search that was run, and its journal.
func journaled(t *testing.T) (s Search, want *Result, text []byte) {
	t.Helper()
	s = Search{Problem: toy(60, data.Binary, 2), Candidates: []Candidate{grid("svm")},
		Journal: filepath.Join(t.TempDir(), "journal")}
	want = mustRun(t, s)
	text, err := os.ReadFile(s.Journal)
	if err != nil {
		t.Fatal(err)
	}
	return s, want, text
}

// A file that no search wrote is refused and left alone, with or without an end of its line; so is
// what is no file.
func TestJournalOfAnotherFile(t *testing.T) {
	s := simple("ridge", data.Binary)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"table": "x,y\n1,2\n", "note": "buy milk", "brace": "{", "other": `{"journal":"mine"}` + "\n",
		"binary": "\x00\x01\n\x02",
	} {
		s.Journal = filepath.Join(dir, name)
		if err := os.WriteFile(s.Journal, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := s.Run(context.Background())
		for what, err := range map[string]error{"run": err, "check": CheckJournal(s.Journal),
			"remove": RemoveJournal(s.Journal)} {
			if !errors.Is(err, ErrNotJournal) || !strings.Contains(err.Error(), s.Journal) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		if now, _ := os.ReadFile(s.Journal); string(now) != text {
			t.Errorf("%s was changed: %q", name, now)
		}
	}
	s.Journal = os.DevNull
	if _, err := s.Run(context.Background()); !errors.Is(err, ErrNotJournal) {
		t.Errorf("a device was taken: %v", err)
	}
}

// A flipped bit costs the line it is in (two, where it was the end of one), whichever of them; no
// changed line is taken, and no other is lost.
func TestJournalFlippedBits(t *testing.T) {
	t.Parallel()
	_, _, text := journaled(t)
	search := headOf(t, text)
	whole, err := readJournal(bytes.NewReader(text), search)
	if err != nil || len(whole.lines) < 3 || whole.damaged != 0 || whole.size != int64(len(text)) {
		t.Fatalf("%d lines, %d damaged, %v", len(whole.lines), whole.damaged, err)
	}
	written := map[string]bool{}
	for _, l := range whole.lines {
		written[plainLine(t, l)] = true
	}
	for at := range text {
		flipped := bytes.Clone(text)
		flipped[at] ^= 1 << (at % 8)
		got, err := readJournal(bytes.NewReader(flipped), search)
		if at < len(journalMark) {
			if !errors.Is(err, ErrNotJournal) {
				t.Fatalf("byte %d: taken for a journal: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		least := len(whole.lines) - 1
		switch {
		case at == len(text)-1: // cut off, not damaged
		case text[at] == '\n':
			least--
		case bytes.IndexByte(text, '\n') > at: // of the first line
			least++
		}
		if len(got.lines) < least {
			t.Fatalf("byte %d: %d of %d lines are left", at, len(got.lines), len(whole.lines))
		}
		for _, l := range got.lines {
			if !written[plainLine(t, l)] {
				t.Fatalf("byte %d: a line that was never written: %+v", at, l)
			}
		}
	}
}

func plainLine(t *testing.T, l journalLine) string {
	t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A search goes on from a journal with a damaged line to the same result, and says so.
func TestJournalDamagedLine(t *testing.T) {
	s, want, text := journaled(t)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, damaged := range []int{0, 1, len(lines) - 2} {
		lost := 0
		changed := bytes.Clone(text)
		at := len(bytes.Join(lines[:damaged], nil)) + len(lines[damaged])/2
		changed[at] ^= 4
		if damaged > 0 {
			lost = bytes.Count(lines[damaged], []byte(`"candidate"`))
		}
		if err := os.WriteFile(s.Journal, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		got := mustRun(t, s)
		sameResult(t, "damaged", got, want, s.Problem)
		if got.Resumed != len(want.Cells)-lost {
			t.Errorf("line %d: %d cells resumed, want %d less %d", damaged+1, got.Resumed, len(want.Cells), lost)
		}
		if len(got.JournalFaults) != 1 || !strings.HasPrefix(got.JournalFaults[0], "1 damaged line") {
			t.Errorf("line %d: said %q", damaged+1, got.JournalFaults)
		}
	}
}

// Two searches never write to one journal.
func TestJournalInUse(t *testing.T) {
	s, _, _ := journaled(t)
	j, _, err := openJournal(s.Journal, "another", "m", nil)
	if !errors.Is(err, ErrOtherSearch) {
		t.Fatalf("%v, %v", j, err)
	}
	f, err := openLocked(s.Journal, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = s.Run(context.Background())
	for what, err := range map[string]error{"run": err, "check": CheckJournal(s.Journal),
		"remove": RemoveJournal(s.Journal)} {
		if !errors.Is(err, ErrJournalInUse) {
			t.Errorf("%s of a journal in use: %v", what, err)
		}
	}
	f.Close()
	if err := CheckJournal(s.Journal); err != nil {
		t.Error(err)
	}
	if err := RemoveJournal(s.Journal); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Journal); err == nil {
		t.Error("it is still there")
	}
	if err := errors.Join(CheckJournal(s.Journal), RemoveJournal(s.Journal)); err != nil {
		t.Errorf("no journal: %v", err)
	}
}

// fullDisk has room for so many bytes more.
type fullDisk struct {
	*os.File
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, err := d.File.Write(p[:min(len(p), d.room)])
	if d.room -= n; err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: d.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

// A disk that is full costs the journal, not the search; what had room is gone on from.
func TestJournalFullDisk(t *testing.T) {
	s, want, text := journaled(t)
	for _, room := range []int{0, 10, len(text) / 2, len(text) * 7 / 8} {
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(s.Journal)
		if err != nil {
			t.Fatal(err)
		}
		e.journal = &journal{file: &fullDisk{f, room}, path: s.Journal, search: e.fingerprint()}
		e.journal.write(journalHead{Journal: journalVersion, Search: e.fingerprint(), Metric: e.metric.Name})
		got, err := s.finish(context.Background(), e)
		e.journal.close()
		if err != nil {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
		sameResult(t, "full disk", got, want, s.Problem)
		if len(got.JournalFaults) != 1 || !strings.Contains(got.JournalFaults[0], s.Journal+" could not be written ("+
			syscall.ENOSPC.Error()+")") {
			t.Errorf("said %q", got.JournalFaults)
		}
		left, _ := os.ReadFile(s.Journal)
		again := mustRun(t, s)
		sameResult(t, "resumed", again, want, s.Problem)
		if cells := bytes.Count(left, []byte(`"candidate"`)); again.Resumed != cells || len(again.JournalFaults) > 0 ||
			room > 1000 && cells == 0 {
			t.Errorf("room for %d bytes: %d cells resumed of %d, %q", room, again.Resumed, cells, again.JournalFaults)
		}
	}
}

// A journal of the same search over other values is gone on with, and only what was asked for
// counts.
func TestJournalOfOtherValues(t *testing.T) {
	s, _, _ := journaled(t)
	other := grid("svm")
	for a := range other.Axes {
		for i := range other.Axes[a].Values {
			other.Axes[a].Values[i] *= 1.25
		}
	}
	s.Candidates = []Candidate{other}
	got := mustRun(t, s)
	journal := s.Journal
	s.Journal = ""
	want := mustRun(t, s)
	sameResult(t, "other values", got, want, s.Problem)
	if got.Resumed != 0 {
		t.Errorf("%d of %d cells resumed, and none of them is in the journal", got.Resumed, len(got.Cells))
	}
	s.Journal = journal
	if again := mustRun(t, s); again.Resumed != len(want.Cells) || again.Fits != want.Fits {
		t.Errorf("%d of %d cells resumed, %d fits of %d", again.Resumed, len(want.Cells), again.Fits, want.Fits)
	}
}
