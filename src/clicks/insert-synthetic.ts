import { setImmediate as nextTick } from "node:timers/promises";
import { linkProfiles } from "../../benchmarks/synthetic/link-profiles.ts";
import { SeededRandom } from "../../benchmarks/synthetic/seeded-random.ts";
import { daysTouched, Traffic } from "../../benchmarks/synthetic/traffic.ts";
import type { ClickTarget, SpooledClick } from "./click.ts";
import { enrich } from "./enrich.ts";
import type { ClickStore } from "./store.ts";

/**
 * A link that gets synthetic clicks: the share of its mobile visitors who scan its QR code, and the UTC day of the period
 * on which its clicks begin, from 0.
 */
type SyntheticTarget = ClickTarget & { qrShare: number; firstDay: number };

/** The clicks to make: their number and period in milliseconds, half open, on links ordered by their clicks. */
export type SyntheticPlan = {
  clicks: number;
  from: number;
  to: number;
  seed: number;
  /** 32 hex digits that no other spool has. */
  spoolId: string;
  links: readonly SyntheticTarget[];
};

/** People's clicks of each link of a plan, and the time of the last one; 0 for none. */
export type GeneratedCounts = { clicks: number[]; lastClicked: number[] };

/** Rows of one insert, so that clicks of visitors wait for some milliseconds only. */
const clicksPerBatch = 5_000;

const noVisit: Omit<SpooledClick, keyof ClickTarget> = {
  ...{ id: "", time: 0, country: "", region: "", city: "", continent: "", referer: "", agent: "", language: "" },
  ...{ trigger: "link", bot: "", visitor: "" },
};

/**
 * Stores the clicks of a plan and returns their counts.
 * Guarantee: the same plan makes the same batches, so that a repeated call stores only what is missing.
 */
export async function insertSynthetic(
  store: Pick<ClickStore, "insert">,
  { clicks, from, to, seed, spoolId, links }: SyntheticPlan,
): Promise<GeneratedCounts> {
  const profiles = linkProfiles(
    { links: links.length, workspaces: 1, days: daysTouched(from, to) },
    new SeededRandom(seed),
  );
  profiles.birthDays.set(links.map(({ firstDay }) => firstDay));
  const traffic = new Traffic({ clicks, from, to, seed, spoolId, profiles, links: links.map(withUtm) });
  for (const made of traffic.batchesWithPauses(clicksPerBatch)) {
    await nextTick();
    if (made !== undefined) await store.insert(made.batch, made.rows);
  }
  return { clicks: [...traffic.clicks], lastClicked: [...traffic.lastClicked] };
}

function withUtm(target: SyntheticTarget) {
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = enrich({ ...noVisit, ...target });
  return { ...target, utm_source, utm_medium, utm_campaign, utm_term, utm_content };
}
