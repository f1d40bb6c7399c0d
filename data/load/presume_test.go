package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is read again because its first lines misled has the hash of all of its bytes.
func TestHashOfAFileReadTwice(t *testing.T) {
	// Half of a column words, all of them after the first lines, and more text than is read ahead.
	var words strings.Builder
	words.WriteString("a,b\n")
	for i := range 400000 {
		if i < 5000 || i%2 == 0 {
			fmt.Fprintf(&words, "%d,7\n", i)
		} else {
			fmt.Fprintf(&words, "%d,w%d\n", i, i%3)
		}
	}
	file := filepath.Join(t.TempDir(), "words.csv")
	if err := os.WriteFile(file, []byte(words.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(words.String()))
	set, err := Read(t.Context(), file, Options{NoTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	if set.Hash != hex.EncodeToString(sum[:]) || len(set.Columns[1].Levels) != 4 {
		t.Errorf("hash %s, levels %v", set.Hash, set.Columns[1].Levels)
	}
}
