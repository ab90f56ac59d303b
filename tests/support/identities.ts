import type { Db } from "../../src/database/database.ts";

/** Connects a user with an account at a provider that the instance does not use. */
export async function addIdentity(db: Db, userId: string, email: string): Promise<void> {
  const issuer = "https://id.example.com";
  await db
    .insertInto("identities")
    .values({ issuer, subject: crypto.randomUUID(), userId, email, createdAt: Date.now(), hasSecondFactor: 0 })
    .execute();
}
