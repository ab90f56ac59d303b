import { expect, test } from "bun:test";
import { WaypostError } from "../../../sdk/client.ts";
import { mistakeOf, toldBy } from "./problem.ts";

function refusal(message: string) {
  return new WaypostError(new Response(null, { status: 422 }), {
    error: { code: "unprocessable_entity", message, doc_url: "" },
  });
}

test("what is wrong with a field is a sentence of its own", () => {
  const error = refusal("url: must be a url; it can begin with http: or https:, and more");

  expect(mistakeOf(error, "url")).toBe("Must be a url; it can begin with http: or https:, and more.");
  expect(mistakeOf(error, "key")).toBeUndefined();
});

test("each of several fields has its mistake", () => {
  const error = refusal("testVariants.0.percentage: must be at least 10; rules.0.when.country: must be a code.");

  expect(mistakeOf(error, "testVariants.0.percentage")).toBe("Must be at least 10.");
  expect(mistakeOf(error, "rules.0.when.country")).toBe("Must be a code.");
});

test("a field can have any letters below its first name, and none", () => {
  expect(mistakeOf(refusal("geo.ÖÄ: must be a code."), "geo.ÖÄ")).toBe("Must be a code.");
  expect(mistakeOf(refusal("geo.: must be a code."), "geo.")).toBe("Must be a code.");
});

test("a message that names no field is shown whole", () => {
  expect(toldBy(refusal("No folder was found: look again."))).toEqual({
    message: "No folder was found: look again.",
    mistakes: [],
    requestId: null,
  });
});
