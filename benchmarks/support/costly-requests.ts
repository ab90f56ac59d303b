/** TABLE of the most expensive request that each operation accepts, as far as we know them. */
import type { Endpoint } from "../../src/api/endpoint.ts";

/** What paths and bodies name. */
export type Named = Record<string, string>;

/** A request, without the path's parameters. */
export type CostlyRequest = { query?: string; body?: string };

const kibibyte = 1024;
const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ".split(
  " ",
);
const pairs = "r&".repeat(15_900);

/** A link as expensive as one may be, of some 250 KiB. */
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
    rules: Array.from({ length: 50 }, () => ({
      when: { country: countries, language: countries.map((code) => code.toLowerCase()), os: countries.slice(0, 25) },
      url: "https://e.co",
    })),
    geo: Object.fromEntries(countries.map((code) => [code, `https://example.com/${"x".repeat(2_000)}`])),
    comments: "c".repeat(10_000),
  };
}

/** One of the 100 links of a bulk call, of 40 KiB. */
function costlyBulkLink(index: number): Record<string, unknown> {
  return {
    url: `https://example.com/?${pairs.slice(0, 31_000)}&n=${index}`,
    utm_source: "source",
    utm_medium: "medium",
    utm_campaign: "campaign",
    rules: Array.from({ length: 10 }, () => ({ when: { country: countries }, url: "https://e.co" })),
  };
}

/** A list of links that fills a bulk call to its last byte. */
export function costlyBulk(): string {
  return JSON.stringify(Array.from({ length: 100 }, (_, index) => costlyBulkLink(index))).padEnd(4 * kibibyte ** 2);
}

const manyCountries = countries.join(",");
const report = `?groupBy=timeseries&start=1970-01-01&end=2026-12-31&timezone=Australia%2FLord_Howe&country=${manyCountries}`;

/** TABLE by operation. An operation that is not named gets its example, filled up with white space to its limit. */
const requests: Record<string, (named: Named) => CostlyRequest> = {
  createLink: () => ({ body: JSON.stringify(costlyLink()) }),
  upsertLink: () => ({ body: JSON.stringify(costlyLink()) }),
  updateLink: () => ({ body: JSON.stringify(costlyLink()) }),
  putLink: () => ({ body: JSON.stringify(costlyLink()) }),
  createLinks: () => ({ body: costlyBulk() }),
  updateLinks: ({ bulkIds = "" }) => ({
    body: JSON.stringify({
      linkIds: bulkIds.split(","),
      data: { ...costlyBulkLink(0), comments: crypto.randomUUID() },
    }),
  }),
  deleteLinks: ({ spareIds = "" }) => ({ query: `?linkIds=${spareIds}` }),
  listLinks: () => ({ query: "?pageSize=100&showArchived=true&sortBy=clicks" }),
  countLinks: () => ({ query: `?search=${"a".repeat(1_000)}&groupBy=tagId` }),
  findLink: ({ linkId = "" }) => ({ query: `?linkId=${linkId}` }),
  resolveLink: () => ({
    body: JSON.stringify({
      userAgent: "Mozilla/5.0 ".repeat(80),
      language: "de,".repeat(60),
      query: `?${"a=b&".repeat(400)}`,
    }),
  }),
  createDomain: () => ({
    body: JSON.stringify({
      slug: `${crypto.randomUUID()}.example.com`,
      assetLinks: JSON.stringify(Array(6_000).fill({ a: 1 })),
      appleAppSiteAssociation: `${"[".repeat(500)}${"]".repeat(500)}`,
      logo: `data:image/png;base64,${"A".repeat(60_000)}`,
    }),
  }),
  updateDomain: () => ({
    body: JSON.stringify({
      assetLinks: JSON.stringify(Array(6_000).fill({ a: 1 })),
      logo: `data:image/png;base64,${"A".repeat(60_000)}`,
    }),
  }),
  setWorkspaceAvatar: () => ({
    body: JSON.stringify({
      image: `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ${"A".repeat(60_000)}`,
    }),
  }),
  retrieveAnalytics: () => ({ query: report }),
  reportShared: () => ({
    query: "?groupBy=weekday_hours&start=1970-01-01&end=2026-12-31&timezone=Australia%2FLord_Howe",
  }),
  reportTimeseries: () => ({ query: "?interval=90d&timezone=Australia%2FLord_Howe" }),
  listEvents: () => ({ query: "?interval=all&limit=1000&page=1" }),
  getQrCode: () => ({ query: `?url=https://example.com/${"a".repeat(1_500)}&size=2000` }),
  createShare: ({ linkId = "" }) => ({ body: JSON.stringify({ linkId }).padEnd(64 * kibibyte) }),
  createTag: named,
  updateTag: named,
  putTag: named,
  createFolder: named,
  updateFolder: named,
  createUtmTemplate: named,
  updateUtmTemplate: named,
  deleteWorkspace: ({ workspaceName = "" }) => ({ query: `?confirm=${encodeURIComponent(workspaceName)}` }),
  unlockShared: () => ({ body: JSON.stringify({ password: "p".repeat(1_000) }).padEnd(4 * kibibyte) }),
};

/** With a name that nothing else has. */
function named(): CostlyRequest {
  return { body: JSON.stringify({ name: crypto.randomUUID() }).padEnd(64 * kibibyte) };
}

/** The request to send to an operation. */
export function costlyRequest(endpoint: Endpoint, named: Named): CostlyRequest {
  const { operationId, bodySchema, bodyExample, bodyLimit } = endpoint;
  const known = requests[operationId]?.(named);
  if (known !== undefined) return known;
  if (bodySchema === undefined) return {};
  return { body: JSON.stringify(bodyExample).padEnd(bodyLimit.bytesMax) };
}
