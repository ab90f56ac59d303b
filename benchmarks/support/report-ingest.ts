/** Ingest during queries. */
import { setImmediate as nextTick, setTimeout as wait } from "node:timers/promises";
import type { Click } from "../../src/clicks/click.ts";
import { clickBytes, clickId, clickIdStart } from "../../src/clicks/spool-format.ts";
import type { ClickStore } from "../../src/clicks/store.ts";
import type { ReportQuestion, ReportSubject } from "./report-questions.ts";

const spoolId = "feedfeedfeedfeedfeedfeedfeedfeed";
const clicksPerBatch = 20_000;
const batchEveryMs = 1_000;
/** The number of clicks to copy: as many as one page of the API. */
const samplesMax = 1_000;

/** The result. A lag is the time from when a batch was due until it was stored, in milliseconds. */
export type IngestResult = {
  stored: number;
  seconds: number;
  lags: number[];
  /** How long each query took, in milliseconds. */
  answers: number[];
};

/**
 * Stores a batch of copies of the subject's latest clicks each second, while it repeats the queries without a pause.
 */
export async function ingestBesideQuestions(
  store: ClickStore,
  {
    subject,
    questions,
    at,
    seconds,
  }: { subject: ReportSubject; questions: readonly ReportQuestion[]; at: number; seconds: number },
): Promise<IngestResult> {
  const everything = { workspaceId: subject.workspaceId, from: 0, to: at, bots: "include", filters: [] } as const;
  const samples = await store.page({ ...everything, order: "newestFirst", offset: 0, limit: samplesMax });
  const result: IngestResult = { stored: 0, seconds: 0, lags: [], answers: [] };
  const state = { isOver: false };
  const queries = repeatQuestions(store, questions, state, result);
  const startedAt = performance.now();
  try {
    for (let batch = 0; batch < seconds; batch++) {
      const dueAt = startedAt + batch * batchEveryMs;
      await wait(Math.max(0, dueAt - performance.now()));
      const from = await store.cursor(spoolId);
      const rows = clicksFrom(samples, from, at + batch * batchEveryMs);
      await store.insert({ spoolId, from, to: from + rows.length * clickBytes }, rows);
      result.stored += rows.length;
      result.lags.push(performance.now() - dueAt);
    }
  } finally {
    state.isOver = true;
    await queries;
  }
  // The last batch counts as a full second, however fast it was stored.
  result.seconds = Math.max(seconds, (performance.now() - startedAt) / 1_000);
  return result;
}

function clicksFrom(samples: readonly Click[], position: number, time: number): Click[] {
  const start = clickIdStart(spoolId);
  return Array.from({ length: clicksPerBatch }, (_, index) => {
    const sample = samples[index % samples.length];
    if (sample === undefined) throw new Error("The subject has no click.");
    const at = time + Math.floor((index * batchEveryMs) / clicksPerBatch);
    return { ...sample, id: clickId(start, position + index * clickBytes), time: at };
  });
}

async function repeatQuestions(
  store: ClickStore,
  questions: readonly ReportQuestion[],
  state: { readonly isOver: boolean },
  { answers }: IngestResult,
): Promise<void> {
  for (let round = 0; !state.isOver; round++) {
    const startedAt = performance.now();
    for (const query of questions[round % questions.length]?.queries ?? []) await store.query(query);
    answers.push(performance.now() - startedAt);
    await nextTick();
  }
}
