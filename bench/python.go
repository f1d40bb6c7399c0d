package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// pythonPackage measures the Python package beside scikit-learn and scikit-learn-intelex: all sides
// are called from Python, so that the table is peers/python.py's. The wheel of the working tree is
// installed first. It says whether every bar holds.
func pythonPackage(w io.Writer, only string, repeats int, asJSON bool) bool {
	python := ".venv-python/bin/python"
	if _, err := os.Stat(python); err != nil {
		fmt.Fprintln(w, "no Python environment; run bench/setup")
		return false
	}
	run := func(name string, args ...string) error {
		c := exec.Command(name, args...)
		c.Stdout, c.Stderr = w, os.Stderr
		return c.Run()
	}
	build := exec.Command("../python/build", "here")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(w, "python/build:", err)
		return false
	}
	wheels, err := filepath.Glob("../python/dist/mercer-*linux*_x86_64*.whl")
	if machine, _ := filepath.Glob("../python/dist/mercer-*.whl"); len(wheels) == 0 {
		wheels = machine
	}
	if err != nil || len(wheels) == 0 {
		fmt.Fprintln(w, "python/build left no wheel")
		return false
	}
	install := []string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps",
		wheels[0]}
	if err := run(python, install...); err != nil {
		fmt.Fprintln(w, "pip:", err)
		return false
	}
	args := []string{"peers/python.py", "--only", only, "--repeats", strconv.Itoa(repeats)}
	if asJSON {
		args = append(args, "--json")
	}
	return run(python, args...) == nil
}
