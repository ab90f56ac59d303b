import { join } from "node:path";
import { z } from "zod";
import { linkProfiles } from "../../benchmarks/synthetic/link-profiles.ts";
import { SeededRandom } from "../../benchmarks/synthetic/seeded-random.ts";
import { daysTouched, Traffic } from "../../benchmarks/synthetic/traffic.ts";
import { dayMs } from "../../src/base/time.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { allPartitionsAt, tallyByPartition } from "../../src/clicks/tally.ts";
import { connect } from "../../src/database/database.ts";
import { applyTally } from "../../src/links/counters.ts";
import { storeCertificate } from "./domain-certificates.ts";
import type { TestServer } from "./server.ts";

/**
 * A workspace like that of a marketing team after seven months, for pictures of the dashboard: links with tags and
 * folders, whose clicks vary by day and week.
 */

const clicks = 110_000;
const days = 210;
const seed = 7;
const slug = "kestrel.link";
const spoolId = "5a".repeat(16);
const batchClicksMax = 20_000;

/** TABLE of tags. */
const tags = { campaign: "blue", newsletter: "purple", social: "pink", print: "yellow", hiring: "green" } as const;
const folders = ["Autumn 2026", "Always on"] as const;

/** TABLE of templates. */
const utmTemplates = {
  Newsletter: { utm_source: "newsletter", utm_medium: "email" },
  "Instagram, paid": { utm_source: "instagram", utm_medium: "paid-social", utm_campaign: "autumn-2026" },
  "Posters in the shops": { utm_source: "poster", utm_medium: "print" },
} as const;

/** TABLE of saved views. */
const views: Record<string, { shared: boolean; query(tagIds: Record<string, string>): string }> = {
  "Print, most clicked": { shared: true, query: ({ print }) => `tags=${print}&order=mostClicked` },
  Archive: { shared: false, query: () => "archived=true" },
};

type Sample = {
  key: string;
  url: string;
  title: string;
  tags: (keyof typeof tags)[];
  folder?: (typeof folders)[number];
  more?: object;
};

/** TABLE of links, the most clicked first. */
const samples: readonly Sample[] = [
  { key: "menu", url: "https://kestrel.coffee/menu", title: "The menu", tags: ["print"], folder: "Always on" },
  {
    key: "autumn",
    url: "https://kestrel.coffee/shop/autumn?utm_source=instagram&utm_medium=social&utm_campaign=autumn-2026",
    title: "Autumn roasts are here",
    tags: ["campaign", "social"],
    folder: "Autumn 2026",
  },
  {
    key: "phone",
    url: "https://kestrel.coffee/app",
    title: "The app, for your phone",
    tags: ["print", "campaign"],
    folder: "Always on",
    more: {
      ios: "https://apps.apple.com/app/kestrel",
      android: "https://play.google.com/store/apps/details?id=kestrel",
    },
  },
  {
    key: "letter",
    url: "https://kestrel.coffee/journal/letter-42?utm_source=newsletter&utm_medium=email&utm_campaign=letter-42",
    title: "Letter 42: how we buy",
    tags: ["newsletter"],
    folder: "Autumn 2026",
  },
  { key: "jobs", url: "https://kestrel.coffee/jobs", title: "Work with us", tags: ["hiring"], folder: "Always on" },
  {
    key: "tasting",
    url: "https://kestrel.coffee/events/tasting",
    title: "Open tasting, every Friday",
    tags: ["social"],
    folder: "Autumn 2026",
    more: {
      trackConversion: true,
      testVariants: [
        { url: "https://kestrel.coffee/events/tasting", percentage: 50 },
        { url: "https://kestrel.coffee/events/tasting-b", percentage: 50 },
      ],
    },
  },
  { key: "beans", url: "https://kestrel.coffee/shop/beans", title: "Beans by subscription", tags: ["campaign"] },
  {
    key: "press",
    url: "https://kestrel.coffee/press",
    title: "Press kit",
    tags: [],
    more: { password: "kestrel-press" },
  },
  {
    key: "map",
    url: "https://maps.example.com/kestrel",
    title: "Find the shops",
    tags: ["print"],
    folder: "Always on",
  },
  { key: "gift", url: "https://kestrel.coffee/shop/gift-cards", title: "Gift cards", tags: ["campaign"] },
  { key: "feedback", url: "https://forms.example.com/kestrel", title: "Tell us how it was", tags: ["print"] },
  { key: "wholesale", url: "https://kestrel.coffee/wholesale", title: "For cafés and offices", tags: ["newsletter"] },
];

const Created = z.object({ id: z.string() });
const CreatedLink = Created.extend({ domain: z.string() });

/**
 * Fills the first workspace of a server, and resolves with the restarted server. `publishRecords` publishes the DNS
 * records of the new domains: a check that finds none would mark the verified domain as failing.
 */
export async function fillSampleWorkspace(
  server: TestServer,
  publishRecords: (server: TestServer) => Promise<void>,
): Promise<TestServer> {
  await server.call("PATCH", "/workspaces/1", { body: { name: "Kestrel Coffee" } });
  await server.call("POST", "/domains", { body: { slug } });
  await server.call("POST", "/domains", { body: { slug: "go.kestrel.coffee" } });
  await publishRecords(server);
  const tagIds: Record<string, string> = {};
  for (const [name, color] of Object.entries(tags)) tagIds[name] = await made(server, "/tags", { name, color });
  const folderIds: Record<string, string> = {};
  for (const name of folders) folderIds[name] = await made(server, "/folders", { name });
  for (const [name, parameters] of Object.entries(utmTemplates))
    await made(server, "/utm-templates", { name, ...parameters });
  const links: { id: string; domain: string; sample: Sample }[] = [];
  for (const sample of [...samples].reverse()) {
    const { key, url, title, folder, more } = sample;
    const placement = {
      tagIds: sample.tags.map((name) => tagIds[name]),
      ...(folder === undefined ? {} : { folderId: folderIds[folder] }),
    };
    const { status, body } = await server.call("POST", "/links", {
      body: { domain: slug, key, url, title, ...placement, ...more },
    });
    if (status !== 201 && status !== 200) throw new Error(`The link ${key} was refused: ${JSON.stringify(body)}`);
    links.unshift({ ...CreatedLink.parse(body), sample });
  }
  for (const [name, { shared, query }] of Object.entries(views))
    await made(server, "/saved-views", { name, shared, query: query(tagIds) });
  await server.end("SIGTERM");
  await fillClicks(server.data, links);
  const filled = await server.restart();
  await filled.call("POST", `/domains/${slug}/primary`);
  return filled;
}

async function made(server: TestServer, path: string, body: object): Promise<string> {
  return Created.parse((await server.call("POST", path, { body })).body).id;
}

async function fillClicks(data: string, links: { id: string; domain: string; sample: Sample }[]): Promise<void> {
  const database = connect({ kind: "sqlite", path: join(data, "waypost.sqlite") }, "full");
  const store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 2 });
  try {
    await storeCertificate(database, slug, "valid");
    // Set here, so that no picture depends on when the first check runs.
    const { id: domainId } = await database.db
      .updateTable("domains")
      .set({ status: "verified", checkedAt: Date.now() })
      .where("slug", "=", slug)
      .returning("id")
      .executeTakeFirstOrThrow();
    const to = Date.now();
    const from = to - days * dayMs;
    const profiles = linkProfiles(
      { links: links.length, workspaces: 1, days: daysTouched(from, to) },
      new SeededRandom(seed),
    );
    const targets = links.map(({ id, domain, sample: { key, url } }) => {
      const query = new URL(url).searchParams;
      const utm = (name: string) => query.get(`utm_${name}`) ?? "";
      return {
        ...{
          workspaceId: 1,
          linkId: id,
          domainId,
          domain,
          key,
          url,
          qrShare: key === "menu" || key === "map" ? 0.6 : 0.1,
        },
        ...{ utm_source: utm("source"), utm_medium: utm("medium"), utm_campaign: utm("campaign") },
        ...{ utm_term: "", utm_content: "" },
      };
    });
    for (const [index, { id }] of links.entries()) {
      const createdAt = to - Math.floor(((index + 1) / links.length) * days) * dayMs;
      await database.db.updateTable("links").set({ createdAt }).where("id", "=", id).execute();
    }
    const traffic = new Traffic({ clicks, from, to, seed, spoolId, links: targets, profiles });
    let end = 0;
    for (const { batch, rows } of traffic.batches(batchClicksMax)) {
      await store.insert(batch, rows);
      end = batch.to;
    }
    const tallies = links.map(({ id }, index) => ({
      ...{ linkId: id, clicks: traffic.clicks[index] ?? 0, lastClicked: traffic.lastClicked[index] ?? 0 },
    }));
    const clicked = tallies.filter((tally) => tally.clicks > 0);
    await applyTally(database, spoolId, tallyByPartition(allPartitionsAt(0), end, clicked));
  } finally {
    await store.close();
    await database.close();
  }
}
