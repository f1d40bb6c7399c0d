package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A script names packages and files by their paths from the root, or from its own folder. Each of
// them is there: a folder that was moved is otherwise found missing by the step that needs it.
func TestScriptsNameWhatThereIs(t *testing.T) {
	root := os.DirFS("../..")
	relative := regexp.MustCompile(`(?:^|[\s=:"'(])\./([\w][\w./-]*)`)
	scripts, named := 0, 0
	err := fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if at := entry.Name(); at == ".git" || at == "node" || strings.HasPrefix(at, ".venv") || at == "venv" || at == "out" {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(root, file)
		if err != nil || !strings.HasPrefix(string(text[:min(len(text), 40)]), "#!/usr/bin/env bash") {
			return nil
		}
		scripts++
		for at, line := range strings.Split(string(text), "\n") {
			for _, m := range relative.FindAllStringSubmatch(line, -1) {
				name := path.Clean(strings.TrimSuffix(m[1], "/..."))
				if madeByScripts[name] {
					continue
				}
				named++
				_, fromRoot := fs.Stat(root, name)
				_, fromHere := fs.Stat(root, filepath.ToSlash(path.Join(path.Dir(file), name)))
				if fromRoot != nil && fromHere != nil {
					t.Errorf("%s:%d names %s, which is not there", file, at+1, m[0])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if scripts < 20 || named < 20 {
		t.Errorf("%d scripts that name %d paths were found; the test no longer sees them", scripts, named)
	}
}

// madeByScripts is programs that a script unpacks or builds before it runs them.
var madeByScripts = map[string]bool{"mercer": true}
