import type { Actor } from "../access/actor.ts";
import { isoTime } from "../base/time.ts";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import type { ClickRow, ClickSelection, Labelled } from "../clicks/query.ts";
import { findLink } from "../links/find-links.ts";
import { variantFinder } from "../links/find-variant.ts";
import type { Link } from "../links/link.ts";
import { variantsSince } from "../links/link-history.ts";
import { type Counted, counted, type ReportDeps } from "./click-selection.ts";
import { confidenceInterval } from "./confidence-interval.ts";

/**
 * The results of a link's A/B test.
 *
 * 1. A click belongs to the variant that its destination names (find-variant.ts), because clicks hold no number of a
 *    variant. Other clicks of the period, such as those of a rule, are `other`.
 * 2. The period begins when the test began or when its variants last changed, whichever is later: variants and
 *    earlier percentages would distort the shares. A change that was undone immediately does not count.
 * 3. Visitors are exact: the store counts those of all destinations of a variant at once.
 */

/** The states of a test. */
export const testStates = ["none", "scheduled", "running", "ended"] as const;
type TestState = (typeof testStates)[number];

/** The most destinations of a link that are assigned to variants. Visitors' queries make further ones. */
export const testDestinationsMax = 2_000;

/** The results of a variant. Shares are from 0 to 1; `share` and its interval are null without visitors. */
type VariantResult = {
  url: string;
  percentage: number;
  plannedShare: number;
  clicks: number;
  visitors: number;
  share: { value: number; low: number; high: number } | null;
};

/** The results of a test; `start` and `end` are the counted period, null if there is none. */
type TestResults = {
  state: TestState;
  start: string | null;
  end: string | null;
  variants: VariantResult[];
  other: { clicks: number; visitors: number };
  /** True if the link had more destinations than testDestinationsMax; the rarest ones are not counted. */
  isTruncated: boolean;
};

const nothing = { clicks: 0, visitors: 0 };

/** Reports the test of a link. Throws "not_found" for an unknown link, "unavailable" while the store cannot answer. */
export async function reportTest(deps: ReportDeps, actor: Actor, linkId: string): Promise<TestResults> {
  const link = await findLink(deps, actor, linkId);
  const now = deps.now();
  const state = stateOf(link, now);
  if (state === "none" || state === "scheduled") {
    return { state, start: null, end: null, ...resultsOf(link, new Map()), isTruncated: false };
  }
  const from = Math.max(link.testStartedAt ?? 0, (await variantsSince(deps.db, actor, link)) ?? link.createdAt);
  // A test whose variants were changed after its end counts nothing.
  const to = Math.max(from, state === "ended" ? (link.testCompletedAt ?? now) : now);
  const filters = [{ dimension: "linkId", values: [link.id], isExcluded: false }] as const;
  const selection: ClickSelection = { workspaceId: actor.workspaceId, from, to, bots: "exclude", filters };
  const { byLabel, isTruncated } = await countVariants(deps, selection, link);
  return { state, start: isoTime(from), end: isoTime(to), ...resultsOf(link, byLabel), isTruncated };
}

/** The state of a link's test. */
function stateOf({ testVariants, testStartedAt, testCompletedAt }: Link, now: number): TestState {
  if (testVariants === null) return "none";
  if (testStartedAt !== null && testStartedAt > now) return "scheduled";
  return testCompletedAt !== null && testCompletedAt <= now ? "ended" : "running";
}

const otherLabel = "other";

/** The clicks and visitors of each variant, by its index as a label. */
async function countVariants(
  { pipeline }: ReportDeps,
  selection: ClickSelection,
  { testVariants, forwardPath }: Link,
): Promise<{ byLabel: Map<string, Counted>; isTruncated: boolean }> {
  const rowsMax = testDestinationsMax + 1;
  const found = await pipeline.query({ ...selection, grouping: { kind: "dimension", dimension: "url", rowsMax } });
  const variantOf = variantFinder(
    (testVariants ?? []).map(({ url }) => url),
    { forwardPath },
  );
  const labels: Labelled[] = [];
  for (const { value } of found.slice(0, testDestinationsMax)) {
    await yieldIfSliceSpent();
    const url = String(value);
    labels.push({ value: url, label: String(variantOf(url) ?? otherLabel) });
  }
  const rows: ClickRow[] =
    labels.length === 0
      ? []
      : await pipeline.query({
          ...{ ...selection, metric: "visitors" },
          grouping: { kind: "labels", dimension: "url", labels, rowsMax },
        });
  const byLabel = new Map(rows.map((row) => [String(row.value), counted(row, "visitors")]));
  return { byLabel, isTruncated: found.length > testDestinationsMax };
}

function resultsOf(
  { testVariants }: Link,
  byLabel: ReadonlyMap<string, Counted>,
): Pick<TestResults, "variants" | "other"> {
  const planned = testVariants ?? [];
  const percentages = planned.reduce((sum, { percentage }) => sum + percentage, 0);
  const numbersOf = (label: string) => ({ ...nothing, ...byLabel.get(label) });
  const total = planned.reduce((sum, _, index) => sum + numbersOf(String(index)).visitors, 0);
  const variants = planned.map(({ url, percentage }, index): VariantResult => {
    const { clicks, visitors } = numbersOf(String(index));
    const share = total === 0 ? null : { value: visitors / total, ...confidenceInterval(visitors, total) };
    return { url, percentage, plannedShare: percentage / percentages, clicks, visitors, share };
  });
  return { variants, other: numbersOf(otherLabel) };
}
