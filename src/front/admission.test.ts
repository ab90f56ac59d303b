import { describe, expect, test } from "bun:test";
import { Admission, type AdmissionOptions, connectionsMax } from "./admission.ts";

const fileDescriptorsMax = 2_000;
/** Less what is left to others. */
const most = 1_744;
const share = most / 16;

function open(options: Partial<AdmissionOptions> = {}): Admission {
  return new Admission({ fileDescriptorsMax, isTrusted: () => false, idleSeconds: 30, ...options });
}

/** Lets so many in, each from a network of its own unless one is named; tells how many came in. */
function enter(admission: Admission, count: number, address?: string): number {
  let entered = 0;
  for (let number = 0; number < count; number++) {
    if (admission.enter(address ?? `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`)) entered++;
  }
  return entered;
}

describe("connections of many", () => {
  test("are taken up to a bound that leaves descriptors to files and databases", () => {
    const admission = open();

    expect(enter(admission, 3_000)).toBe(most);

    expect({ taken: admission.taken, refused: admission.refused }).toEqual({ taken: most, refused: 3_000 - most });
  });

  /** TABLE of the system's limits and how many connections are taken with them. */
  const limits: [number, number][] = [
    [100, 75],
    [1_024, 768],
    [20_000, 19_744],
    [1_048_576, connectionsMax],
    [Number.MAX_SAFE_INTEGER, connectionsMax],
  ];
  for (const [limit, expected] of limits) {
    test(`are ${expected} at most where ${limit} descriptors are allowed`, () => {
      expect(enter(open({ fileDescriptorsMax: limit }), connectionsMax + 1)).toBe(expected);
    });
  }

  test("have room again when some have left", () => {
    const admission = open();
    enter(admission, most);
    for (let number = 0; number < 10; number++) admission.leave(`10.0.0.${number}`);

    expect(enter(admission, 20)).toBe(10);
  });
});

describe("connections of one network", () => {
  /** TABLE of addresses that belong together. */
  const networks: [string, (number: number) => string][] = [
    ["an address", () => "192.0.2.1"],
    ["an address in either form", (number) => (number % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1")],
    ["a network of IPv6", (number) => `2001:db8:1:2:${number.toString(16)}::1`],
  ];
  for (const [what, addressAt] of networks) {
    test(`of ${what} are no more than its share once it is crowded`, () => {
      const admission = open();
      let entered = 0;

      enter(admission, Math.ceil(most * 0.75));
      for (let number = 0; number < most; number++) if (admission.enter(addressAt(number))) entered++;

      expect(entered).toBe(share);
      expect(admission.enter("198.51.100.1")).toBe(true);
    });
  }

  test("may be three quarters of all while nobody else needs them", () => {
    expect(enter(open(), most, "192.0.2.1")).toBe(most * 0.75);
  });

  test("may be all of them when it is a trusted proxy's", () => {
    expect(enter(open({ isTrusted: (address) => address === "192.0.2.1" }), 3_000, "192.0.2.1")).toBe(most);
  });
});

test("a connection handed on takes three descriptors, and gives them back", () => {
  const admission = open();

  admission.enter("192.0.2.1");
  admission.enterTunnel("192.0.2.1");
  const taken = admission.taken;
  admission.leaveTunnel("192.0.2.1");
  admission.leave("192.0.2.1");

  expect([taken, admission.taken]).toEqual([3, 0]);
});

test("silent connections are kept for a shorter time while it is crowded", () => {
  const admission = open();
  const quiet = admission.idleSeconds;

  enter(admission, most);

  expect([quiet, admission.idleSeconds]).toEqual([30, 5]);
});
