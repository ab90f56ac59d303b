import { expect, test } from "bun:test";
import { warningCodes } from "./warnings.ts";

test.each([
  [undefined, []],
  ['key_reused;message="The key was used."', ["key_reused"]],
  [
    'text_cut;message="title, cut; \\"more;message=\\\\", domain_not_verified;message="a.b"',
    ["text_cut", "domain_not_verified"],
  ],
])("warningCodes(%j) lists each warning's code, whatever the messages contain", (header, codes) => {
  const headers = new Headers(header === undefined ? {} : { "Waypost-Warning": header });

  expect(warningCodes({ headers })).toEqual(codes);
});
