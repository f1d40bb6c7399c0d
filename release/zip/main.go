// Command zip packs the files named on standard input, one a line, with their times and no other
// attribute than what may be run.
//
//	find FOLDER -type f | sort | go run ./release/zip OUT.zip
package main

import (
	"archive/zip"
	"bufio"
	"io"
	"log"
	"os"
	"path/filepath"
)

func main() {
	out, err := os.Create(os.Args[1])
	check(err)
	z := zip.NewWriter(out)
	for names := bufio.NewScanner(os.Stdin); names.Scan(); {
		check(add(z, names.Text()))
	}
	check(z.Close())
	check(out.Close())
}

func add(z *zip.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate, Modified: info.ModTime().UTC()}
	h.SetMode(info.Mode())
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
