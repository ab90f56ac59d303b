import { expect, test } from "bun:test";
import { failedFiles } from "./failed-files.ts";

test("a file fails if it has a failure at any depth, or if the report lacks it", () => {
  const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" assertions="3" failures="2" skipped="0" time="0.1">
  <testsuite name="tests/good.test.ts" file="tests/good.test.ts" tests="1" assertions="1" failures="0" skipped="0">
    <testcase name="one" classname="" file="tests/good.test.ts" line="2" assertions="1" />
  </testsuite>
  <testsuite name="tests/bad.test.ts" file="tests/bad.test.ts" tests="2" assertions="1" failures="1" skipped="0">
    <testsuite name="group" file="tests/bad.test.ts" line="2" tests="2" assertions="1" failures="1" skipped="0">
      <testcase name="(unnamed)" classname="group" file="tests/bad.test.ts"><failure type="Error" /></testcase>
    </testsuite>
  </testsuite>
</testsuites>`;
  const files = ["./tests/good.test.ts", "./tests/bad.test.ts", "./tests/not-loaded.test.ts"];

  expect(failedFiles(report, files)).toEqual(["./tests/bad.test.ts", "./tests/not-loaded.test.ts"]);
});
