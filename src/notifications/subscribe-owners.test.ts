import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import type { Actor } from "../access/actor.ts";
import { createDomain } from "../domains/create-domain.ts";
import { createNotification, deleteNotification, listNotifications } from "./notifications.ts";
import { subscribeOwners } from "./subscribe-owners.ts";

describe.each([...engines])("alerts that owners get by default on %s", (engine) => {
  let world: DomainWorld;
  let sequence = 0;

  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  /** An owner, of whose domains one is failing. */
  async function newOwner(status: "failing" | "verified" = "failing"): Promise<Actor> {
    const owner = await world.newOwner();
    const { id } = await createDomain(world, owner, { slug: `fails${++sequence}.example.com` });
    const failingSince = status === "failing" ? world.now() : null;
    await world.db.updateTable("domains").set({ status, failingSince }).where("id", "=", id).execute();
    return owner;
  }
  const kinds = async (actor: Actor) => (await listNotifications(world, actor)).map(({ kind }) => kind);
  const chosen = { folderId: null, shareId: null, timeZone: "Europe/Berlin", language: "de" } as const;

  test("an owner is subscribed when a domain begins to fail, and the mail is due at once", async () => {
    const owner = await newOwner();

    await subscribeOwners(world);

    expect(await listNotifications(world, owner)).toMatchObject([
      { kind: "failingDomain", language: "en", timeZone: "UTC", nextAt: world.now() },
    ]);
    const events = await world.eventsOf(owner.workspaceId);
    expect(events.filter(({ type }) => type === "notification.created")).toHaveLength(1);
  });

  test("neither without a failing domain nor for members who are not owners", async () => {
    const owner = await newOwner("verified");
    const failing = await newOwner();
    const member = await world.newColleague(failing, "member");

    await subscribeOwners(world);

    expect([await kinds(owner), await kinds(member)]).toEqual([[], []]);
  });

  test("an owner who unsubscribes stays unsubscribed", async () => {
    const owner = await newOwner();
    await subscribeOwners(world);
    const [notification] = await listNotifications(world, owner);
    await deleteNotification(world, owner, notification?.id ?? "");

    await subscribeOwners(world);

    expect(await kinds(owner)).toEqual([]);
  });

  test("an owner with a subscription gets no second one", async () => {
    const owner = await newOwner();
    await createNotification(world, owner, { kind: "failingDomain", ...chosen });

    await subscribeOwners(world);

    expect(await kinds(owner)).toEqual(["failingDomain"]);
  });

  test("the mail has the language and the time zone of the owner's other notifications", async () => {
    const owner = await newOwner();
    await createNotification(world, owner, { kind: "weeklyReport", ...chosen });

    await subscribeOwners(world);

    const alert = (await listNotifications(world, owner)).find(({ kind }) => kind === "failingDomain");
    expect(alert).toMatchObject({ language: "de", timeZone: "Europe/Berlin" });
  });
});
