/**
 * More than a thousand random reports over random clicks, compared between the service and a plain fold over the
 * clicks (plain-answer.ts), which uses the time formatting of the runtime.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Counted } from "../../../src/analytics/click-selection.ts";
import { type AnalyticsGrouping, analyticsGroupings } from "../../../src/analytics/groupings.ts";
import {
  type AnalyticsReport,
  type ReportedPeriod,
  reportAnalytics,
  type Subject,
} from "../../../src/analytics/report-analytics.ts";
import { type ClickGrouping, reportClicks, reportTimeseries } from "../../../src/analytics/report-clicks.ts";
import { Problem } from "../../../src/base/problem.ts";
import { type Random, seededRandom } from "../clicks.ts";
import { type Answer, type PlainAnswer, plainAnswer, type Row } from "./plain-answer.ts";
import { type Ask, botsOf, randomAsk, written } from "./questions.ts";
import { type AgreementWorld, type OpenAgreementStore, openAgreementWorld } from "./world.ts";

/** To repeat a run: AGREEMENT_SEED=7 node bin/test.mjs tests/analytics-agreement.test.ts */
const seed = Number(process.env["AGREEMENT_SEED"] ?? 20_261_121);
const clicksCount = 6_000;
const questions = 700;
/** Selections of clicks, each reported by about thirty groupings. */
const selections = 20;
/** The store answers one query at a time; other responses are read and written concurrently. */
const askedAtOnce = 8;

let agreement: AgreementWorld;
let random: Random;

/** The tests, for the engine whose empty store `open` opens. */
export function testAgreement(open: OpenAgreementStore): void {
  beforeAll(async () => {
    random = seededRandom(seed);
    agreement = await openAgreementWorld(random, clicksCount, open);
  });
  afterAll(() => agreement.close());

  test(`${questions} random reports equal those of a plain fold over the clicks (seed ${seed})`, async () => {
    const { workspaces, world } = agreement;
    for (let from = 0; from < questions; from += askedAtOnce) {
      const asks = Array.from({ length: askedAtOnce }, () => randomAsk(random, workspaces, world.now()));
      await Promise.all(asks.map(expectAgreement));
    }
  });

  test(`${selections} selections of clicks have the same sum in every grouping (seed ${seed})`, async () => {
    const { workspaces, world } = agreement;
    for (let selection = 0; selection < selections; selection++) {
      const ask: Ask = { ...randomAsk(random, workspaces, world.now()), event: "clicks" };
      const asks = analyticsGroupings.map((groupBy): Ask => ({ ...ask, groupBy }));
      const answers = await Promise.all(asks.map(expectAgreement));

      const sums = answers.flatMap(({ answer, leftOut }, index): [string, number][] => {
        const groupBy = asks[index]?.groupBy ?? "count";
        // A click counts for each tag of its link, and people have no kind of bot.
        if (answer === "refused" || groupBy === "top_link_tags") return [];
        if (groupBy === "bots" && botsOf({ ...ask, groupBy: "count" }) !== "only") return [];
        const rows = Array.isArray(answer) ? answer : [answer];
        return [[groupBy, rows.reduce((sum, { clicks }) => sum + clicks, leftOut)]];
      });
      const [[, sum] = ["count", 0]] = sums;
      expect({ seed, ask: written(ask), sums }).toEqual({
        ...{ seed, ask: written(ask) },
        sums: sums.map(([groupBy]) => [groupBy, sum]),
      });
      await expectSpecified(ask, answers);
    }
  });
}

/** TABLE of the specified groupings, and the general grouping with the same rows except the unknown. */
const specified: [Exclude<ClickGrouping, "count">, AnalyticsGrouping][] = [
  ["browser", "browsers"],
  ["os", "os"],
  ["referer", "referers"],
  ["country", "countries"],
  ["device", "devices"],
];

/** Checks that the two specified reports have the rows and the sum of the general one. */
async function expectSpecified(ask: Ask, answers: readonly PlainAnswer[]): Promise<void> {
  const { world, store } = agreement;
  const deps = { db: world.db, now: world.now, pipeline: store };
  const { owner } = ask.workspace;
  const { groupBy: _, event: __, ...question } = written(ask);
  const plainOf = (groupBy: AnalyticsGrouping) => answers[analyticsGroupings.indexOf(groupBy)];
  const series = plainOf("timeseries");
  if (series === undefined || series.answer === "refused") return;

  const points = await reportTimeseries(deps, owner, question);

  expect<unknown>({ seed, question, points }).toEqual({ seed, question, points: series.answer });
  for (const [groupBy, general] of specified) {
    const { clicks, data } = await reportClicks(deps, owner, { ...question, groupBy });

    const plain = plainOf(general);
    const rows = Array.isArray(plain?.answer) ? plain.answer : [];
    const shown = rows.map((row): [unknown, number] => [row[groupBy], row.clicks]);
    const unknown: [unknown, number][] = plain === undefined || plain.leftOut === 0 ? [] : [["Unknown", plain.leftOut]];
    expect({ seed, question, groupBy, clicks }).toEqual({ seed, question, groupBy, clicks: plain?.clicks ?? 0 });
    expect<unknown>({ seed, question, groupBy, rows: new Map(data.map((row) => [row[groupBy], row.clicks])) }).toEqual({
      ...{ seed, question, groupBy },
      rows: new Map([...shown, ...unknown]),
    });
  }
}

/** Checks that the service and the plain fold give the same report, and returns it. */
async function expectAgreement(ask: Ask): Promise<PlainAnswer> {
  const { world, store } = agreement;
  const question = written(ask);
  const deps = { db: world.db, now: world.now, pipeline: store };

  const answer = await answerOf(reportAnalytics(deps, ask.workspace.owner, question));

  const plain = plainAnswer(ask, world.now());
  expect({ seed, question, answer }).toEqual({ seed, question, answer: plain.answer });
  return plain;
}

async function answerOf(report: Promise<AnalyticsReport>): Promise<Answer> {
  try {
    return flat(await report);
  } catch (error) {
    if (error instanceof Problem && error.code === "unprocessable_entity") return "refused";
    throw error;
  }
}

function flat(report: AnalyticsReport): Answer {
  switch (report.kind) {
    case "count":
      return { ...report.numbers, ...(report.previous === undefined ? {} : { previous: numbersOf(report.previous) }) };
    case "timeseries":
      return report.buckets.map(({ bucket, previous }) => ({
        ...bucket,
        ...(previous === undefined ? {} : { previous }),
      }));
    case "rows":
      return report.rows.map(
        ({ subject, numbers, previous }): Row => ({
          ...fieldsOf(subject),
          ...numbers,
          ...(previous === undefined ? {} : { previous }),
        }),
      );
  }
}

function numbersOf({ start: _, end: __, ...numbers }: ReportedPeriod & Counted): Counted {
  return numbers;
}

function fieldsOf(subject: Subject): Record<string, unknown> {
  switch (subject.kind) {
    case "values":
      return subject.fields;
    case "weekdayHour":
      return { weekday: subject.weekday, hour: subject.hour };
    case "link": {
      const { id, domain, key, url } = subject.link;
      return { id, domain, key, url, isDeleted: false };
    }
    case "deletedLink": {
      const { linkId: id, domain, key, url } = subject.link;
      return { id, domain, key, url, isDeleted: true };
    }
    case "folder":
      return { folder: subject.folder };
    case "tag":
      return { tag: subject.tag };
  }
}
