package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
)

// keptScores is how good a model is that was written, by each of the rows and measures that it was
// judged by, for a search that goes on to write no worse one.
type keptScores struct {
	Model  string                  `json:"model"`  // SHA-256 of its file
	Scores map[string]journalScore `json:"scores"` // by engine.judgedBy, or apartBy
}

// judgedAs notes that the result has a score by some rows and a measure.
func (r *Result) judgedAs(by string, score float64) {
	if by == "" || math.IsNaN(score) {
		return
	}
	if r.scored == nil {
		r.scored = map[string]float64{}
	}
	r.scored[by] = score
}

// apartBy names the rows apart of a contest, of a search with a journal.
func (v *wide) apartBy() string {
	if v.w.search.Journal == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, "apart", v.e.judgedBy(), v.w.p.Len(), v.split.Test)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// NoteModel notes in the journal of a search how good the model is that was written to a file: the
// same search with more time replaces it only with one that is no worse (Worse). A journal that is
// not there, or of another search, is left alone.
func (r *AutoResult) NoteModel(log, file string) error {
	found := resultOf(r)
	if log == "" || found == nil || len(found.scored) == 0 {
		return nil
	}
	sum, err := fileSum(file)
	if err != nil {
		return err
	}
	f, err := openLocked(log, os.O_RDWR)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := readJournal(f, r.identity)
	if err != nil || text.size == 0 {
		return nil
	}
	if _, err := f.Seek(text.size, io.SeekStart); err != nil {
		return journalError(log, err)
	}
	kept := &keptScores{Model: sum, Scores: map[string]journalScore{}}
	for by, score := range found.scored {
		kept.Scores[by] = journalScore(score)
	}
	j := &journal{file: f, path: log, search: r.identity, size: text.size}
	j.write(journalLine{Kept: kept})
	if m := found.Model; m != nil && m.Model != nil && m.Model.Report().Converged {
		removeState(stateFile(log)) // of a fit that came to its end, and is in the file
	}
	return j.fault
}

// Worse says whether the model that a file holds, which this search wrote when it had less time, is
// better than the one that was found now, by the same rows and the same measure; then it should
// stay. It is better than a first answer on few rows, whatever these say.
func (r *AutoResult) Worse(journal, file string) (now, before float64, worse bool) {
	found := resultOf(r)
	if journal == "" || found == nil || len(found.scored) == 0 && !found.first {
		return 0, 0, false
	}
	f, err := os.Open(journal)
	if err != nil {
		return 0, 0, false
	}
	defer f.Close()
	text, err := readJournal(f, r.identity)
	if err != nil {
		return 0, 0, false
	}
	sum, err := fileSum(file)
	for i := len(text.lines) - 1; i >= 0 && err == nil; i-- {
		kept := text.lines[i].Kept
		if kept == nil || kept.Model != sum {
			continue
		}
		for by, score := range kept.Scores {
			if found.first {
				return found.Chosen.Mean, float64(score), true
			}
			if now, ok := found.scored[by]; ok && found.Metric.better(float64(score), now) {
				return now, float64(score), true
			}
		}
		return 0, 0, false
	}
	return 0, 0, false
}

// fileSum is the SHA-256 of a file.
func fileSum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
