package tune

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// MergeJournals makes one journal of those that parts of a search kept, whole lines only. Journals
// of different searches are refused with ErrOtherSearch; to must not be there, or be empty.
func MergeJournals(to string, parts ...string) error {
	f, err := openLocked(to, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > 0 {
		return journalError(to, errors.Join(err, os.ErrExist))
	}
	var head []byte
	out := bufio.NewWriterSize(f, 1<<16)
	for _, part := range parts {
		if head, err = appendJournal(out, part, head); err != nil {
			return journalError(part, err)
		}
	}
	if err := errors.Join(out.Flush(), f.Sync()); err != nil {
		return journalError(to, err)
	}
	return nil
}

// appendJournal copies the lines of a journal; its first one only where there was none before.
func appendJournal(w io.Writer, path string, head []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return head, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	first, _, err := readLine(r)
	var h journalHead
	switch {
	case err != nil || !bytes.HasPrefix(first, []byte(journalMark)):
		return head, ErrNotJournal
	case json.Unmarshal(first, &h) != nil || !sealed(first, h.Search):
		return head, ErrNotJournal
	case head == nil:
		if _, err := w.Write(first); err != nil {
			return head, err
		}
	case !bytes.Equal(head, first):
		return head, ErrOtherSearch
	}
	for {
		line, _, err := readLine(r)
		if err == io.EOF { // what follows was cut off
			return first, nil
		}
		if err != nil {
			return first, err
		}
		if sealed(line, h.Search) {
			if _, err := w.Write(line); err != nil {
				return first, err
			}
		}
	}
}
