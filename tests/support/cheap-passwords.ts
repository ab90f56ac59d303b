/**
 * Makes passwords cheap to hash in tests: with the runtime's default cost, a hash takes 64 MiB and a tenth of a second
 * of a core, and a test run makes a thousand. A password for an unknown account is compared with a cheap hash too.
 * `bun test` loads this file before the tests; test servers load it before the program.
 * Tests about the cost start their servers with usualPasswordCost (server.ts), and tests of the load from hashing with
 * lowerPasswordCost.
 */
import { dummyHash } from "../../src/access/dummy-hash.ts";

const { hash, verify } = Bun.password;

/**
 * The costs of argon2id: the lowest, and a fifth of the usual one, which keeps a queue of hashes busy. A hash contains
 * its cost, so verifying it costs the same.
 */
const cheapest = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
const lower = { algorithm: "argon2id", memoryCost: 16_384, timeCost: 2 } as const;

const cost = process.env["TEST_PASSWORD_COST"];
if (cost !== "usual") {
  const chosen = cost === "lower" ? lower : cheapest;
  const cheapDummyHash = hash(crypto.randomUUID(), chosen);
  Bun.password.hash = (password, algorithm) => hash(password, algorithm === "argon2id" ? chosen : algorithm);
  Bun.password.verify = async (password, known, algorithm) =>
    await verify(password, known === dummyHash ? await cheapDummyHash : known, algorithm);
}
