package host

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Tokens reads bearer tokens from a file, one to a line; lines that begin with # are remarks. What
// it returns gives the tokens that the file has now: it is looked at no more often than once a
// second, and one that cannot be read leaves the old ones valid.
func Tokens(file string, log *slog.Logger) (func() []string, error) {
	t := &tokenFile{file: file, log: log, seen: stampOf(file)}
	if log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if t.now, err = readTokens(file); err != nil {
		return nil, err
	}
	return t.get, nil
}

type tokenFile struct {
	file   string
	log    *slog.Logger
	mu     sync.Mutex
	now    []string
	seen   stamp
	looked time.Time
}

func (t *tokenFile) get() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.looked) > time.Second {
		t.looked = now
		t.look()
	}
	return t.now
}

func (t *tokenFile) look() {
	seen := stampOf(t.file)
	if seen == t.seen {
		return
	}
	t.seen = seen
	tokens, err := readTokens(t.file)
	if err != nil {
		t.log.Error("changed tokens cannot be used; those before stay", "file", t.file, "error", err.Error())
		return
	}
	t.now = tokens
	t.log.Info("changed tokens are used", "file", t.file, "tokens", len(tokens))
}

// visible says whether a text can stand in a header: others would never be sent, or be read as
// something else.
func visible(token string) bool {
	for _, c := range []byte(token) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func readTokens(file string) ([]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("host: tokens: %w", err)
	}
	var out []string
	text := strings.TrimPrefix(string(b), "\ufeff") // editors of Windows put it there
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) < 16 || !visible(line) {
			return nil, fmt.Errorf("host: %s: a token has at least 16 characters, of those that a header can have: letters, "+
				"digits and signs of ASCII, no blanks", file)
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("host: %s: no token; a line is one", file)
	}
	return out, nil
}
