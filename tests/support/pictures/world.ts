import type { Page } from "playwright-core";
import { z } from "zod";
import { dayMs } from "../../../src/base/time.ts";
import { type Dashboard, openDashboard, ownerPassword, ownerSignIn } from "../dashboard.ts";
import { type DnsServer, startDnsServer } from "../dns-server.ts";
import { addCertifiedDomains, unreachableAuthority } from "../domain-certificates.ts";
import { type MailServer, startMailServer } from "../mail-server.ts";
import { fillSampleWorkspace } from "../sample-workspace.ts";
import { eventually, ownerKey, startServer, type TestServer } from "../server.ts";
import { operate } from "../tenants.ts";
import { fillAdministration } from "./administered-users.ts";
import { publishOwnership, publishRecords, routing } from "./records.ts";
import { secureAccount } from "./secured-account.ts";

/** A page to picture or check: its URL, and the steps before the picture. */
export type Picture = {
  /** A path below /app, or a URL on another server. */
  path: string | ((world: PictureWorld) => string);
  /** The owner by default; a former member belongs to no workspace. */
  by?: "nobody" | "viewer" | "formerMember" | "administrator" | "secured";
  /** True for a page that streams clicks, so its connection is never idle. */
  isLive?: boolean;
  /** True for pictures that are also taken in German and Chinese, whose word lengths change the layout. */
  isTakenInAllLanguages?: true;
  /** The steps before the picture. They work in every language of the dashboard: see `localized`. */
  prepare?(page: Page, world: PictureWorld): Promise<void>;
};

/** A service with a workspace in use for months, and the ids and URLs that pictures need. */
export type PictureWorld = {
  server: TestServer;
  /** The link with the most clicks. */
  linkId: string;
  /** An archived link without clicks, with a value in every section and a history. */
  fullLinkId: string;
  /** An archived link that another client changes while it is open. */
  contestedLinkId: string;
  /** An archived, disabled link. */
  disabledLinkId: string;
  /** A workspace that pages may change. */
  scratch: Scratch;
  /** A workspace with a domain for each state of a certificate; see `slugOf`. */
  certifiedWorkspaceId: number;
  /** A new, empty workspace. */
  emptyWorkspaceId: number;
  /** The paths of a share and of one with a password, below /app. */
  share: string;
  lockedShare: string;
  /** The cookie of a session of the user with one-time codes. */
  securedCookie: string;
  /** The URL that sets up the first account of a new service. */
  setUpUrl: string;
  /** The page of a service on which anyone can sign up, and the URL that it mails to a new address. */
  signUpUrl: string;
  mailedSignUpUrl: string;
  /** The path that sets a new password, below /app. */
  reset: string;
  /** The paths of an open invitation and of one for a single address, below /app. */
  invite: string;
  addressedInvite: string;
  close(): Promise<void>;
};

/** Another workspace of the owner; `tidy` unarchives its links. */
type Scratch = { workspaceId: number; tidy(): Promise<void> };

const shopKeyMs = 40 * dayMs;
const password = "a password of mine";
/** The end of the domains with certificates. */
export const certifiedSuffix = "kestrel.shop";
/** A user who may only view. */
export const viewer = { email: "hello@studio-nord.example", password };
/** A user who administers the instance. */
export const administrator = { email: "mira@kestrel.coffee", password };
/** A user with one-time codes. */
export const secured = { email: "jonas@kestrel.coffee", password };
/** A user who was removed from their only workspace. */
export const formerMember = { email: "tomas@kestrel.coffee", password };

/** Opens the world. */
export async function openPictureWorld(): Promise<PictureWorld> {
  const mail = await startMailServer();
  const dns = await startDnsServer();
  const open = { WAYPOST_SIGN_UP: "open", WAYPOST_SMTP_URL: mail.url };
  const fresh = await startServer({ WAYPOST_BOOTSTRAP_EMAIL: "", ...open });
  const outside = { WAYPOST_SMTP_URL: mail.url, WAYPOST_RESOLVERS: dns.address, ...unreachableAuthority };
  let server = await startServer({ ...ownerPassword, ...routing, ...outside });
  const close = async () => {
    await server.remove();
    await fresh.remove();
    await dns.close();
    await mail.close();
  };
  try {
    server = await fillSampleWorkspace(server, (filled) => publishRecords(filled, dns));
    const owner = openDashboard(server);
    await owner.signIn();
    await called(server, "PATCH /user", z.unknown(), { name: "Ada Brandt" }, await owner.token());
    await join(server, "owner", { name: "Mira Okafor", ...administrator });
    await join(server, "member", { name: "Jonas Lindqvist", ...secured });
    await join(server, "viewer", { name: "Studio Nord", ...viewer });
    await join(server, "member", { name: "Tomás Reyes", ...formerMember });
    await remove(server, formerMember.email);
    await makeKeys(server);
    await makeNotifications(server);
    await fillAdministration(server, administrator.email);
    const linkId = await mostClicked(server);
    return {
      server,
      linkId,
      fullLinkId: await makeFullLink(server),
      contestedLinkId: (
        await called(server, "POST /links", WithId, {
          url: "https://kestrel.coffee/spring",
          key: "spring",
          archived: true,
        })
      ).id,
      disabledLinkId: (
        await called(server, "POST /links", WithId, {
          url: "https://kestrel.coffee/pop-up",
          key: "pop-up",
          archived: true,
          disabled: true,
        })
      ).id,
      scratch: await makeScratch(server, owner),
      certifiedWorkspaceId: await makeCertified(server, dns),
      emptyWorkspaceId: (await called(server, "POST /workspaces", WithNumber, { name: "Kestrel Events" })).id,
      share: await sharePath(server, { linkId, name: "The menu in the shops" }),
      lockedShare: await sharePath(server, { linkId, name: "For the agency", password: "open sesame" }),
      securedCookie: await secureAccount(server, secured),
      setUpUrl: await setUpUrl(fresh),
      signUpUrl: `${fresh.url}/app/sign-up`,
      mailedSignUpUrl: await mailedSignUpUrl(fresh, mail),
      reset: await mailedReset(server, mail),
      invite: await invitePath(server, { role: "member" }),
      addressedInvite: await invitePath(server, { role: "viewer", email: "press@kestrel.coffee" }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const WithId = z.object({ id: z.string() });
const WithNumber = z.object({ id: z.number() });
const WithUrl = z.object({ url: z.string() });

/** Subscribes the owner to a report of the workspace, one of a folder, and alerts. */
async function makeNotifications(server: TestServer): Promise<void> {
  const [folder] = await called(server, "GET /folders", z.array(WithId));
  const folderId = folder?.id ?? "";
  for (const about of [{ kind: "weeklyReport" }, { kind: "monthlyReport", folderId }, { kind: "failingDomain" }]) {
    await called(server, "POST /notifications", WithId, { ...about, timeZone: "Europe/Berlin" });
  }
}

/** Calls the API. Throws with the API's message when it refuses. */
async function called<Body>(
  server: TestServer,
  call: string,
  expected: z.ZodType<Body>,
  body?: object,
  key = ownerKey,
): Promise<Body> {
  const [method = "", path = ""] = call.split(" ");
  const answer = await server.call(method, path, body === undefined ? { key } : { key, body });
  if (answer.status >= 400) throw new Error(`${call} was refused: ${JSON.stringify(answer.body)}`);
  return expected.parse(answer.body);
}

function belowApp(url: string): string {
  return new URL(url).pathname.replace(/^\/app/, "");
}

async function mostClicked(server: TestServer): Promise<string> {
  const [link] = await called(server, "GET /links?sortBy=clicks&pageSize=1", z.array(WithId));
  return link?.id ?? "";
}

async function makeFullLink(server: TestServer): Promise<string> {
  const url = "https://kestrel.coffee/shop/winter?utm_source=poster";
  const { id } = await called(server, "POST /links", WithId, {
    ...{ url, key: "winter", archived: true, comments: "Goes up in all shops on the first of December." },
    ...{ password: "open sesame", maxClicks: 5_000, expiresAt: "2027-03-01T00:00:00Z" },
    ...{ expiredUrl: "https://kestrel.coffee/shop", ios: "https://apps.apple.com/app/kestrel" },
    geo: { DE: "https://kestrel.coffee/de/winter", FR: "https://kestrel.coffee/fr/winter" },
    rules: [
      { when: { country: ["AT", "CH"], device: "Mobile" }, url: "https://kestrel.coffee/de/winter-app" },
      { when: { language: "fr" }, url: "https://kestrel.coffee/fr/winter" },
    ],
    trackConversion: true,
    testVariants: [
      { url, percentage: 60 },
      { url: "https://kestrel.coffee/shop/winter-b", percentage: 40 },
    ],
    ...{ proxy: true, title: "Winter roasts", description: "Dark, sweet, and only until March." },
  });
  for (const body of [{ maxClicks: 10_000 }, { title: "Winter roasts are here", comments: null }]) {
    await called(server, `PATCH /links/${id}`, WithId, body);
  }
  return id;
}

/** Creates keys beside the owner's first key, which has all permissions and does not expire. */
async function makeKeys(server: TestServer): Promise<void> {
  const reading = ["workspaces.read", "links.read", "domains.read", "tags.read", "folders.read", "analytics.read"];
  for (const body of [
    { name: "Weekly figures", scopes: reading, expiresAt: null },
    {
      name: "Web shop",
      scopes: ["links.read", "links.write"],
      expiresAt: new Date(Date.now() + shopKeyMs).toISOString(),
    },
  ]) {
    await called(server, "POST /api-keys", WithId, body);
  }
}

async function makeScratch(server: TestServer, owner: Dashboard): Promise<Scratch> {
  const { id: workspaceId } = await called(server, "POST /workspaces", WithNumber, { name: "Kestrel Roastery" });
  const callHere = async <Body>(call: string, expected: z.ZodType<Body>, body: object) =>
    await called(server, `${call}?workspaceId=${workspaceId}`, expected, body, await owner.token());
  await callHere("POST /domains", z.unknown(), { slug: "roastery.coffee" });
  const linkIds: string[] = [];
  for (const key of ["tours", "green-beans", "cupping"]) {
    linkIds.push((await callHere("POST /links", WithId, { url: `https://kestrel.coffee/roastery/${key}`, key })).id);
  }
  return {
    workspaceId,
    async tidy() {
      await callHere("PATCH /links/bulk", z.unknown(), { linkIds, data: { archived: false } });
    },
  };
}

async function makeCertified(server: TestServer, dns: DnsServer): Promise<number> {
  const { id } = await called(server, "POST /workspaces", WithNumber, { name: "Kestrel Wholesale" });
  await addCertifiedDomains(server, certifiedSuffix, id, (slug) => publishOwnership(server, dns, slug, id));
  return id;
}

async function sharePath(server: TestServer, body: object): Promise<string> {
  return belowApp((await called(server, "POST /shares", WithUrl, body)).url);
}

/** Adds a user with a verified account, and revokes the key that the operator's command creates for new users. */
async function join(
  server: TestServer,
  role: string,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<void> {
  await operate(server, "user create", { email, name, join: 1, role });
  await operate(server, "user password", { email, password });
  for (const key of z.array(WithId).parse(await operate(server, "key list", { email }))) {
    await operate(server, "key revoke", key);
  }
}

async function remove(server: TestServer, email: string): Promise<void> {
  const Members = z.array(z.object({ userId: z.string(), email: z.string().nullable() }));
  const members = await called(server, "GET /workspaces/1/members", Members);
  const member = members.find((each) => each.email === email);
  await called(server, `DELETE /workspaces/1/members/${member?.userId}`, z.unknown());
}

async function invitePath(server: TestServer, body: object): Promise<string> {
  return belowApp((await called(server, "POST /workspaces/1/invites", WithUrl, body)).url);
}

/** The URL that the server prints after its line about being ready. */
async function setUpUrl(server: TestServer): Promise<string> {
  const printed = async () => /https?:\/\/\S+(\/app\/setup\/\S+)\n/.exec(server.output())?.[1];
  return `${server.url}${await eventually(printed, (path) => path !== undefined)}`;
}

async function mailedReset({ url }: TestServer, mail: MailServer): Promise<string> {
  const { email } = ownerSignIn;
  const headers = { "Content-Type": "application/json", Origin: url };
  await fetch(`${url}/app/password-reset`, { method: "POST", headers, body: JSON.stringify({ email }) });
  return await mailedTo(mail, email, /\/app(\/setup\/\w{40})/);
}

async function mailedSignUpUrl({ url }: TestServer, mail: MailServer): Promise<string> {
  const email = "nora@kestrel.coffee";
  const body = new URLSearchParams({ email });
  await fetch(`${url}/app/sign-up`, { method: "POST", headers: { Origin: url }, body });
  return `${url}${await mailedTo(mail, email, /(\/app\/sign-up\/[\w.-]+)/)}`;
}

/** The path in a mail to an address. */
async function mailedTo({ received }: MailServer, address: string, pattern: RegExp): Promise<string> {
  const texts = () => received.filter(({ to }) => to.includes(address)).map(({ text }) => text);
  const mailed = async () => pattern.exec(texts().join("\n"))?.[1];
  return (await eventually(mailed, (path) => path !== undefined)) ?? "";
}
