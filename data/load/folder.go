package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/tudataset"
)

// readFolder reads a folder of graphs in the format of TUDataset: a column of graphs, their
// attributes where they have some, and their class.
func readFolder(path string, o Options) (*data.Dataset, error) {
	set, err := tudataset.ReadWithin(os.DirFS(path), ".", o.Bytes)
	var fault *data.Error
	switch {
	case err == nil:
	case errors.As(err, &fault) && !errors.Is(err, fs.ErrNotExist): // of a line, or of memory
		e := *fault
		if e.File = path; fault.Line > 0 {
			e.File = filepath.Join(path, fault.File)
		}
		return nil, &e
	default:
		return nil, &data.Error{File: path, Kind: data.ErrFormat,
			Reason: "a folder that holds no graphs in the format of TUDataset", Err: err,
			Advice: "name a file in it, or a folder with NAME_A.txt and NAME_graph_indicator.txt"}
	}
	d, err := set.Dataset()
	if err != nil {
		return nil, err
	}
	d.Name = filepath.Clean(path)
	return d, nil
}
