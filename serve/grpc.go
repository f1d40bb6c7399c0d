package serve

import (
	"context"
	"math"
	"net/http"

	"connectrpc.com/connect"
	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// service is the name of the protocol's service.
const service = "/inference.GRPCInferenceService/"

// routesGRPC puts the protocol's procedures at their paths. They are plain HTTP/2 requests to a ServeMux.
func (s *Server) routesGRPC() {
	procedure(s, "ServerLive", func(context.Context, *oip.ServerLiveRequest) (*oip.ServerLiveResponse, error) {
		return &oip.ServerLiveResponse{Live: true}, nil
	})
	procedure(s, "ServerReady", func(context.Context, *oip.ServerReadyRequest) (*oip.ServerReadyResponse, error) {
		return &oip.ServerReadyResponse{Ready: s.isReady()}, nil
	})
	procedure(s, "ModelReady", func(_ context.Context, r *oip.ModelReadyRequest) (*oip.ModelReadyResponse, error) {
		_, err := s.find(r.Name, r.Version)
		if err != nil && refusalOf(err).status == http.StatusServiceUnavailable {
			return &oip.ModelReadyResponse{}, nil
		}
		return &oip.ModelReadyResponse{Ready: err == nil}, err
	})
	procedure(s, "ServerMetadata", func(context.Context, *oip.ServerMetadataRequest) (*oip.ServerMetadataResponse, error) {
		return &oip.ServerMetadataResponse{Name: "mercer", Version: s.options.Version, Extensions: s.extensions()}, nil
	})
	procedure(s, "ModelMetadata", func(_ context.Context, r *oip.ModelMetadataRequest) (*oip.ModelMetadataResponse, error) {
		v, err := s.find(r.Name, r.Version)
		if err != nil {
			return nil, err
		}
		describe := func(all []tensor) (out []*oip.ModelMetadataResponse_TensorMetadata) {
			for _, t := range all {
				out = append(out, &oip.ModelMetadataResponse_TensorMetadata{Name: t.name, Datatype: t.kind, Shape: t.shape})
			}
			return out
		}
		return &oip.ModelMetadataResponse{Name: v.name, Versions: s.versions(v.name), Platform: v.platform(), Inputs: describe(v.schema.inputs), Outputs: describe(v.schema.outputs)}, nil
	})
	procedure(s, "ModelInfer", s.inferGRPC)
	procedure(s, "RepositoryModelLoad", func(ctx context.Context, r *oip.RepositoryModelLoadRequest) (*oip.RepositoryModelLoadResponse, error) {
		err := s.loadModel(ctx, r.ModelName)
		return &oip.RepositoryModelLoadResponse{ModelName: r.ModelName, IsLoaded: err == nil}, err
	})
	procedure(s, "RepositoryModelUnload", func(_ context.Context, r *oip.RepositoryModelUnloadRequest) (*oip.RepositoryModelUnloadResponse, error) {
		err := s.unloadModel(r.ModelName)
		return &oip.RepositoryModelUnloadResponse{ModelName: r.ModelName, IsUnloaded: err == nil}, err
	})
}

// procedure is a handler of one of them. connect counts bytes as they are decompressed, so that a body is bounded by what it becomes.
func procedure[Q, A any](s *Server, name string, answer func(context.Context, *Q) (*A, error)) {
	h := connect.NewUnaryHandler(service+name, func(ctx context.Context, r *connect.Request[Q]) (*connect.Response[A], error) {
		a, err := answer(ctx, r.Msg)
		if err != nil {
			return nil, grpcError(ctx, err)
		}
		return connect.NewResponse(a), nil
	}, connect.WithReadMaxBytes(int(min(s.options.MaxBody, math.MaxInt32))), connect.WithCompressMinBytes(1<<10))
	kind := "grpc"
	if name == "ServerLive" || name == "ServerReady" || name == "ModelReady" {
		kind = "health"
	}
	s.handle(service+name, kind, http.MethodPost, func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), recordKey{}, w)))
		return nil
	})
}

// recordKey is where the context of a procedure has the response that remembers what was answered.
type recordKey struct{}

// grpcError is a refusal as gRPC says it; the response remembers the status that HTTP would have had.
func grpcError(ctx context.Context, err error) error {
	said := refusalOf(err)
	if w, ok := ctx.Value(recordKey{}).(*recorded); ok {
		w.status, w.begun = said.status, true
		w.fault = err
	}
	e := connect.NewError(connect.Code(grpcCode(said.status)), said)
	if said.retry > 0 {
		e.Meta().Set("Retry-After", "1")
	}
	return e
}

// inferGRPC answers tensors with tensors, in the form in which they came.
func (s *Server) inferGRPC(ctx context.Context, r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	v, err := s.find(r.ModelName, r.ModelVersion)
	if err != nil {
		return nil, err
	}
	request, err := fromGRPC(r)
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
	return toGRPC(v, request, outputs, r.RawInputContents != nil), nil
}
