/** TABLE of the most expensive known request that each operation accepts. */
import { bodyLimits } from "../../src/api/http/json-body.ts";
import { countryCodes } from "../../src/clicks/continents.ts";
import { fontPath } from "../../src/site/sign-in-style.ts";
import { accountRequests } from "./costly-account-requests.ts";
import type { CostlyRequest, Requests, World } from "./costly-request.ts";

const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ".split(
  " ",
);
/** The domain of the hubs. */
export const costlySlug = "costly.example.com";
/** Short links with the most targets: for every country, another short link of their domain. */
export const hubs: readonly { key: string; url: string; geo: Record<string, string> }[] = Array.from(
  { length: 7 },
  (_, hub) => ({
    key: `hub-${hub}`,
    url: "https://example.com/",
    geo: Object.fromEntries(Array.from(countryCodes, (code) => [code, `https://${costlySlug}/leaf-${hub}-${code}`])),
  }),
);
/** A host with the maximum number of labels below the blocked host. */
const longHost = `${"a.".repeat(120)}example.com`;
const pairs = "r&".repeat(15_900);

/** The link that costs the server most, of about 250 KiB. */
export function costlyLink(urlEnd = ""): Record<string, unknown> {
  return {
    url: `https://example.com/?${pairs}${urlEnd}`,
    ios: `https://example.com/${"é".repeat(5_000)}`,
    android: `https://example.com/${"a b".repeat(4_000)}`,
    utm_source: "source",
    utm_medium: "medium",
    utm_campaign: "campaign",
    utm_term: "term",
    utm_content: "content",
    rules: Array.from({ length: 50 }, (_, index) => ({
      when: { country: countries, language: countries.map((code) => code.toLowerCase()), os: countries.slice(0, 25) },
      url: `https://${costlySlug}/hub-${index % hubs.length}`,
    })),
    geo: Object.fromEntries(countries.map((code) => [code, `https://${longHost}/${"x".repeat(1_700)}`])),
    comments: "c".repeat(10_000),
  };
}

/**
 * One of the 100 links of a bulk call, of 40 KiB. Its targets are long hosts, and hubs with the maximum number of
 * links.
 */
function costlyBulkLink(index: number | string): Record<string, unknown> {
  return {
    url: `https://example.com/?${pairs.slice(0, 29_500)}&n=${index}`,
    utm_source: "source",
    utm_medium: "medium",
    utm_campaign: "campaign",
    rules: Array.from({ length: 10 }, (_, rule) => ({
      when: { country: countries },
      url: rule < hubs.length ? `https://${costlySlug}/hub-${rule}` : `https://${longHost}/`,
    })),
  };
}

/** A list of links of the maximum size of a bulk call. */
function costlyBulk(more: object = {}): string {
  const links = Array.from({ length: 100 }, (_, index) => ({ ...costlyBulkLink(index), ...more }));
  return JSON.stringify(links).padEnd(bodyLimits.bulk.bytesMax);
}

/** The largest changes of 100 links in one call. */
function costlyChanges(): Record<string, unknown> {
  const { url: _, ...rest } = costlyBulkLink(0);
  return { ...rest, url: `https://example.com/?${pairs.slice(0, 12_000)}&n=${crypto.randomUUID()}` };
}

const manyCountries = countries.join(",");
const report = `?groupBy=timeseries&start=1970-01-01&end=2026-12-31&timezone=Australia%2FLord_Howe&country=${manyCountries}`;
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
const json = (body: unknown) => ({ body: JSON.stringify(body) });
const paddedJson = (body: unknown) => ({ body: JSON.stringify(body).padEnd(bodyLimits.standard.bytesMax) });
const newNameBody = () => paddedJson({ name: crypto.randomUUID() });
const form = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});
const noInput = (): CostlyRequest => ({});
const avatar = { image: `data:image/png;base64,${image}${"A".repeat(60_000)}` };
const domainFields = {
  assetLinks: JSON.stringify(Array(6_000).fill({ a: 1 })),
  appleAppSiteAssociation: `${"[".repeat(500)}${"]".repeat(500)}`,
  logo: `data:image/png;base64,${"A".repeat(60_000)}`,
};

/** Returns a function that creates an object and a request for it. */
const forNew =
  (path: string, parameter: string, body: () => object) =>
  async ({ call }: World): Promise<CostlyRequest> => {
    const { id } = await call("POST", path, body());
    return { parameters: { [parameter]: id } };
  };
const newName = () => ({ name: crypto.randomUUID() });

/** A notification about a new folder, since a user has each notification once. */
async function newNotification({ call }: World): Promise<CostlyRequest> {
  const { id: folderId } = await call("POST", "/folders", newName());
  return { parameters: { id: (await call("POST", "/notifications", { kind: "spike", folderId })).id } };
}

/** TABLE by operation of the API. */
export const apiRequests: Requests = {
  ...accountRequests,
  createWorkspace: newNameBody,
  listWorkspaces: noInput,
  // A user has one example.
  createExampleWorkspace: async ({ join }) => ({ headers: { Authorization: `Bearer ${(await join()).token}` } }),
  getExampleWorkspace: noInput,
  getWorkspace: noInput,
  updateWorkspace: newNameBody,
  async deleteWorkspace({ call }) {
    const { name } = newName();
    const { id } = await call("POST", "/workspaces", { name });
    return { parameters: { workspaceId: id }, query: `?confirm=${name}` };
  },
  setWorkspaceAvatar: () => json(avatar),
  async removeWorkspaceAvatar({ call }) {
    await call("PUT", "/workspaces/1/avatar", avatar);
    return {};
  },
  listClickLosses: noInput,
  listBlocks: noInput,
  listMembers: noInput,
  updateMember: async ({ join }) => ({
    ...paddedJson({ role: "viewer" }),
    parameters: { userId: (await join()).userId },
  }),
  removeMember: async ({ join }) => ({ parameters: { userId: (await join()).userId } }),
  createInvite: () => paddedJson({ email: `${crypto.randomUUID()}@example.com`, role: "member" }),
  listInvites: noInput,
  revokeInvite: forNew("/workspaces/1/invites", "inviteId", () => ({ role: "member" })),
  async acceptInvite({ join, callAs }) {
    const { token } = await join();
    const { id } = await callAs(token, "POST", "/workspaces", newName());
    const { url } = await callAs(token, "POST", `/workspaces/${id}/invites?workspaceId=${id}`, { role: "member" });
    return { parameters: { token: lastOf(url) } };
  },
  createApiKey: newNameBody,
  listApiKeys: noInput,
  updateApiKey: newNameBody,
  revokeApiKey: forNew("/api-keys", "id", newName),
  getUser: noInput,
  updateUser: newNameBody,
  setUserAvatar: () => json(avatar),
  async removeUserAvatar({ call }) {
    await call("PUT", "/user/avatar", avatar);
    return {};
  },
  mailVerificationLink: noInput,
  listSessions: noInput,
  async endOtherSessions({ signIn }) {
    await signIn();
    return {};
  },
  async endSession({ signIn, call }) {
    const { ids: before } = await call("GET", "/user/sessions");
    await signIn();
    const { ids } = await call("GET", "/user/sessions");
    return { parameters: { id: ids.find((id) => !before.includes(id)) ?? "" } };
  },
  listMemberships: noInput,
  reviewMemberships: () => paddedJson({ leave: [] }),
  createDomain: () => json({ slug: `${crypto.randomUUID()}.example.com`, ...domainFields }),
  listDomains: noInput,
  countDomains: noInput,
  getDomain: noInput,
  updateDomain: () => json({ ...domainFields, notFoundUrl: `https://example.com/${crypto.randomUUID()}` }),
  async deleteDomain({ call }) {
    const slug = `${crypto.randomUUID()}.example.com`;
    await call("POST", "/domains", { slug });
    await call("POST", "/links/bulk", costlyBulk({ domain: slug }));
    return { parameters: { slug } };
  },
  makeDomainPrimary: () => ({ parameters: { slug: "localhost" } }),
  reportDns: noInput,
  listDomainChecks: noInput,
  getDomainCertificate: noInput,
  retryDomainCertificate: noInput,
  verifyDomain: noInput,
  createLinks: () => ({ body: costlyBulk(), headers: { "Idempotency-Key": crypto.randomUUID() } }),
  updateLinks: ({ parameters: { bulkIds = "" } }) => ({
    body: JSON.stringify({ linkIds: bulkIds.split(","), data: costlyChanges() }).padEnd(bodyLimits.bulk.bytesMax),
  }),
  async undoLinkChanges({ call, parameters: { bulkIds = "" } }) {
    const linkIds = bulkIds.split(",");
    await call("PATCH", "/links/bulk", { linkIds, data: { url: "https://example.com", rules: null } });
    const { updatedAts } = await call("PATCH", "/links/bulk", { linkIds, data: costlyChanges() });
    return json({ changes: updatedAts.map((updatedAt, index) => ({ linkId: linkIds[index], updatedAt })) });
  },
  async deleteLinks({ call }) {
    const { ids } = await call("POST", "/links/bulk", costlyBulk());
    return { query: `?linkIds=${ids.join()}` };
  },
  createLink: () => ({ ...json(costlyLink()), headers: { "Idempotency-Key": crypto.randomUUID() } }),
  listLinks: () => ({ query: "?pageSize=100&showArchived=true&sortBy=clicks" }),
  listLinkWarnings: ({ parameters: { bulkIds = "" } }) => ({ query: `?linkIds=${bulkIds}` }),
  countLinks: () => ({ query: `?search=${"a".repeat(1_000)}&groupBy=tagId` }),
  checkKey: () => ({ query: `?domain=${costlySlug}&key=${"é".repeat(90)}` }),
  // A private address, since a benchmark sends no requests to others; page-tags.test.ts bounds the largest page.
  getMetatags: () => ({ query: `?url=${encodeURIComponent(`http://10.0.0.1/?${"a b".repeat(2_000)}`)}` }),
  reportTest: noInput,
  findLink: ({ parameters: { linkId = "" } }) => ({ query: `?linkId=${linkId}` }),
  upsertLink: () => json(costlyLink()),
  getLink: noInput,
  updateLink: () => json(costlyLink(crypto.randomUUID())),
  putLink: () => json(costlyLink(crypto.randomUUID())),
  deleteLink: forNew("/links", "linkId", costlyLink),
  purgeLinkClicks: noInput,
  listLinkHistory: noInput,
  async revertLinkChange({ call, parameters: { linkId } }) {
    await call("PATCH", `/links/${linkId}`, { ...costlyLink(crypto.randomUUID()), ios: null });
    const { ids } = await call("GET", `/links/${linkId}/history`);
    return { parameters: { changeId: ids[0] ?? "" } };
  },
  resolveLink: () =>
    json({
      userAgent: "Mozilla/5.0 ".repeat(80),
      language: "de,".repeat(60),
      query: `?${"a=b&".repeat(400)}`,
    }),
  createTag: newNameBody,
  listTags: noInput,
  countTags: noInput,
  getTag: noInput,
  updateTag: newNameBody,
  putTag: newNameBody,
  async deleteTag({ call }) {
    const { id } = await call("POST", "/tags", newName());
    await call("POST", "/links/bulk", costlyBulk({ tagIds: [id] }));
    return { parameters: { id } };
  },
  createFolder: newNameBody,
  listFolders: noInput,
  countFolders: noInput,
  getFolder: noInput,
  updateFolder: newNameBody,
  async deleteFolder({ call }) {
    const { id } = await call("POST", "/folders", newName());
    await call("POST", "/links/bulk", costlyBulk({ folderId: id }));
    return { parameters: { id } };
  },
  createUtmTemplate: newNameBody,
  listUtmTemplates: noInput,
  getUtmTemplate: noInput,
  updateUtmTemplate: newNameBody,
  deleteUtmTemplate: forNew("/utm-templates", "id", newName),
  createSavedView: () => paddedJson({ ...newName(), query: `search=${"a".repeat(500)}` }),
  listSavedViews: noInput,
  getSavedView: forNew("/saved-views", "id", () => ({ ...newName(), query: "" })),
  async updateSavedView({ call }) {
    const { id } = await call("POST", "/saved-views", { ...newName(), query: "" });
    return { ...paddedJson({ query: `search=${"a".repeat(500)}` }), parameters: { id } };
  },
  deleteSavedView: forNew("/saved-views", "id", () => ({ ...newName(), query: "" })),
  async createNotification({ call }) {
    const { id: folderId } = await call("POST", "/folders", newName());
    return paddedJson({ kind: "weeklyReport", folderId, timeZone: "Australia/Lord_Howe" });
  },
  listNotifications: noInput,
  getNotification: newNotification,
  updateNotification: async (world) => ({ ...(await newNotification(world)), ...paddedJson({ language: "de" }) }),
  testNotification: newNotification,
  deleteNotification: newNotification,
  reportClicks: () => ({ query: "?interval=all&timezone=Australia%2FLord_Howe" }),
  reportTimeseries: () => ({ query: "?interval=90d&timezone=Australia%2FLord_Howe" }),
  retrieveAnalytics: () => ({ query: report }),
  createShare: ({ parameters: { linkId } }) => paddedJson({ linkId, name: crypto.randomUUID() }),
  listShares: noInput,
  getShare: noInput,
  updateShare: newNameBody,
  deleteShare: async ({ call, parameters: { linkId } }) => ({
    parameters: { id: (await call("POST", "/shares", { linkId })).id },
  }),
  getShared: noInput,
  unlockShared: ({ parameters: { lockedToken = "", password = "" } }) => ({
    body: JSON.stringify({ password }).padEnd(bodyLimits.public.bytesMax),
    parameters: { shareToken: lockedToken },
  }),
  reportShared: () => ({
    query: "?groupBy=weekday_hours&start=1970-01-01&end=2026-12-31&timezone=Australia%2FLord_Howe",
  }),
  listEvents: () => ({ query: "?interval=all&limit=1000&page=1" }),
  exportEvents: () => ({ query: "?interval=all&format=csv" }),
  streamEvents: noInput,
  streamChanges: noInput,
  getQrCode: () => ({ query: `?url=https://example.com/${"a".repeat(1_500)}&size=2000` }),
};

/** The owner's credentials, in a body of the maximum size. */
const signingIn = ({ parameters: { email = "", password = "" } }: World): CostlyRequest => ({
  body: JSON.stringify({ email, password }).padEnd(bodyLimits.public.bytesMax),
});
const person = () => ({ name: "Ann", email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() });
const asOwner = async ({ signIn }: World): Promise<CostlyRequest> => ({ headers: await signIn() });
const newInvite = async ({ call }: World) => {
  const { url } = await call("POST", "/workspaces/1/invites", { role: "member" });
  return { parameters: { token: lastOf(url) } };
};

/** A response that no authenticator has made. */
const passkeyResponse = { id: "A", authenticatorData: "A", signature: "A", userHandle: "A" };

/** TABLE by method and path of the app host's other requests: sign-in, pages, forms and probes. */
export const siteRequests: Requests = {
  "POST /app/session": signingIn,
  "DELETE /app/session": asOwner,
  "POST /app/token": asOwner,
  "POST /app/password-reset": signingIn,
  "POST /app/magic-link": ({ parameters: { email = "" } }) => ({
    body: JSON.stringify({ email, next: `/app/${"x".repeat(900)}` }),
    headers: { "Content-Type": "application/json" },
  }),
  "POST /app/passkey/options": noInput,
  "POST /app/passkey": () => ({
    body: JSON.stringify({ ...passkeyResponse, clientDataJSON: "A".repeat(3_000) }),
    headers: { "Content-Type": "application/json" },
  }),
  "GET /app/oidc": () => ({ parameters: { next: `/${"x".repeat(1_000)}` } }),
  "GET /app/oidc/callback": () => ({ parameters: { code: "x".repeat(1_000), state: "x".repeat(1_000) } }),
  "GET /app/link/:token": () => ({ parameters: { token: "x".repeat(1_000) } }),
  "POST /app/link/:token": () => ({ parameters: { token: "x".repeat(1_000) }, ...form({}) }),
  "GET /app/sign-up": noInput,
  "POST /app/sign-up": () => form(person()),
  "GET /app/sign-up/:token": () => ({ parameters: { token: "x".repeat(1_000) } }),
  "POST /app/sign-up/:token": () => ({ parameters: { token: "x".repeat(1_000) }, ...form(person()) }),
  "GET /app/setup/:token": () => ({ parameters: { token: "x".repeat(1_000) } }),
  "POST /app/setup/:token": () => ({ parameters: { token: "x".repeat(1_000) }, ...form(person()) }),
  "GET /app/verify/:token": () => ({ parameters: { token: "x".repeat(1_000) } }),
  "POST /app/verify/:token": () => ({ parameters: { token: "x".repeat(1_000) }, ...form({}) }),
  "GET /app/invites/:token": newInvite,
  "POST /app/invites/:token": async (world) => ({ ...(await newInvite(world)), ...form(person()) }),
  "GET /app/memberships": asOwner,
  "POST /app/memberships": async ({ signIn }) => {
    const { body, headers } = form({});
    return { body, headers: { ...(await signIn()), ...headers } };
  },
  "GET /app": noInput,
  "GET /app/*": noInput,
  "GET /app/assets/:file": () => ({ parameters: { file: "x.js" } }),
  "GET /app/avatars/:file": ({ parameters: { avatarFile = "" } }) => ({ parameters: { file: avatarFile } }),
  "GET /app/user-avatars/:file": asOwner,
  "GET /app/icon.svg": noInput,
  "GET /app/icons/:linkId": asOwner,
  "GET /app/unsubscribe/:token": () => ({ parameters: { token: "x".repeat(1_000) } }),
  "POST /app/unsubscribe/:token": () => ({ parameters: { token: "x".repeat(1_000) }, ...form({}) }),
  [`GET ${fontPath}`]: noInput,
  "GET /favicon.ico": noInput,
  "GET /docs": noInput,
  "GET /docs/:file": () => ({ parameters: { file: "x.js" } }),
  "GET /.well-known/waypost/:file": () => ({ parameters: { file: "x.png" } }),
  "GET /healthz": noInput,
  "GET /readyz": noInput,
  "GET /metrics": noInput,
};

/** TABLE of requests that a benchmark's server rejects, with the reason. */
export const expectedFailures: Record<string, string> = {
  "POST /app/password-reset": "no mail server",
  "POST /user/verification-mail": "no mail server",
  "POST /notifications/{id}/test": "no mail server",
  "POST /user/one-time-codes/confirm": "the code is made by an app",
  "POST /user/one-time-codes/turn-off": "one-time codes are off",
  "POST /user/recovery-codes": "one-time codes are off",
  "POST /user/identities/{id}/disconnect": "no identity provider",
  "POST /user/passkeys": "the response is made by an authenticator",
  "GET /user/passkeys/{id}": "passkeys are made by an authenticator",
  "PATCH /user/passkeys/{id}": "passkeys are made by an authenticator",
  "POST /user/passkeys/{id}/removal": "passkeys are made by an authenticator",
  "POST /app/passkey": "the response is made by an authenticator",
  "POST /app/magic-link": "the server sends no e-mail",
  "GET /app/oidc/callback": "another browser began it",
  "GET /app/link/:token": "the token is mailed",
  "POST /app/link/:token": "the token is mailed",
  "POST /app/sign-up": "nobody may sign up",
  "GET /app/sign-up/:token": "the token is mailed",
  "POST /app/sign-up/:token": "the token is mailed",
  "GET /app/setup/:token": "the token is made by the command line",
  "POST /app/setup/:token": "the token is made by the command line",
  "GET /app/verify/:token": "the token is mailed",
  "POST /app/verify/:token": "the token is mailed",
  "GET /app/unsubscribe/:token": "the token is mailed",
  "POST /app/unsubscribe/:token": "the token is mailed",
  "GET /app/assets/:file": "no such file",
  "GET /docs/:file": "no such file",
  "GET /.well-known/waypost/:file": "no such picture",
};

function lastOf(url: string): string {
  return url.split("/").at(-1) ?? "";
}
