import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ClickedWorld, openClickedWorld } from "../../tests/support/clicked-links.ts";
import { randomClicks, seededRandom } from "../../tests/support/clicks.ts";
import { engines } from "../../tests/support/databases.ts";
import { type MailServer, startMailServer } from "../../tests/support/mail-server.ts";
import type { Actor } from "../access/actor.ts";
import { removeMember } from "../access/members.ts";
import { createShare } from "../analytics/shares.ts";
import { readTimeZone } from "../analytics/time-zone.ts";
import { openLog } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { dayMs, hourMs, minuteMs } from "../base/time.ts";
import { failingGraceMs } from "../domains/domain.ts";
import { openMailer } from "../mail/mailer.ts";
import { createNotification, firstSentPeriod, listNotifications } from "./notifications.ts";
import { rescheduleNotifications } from "./reschedule-notifications.ts";
import { type SendDeps, sendDueNotifications } from "./send-due-notifications.ts";
import { unsubscribe } from "./unsubscribe.ts";
import { updateNotification } from "./update-notification.ts";

type NewNotification = Parameters<typeof createNotification>[2];

describe.each([...engines])("notifications on %s", (engine) => {
  let clicked: ClickedWorld;
  let server: MailServer;
  let spoolPosition = 100;

  beforeAll(async () => {
    server = await startMailServer();
    clicked = await openClickedWorld(engine);
  });
  afterAll(async () => {
    await clicked.close();
    await server.close();
  });

  const silent = openLog("error", () => {});
  const deps = (change: Partial<SendDeps> = {}): SendDeps => {
    const { world, store } = clicked;
    const settings = { url: new URL(server.url), from: "Waypost <waypost@example.com>" };
    return {
      ...{ db: world.db, now: world.now, pipeline: store, appUrl: new URL("https://links.example.com"), log: silent },
      ...{ mailer: openMailer(settings, silent, () => {}), onOutcome: () => {} },
      ...change,
    };
  };
  /** A member of the workspace with clicks, with a verified address. */
  async function newReader(options: { isVerified?: boolean; email?: string } = {}): Promise<Actor & { email: string }> {
    const { world, owner } = clicked;
    const member = await world.newColleague(owner, "viewer");
    const email = options.email ?? `${crypto.randomUUID()}@example.com`;
    const verifiedAt = options.isVerified === false ? null : world.now();
    await world.db.updateTable("users").set({ email, verifiedAt }).where("id", "=", member.userId).execute();
    return { ...member, email };
  }
  const subscribe = (actor: Actor, fields: Partial<NewNotification>) =>
    createNotification(clicked.world, actor, {
      ...{ kind: "weeklyReport", folderId: null, shareId: null, timeZone: "UTC", language: "en" },
      ...fields,
    });
  const mailsTo = ({ email }: { email: string }) => server.received.filter(({ to }) => to.includes(email));
  async function sendAll(change: Partial<SendDeps> = {}): Promise<void> {
    while ((await sendDueNotifications(deps(change))) === "again");
  }
  /** Moves the clock to the next time at which the notification is due. */
  async function advanceToNext(actor: Actor): Promise<void> {
    const [first] = await listNotifications(clicked.world, actor);
    clicked.world.advance(Math.max(0, (first?.nextAt ?? 0) - clicked.world.now()));
  }
  /** Stores clicks on the first link. */
  async function storeClicks(count: number, day: number): Promise<void> {
    const { links, domain, owner, store } = clicked;
    const clicks = randomClicks(
      seededRandom(spoolPosition),
      count,
      { from: day, to: day + hourMs },
      { workspaceId: owner.workspaceId, bot: "" },
    ).map((click) => ({ ...click, linkId: links[0]?.id ?? "", domainId: domain.id }));
    await store.insert({ spoolId: "spool", from: spoolPosition, to: ++spoolPosition }, clicks);
  }

  test("a weekly report has the numbers of the last week, and a link that ends it", async () => {
    const reader = await newReader();
    await subscribe(reader, {});
    await advanceToNext(reader);

    await sendAll();

    const [mail] = mailsTo(reader);
    const from = Date.parse("2026-11-16T00:00:00Z");
    const clicks = clicked.clicks.filter(({ time }) => time >= from && time < from + 7 * dayMs).length;
    expect(mail?.text).toContain("Subject: Weekly report: Acme");
    expect(mail?.text).toContain(`Clicks: ${clicks} (`);
    expect(mail?.text).toContain("go.example.com/link0: ");
    expect(mail?.text).toMatch(/List-Unsubscribe:\s+<https:\/\/links\.example\.com\/app\/unsubscribe\/ntf_[^>]+>/);
    expect(mail?.text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(mail?.text).toMatch(/Message-ID: <ntf_\w+\.2026-11-16@example\.com>/i);
  });

  test("each period has one mail, and missed periods have none", async () => {
    const reader = await newReader();
    await subscribe(reader, {});
    await advanceToNext(reader);
    await sendAll();
    await sendAll();
    expect(mailsTo(reader)).toHaveLength(1);

    clicked.world.advance(5 * 7 * dayMs);
    await sendAll();
    await sendAll();

    expect(mailsTo(reader)).toHaveLength(2);
  });

  test("a moved time zone repeats no period, and another kind starts again", async () => {
    const reader = await newReader();
    const { id } = await subscribe(reader, { timeZone: "Asia/Tokyo" });
    await advanceToNext(reader);
    await sendAll();
    const { db, now } = clicked.world;

    // Where it is still Sunday: the next Monday follows a week that the first mail covered.
    await updateNotification({ db, now }, reader, id, { timeZone: "America/Los_Angeles" });
    await advanceToNext(reader);
    await sendAll();
    expect(mailsTo(reader)).toHaveLength(1);

    const { lastSentAt, nextAt } = await updateNotification({ db, now }, reader, id, { kind: "monthlyReport" });
    expect([lastSentAt, nextAt > now()]).toEqual([null, true]);
    await advanceToNext(reader);
    await sendAll();
    expect(mailsTo(reader)).toHaveLength(2);
  });

  test("after the clock was a year ahead, reports and alerts go on, and no period is sent twice", async () => {
    const reader = await newReader();
    const kinds = ["weeklyReport", "monthlyReport", "spike", "drop", "failingDomain"] as const;
    for (const kind of kinds) await subscribe(reader, { kind });
    await advanceToNext(reader);
    await sendAll();
    const { db, now } = clicked.world;
    const before = (await listNotifications(clicked.world, reader)).map(({ nextAt }) => nextAt);
    const yearAhead = () => now() + 365 * dayMs;
    await sendAll({ now: yearAhead, mailer: { hasServer: true, send: async () => "sent" } });
    const ahead = (await listNotifications(clicked.world, reader)).map(({ nextAt }) => nextAt);

    while ((await rescheduleNotifications({ db, now })) === "again");

    const after = (await listNotifications(clicked.world, reader)).map(({ nextAt }) => nextAt);
    expect(Math.min(...ahead)).toBeGreaterThan(yearAhead());
    expect(after).toEqual(before);
    expect(mailsTo(reader)).toHaveLength(1);
  });

  test("a report that was sent while the clock was ahead does not hold back the next one", async () => {
    const reader = await newReader();
    await subscribe(reader, {});
    const { db, now } = clicked.world;
    const yearAhead = () => now() + 365 * dayMs;
    await sendAll({ now: yearAhead, mailer: { hasServer: true, send: async () => "sent" } });

    while ((await rescheduleNotifications({ db, now })) === "again");
    const [rescheduled] = await listNotifications(clicked.world, reader);
    await advanceToNext(reader);
    await sendAll();

    expect({ lastSentAt: rescheduled?.lastSentAt, mails: mailsTo(reader).length }).toEqual({
      lastSentAt: null,
      mails: 1,
    });
  });

  test("an alert that was created while the clock was ahead starts again, also after its time zone was changed", async () => {
    const reader = await newReader();
    const { db, now } = clicked.world;
    const yearAhead = () => now() + 365 * dayMs;
    const about = { folderId: null, shareId: null, timeZone: "UTC", language: "en" } as const;
    const { id } = await createNotification({ db, now: yearAhead }, reader, { kind: "drop", ...about });
    await updateNotification({ db, now }, reader, id, { timeZone: "Europe/Berlin" });

    while ((await rescheduleNotifications({ db, now })) === "again");

    const { sentPeriod } = await db
      .selectFrom("notifications")
      .select("sentPeriod")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(sentPeriod).toBe(firstSentPeriod("drop", now(), readTimeZone("timeZone", "Europe/Berlin")));
  });

  test("two processes, and one that is killed after its claim, do not send a mail twice", async () => {
    const reader = await newReader();
    await subscribe(reader, {});
    await advanceToNext(reader);
    await Promise.all([sendAll(), sendAll()]);
    expect(mailsTo(reader)).toHaveLength(1);

    await advanceToNext(reader);
    const claimed = Promise.withResolvers<void>();
    const send: SendDeps["mailer"]["send"] = async ({ to }) => {
      if (to !== reader.email) return "sent";
      claimed.resolve();
      return await new Promise<never>(() => {});
    };
    void sendAll({ mailer: { hasServer: true, send } });
    await claimed.promise;
    await sendAll();

    expect(mailsTo(reader)).toHaveLength(1);
  });

  test("a mail that the server refuses is tried again with the same id, and not for ever", async () => {
    const reader = await newReader();
    await subscribe(reader, {});
    await advanceToNext(reader);
    const ids: (string | undefined)[] = [];
    const refusing = deps({
      mailer: {
        hasServer: true,
        async send({ id, to }) {
          if (to === reader.email) ids.push(id);
          return "failed";
        },
      },
    });

    for (let minutes = 0; minutes < 6 * 60; minutes += 5) {
      await sendDueNotifications(refusing);
      clicked.world.advance(5 * minuteMs);
    }

    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
    await advanceToNext(reader);
    await sendAll();
    expect(mailsTo(reader)).toHaveLength(1);
  });

  test("one notification whose clicks cannot be read delays no other one", async () => {
    const [unlucky, lucky] = [await newReader(), await newReader()];
    await subscribe(unlucky, {});
    await subscribe(lucky, { kind: "failingDomain" });
    await advanceToNext(unlucky);
    const { domain, world } = clicked;
    const failing = { status: "failing", failingSince: world.now() } as const;
    await world.db.updateTable("domains").set(failing).where("id", "=", domain.id).execute();
    const broken = async () => {
      throw new Problem("unavailable", "The store restarts.");
    };

    await sendAll({ pipeline: { ...clicked.store, query: broken } });

    expect([mailsTo(unlucky).length, mailsTo(lucky).length]).toEqual([0, 1]);
    clicked.world.advance(5 * minuteMs);
    await sendAll();
    expect(mailsTo(unlucky)).toHaveLength(1);
    await world.db
      .updateTable("domains")
      .set({ status: "verified", failingSince: null })
      .where("id", "=", domain.id)
      .execute();
  });

  test("only verified addresses of current members receive mail, and nothing is sent without a mail server", async () => {
    const [unverified, former, member] = [await newReader({ isVerified: false }), await newReader(), await newReader()];
    for (const actor of [unverified, former, member]) await subscribe(actor, {});
    await removeMember(clicked.world, former, former.userId);
    await advanceToNext(member);

    expect(
      await sendDueNotifications(deps({ mailer: openMailer({ url: undefined, from: "" }, silent, () => {}) })),
    ).toBe("idle");
    await sendAll();

    expect([unverified, former, member].map((actor) => mailsTo(actor).length)).toEqual([0, 0, 1]);
  });

  test("a member without the second factor that the workspace requires receives no report", async () => {
    const { world, owner } = clicked;
    const [without, having] = [await newReader(), await newReader()];
    for (const actor of [without, having]) await subscribe(actor, {});
    const require = (requiresSecondFactor: 0 | 1) =>
      world.db.updateTable("workspaces").set({ requiresSecondFactor }).where("id", "=", owner.workspaceId).execute();
    await world.db
      .insertInto("oneTimeCodes")
      .values({ userId: having.userId, sealedSecret: "", lastStep: 0, confirmedAt: world.now() })
      .execute();
    await require(1);
    await advanceToNext(having);

    await sendAll();
    await require(0);

    expect([without, having].map((actor) => mailsTo(actor).length)).toEqual([0, 1]);
  });

  test("a report about a share of a link has its clicks only, and no other link; an expired share has no report", async () => {
    const { owner, links, world } = clicked;
    const reader = await newReader();
    const share = { linkId: links[1]?.id, folderId: undefined, name: "Poster", password: null };
    const { id: shareId } = await createShare(world, owner, { ...share, expiresAt: world.now() + 10 * dayMs });
    await subscribe(reader, { shareId, language: "de" });
    await advanceToNext(reader);
    await sendAll();
    const [mail] = mailsTo(reader);
    expect(mail?.text).toContain("Subject: Wochenbericht: Poster");
    expect(mail?.text).not.toContain("link0");
    expect(mail?.text).not.toContain("example.com/?");

    await advanceToNext(reader);
    await sendAll();

    expect(mailsTo(reader)).toHaveLength(1);
  });

  test("a spike is announced once for its day, a drop on the morning after it", async () => {
    const { world } = clicked;
    const reader = await newReader();
    const today = Math.ceil(world.now() / dayMs) * dayMs;
    await world.db
      .updateTable("workspaces")
      .set({ createdAt: today - 60 * dayMs })
      .where("id", "=", clicked.owner.workspaceId)
      .execute();
    for (let week = 1; week <= 4; week++) await storeClicks(200, today - week * 7 * dayMs);
    for (let week = 1; week <= 4; week++) await storeClicks(200, today + dayMs - week * 7 * dayMs);
    await subscribe(reader, { kind: "spike" });
    await subscribe(reader, { kind: "drop" });
    await storeClicks(1_000, today);
    world.advance(today + 2 * hourMs - world.now());

    await sendAll();
    world.advance(2 * hourMs);
    await sendAll();

    const spikes = mailsTo(reader);
    expect(spikes).toHaveLength(1);
    expect(spikes[0]?.text).toContain("Subject: Traffic spike: Acme");
    expect(spikes[0]?.text).toContain("Usual for this weekday: 200.");
    world.advance(today + 2 * dayMs + 8 * hourMs - world.now());
    await sendAll();
    await sendAll();
    const mails = mailsTo(reader);
    expect(mails).toHaveLength(2);
    expect(mails[1]?.text).toContain("Subject: Traffic drop: Acme");
  });

  test("owners get the mails about failing domains without a subscription, until they unsubscribe", async () => {
    const { world, domain } = clicked;
    const owner = await newReader();
    await world.db.updateTable("members").set({ role: "owner" }).where("userId", "=", owner.userId).execute();
    const setState = (state: { status: "failing" | "verified"; failingSince: number | null }) =>
      world.db.updateTable("domains").set(state).where("id", "=", domain.id).execute();
    await setState({ status: "failing", failingSince: world.now() });

    await sendAll();
    world.advance(5 * dayMs);
    await sendAll();
    const said = mailsTo(owner).map(({ text }) => (text.includes("still missing") ? "endsSoon" : "began"));
    const token = /unsubscribe\/(ntf_[^>]+)>/.exec(mailsTo(owner)[0]?.text ?? "")?.[1] ?? "";
    expect(await unsubscribe(world, token)).toBe(true);
    await setState({ status: "failing", failingSince: world.now() });
    await sendAll();

    expect(said).toEqual(["began", "endsSoon"]);
    expect(mailsTo(owner)).toHaveLength(2);
    await setState({ status: "verified", failingSince: null });
  });

  test("a failing domain is announced when it fails, and two days before its links stop", async () => {
    const { world, domain } = clicked;
    const reader = await newReader();
    await subscribe(reader, { kind: "failingDomain" });
    const failingSince = world.now();
    const setState = (state: { status: "failing" | "verified"; failingSince: number | null }) =>
      world.db.updateTable("domains").set(state).where("id", "=", domain.id).execute();
    await setState({ status: "failing", failingSince });

    for (let hours = 0; hours <= 7 * 24; hours += 6) {
      await sendAll();
      world.advance(6 * hourMs);
    }

    const said = mailsTo(reader).map(({ text }) => (text.includes("still missing") ? "endsSoon" : "began"));
    expect(said).toEqual(["began", "endsSoon"]);
    expect(mailsTo(reader)[0]?.text).toContain("Domain check failed: go.example.com");
    expect(failingGraceMs).toBe(7 * dayMs);
    await setState({ status: "verified", failingSince: null });
    await setState({ status: "failing", failingSince: world.now() });
    world.advance(hourMs);
    await sendAll();
    expect(mailsTo(reader)).toHaveLength(3);
    await setState({ status: "verified", failingSince: null });
  });
});
