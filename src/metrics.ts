import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { addProcessMetrics } from "./base/process-metrics.ts";
import { type HistogramCounts, TimeHistogram } from "./base/time-histogram.ts";

/** Seconds. A redirect usually takes far less than the first bucket. */
const redirectBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const rewriteBuckets = [1, 5, 15, 30, 60, 120, 300, 600];

/** Counters of redirects in one process. */
export type RedirectCounters = {
  /** Responses to visitors of short domains, by outcome. */
  redirects: Record<string, number>;
  writtenClicks: number;
  droppedClicks: number;
  /** Cut texts of visitors; see clicks/text-budget.ts. */
  cutTexts: number;
};

/**
 * File descriptors of the public port's connections (a connection proxied to the API takes three), and refused
 * connections.
 */
export type Connections = { taken: number; refused: number };
/** The metrics of a redirect worker. */
export type WorkerMetrics = RedirectCounters & { times: HistogramCounts; connections: Connections };

/** Returns a new histogram of response times to visitors. */
export function redirectTimes(): TimeHistogram {
  return new TimeHistogram("waypost_redirect_seconds", "Time to answer a visitor of a short domain", redirectBuckets);
}

/** Metrics of the main process that are read at each scrape. */
export type MainProcessMetrics = RedirectCounters & {
  spools: { bytes: number; lagBytes: Record<string, number> };
  /** Restarts of the supervisor's children by name; empty in one process. */
  restarts: Record<string, number>;
  /** Waiting queries for clicks. */
  waitingQuestions: number;
};

/** Sources of metrics that are counted elsewhere. */
export type MetricSources = {
  own(): MainProcessMetrics;
  /** The metrics of all redirect workers in order; undefined for one that does not answer. */
  workers(): Promise<(WorkerMetrics | undefined)[]>;
  /** The metrics of the store process; undefined while none runs or answers. */
  store(): Promise<StoreProcessMetrics | undefined>;
};

/** Resource usage of the store process. */
export type StoreProcessMetrics = { residentBytes: number; cpuSeconds: number };

/** The service's metrics; each is incremented where its event happens. */
export type Metrics = ReturnType<typeof openMetrics>;

/** Creates the service's metrics. */
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
      help: "Exports of clicks by outcome: whole, left by the client, failed, refused because of too many exports",
      labelNames: ["outcome"],
      registers,
    }),
    refusedQuestions: new Counter({
      name: "waypost_questions_refused_total",
      help: "Queries for clicks refused because too many waited in the workspace or in all, or because one waited too long (late)",
      labelNames: ["reason"],
      registers,
    }),
    ...storeMetrics(registers),
    mails: new Counter({
      name: "waypost_mails_total",
      help: "Mails by outcome: sent to the mail server, or failed",
      labelNames: ["outcome"],
      registers,
    }),
    signIns: new Counter({
      name: "waypost_sign_ins_total",
      help: "Sign-in attempts by outcome: succeeded, refused for a wrong password, limited",
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
      help: "Links in the lookup file; 0 while there is none",
      registers,
    }),
    /** Sets the source of this process's connection metrics. */
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
      help: "API requests refused with 429 by limit: key (of the user's keys), session, workspace, address",
      labelNames: ["by"],
      registers,
    }),
    replayed: new Counter({
      name: "waypost_api_replayed_total",
      help: "POST requests answered from a stored response by their Idempotency-Key",
      registers,
    }),
  };
}

function storeMetrics(registers: Registry[]) {
  return {
    stored: new Counter({ name: "waypost_clicks_stored_total", help: "Clicks moved into the store", registers }),
    storeLosses: new Gauge({
      name: "waypost_store_losses",
      help: "Losses of stored clicks that the operator has not accepted: a missing or older click store file",
      registers,
    }),
    storeBytes: new Gauge({
      name: "waypost_store_bytes",
      help: "Bytes of the click store's file and its log",
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: "waypost_disk_free_bytes",
      help: "Free bytes of the data folder's disk",
      registers,
    }),
    damagedBytes: new Counter({
      name: "waypost_spool_damaged_bytes_total",
      help: "Damaged bytes of the spools that readers have skipped",
      registers,
    }),
    damagedClicks: new Counter({
      name: "waypost_clicks_damaged_total",
      help: "Upper bound of clicks in damaged bytes of the spools",
      registers,
    }),
    rewriteSeconds: new Histogram({
      name: "waypost_store_rewrite_seconds",
      help: "Time to rewrite the click store file without removed clicks",
      buckets: rewriteBuckets,
      registers,
    }),
  };
}

/** The values are 0 while the process does not answer. */
function addStoreProcess(registers: Registry[], read: () => StoreProcessMetrics | undefined): void {
  new Gauge({
    name: "waypost_store_up",
    help: "1 while the store process answers, 0 otherwise",
    registers,
    collect() {
      this.set(read() === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "waypost_store_resident_memory_bytes",
    help: "Resident memory of the store process",
    registers,
    collect() {
      this.set(read()?.residentBytes ?? 0);
    },
  });
  addTotal(registers, {
    name: "waypost_store_cpu_seconds_total",
    help: "Processor time of the store process",
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
    help: "Bytes of clicks that a spool reader has not read yet",
    labelNames: ["reader"],
    registers,
    collect() {
      for (const [reader, bytes] of Object.entries(read().spools.lagBytes)) this.set({ reader }, bytes);
    },
  });
  const counted = () => eachProcess(read(), workers());
  addTotal(registers, {
    name: "waypost_redirects_total",
    help: "Responses to visitors of short domains by outcome",
    labelNames: ["outcome", "worker"],
    read: () =>
      counted().flatMap(({ labels, numbers }) =>
        Object.entries(numbers.redirects).map(([outcome, value]) => ({ labels: { ...labels, outcome }, value })),
      ),
  });
  addTotal(registers, {
    name: "waypost_clicks_captured_total",
    help: "Clicks written to the spools, including bots",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.writtenClicks })),
  });
  addTotal(registers, {
    name: "waypost_clicks_dropped_total",
    help: "Clicks dropped because the spool was full or the disk refused a write",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.droppedClicks })),
  });
  addTotal(registers, {
    name: "waypost_click_texts_cut_total",
    help: "Long texts of visitors that were cut, above the budget of their network or on a nearly full disk",
    labelNames: ["worker"],
    read: () => counted().map(({ labels, numbers }) => ({ labels, value: numbers.cutTexts })),
  });
  addTotal(registers, {
    name: "waypost_restarts_total",
    help: "Restarts of a process after a crash",
    labelNames: ["process"],
    read: () => Object.entries(read().restarts).map(([process, value]) => ({ labels: { process }, value })),
  });
  new Gauge({
    name: "waypost_questions_waiting",
    help: "Waiting queries for clicks",
    registers,
    collect() {
      this.set(read().waitingQuestions);
    },
  });
  new Gauge({
    name: "waypost_worker_up",
    help: "1 while a redirect worker answers, 0 otherwise",
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
    help: "File descriptors of connections: one each, three when proxied to the API",
    labelNames: ["worker"],
    registers,
    collect() {
      this.reset();
      for (const { labels, connections } of read()) this.set(labels, connections.taken);
    },
  });
  addTotal(registers, {
    name: "waypost_connections_refused_total",
    help: "Connections refused because there were too many",
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

/** Labels each worker's counters with its number, so that a restart resets only the worker's own series. */
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

/** Adds a counter that is counted elsewhere and read at each scrape. */
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
