//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/ebitengine/purego"
)

// bind fills the fields of a structure of functions with those of a library, by their tags.
func bind(functions any, library uintptr) error {
	v := reflect.ValueOf(functions).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("name")
		at, err := purego.Dlsym(library, name)
		if err != nil {
			return fmt.Errorf("%s is not in the library: %w", name, err)
		}
		purego.RegisterFunc(v.Field(i).Addr().Interface(), at)
	}
	return nil
}

// libraryFolders are where NVIDIA's libraries lie that the loader of the system does not know.
var libraryFolders = []string{"/usr/local/cuda/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/lib/*-linux-gnu",
	"/usr/local/nvidia/lib64"}

// load opens the first library there is of some names.
func load(names ...string) (uintptr, error) {
	var last error
	for _, name := range names {
		library, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return library, nil
		}
		last = err
		for _, pattern := range libraryFolders {
			found, _ := filepath.Glob(filepath.Join(pattern, name))
			for _, path := range found {
				if library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL); err == nil {
					return library, nil
				}
			}
		}
	}
	return 0, last
}
