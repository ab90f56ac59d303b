/**
 * Makes passwords cheap to hash in tests: with the runtime's default cost, a hash takes 64 MiB and a tenth of a second
 * of a core, and a test run makes a thousand. A password for an unknown account is compared with a cheap hash too.
 * `bun test` loads this file before the tests; test servers load it before the program.
 * Tests about the cost start their servers with usualPasswordCost (server.ts).
 */
import { dummyHash } from "../../src/access/dummy-hash.ts";

const { hash, verify } = Bun.password;

/** The lowest cost of argon2id. A hash contains its cost, so verifying it is as cheap. */
const cheapest = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

if (process.env["TEST_PASSWORD_COST"] !== "usual") {
  const cheapDummyHash = hash(crypto.randomUUID(), cheapest);
  Bun.password.hash = (password, algorithm) => hash(password, algorithm === "argon2id" ? cheapest : algorithm);
  Bun.password.verify = async (password, known, algorithm) =>
    await verify(password, known === dummyHash ? await cheapDummyHash : known, algorithm);
}
