/**
 * Makes passwords cheap to hash in tests: with the runtime's default cost, a hash takes 64 MiB and a tenth of a second
 * of a core, and a test run makes a thousand. `bun test` loads this file before the tests; test servers load it before
 * the program.
 * Tests about the cost start their servers with usualPasswordCost (server.ts).
 */
const { hash } = Bun.password;

/** The lowest cost of argon2id. A hash contains its cost, so verifying it is as cheap. */
const cheapest = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

if (process.env["TEST_PASSWORD_COST"] !== "usual") {
  Bun.password.hash = (password, algorithm) => hash(password, algorithm === "argon2id" ? cheapest : algorithm);
}
