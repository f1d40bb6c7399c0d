# What test-flink and test-spark share: parts of an engine fetched from the package registries into $PARTS, processes started and stopped by their ids, the flights file in
# shards, and comparisons with mercer's own answers.
set -euo pipefail
BEAM=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PARTS=${MERCER_CLUSTER_PARTS:-${XDG_CACHE_HOME:-$HOME/.cache}/mercer-cluster}
SHARDS=${SHARDS:-40}
ROWS=${ROWS:-8000}
CENTRES=${CENTRES:-300}
WORK=$(mktemp -d)
PIDS=()

say() { printf '\n== %s (%ds)\n' "$*" "$SECONDS"; }

skip() {
  echo "SKIPPED: $*; nothing was tested on a real engine"
  exit 0
}

# Every process that was started, and the workers that it started, ends with the script.
stop_all() {
  local status=$? pid child
  trap - EXIT
  for pid in "${PIDS[@]}"; do
    for child in $(pgrep -P "$pid" || true); do kill -9 "$child" 2>/dev/null || true; done
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  if [ $status -ne 0 ]; then
    echo "FAILED; the ends of the logs:"
    tail -n 15 "$WORK"/*.log 2>/dev/null || true
  fi
  rm -rf "$WORK"
  exit $status
}
trap stop_all EXIT

OPENS=$(for p in lang lang.reflect net io nio text time util util.concurrent util.concurrent.atomic util.concurrent.locks; do printf -- '--add-opens=java.base/java.%s=ALL-UNNAMED ' "$p"; done)
OPENS="$OPENS --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/sun.security.action=ALL-UNNAMED --add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED"

# start NAME COMMAND...: a process with a log; its id is in $PID.
start() {
  local name=$1
  shift
  "$@" >"$WORK/$name.log" 2>&1 &
  PID=$!
  PIDS+=("$PID")
}

# listening PORT NAME: waits until somebody does.
listening() {
  for _ in $(seq 600); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return 0; fi
    sleep 0.5
  done
  echo "$2 does not listen on port $1"
  return 1
}

# classpath NAME GROUP:ARTIFACT:VERSION...: the jars of some artifacts and what they need, by Maven; in $PARTS/NAME.classpath.
classpath() {
  local name=$1 g a v
  shift
  [ -s "$PARTS/$name.classpath" ] && return
  mkdir -p "$PARTS/$name"
  {
    echo "<project><modelVersion>4.0.0</modelVersion><groupId>mercer</groupId><artifactId>$name</artifactId><version>1</version><packaging>pom</packaging><dependencies>"
    for c in "$@"; do
      IFS=: read -r g a v <<<"$c"
      echo "<dependency><groupId>$g</groupId><artifactId>$a</artifactId><version>$v</version></dependency>"
    done
    echo "</dependencies></project>"
  } >"$PARTS/$name/pom.xml"
  (cd "$PARTS/$name" && timeout 900 mvn -q -B dependency:build-classpath -Dmdep.outputFile="$PARTS/$name.classpath.new" && mv "$PARTS/$name.classpath.new" "$PARTS/$name.classpath")
}

build_and_split() {
  say "build"
  (cd "$BEAM/.." && go build -o "$WORK/mercer" ./cmd/mercer)
  (cd "$BEAM" && go build -ldflags="-s -w" -o "$WORK/mercer-beam" ./cmd/mercer-beam)
  say "$SHARDS shards of $ROWS flights"
  mkdir "$WORK/rows"
  gzip -dc "$BEAM/../../shared/data/flights_nyc.csv.gz" 2>/dev/null | awk -v shards="$SHARDS" -v rows="$ROWS" -v to="$WORK/rows" '
    NR == 1 { head = $0; next }
    { s = int((NR - 2) / rows); if (s >= shards) exit; f = sprintf("%s/part-%03d.csv", to, s); if (f != was) { if (was) close(was); print head > f; was = f } print > f }' || true
  [ "$(ls "$WORK/rows" | wc -l)" = "$SHARDS" ]
}

FIT=(--target air_time --ignore arr_delay --type dest=categorical --type carrier=categorical --missing mean --unseen zero --seed 3)

# reference: what mercer itself says, and what a loop without any engine fits.
reference() {
  say "a plain loop in one process"
  local TIMEFORMAT='%U %S'
  { time "$WORK/mercer-beam" fit "$WORK/rows/*.csv" --runner loop --threads 1 "${FIT[@]}" --centres "$CENTRES" --quiet --output "$WORK/loop.mercer" >"$WORK/loop.txt"; } 2>"$WORK/loop.time"
  LOOP_CPU=$(awk '{ printf "%.1f", $1 + $2 }' "$WORK/loop.time")
  echo "plain loop: $LOOP_CPU CPU seconds for a fit"
  mkdir "$WORK/expected"
  for f in "$WORK"/rows/*.csv; do "$WORK/mercer" predict "$WORK/loop.mercer" "$f" -q -o "$WORK/expected/$(basename "$f")"; done
}

same_predictions() {
  local n=0 f
  for f in "$WORK"/expected/*.csv; do
    cmp "$f" "$1/$(basename "$f")"
    n=$((n + 1))
  done
  [ "$(ls -A "$1" | wc -l)" = "$n" ] || { echo "other files were left in $1:"; ls -A "$1"; return 1; }
  echo "$n files of predictions are those of mercer predict, byte for byte, and nothing else is there"
}

# same_function MODEL: predictions of all shards within 1e-9 of those of the loop's model.
same_function() {
  local f
  for f in "$WORK"/rows/*.csv; do "$WORK/mercer" predict "$1" "$f" -q | paste -d, - "$WORK/expected/$(basename "$f")"; done |
    awk -F, '$1 != "prediction" { n++; d = $1 - $2; if (d < 0) d = -d; a = $2 < 0 ? -$2 : $2; if (a < 1) a = 1; if (d / a > worst) worst = d / a }
      END { printf "%d predictions of the model that the engine fitted: largest relative difference from the loop'\''s %.2g\n", n, worst; exit !(n > 0 && worst <= 1e-9) }'
}

# The logistic fit is of classes: which airport a flight left from. Few shards do: every step is a job.
LOGISTIC=(--target origin --ignore arr_delay --type dest=categorical --type carrier=categorical --missing mean --unseen zero --seed 3 --learner nystrom-logistic --centres 50 --lambda 1e-5 --folds 1 --kernel 'gaussian(lengthscale=8)')
LOGISTIC_SHARDS="$WORK/rows/part-00[0-3].csv"

# same_scores MODEL: decision values of a shard within 1e-9 of those of the model that a loop fits in the same way.
same_scores() {
  "$WORK/mercer-beam" fit "$LOGISTIC_SHARDS" --runner loop "${LOGISTIC[@]}" --quiet --output "$WORK/logistic-loop.mercer" >/dev/null
  paste -d, <("$WORK/mercer" predict "$1" "$WORK/rows/part-000.csv" -q --decision) <("$WORK/mercer" predict "$WORK/logistic-loop.mercer" "$WORK/rows/part-000.csv" -q --decision) |
    awk -F, 'NR > 1 { h = NF / 2; for (i = 2; i <= h; i++) { n++; d = $i - $(i + h); if (d < 0) d = -d; if (d > worst) worst = d } }
      END { printf "%d decision values of the logistic model that the engine fitted: largest difference from the loop'\''s %.2g\n", n, worst; exit !(n > 0 && worst <= 1e-9) }'
}

SEARCH=(--target kind --learner ridge --learner svm --grid C=1,10 --grid lambda=0.01,1 --grid lengthscale=2,8 --folds 3)

# search_file: some flights with a class of three as target, and what a loop without any engine finds.
search_file() {
  awk -F, 'NR == 1 { print "distance,dep_delay,hour,kind"; next } NR <= 400 && $13 != "" { print $8 "," $13 "," $3 "," ($17 < 90 ? "short" : $17 < 180 ? "medium" : "long") }' "$WORK/rows/part-000.csv" >"$WORK/search.csv"
  "$WORK/mercer-beam" search "$WORK/search.csv" --runner loop "${SEARCH[@]}" --quiet --output "$WORK/search-loop.mercer" | grep -v wrote >"$WORK/search-loop.txt"
}

# same_search MODEL TEXT: the table and the model file of the loop.
same_search() {
  grep -v wrote "$2" | cmp - "$WORK/search-loop.txt"
  cmp "$1" "$WORK/search-loop.mercer"
  echo "the search has the cells, the scores and, byte for byte, the model of a loop"
}
