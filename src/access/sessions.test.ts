import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { sha256 } from "../base/ids.ts";
import { dayMs, minuteMs } from "../base/time.ts";
import {
  accessTokenLifeMs,
  accessTokensMax,
  authenticateSession,
  findSession,
  forgetExpiredSessions,
  newAccessToken,
  openSession,
  sessionLifeMs,
  sessionsMax,
} from "./sessions.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

for (const engine of engines) {
  describe(engine, () => {
    let world: AccessWorld;

    beforeAll(async () => {
      world = await openAccessWorld(engine);
    });
    afterAll(() => world.close());

    const rowOf = (cookie: string) =>
      world.db.selectFrom("sessions").selectAll().where("hash", "=", sha256(cookie)).executeTakeFirst();
    async function newSession(userId: string) {
      const cookie = await openSession(world, { userId, userAgent: firefox, language: "en", method: "password" });
      const session = await findSession(world, cookie);
      return { cookie, id: session?.id ?? "" };
    }

    test("a session is named after browser and system", async () => {
      const userId = await world.newUser();

      const labels = [];
      for (const agent of [firefox, "curl/8.5.0", ""]) {
        labels.push(
          (await rowOf(await openSession(world, { userId, userAgent: agent, language: "en", method: "password" })))
            ?.label,
        );
      }

      expect(labels).toEqual(["Firefox on Linux", expect.any(String), "Unknown browser"]);
    });

    test("a sign-in that began before one-time codes were turned on opens no session without one", async () => {
      const userId = await world.newUser();
      await world.db
        .insertInto("oneTimeCodes")
        .values({ userId, sealedSecret: "", lastStep: 0, confirmedAt: world.now() })
        .execute();
      const open = (method: "password" | "code" | "link") =>
        refusal(openSession(world, { userId, userAgent: firefox, language: "en", method }));

      expect([await open("password"), await open("link"), await open("code")]).toEqual([
        "unauthorized",
        "unauthorized",
        "none",
      ]);
    });

    test("an access token expires after minutes, while its session continues", async () => {
      const { userId } = await world.newOwner();
      const { cookie, id } = await newSession(userId);
      const { token, expiresAt } = await newAccessToken(world, id);

      world.advance(accessTokenLifeMs - 1);
      const last = await authenticateSession(world, token, undefined);
      world.advance(1);
      const late = await authenticateSession(world, token, undefined);

      expect(expiresAt).toBe(world.now());
      expect([last?.sessionId, late]).toEqual([id, undefined]);
      expect((await findSession(world, cookie))?.id).toBe(id);
    });

    test("a used session continues; an unused one ends with its tokens", async () => {
      const { userId } = await world.newOwner();
      const { cookie, id } = await newSession(userId);

      world.advance(sessionLifeMs - 1);
      const used = await findSession(world, cookie);
      world.advance(sessionLifeMs - 1);
      const { token } = await newAccessToken(world, id);
      world.advance(1);

      expect(used?.id).toBe(id);
      expect(await authenticateSession(world, token, undefined)).toBeUndefined();
      expect(await findSession(world, cookie)).toBeUndefined();
    });

    test("the last use of a session is stored at most once a minute", async () => {
      const userId = await world.newUser();
      const { cookie } = await newSession(userId);
      const start = world.now();

      const seen = [];
      for (let step = 0; step < 2; step++) {
        world.advance(minuteMs / 2);
        await findSession(world, cookie);
        seen.push((await rowOf(cookie))?.lastSeenAt);
      }

      expect(seen).toEqual([start, start + minuteMs]);
    });

    test("beyond the bounds, the oldest sessions and tokens are deleted", async () => {
      const { userId } = await world.newOwner();
      const cookies = [];
      for (let count = 0; count <= sessionsMax; count++) {
        world.advance(1);
        cookies.push(await openSession(world, { userId, userAgent: firefox, language: "en", method: "password" }));
      }
      const id = (await findSession(world, cookies.at(-1) ?? ""))?.id ?? "";
      const tokens = [];
      for (let count = 0; count <= accessTokensMax; count++) {
        world.advance(1);
        tokens.push((await newAccessToken(world, id)).token);
      }

      const open = await Promise.all(cookies.map((cookie) => findSession(world, cookie)));
      const working = await Promise.all(tokens.map((token) => authenticateSession(world, token, undefined)));

      expect(open.map((session) => session !== undefined)).toEqual([false, ...Array(sessionsMax).fill(true)]);
      expect(working.map((actor) => actor !== undefined)).toEqual([false, ...Array(accessTokensMax).fill(true)]);
    });

    test("expired sessions and tokens are deleted, and others stay", async () => {
      const { userId } = await world.newOwner();
      await newAccessToken(world, (await newSession(userId)).id);
      world.advance(sessionLifeMs);
      const { cookie, id } = await newSession(userId);
      const { token } = await newAccessToken(world, id);

      expect(await forgetExpiredSessions(world)).toBeGreaterThan(0);
      expect(await forgetExpiredSessions(world)).toBe(0);
      const { count } = await world.db
        .selectFrom("accessTokens")
        .select((select) => select.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(1);
      expect((await findSession(world, cookie))?.id).toBe(id);
      expect((await authenticateSession(world, token, undefined))?.userId).toBe(userId);
    });

    test("the first workspace is the one the user has belonged to for longest", async () => {
      const host = await world.newOwner();
      world.advance(dayMs);
      const { userId, workspaceId } = await world.newOwner();
      world.advance(dayMs);
      await world.db
        .insertInto("members")
        .values({ workspaceId: host.workspaceId, userId, role: "viewer", createdAt: world.now() })
        .execute();
      const { token } = await newAccessToken(world, (await newSession(userId)).id);

      expect(await authenticateSession(world, token, undefined)).toMatchObject({ workspaceId, role: "owner" });
      expect(await authenticateSession(world, token, host.workspaceId)).toMatchObject({ role: "viewer" });
    });
  });
}
