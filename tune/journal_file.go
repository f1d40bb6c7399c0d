package tune

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/files"
)

// journal is a file of JSON lines to which every judged group of cells is
// appended and synced, so that an interrupted search continues where it
// stopped. The first line names the search by a hash of all that its scores depend on.
//
// A line is written whole or, when a crash cuts it off, dropped whole. What it
// holds is a unit of work: solutions on the path of a support vector machine
// start from the ones before, so a resumed search repeats a path from its beginning
// and gets the bits that it would have got without the interruption.
//
// The file is locked while a search has it open: two that write to one would each lose the other's
// lines.
type journal struct {
	file    journalFile
	path    string
	search  string // which every checksum is of, too
	size    int64  // of whole lines
	damaged int    // lines that were left out
	fault   error  // why nothing more is written
}

// journalFile is what a journal needs of its file.
type journalFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// What is wrong with the file of a journal.
var (
	// ErrOtherSearch is the error of a journal that cannot be gone on with: it is of other work.
	ErrOtherSearch = errors.New("it belongs to another search (other data, folds, metric or candidates), or to another " +
		"version; give another file or remove it")
	// ErrNotJournal is the error of a file that no search wrote. It is left as it is.
	ErrNotJournal = errors.New("a file of that name is there and is no journal of a search; give another name, or " +
		"move it away")
	// ErrJournalInUse is the error of a journal that another search is writing to.
	ErrJournalInUse = errors.New("another search is writing to it; wait until that ends, or give another file")
)

// openJournal opens or creates the journal of a search and returns what is in
// it. A last line that was cut off by a crash is dropped, a damaged one left out.
func openJournal(path, search, metric string, plan *searchPlan) (*journal, []journalLine, error) {
	if path == "" {
		return nil, nil, nil
	}
	f, err := openLocked(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, nil, err
	}
	text, err := readJournal(f, search)
	if err == nil {
		if err = f.Truncate(text.size); err == nil {
			_, err = f.Seek(text.size, io.SeekStart)
		}
	}
	if err != nil {
		f.Close()
		return nil, nil, journalError(path, err)
	}
	j := &journal{file: f, path: path, search: search, size: text.size, damaged: text.damaged}
	if text.size == 0 {
		j.write(journalHead{journalVersion, search, metric, plan})
	}
	return j, text.lines, nil
}

// openLocked opens a journal that nobody else has.
func openLocked(path string, flag int) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, flag, 0o666)
		if err != nil {
			return nil, fault.Errorf("tune", "journal: %w", err)
		}
		info, err := f.Stat()
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			err = ErrNotJournal
		case errors.Is(files.Lock(f), files.ErrLocked):
			err = ErrJournalInUse
		case files.Still(f):
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, journalError(path, err)
		}
		// It was removed between its opening and its lock: there is another, or none.
	}
}

func journalError(path string, err error) error {
	return fault.Errorf("tune", "journal %s: %w", path, err)
}

// CheckJournal says, for a program that has long work to do before a search, whether that could
// keep its journal in a file: it is not there, empty, or a journal that nobody writes to. Of which
// search it is shows later.
func CheckJournal(path string) error {
	f, err := openLocked(path, os.O_RDONLY)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer f.Close()
	head := make([]byte, len(journalMark))
	if n, _ := io.ReadFull(f, head); n > 0 && !bytes.Equal(head[:n], []byte(journalMark)) {
		return journalError(path, ErrNotJournal)
	}
	return nil
}

// RemoveJournal removes a journal that nobody writes to, and nothing else.
func RemoveJournal(path string) error {
	if err := CheckJournal(path); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return journalError(path, err)
	}
	removeState(stateFile(path))
	return nil
}

// write appends a line and waits until it is on disk; or else takes back what is there of it, and
// writes no more.
func (j *journal) write(line any) {
	text, err := seal(line, j.search)
	if err == nil {
		_, err = j.file.Write(text)
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.fault = err
		j.file.Truncate(j.size)
		return
	}
	j.size += int64(len(text))
}

// faults is what went wrong with the journal, in words.
func (j *journal) faults() (out []string) {
	if j == nil {
		return nil
	}
	switch {
	case j.damaged == 1:
		out = append(out, fmt.Sprintf("1 damaged line of the journal %s was left out, and its settings judged again", j.path))
	case j.damaged > 1:
		out = append(out, fmt.Sprintf("%d damaged lines of the journal %s were left out, and their settings judged again",
			j.damaged, j.path))
	}
	if j.fault != nil {
		why := j.fault
		if path := (*fs.PathError)(nil); errors.As(why, &path) {
			why = path.Err
		}
		out = append(out,
			fmt.Sprintf("the journal %s could not be written (%v): the search went on without it, and could not have "+
				"been resumed", j.path, why))
	}
	return out
}

func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}
