/**
 * Makes passwords cheap to hash, for tests: with the runtime's own cost, a hash takes 64 MiB and a tenth of a second of a
 * core, and a test run makes a thousand. `bun test` loads this file before the tests, and test servers before the program.
 * Tests about the cost start their servers with usualPasswordCost (server.ts).
 */
const { hash } = Bun.password;

/** As cheap as argon2id gets. A hash names its cost, so that verifying it is as cheap. */
const cheapest = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

if (process.env["TEST_PASSWORD_COST"] !== "usual") {
  Bun.password.hash = (password, algorithm) => hash(password, algorithm === "argon2id" ? cheapest : algorithm);
}
