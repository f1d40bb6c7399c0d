package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/spf13/pflag"
)

// TestPassesByDefault: with the flags as they are by default a file that the memory does not hold
// is read in passes; a flag that needs all rows at once stands in the way.
func TestPassesByDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("x,y\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"": true, "--nu=0.1": true, "--transform=log": false, "--order=x": false} {
		o := fitOptions{Data: file, Repair: newFit(&App{}).Flag("repair").DefValue}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		o.Task.flags(flags)
		if text != "" {
			if err := flags.Parse([]string{text}); err != nil {
				t.Fatal(err)
			}
		}
		if got := (&fitting{o: &o}).inPasses(data.ErrTooLarge); got != want {
			t.Errorf("%q: in passes %v", text, got)
		}
	}
}
