package serve

import (
	"context"
	"net/http"

	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// service is the name of the protocol's service.
const service = "/inference.GRPCInferenceService/"

// routesGRPC puts the protocol's procedures at their paths. They are plain HTTP/2 requests to a
// ServeMux. Numbers of fields are those of the protocol's messages.
func (s *Server) routesGRPC() {
	s.procedure("ServerLive", func(_ context.Context, b []byte) ([]byte, error) {
		return oip.AppendTrue(nil, 1, true), malformed(oip.Empty(b))
	})
	s.procedure("ServerReady", func(_ context.Context, b []byte) ([]byte, error) {
		return oip.AppendTrue(nil, 1, s.isReady()), malformed(oip.Empty(b))
	})
	s.procedure("ModelReady", aboutModel(func(_ context.Context, m oip.Model) ([]byte, error) {
		_, err := s.find(m.Name, m.Version)
		if err != nil && refusalOf(err).status == http.StatusServiceUnavailable {
			return nil, nil
		}
		return oip.AppendTrue(nil, 1, err == nil), err
	}))
	s.procedure("ServerMetadata", func(_ context.Context, b []byte) ([]byte, error) {
		out := oip.AppendText(nil, 1, "mercer")
		out = oip.AppendText(out, 2, s.options.Version)
		return oip.AppendTexts(out, 3, s.extensions()), malformed(oip.Empty(b))
	})
	s.procedure("ModelMetadata", aboutModel(s.metadataGRPC))
	s.procedure("ModelInfer", s.inferGRPC)
	s.procedure("RepositoryModelLoad", aboutModel(func(ctx context.Context, m oip.Model) ([]byte, error) {
		err := s.loadModel(ctx, m.Name)
		return oip.AppendTrue(oip.AppendText(nil, 1, m.Name), 2, err == nil), err
	}))
	s.procedure("RepositoryModelUnload", aboutModel(func(_ context.Context, m oip.Model) ([]byte, error) {
		err := s.unloadModel(m.Name)
		return oip.AppendTrue(oip.AppendText(nil, 1, m.Name), 2, err == nil), err
	}))
}

// aboutModel is a procedure whose request names a model.
func aboutModel(answer func(context.Context, oip.Model) ([]byte, error)) procedure {
	return func(ctx context.Context, b []byte) ([]byte, error) {
		var m oip.Model
		if err := m.Read(b); err != nil {
			return nil, malformed(err)
		}
		return answer(ctx, m)
	}
}

// metadataGRPC describes a model.
func (s *Server) metadataGRPC(_ context.Context, m oip.Model) ([]byte, error) {
	v, err := s.find(m.Name, m.Version)
	if err != nil {
		return nil, err
	}
	out := oip.AppendText(nil, 1, v.name)
	out = oip.AppendTexts(out, 2, s.versions(v.name))
	out = oip.AppendText(out, 3, v.platform())
	for i := range v.schema.inputs {
		out = oip.AppendMessage(out, 4, v.schema.inputs[i].appendHead(nil))
	}
	for i := range v.schema.outputs {
		out = oip.AppendMessage(out, 5, v.schema.outputs[i].appendHead(nil))
	}
	return out, nil
}

// inferGRPC answers tensors with tensors, in the form in which they came.
func (s *Server) inferGRPC(ctx context.Context, b []byte) ([]byte, error) {
	read, err := s.take(oip.Weigh(b)) // before it is
	if err != nil {
		return nil, err
	}
	defer read()
	var r oip.Infer
	if err := r.Read(b); err != nil {
		return nil, malformed(err)
	}
	v, err := s.find(r.Name, r.Version)
	if err != nil {
		return nil, err
	}
	request, err := fromGRPC(&r)
	if err != nil {
		return nil, err
	}
	give, err := s.take(v.memoryFor(request))
	if err != nil {
		return nil, err
	}
	defer give()
	outputs, rows, err := v.infer(ctx, request)
	if err != nil {
		return nil, err
	}
	if w, ok := ctx.Value(recordKey{}).(*recorded); ok {
		w.predicted(v.name, rows)
	}
	return toGRPC(v, request, outputs, len(r.Raw) > 0), nil
}

// malformed is the refusal of a message that cannot be read; nil where it can.
func malformed(err error) error {
	if err == nil {
		return nil
	}
	return refused("the message cannot be read: %v", err)
}
