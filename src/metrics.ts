import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { addProcessMetrics } from "./base/process-metrics.ts";
import { type HistogramCounts, TimeHistogram } from "./base/time-histogram.ts";

/** Seconds; a redirect is answered in far less than the first of them when all is well. */
const redirectBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const rewriteBuckets = [1, 5, 15, 30, 60, 120, 300, 600];

/** What redirects count, of one process that answers visitors. */
export type RedirectCounters = {
  /** Answers to visitors of short domains by outcome. */
  redirects: Record<string, number>;
  writtenClicks: number;
  droppedClicks: number;
  /** Texts of visitors that were cut; see clicks/text-budget.ts. */
  cutTexts: number;
};

/** Of the port that the world sees; a connection handed on to the API takes three descriptors. */
export type Connections = { taken: number; refused: number };
/** What a redirect worker says of itself: its numbers as well as the times of its answers. */
export type WorkerMetrics = RedirectCounters & { times: HistogramCounts; connections: Connections };

/** A histogram of the time that answers to visitors take. */
export function redirectTimes(): TimeHistogram {
  return new TimeHistogram("waypost_redirect_seconds", "Time to answer a visitor of a short domain", redirectBuckets);
}

/** What is read from the running parts when somebody asks, rather than kept up to date. */
export type MainProcessMetrics = RedirectCounters & {
  spools: { bytes: number; lagBytes: Record<string, number> };
  /** How often children of the supervisor were started again, by name; none in one process. */
  restarts: Record<string, number>;
  /** Questions about clicks that wait for their turn. */
  waitingQuestions: number;
};

/** How the metrics come by what they do not count themselves. */
export type MetricSources = {
  own(): MainProcessMetrics;
  /** Of every redirect worker, from the first on; undefined for one that does not answer. */
  workers(): Promise<(WorkerMetrics | undefined)[]>;
  /** Of the click store's process; undefined while none runs, or when it does not answer soon. */
  store(): Promise<StoreProcessMetrics | undefined>;
};

/** What the click store's process takes of the machine. */
export type StoreProcessMetrics = { residentBytes: number; cpuSeconds: number };

/** The service's metrics, each to be counted up where it happens. */
export type Metrics = ReturnType<typeof openMetrics>;

/** The service's metrics, in Prometheus' text format. */
export function openMetrics(read: MetricSources) {
  const registry = new Registry();
  const registers = [registry];
  addProcessMetrics(registers);
  let workers: (WorkerMetrics | undefined)[] = [];
  let store: StoreProcessMetrics | undefined;
  let connections = (): Connections => ({ taken: 0, refused: 0 });
  addReadings(registers, read.own, () => workers);
  addStoreProcess(registers, () => store);
  addConnections(registers, () => labelledConnections(connections(), workers));
  const redirectSeconds = redirectTimes();
  return {
    ...apiMetrics(registers),
    redirectSeconds,
    qrCodes: new Counter({
      name: "waypost_qr_codes_total",
      help: "QR codes drawn, by format",
      labelNames: ["format"],
      registers,
    }),
    exports: new Counter({
      name: "waypost_exports_total",
      help: "Exports of clicks by outcome: whole, left by the client, failed, refused since there were too many",
      labelNames: ["outcome"],
      registers,
    }),
    refusedQuestions: new Counter({
      name: "waypost_questions_refused_total",
      help: "Questions about clicks refused since too many waited: of the workspace, of all, or for too long (late)",
      labelNames: ["reason"],
      registers,
    }),
    ...storeMetrics(registers),
    mails: new Counter({
      name: "waypost_mails_total",
      help: "Mails handed to the mail server, and those that could not be",
      labelNames: ["outcome"],
      registers,
    }),
    signIns: new Counter({
      name: "waypost_sign_ins_total",
      help: "Attempts to sign in by outcome: succeeded, refused for a wrong password, limited",
      labelNames: ["outcome"],
      registers,
    }),
    liveStreams: new Gauge({ name: "waypost_live_streams", help: "Open streams of live events", registers }),
    taskFailures: new Counter({
      name: "waypost_task_failures_total",
      help: "Failed runs of background tasks",
      labelNames: ["task"],
      registers,
    }),
    lookupFileLinks: new Gauge({
      name: "waypost_lookup_file_links",
      help: "Links in the file that redirects look them up in; 0 while there is none",
      registers,
    }),
    /** From now on tells how many connections this process has. */
    watchConnections(watched: () => Connections) {
      connections = watched;
    },
    async text() {
      [workers, store] = await Promise.all([read.workers(), read.store()]);
      const others = workers.flatMap((worker, index) =>
        worker === undefined ? [] : [{ label: `worker="${index + 1}"`, times: worker.times }],
      );
      return (await registry.metrics()) + redirectSeconds.text(others);
    },
    contentType: registry.contentType,
  };
}

function apiMetrics(registers: Registry[]) {
  return {
    requests: new Counter({
      name: "waypost_api_requests_total",
      help: "API requests by operation and status",
      labelNames: ["operation", "status"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "waypost_api_request_seconds",
      help: "Time to answer an API request",
      buckets: requestBuckets,
      registers,
    }),
    refused: new Counter({
      name: "waypost_api_rate_limited_total",
      help: "API requests refused with 429, by the limit: of the user's keys (key), of their sessions, of the workspace, of the address",
      labelNames: ["by"],
      registers,
    }),
    replayed: new Counter({
      name: "waypost_api_replayed_total",
      help: "POSTs answered again as before, by their Idempotency-Key",
      registers,
    }),
  };
}

function storeMetrics(registers: Registry[]) {
  return {
    stored: new Counter({ name: "waypost_clicks_stored_total", help: "Clicks moved into the store", registers }),
    storeLosses: new Gauge({
      name: "waypost_store_losses",
      help: "Losses of stored clicks that the operator has not accepted: a missing or an older file of the click store",
      registers,
    }),
    storeBytes: new Gauge({
      name: "waypost_store_bytes",
      help: "Bytes of the click store's file and its log",
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: "waypost_disk_free_bytes",
      help: "Free bytes of the disk that the data folder lies on",
      registers,
    }),
    damagedBytes: new Counter({
      name: "waypost_spool_damaged_bytes_total",
      help: "Damaged bytes of the spools that readers have passed over",
      registers,
    }),
    damagedClicks: new Counter({
      name: "waypost_clicks_damaged_total",
      help: "Clicks that damaged bytes of the spools may have held, at most",
      registers,
    }),
    rewriteSeconds: new Histogram({
      name: "waypost_store_rewrite_seconds",
      help: "Time to write the click store anew without what was removed from it",
      buckets: rewriteBuckets,
      registers,
    }),
  };
}

/** 0 while the process does not answer. */
function addStoreProcess(registers: Registry[], read: () => StoreProcessMetrics | undefined): void {
  new Gauge({
    name: "waypost_store_up",
    help: "1 while the process of the click store answers, 0 otherwise",
    registers,
    collect() {
      this.set(read() === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "waypost_store_resident_memory_bytes",
    help: "Resident memory of the click store's process",
    registers,
    collect() {
      this.set(read()?.residentBytes ?? 0);
    },
  });
  addTotal(registers, {
    name: "waypost_store_cpu_seconds_total",
    help: "Processor time of the click store's process",
    labelNames: [],
    read: () => [{ labels: {}, value: read()?.cpuSeconds ?? 0 }],
  });
}

function addReadings(
  registers: Registry[],
  read: () => MainProcessMetrics,
  workers: () => readonly (WorkerMetrics | undefined)[],
): void {
  new Gauge({
    name: "waypost_spool_bytes",
    help: "Bytes of clicks in the spools",
    registers,
    collect() {
      this.set(read().spools.bytes);
    },
  });
  new Gauge({
    name: "waypost_spool_lag_bytes",
    help: "Bytes of clicks that a reader of the spools has still to read",
    labelNames: ["reader"],
    registers,
    collect() {
      for (const [reader, bytes] of Object.entries(read().spools.lagBytes)) this.set({ reader }, bytes);
    },
  });
  const counted = () => eachProcess(read(), workers());
  addTotal(registers, {
    name: "waypost_redirects_total",
    help: "Answers to visitors of short domains by outcome",
    labelNames: ["outcome", "worker"],
    read: () =>
      counted().flatMap(({ labels, numbers }) =>
        Object.entries(numbers.redirects).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
  });
  addTotal(registers, {
    name: "waypost_clicks_captured_total",
    help: "Clicks written to the spools, bots among them",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.writtenClicks })),
  });
  addTotal(registers, {
    name: "waypost_clicks_dropped_total",
    help: "Clicks that could not be kept, because the spool was full or the disk refused",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.droppedClicks })),
  });
  addTotal(registers, {
    name: "waypost_click_texts_cut_total",
    help: "Long texts of visitors that were cut, beyond the budget of their network or while the disk is short",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.cutTexts })),
  });
  addTotal(registers, {
    name: "waypost_restarts_total",
    help: "Starts of a process after its death",
    labelNames: ["process"],
    read: () => Object.entries(read().restarts).map(([process, value]) => ({ labels: { process }, value })),
  });
  new Gauge({
    name: "waypost_questions_waiting",
    help: "Questions about clicks that wait for their turn",
    registers,
    collect() {
      this.set(read().waitingQuestions);
    },
  });
  new Gauge({
    name: "waypost_worker_up",
    help: "Whether a redirect worker answers",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const [index, worker] of workers().entries()) {
        this.set({ worker: String(index + 1) }, worker === undefined ? 0 : 1);
      }
    },
  });
}

function addConnections(registers: Registry[], read: () => { labels: Labels; connections: Connections }[]): void {
  new Gauge({
    name: "waypost_connection_descriptors",
    help: "Descriptors that connections take: one each, three when handed on to the API",
    labelNames: ["worker"],
    registers,
    collect() {
      this.reset();
      for (const { labels, connections } of read()) this.set(labels, connections.taken);
    },
  });
  addTotal(registers, {
    name: "waypost_connections_refused_total",
    help: "Connections turned away since there were too many",
    labelNames: ["worker"],
    read: () => read().map(({ labels, connections }) => ({ labels, value: connections.refused })),
  });
}

function labelledConnections(own: Connections, workers: readonly (WorkerMetrics | undefined)[]) {
  const answered = workers.flatMap((worker, index) =>
    worker === undefined ? [] : [{ labels: { worker: String(index + 1) }, connections: worker.connections }],
  );
  return [{ labels: {}, connections: own }, ...answered];
}

type Labels = Record<string, string>;

/** The main process, and each worker that answered under its number: one that begins anew resets its own series alone. */
function eachProcess(own: RedirectCounters, workers: readonly (WorkerMetrics | undefined)[]) {
  const answered = workers.flatMap((numbers, index) =>
    numbers === undefined ? [] : [labelled({ worker: String(index + 1) }, numbers)],
  );
  return [labelled({}, own), ...answered];
}

function labelled(labels: Labels, numbers: RedirectCounters): { labels: Labels; numbers: RedirectCounters } {
  return { labels, numbers };
}

type Total = {
  name: string;
  help: string;
  labelNames: string[];
  read(): { labels: Labels; value: number }[];
};

/** A counter that is kept elsewhere and read when somebody asks. */
function addTotal(registers: Registry[], { name, help, labelNames, read }: Total): void {
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.inc(labels, value);
    },
  });
}
