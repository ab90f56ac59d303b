import { expect, test } from "bun:test";
import { TimeHistogram } from "./time-histogram.ts";

test("counts a duration in the bucket of its bound and in all larger ones", () => {
  const histogram = new TimeHistogram("wait_seconds", "Time waited", [0.01, 0.1, 1]);

  for (const seconds of [0.25, 0.01, 0.005, 5]) histogram.observe(seconds);

  expect(histogram.text()).toBe(
    [
      "# HELP wait_seconds Time waited",
      "# TYPE wait_seconds histogram",
      'wait_seconds_bucket{le="0.01"} 2',
      'wait_seconds_bucket{le="0.1"} 2',
      'wait_seconds_bucket{le="1"} 3',
      'wait_seconds_bucket{le="+Inf"} 4',
      "wait_seconds_sum 5.265",
      "wait_seconds_count 4",
      "",
    ].join("\n"),
  );
});
