package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// follow turns the links of a page into those of the site, and says which lead nowhere.
func (s *site) follow(p *page) (faults []error) {
	visit := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var at *[]byte
		switch n := n.(type) {
		case *ast.Link:
			at = &n.Destination
		case *ast.Image:
			at = &n.Destination
		}
		if entering && at != nil {
			to, err := s.target(p, string(*at))
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", p.name, err))
			}
			*at = []byte(to)
		}
		return ast.WalkContinue, nil
	}
	if err := ast.Walk(p.tree, visit); err != nil {
		faults = append(faults, err)
	}
	return faults
}

// target is where a link of a page leads on the site.
func (s *site) target(p *page, link string) (string, error) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link, nil
	}
	name, anchor, _ := strings.Cut(link, "#")
	file := p.name
	if name != "" {
		file = path.Join(path.Dir(p.name), name)
	}
	if info, err := fs.Stat(s.root, file); err != nil {
		return "", fmt.Errorf("the link %s leads to %s, which is not there", link, file)
	} else if info.IsDir() {
		folder := file
		file = path.Join(folder, "README.md")
		if _, err := fs.Stat(s.root, file); err != nil {
			file = path.Join(folder, "doc.go") // what a package says of itself
		}
	}
	to, ok := s.pages[file]
	switch {
	case ok && anchor != "" && to.anchors[anchor] == 0:
		return "", fmt.Errorf("the link %s leads to a heading that %s does not have", link, file)
	case ok && anchor != "":
		return relative(p.name, file) + "#" + anchor, nil
	case !ok:
		if _, err := fs.Stat(s.root, file); err != nil {
			return "", fmt.Errorf("the link %s leads to a folder without a page", link)
		}
		s.files[file] = true
	}
	return relative(p.name, file), nil
}

// address is the file of the site for a file of the checkout.
func address(file string) string {
	switch {
	case path.Base(file) == "README.md":
		return path.Join(path.Dir(file), "index.html")
	case strings.HasSuffix(file, ".md"):
		return strings.TrimSuffix(file, ".md") + ".html"
	case picture(file):
		return file
	}
	return file + ".html"
}

func picture(file string) bool {
	switch path.Ext(file) {
	case ".png", ".svg", ".jpg":
		return true
	}
	return false
}

// relative is the link from one file of the checkout to another.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(from, "/"))
	return up + address(to)
}
