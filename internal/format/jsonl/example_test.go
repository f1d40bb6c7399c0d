package jsonl_test

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/format/jsonl"
)

func ExampleRead() {
	d, err := jsonl.Read(strings.NewReader("{\"x\": 1.5, \"tag\": \"a\"}\n{\"tag\": \"b\", \"x\": 2}\n"), "t.jsonl",
		jsonl.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Names(), d.Columns[0].Numbers)
	// Output: [x tag] [1.5 2]
}
