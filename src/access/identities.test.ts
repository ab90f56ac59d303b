import { afterAll, beforeAll, expect, test } from "bun:test";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { transact } from "../database/transact.ts";
import { forgetFormerFactors } from "./identities.ts";
import { insertUser } from "./users.ts";

const issuer = "https://login.example.com/";

let world: LinkWorld;

beforeAll(async () => {
  world = await openLinkWorld("sqlite");
});

afterAll(async () => {
  await world.close();
});

/** Starts the service with these options, as far as second factors are concerned. */
async function start(trusts: boolean, configured = issuer): Promise<void> {
  const config = { WAYPOST_OIDC_ISSUER: new URL(configured), WAYPOST_OIDC_TRUST_SECOND_FACTOR: trusts };
  await forgetFormerFactors({ db: world.deps.db, config });
}

async function signInWithSecondFactor(subject: string): Promise<void> {
  const { db, now } = world.deps;
  await transact(db, async (tx) => {
    const userId = await insertUser(tx, { email: null, name: "", passwordHash: null }, now());
    const identity = { issuer, subject, userId, createdAt: now(), email: null, hasSecondFactor: 1 };
    await tx.insertInto("identities").values(identity).execute();
  });
}

async function checked(subject: string): Promise<number | undefined> {
  const identity = world.deps.db.selectFrom("identities").select("hasSecondFactor").where("subject", "=", subject);
  return (await identity.executeTakeFirst())?.hasSecondFactor;
}

test("a start keeps second factors, until the provider is not trusted any more or not configured", async () => {
  await start(false);
  await signInWithSecondFactor("by-claim");
  await start(false);
  const kept = await checked("by-claim");
  await start(true);
  await signInWithSecondFactor("by-trust");
  await start(true);
  const trusted = await checked("by-trust");
  await start(false);
  const untrusted = [await checked("by-claim"), await checked("by-trust")];
  await signInWithSecondFactor("former");
  await start(false, "https://other.example.com/");

  expect({ kept, trusted, untrusted }).toEqual({ kept: 1, trusted: 1, untrusted: [0, 0] });
  expect(await checked("former")).toBe(0);
});
