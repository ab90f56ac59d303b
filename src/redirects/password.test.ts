import { beforeAll, expect, test } from "bun:test";
import { checkingMax, checkingWaitingMax, openGate } from "./password.ts";

const address = "203.0.113.7";
let link: { id: string; passwordHash: string };

beforeAll(async () => {
  // As cheap as argon2id gets; which parameters a hash has does not matter here.
  const options = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
  link = { id: "link_1", passwordHash: await Bun.password.hash("sesame", options) };
});

test("visitors who know the password are let in however many come from one address", async () => {
  const gate = openGate();
  for (let visit = 0; visit < 30; visit++) {
    expect(await gate(link, "sesame", address, 1_000)).toEqual({ isUnlocked: true });
  }
});

test("after ten wrong passwords a minute passes before another is looked at", async () => {
  const gate = openGate();
  for (let attempt = 0; attempt < 10; attempt++) {
    expect(await gate(link, String(attempt), address, 1_000)).toEqual({ isUnlocked: false, note: "wrong" });
    if (attempt < 9) expect(await gate(link, "sesame", address, 1_000)).toEqual({ isUnlocked: true });
  }

  expect(await gate(link, "sesame", address, 60_999)).toEqual({ isUnlocked: false, note: "tooMany" });
  expect(await gate(link, "sesame", address, 61_000)).toEqual({ isUnlocked: true });
});

test("addresses of one network of IPv6, all of which one client may have, share their attempts", async () => {
  const gate = openGate();
  for (let attempt = 0; attempt < 10; attempt++) await gate(link, "guess", `2001:db8:1:2::${attempt}`, 1_000);

  expect(await gate(link, "sesame", "2001:db8:1:2:3:4:5:6", 1_000)).toEqual({ isUnlocked: false, note: "tooMany" });
  expect(await gate(link, "sesame", "2001:db8:1:3::1", 1_000)).toEqual({ isUnlocked: true });
});

test("guesses sent at the same moment are no more than ten either", async () => {
  const gate = openGate();

  const flood = Array.from({ length: 20 }, (_, guess) => gate(link, String(guess), address, 1_000));

  expect((await Promise.all(flood)).filter(({ note }) => note === "wrong")).toHaveLength(10);
});

test("visitors who come at the same moment wait for each other, and only a flood is refused", async () => {
  const gate = openGate();
  const places = checkingMax + checkingWaitingMax;

  const flood = Array.from({ length: places + 5 }, (_, visitor) => gate(link, "sesame", `10.0.0.${visitor}`, 1_000));

  const opened = (await Promise.all(flood)).map(({ isUnlocked }) => isUnlocked);
  expect(opened).toEqual([...Array(places).fill(true), ...Array(5).fill(false)]);
});
