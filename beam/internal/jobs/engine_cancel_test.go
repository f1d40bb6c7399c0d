package jobs

import (
	"context"
	"errors"
	"slices"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
)

// slowToCancel is a job service whose jobs end some questions after they were told to.
type slowToCancel struct {
	jobpb.JobServiceClient
	listed    []*jobpb.JobInfo
	cancelled []string
	asked     int // states that were asked for
	ends      int // the question that is answered with the end; 0: none is
}

func (s *slowToCancel) GetJobs(
	context.Context, *jobpb.GetJobsRequest, ...grpc.CallOption,
) (*jobpb.GetJobsResponse, error) {
	return &jobpb.GetJobsResponse{JobInfo: s.listed}, nil
}

func (s *slowToCancel) Cancel(
	_ context.Context, r *jobpb.CancelJobRequest, _ ...grpc.CallOption,
) (*jobpb.CancelJobResponse, error) {
	s.cancelled = append(s.cancelled, r.GetJobId())
	return &jobpb.CancelJobResponse{State: jobpb.JobState_CANCELLING}, nil
}

func (s *slowToCancel) GetState(
	ctx context.Context, _ *jobpb.GetJobStateRequest, _ ...grpc.CallOption,
) (*jobpb.JobStateEvent, error) {
	s.asked++
	if s.asked == s.ends {
		return &jobpb.JobStateEvent{State: jobpb.JobState_CANCELLED}, nil
	}
	return &jobpb.JobStateEvent{State: jobpb.JobState_CANCELLING}, ctx.Err()
}

// TestCancelWaitsForTheEnd: the jobs of the name that are not at rest are cancelled, no other, and
// the call comes back when the service says that they are; a service that never says so is an
// error, not a hang.
func TestCancelWaitsForTheEnd(t *testing.T) {
	listed := []*jobpb.JobInfo{
		{JobId: "a", JobName: "fit-1", State: jobpb.JobState_RUNNING},
		{JobId: "b", JobName: "fit-2", State: jobpb.JobState_RUNNING},
		{JobId: "c", JobName: "fit-1", State: jobpb.JobState_DONE},
	}
	s := &slowToCancel{listed: listed, ends: 3}
	if err := cancelJobs(context.Background(), s, "fit-1", 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.cancelled, []string{"a"}) || s.asked != 3 {
		t.Errorf("cancelled %v and asked %d times; want a, three times", s.cancelled, s.asked)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := cancelJobs(ctx, &slowToCancel{listed: listed}, "fit-1", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that never ends: %v", err)
	}
}
