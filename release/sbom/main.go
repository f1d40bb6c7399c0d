// Command sbom writes what a program was built from, as the program itself says (debug/buildinfo),
// in CycloneDX 1.5.
//
//	go run ./release/sbom PROGRAM VERSION
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
)

type component struct {
	Type    string     `json:"type"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	PURL    string     `json:"purl,omitempty"`
	Hashes  []hash     `json:"hashes,omitempty"`
	More    []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

func main() {
	info, err := buildinfo.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	sum, err := sumOf(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	program := component{Type: "application", Name: info.Main.Path, Version: os.Args[2], Hashes: []hash{{"SHA-256", sum}}}
	for _, s := range info.Settings {
		program.More = append(program.More, property{"go:" + s.Key, s.Value})
	}
	out := bill{"CycloneDX", "1.5", 1, metadata{program},
		[]component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" +
			strings.TrimPrefix(info.GoVersion, "go")}}}
	for _, m := range info.Deps {
		out.Components = append(out.Components, module(m))
	}
	w := json.NewEncoder(os.Stdout)
	w.SetIndent("", " ")
	if err := w.Encode(out); err != nil {
		log.Fatal(err)
	}
}

// module is a dependency; its hash is the one of go.sum, of the module's files and not of an
// archive.
func module(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
	if b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(b) > 0 {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(b)}}
	}
	return c
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
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
