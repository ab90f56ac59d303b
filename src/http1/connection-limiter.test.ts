import { describe, expect, test } from "bun:test";
import { ConnectionLimiter, type ConnectionLimiterOptions, connectionsMax } from "./connection-limiter.ts";

const fileDescriptorsMax = 2_000;
/** The accepted connections: the limit without the reserved descriptors. */
const acceptedMax = 1_744;
const share = acceptedMax / 16;

function open(options: Partial<ConnectionLimiterOptions> = {}): ConnectionLimiter {
  return new ConnectionLimiter({ fileDescriptorsMax, isTrusted: () => false, idleSeconds: 30, ...options });
}

/** Opens `count` connections, each from another network unless one is given; returns the number of accepted ones. */
function tryAcquire(limiter: ConnectionLimiter, count: number, address?: string): number {
  let entered = 0;
  for (let number = 0; number < count; number++) {
    if (limiter.tryAcquire(address ?? `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`)) entered++;
  }
  return entered;
}

describe("connections of many networks", () => {
  test("are accepted up to a limit that leaves descriptors to files and databases", () => {
    const limiter = open();

    expect(tryAcquire(limiter, 3_000)).toBe(acceptedMax);

    expect({ taken: limiter.taken, refused: limiter.refused }).toEqual({
      taken: acceptedMax,
      refused: 3_000 - acceptedMax,
    });
  });

  /** TABLE of limits of the system, and the accepted connections. */
  const limits: [number, number][] = [
    [100, 75],
    [1_024, 768],
    [20_000, 19_744],
    [1_048_576, connectionsMax],
    [Number.MAX_SAFE_INTEGER, connectionsMax],
  ];
  for (const [limit, expected] of limits) {
    test(`are at most ${expected} with a limit of ${limit} descriptors`, () => {
      expect(tryAcquire(open({ fileDescriptorsMax: limit }), connectionsMax + 1)).toBe(expected);
    });
  }

  test("are accepted again when some have closed", () => {
    const limiter = open();
    tryAcquire(limiter, acceptedMax);
    for (let number = 0; number < 10; number++) limiter.release(`10.0.0.${number}`);

    expect(tryAcquire(limiter, 20)).toBe(10);
  });
});

describe("connections of one network", () => {
  /** TABLE of addresses of one network. */
  const networks: [string, (number: number) => string][] = [
    ["an address", () => "192.0.2.1"],
    ["an address in either form", (number) => (number % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1")],
    ["a network of IPv6", (number) => `2001:db8:1:2:${number.toString(16)}::1`],
  ];
  for (const [kind, addressAt] of networks) {
    test(`of ${kind} are limited to the network's share under load`, () => {
      const limiter = open();
      let entered = 0;

      tryAcquire(limiter, Math.ceil(acceptedMax * 0.75));
      for (let number = 0; number < acceptedMax; number++) if (limiter.tryAcquire(addressAt(number))) entered++;

      expect(entered).toBe(share);
      expect(limiter.tryAcquire("198.51.100.1")).toBe(true);
    });
  }

  test("may be three quarters of all while no other network needs them", () => {
    expect(tryAcquire(open(), acceptedMax, "192.0.2.1")).toBe(acceptedMax * 0.75);
  });

  test("of a trusted proxy may be all of them", () => {
    expect(tryAcquire(open({ isTrusted: (address) => address === "192.0.2.1" }), 3_000, "192.0.2.1")).toBe(acceptedMax);
  });
});

test("a forwarded connection takes three descriptors and releases them", () => {
  const limiter = open();

  limiter.tryAcquire("192.0.2.1");
  limiter.tryAcquireProxy("192.0.2.1");
  const taken = limiter.taken;
  limiter.releaseProxy("192.0.2.1");
  limiter.release("192.0.2.1");

  expect([taken, limiter.taken]).toEqual([3, 0]);
});

test("idle connections close sooner under load", () => {
  const limiter = open();
  const quiet = limiter.idleSeconds;

  tryAcquire(limiter, acceptedMax);

  expect([quiet, limiter.idleSeconds]).toEqual([30, 5]);
});
