import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { version } from "../package.json";
import { addProcessMetrics } from "./base/process-metrics.ts";
import { type HistogramCounts, TimeHistogram } from "./base/time-histogram.ts";

/** Seconds. A redirect usually takes far less than the first bucket. */
const redirectBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const vacuumBuckets = [1, 5, 15, 30, 60, 120, 300, 600];

/** Counters of redirects in one process. */
type RedirectCounters = {
  /** Responses to visitors to short domains, by outcome. */
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
type Connections = { taken: number; refused: number; handshakes: Readonly<Record<string, number>> };
/** The metrics of a redirect worker. */
type WorkerMetrics = RedirectCounters & { times: HistogramCounts; connections: Connections };

/** Returns a new histogram of response times to visitors. */
export function redirectTimes(): TimeHistogram {
  return new TimeHistogram("waypost_redirect_seconds", "Time to answer a visitor of a short domain", redirectBuckets);
}

/** Metrics of the main process that are read at each scrape. */
type MainProcessMetrics = RedirectCounters & {
  spools: { bytes: number; lagBytes: Record<string, number> };
  /** Restarts of the supervisor's children by name; empty in one process. */
  restarts: Record<string, number>;
  /** Waiting queries for clicks. */
  waitingQueries: number;
  /** The load of each queue of password hashes. */
  hashing: Record<string, { running: number; waiting: number; refused: number }>;
};

/** Sources of metrics that are counted elsewhere. */
type MetricSources = {
  own(): MainProcessMetrics;
  /** The metrics of all redirect workers in order; undefined for one that does not answer. */
  workers(): Promise<(WorkerMetrics | undefined)[]>;
  /** The metrics of the store process, zeros while none is needed; undefined after a crash, or when it does not answer. */
  store(): Promise<StoreProcessMetrics | undefined>;
};

/** Resource usage of the store process. */
type StoreProcessMetrics = { residentBytes: number; cpuSeconds: number };

/** The service's metrics; each is incremented where its event happens. */
export type Metrics = ReturnType<typeof openMetrics>;

/** Creates the service's metrics. */
export function openMetrics(read: MetricSources) {
  const registry = new Registry();
  const registers = [registry];
  addProcessMetrics(registers);
  addBuild(registers);
  let workers: (WorkerMetrics | undefined)[] = [];
  let store: StoreProcessMetrics | undefined;
  let connections = (): Connections => ({ taken: 0, refused: 0, handshakes: {} });
  addReadings(registers, read.own, () => workers);
  addStoreProcess(registers, () => store);
  addHashing(registers, () => read.own().hashing);
  addConnections(registers, () => labelledConnections(connections(), workers));
  const redirectSeconds = redirectTimes();
  return {
    ...countedHere(registers),
    redirectSeconds,
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

/** Functions that make metrics of each kind. */
function makers(registers: Registry[]) {
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[]) => new Histogram({ name, help, buckets, registers }),
  };
}

/** TABLE of the metrics that the main process changes where their events happen. */
function countedHere(registers: Registry[]) {
  const { counter, gauge, histogram } = makers(registers);
  return {
    requests: counter("waypost_api_requests_total", "API requests by operation and status", "operation", "status"),
    requestSeconds: histogram("waypost_api_request_seconds", "Time to answer an API request", requestBuckets),
    refused: counter(
      "waypost_api_rate_limited_total",
      "API requests refused with 429 by limit: key (of the user's keys), session, workspace, address",
      "by",
    ),
    replayed: counter(
      "waypost_api_replayed_total",
      "POST requests answered from a stored response by their Idempotency-Key",
    ),
    accessLogDropped: counter("waypost_access_log_dropped_total", "Lines of the access log that could not be written"),
    qrCodes: counter("waypost_qr_codes_total", "QR codes drawn, by format", "format"),
    exports: counter(
      "waypost_exports_total",
      "Exports of clicks by outcome: complete, cancelled by the client, failed, refused because of too many exports",
      "outcome",
    ),
    refusedQueries: counter(
      "waypost_queries_refused_total",
      "Queries for clicks refused because too many waited in the workspace or in all, or because one waited too long (late)",
      "reason",
    ),
    ...countedStorage(registers),
    mails: counter("waypost_mails_total", "Mails by outcome: sent to the mail server, or failed", "outcome"),
    notifications: counter(
      "waypost_notifications_total",
      "Reports and alerts by kind and outcome: sent to the mail server, or failed",
      "kind",
      "outcome",
    ),
    signIns: counter("waypost_sign_ins_total", "Sign-in attempts by outcome: succeeded, refused, limited", "outcome"),
    signUps: counter(
      "waypost_sign_ups_total",
      "Signing up where anyone can: links requested, and accounts created with one",
      "step",
    ),
    liveStreams: gauge("waypost_live_streams", "Open streams of live events"),
    changeStreams: gauge(
      "waypost_change_streams",
      "Open streams of changes, one for each visible page of the dashboard",
    ),
    domains: gauge("waypost_domains", "Domains by state, without the service's own", "state"),
    taskFailures: counter("waypost_task_failures_total", "Failed runs of background tasks", "task"),
    certificates: gauge(
      "waypost_certificates",
      "Certificates by state: waiting, ordering, valid, renewalFailed, failed, expired",
      "state",
    ),
    certificateExpiry: gauge(
      "waypost_certificate_expiry_timestamp_seconds",
      "The time at which the first certificate expires; 0 without certificates",
    ),
    lookupFileLinks: gauge("waypost_lookup_file_links", "Links in the lookup file; 0 while there is none"),
  };
}

/** TABLE of the metrics about the copy of the links, the clock, stored clicks, spools, backups and the disk. */
function countedStorage(registers: Registry[]) {
  const { counter, gauge, histogram } = makers(registers);
  return {
    replicaAge: gauge(
      "waypost_replica_age_seconds",
      "Seconds since the copy of the links last had every change of PostgreSQL; 0 with SQLite",
    ),
    replicaPartial: gauge(
      "waypost_replica_partial",
      "1 while the copy of the links is partial, because they do not fit into WAYPOST_LOOKUP_MAX_BYTES; 0 otherwise",
    ),
    clockOffset: gauge(
      "waypost_clock_offset_seconds",
      "With several nodes, how far the clock of this one is ahead of that of PostgreSQL; negative when it is behind",
    ),
    stored: counter("waypost_clicks_stored_total", "Clicks moved into the store"),
    storeLosses: gauge(
      "waypost_store_losses",
      "Losses of stored clicks that the operator has not accepted: a missing or older click store file",
    ),
    lastBackupTime: gauge(
      "waypost_last_backup_timestamp_seconds",
      "Time of the last complete backup; 0 before the first one",
    ),
    lastBackupBytes: gauge("waypost_last_backup_bytes", "Bytes of the last complete backup"),
    lastBackupSeconds: gauge("waypost_last_backup_duration_seconds", "Duration of the last complete backup"),
    backupInterval: gauge(
      "waypost_backup_interval_seconds",
      "Time from one scheduled backup to the next; 0 without a schedule",
    ),
    backupFailures: gauge("waypost_backup_failures", "Failed attempts since the last scheduled backup"),
    storeBytes: gauge("waypost_store_bytes", "Bytes of the click store's file and its log"),
    databaseBytes: gauge("waypost_database_bytes", "Bytes of the relational database; of SQLite's file and its log"),
    diskFreeBytes: gauge("waypost_disk_free_bytes", "Free bytes of the data folder's disk"),
    damagedBytes: counter("waypost_spool_damaged_bytes_total", "Damaged bytes of the spools that readers have skipped"),
    damagedClicks: counter("waypost_clicks_damaged_total", "Upper bound of clicks in damaged bytes of the spools"),
    vacuumSeconds: histogram(
      "waypost_store_rewrite_seconds",
      "Time to rewrite the click store file without removed clicks",
      vacuumBuckets,
    ),
  };
}

/** The version is a label of a constant 1, so that dashboards can mark upgrades. */
function addBuild(registers: Registry[]): void {
  const { gauge } = makers(registers);
  gauge("waypost_build_info", "1, with the version of Waypost as a label", "version").set({ version }, 1);
}

/** The queues of the main process; visits to links with a password are hashed by the process that answers them. */
function addHashing(registers: Registry[], read: () => MainProcessMetrics["hashing"]): void {
  const each = (count: keyof MainProcessMetrics["hashing"][string]) => () =>
    Object.entries(read()).map(([queue, load]) => ({ labels: { queue }, value: load[count] }));
  addGauge(registers, "waypost_hashes_running", "Password hashes that are computed now, by queue", each("running"));
  addGauge(registers, "waypost_hashes_waiting", "Password hashes that wait for their turn, by queue", each("waiting"));
  addTotal(
    registers,
    "waypost_hashes_refused_total",
    "Password hashes refused because too many waited, by queue",
    each("refused"),
  );
}

/** The values are 0 while the process does not answer. */
function addStoreProcess(registers: Registry[], read: () => StoreProcessMetrics | undefined): void {
  addGauge(registers, "waypost_store_up", "1 while the store process answers or has no work, 0 otherwise", () =>
    unlabelled(read() === undefined ? 0 : 1),
  );
  addGauge(registers, "waypost_store_resident_memory_bytes", "Resident memory of the store process", () =>
    unlabelled(read()?.residentBytes ?? 0),
  );
  addTotal(registers, "waypost_store_cpu_seconds_total", "Processor time of the store process", () =>
    unlabelled(read()?.cpuSeconds ?? 0),
  );
}

function addReadings(
  registers: Registry[],
  read: () => MainProcessMetrics,
  workers: () => readonly (WorkerMetrics | undefined)[],
): void {
  const eachProcess = (value: (counted: RedirectCounters) => number) =>
    counterSources(read(), workers()).map(({ labels, counted }) => ({ labels, value: value(counted) }));
  addGauge(registers, "waypost_spool_bytes", "Bytes of clicks in the spools", () => unlabelled(read().spools.bytes));
  addGauge(registers, "waypost_spool_lag_bytes", "Bytes of clicks that a spool reader has not read yet", () =>
    labelled("reader", read().spools.lagBytes),
  );
  addTotal(registers, "waypost_redirects_total", "Responses to visitors to short domains by outcome", () =>
    counterSources(read(), workers()).flatMap(({ labels, counted }) =>
      labelled("outcome", counted.redirects).map((one) => ({ ...one, labels: { ...labels, ...one.labels } })),
    ),
  );
  addTotal(registers, "waypost_clicks_captured_total", "Clicks written to the spools, including bots", () =>
    eachProcess(({ writtenClicks }) => writtenClicks),
  );
  addTotal(
    registers,
    "waypost_clicks_dropped_total",
    "Clicks dropped because the spool was full or the disk refused a write",
    () => eachProcess(({ droppedClicks }) => droppedClicks),
  );
  addTotal(
    registers,
    "waypost_click_texts_cut_total",
    "Long texts of visitors that were cut, above the budget of their network or on a nearly full disk",
    () => eachProcess(({ cutTexts }) => cutTexts),
  );
  addTotal(registers, "waypost_restarts_total", "Restarts of a process after a crash", () =>
    labelled("process", read().restarts),
  );
  addGauge(registers, "waypost_queries_waiting", "Waiting queries for clicks", () => unlabelled(read().waitingQueries));
  addGauge(registers, "waypost_worker_up", "1 while a redirect worker answers, 0 otherwise", () =>
    workers().map((worker, index) => ({ labels: workerLabel(index), value: worker === undefined ? 0 : 1 })),
  );
}

type LabelledConnections = { labels: Labels; connections: Connections };

function addConnections(registers: Registry[], read: () => LabelledConnections[]): void {
  addGauge(
    registers,
    "waypost_connection_descriptors",
    "File descriptors of connections: one each, three when proxied to the API",
    () => read().map(({ labels, connections }) => ({ labels, value: connections.taken })),
  );
  addTotal(registers, "waypost_connections_refused_total", "Connections refused because there were too many", () =>
    read().map(({ labels, connections }) => ({ labels, value: connections.refused })),
  );
  addTotal(registers, "waypost_tls_handshakes_total", "TLS handshakes by outcome", () =>
    read().flatMap(({ labels, connections }) =>
      labelled("outcome", connections.handshakes).map((one) => ({ ...one, labels: { ...labels, ...one.labels } })),
    ),
  );
}

function labelledConnections(own: Connections, workers: readonly (WorkerMetrics | undefined)[]): LabelledConnections[] {
  const answered = workers.flatMap((worker, index) =>
    worker === undefined ? [] : [{ labels: workerLabel(index), connections: worker.connections }],
  );
  return [{ labels: {}, connections: own }, ...answered];
}

/** Labels each worker's counters with its number, so that a restart resets only the worker's own series. */
function counterSources(
  own: RedirectCounters,
  workers: readonly (WorkerMetrics | undefined)[],
): { labels: Labels; counted: RedirectCounters }[] {
  const answered = workers.flatMap((counted, index) =>
    counted === undefined ? [] : [{ labels: workerLabel(index), counted }],
  );
  return [{ labels: {}, counted: own }, ...answered];
}

type Labels = Record<string, string>;
type Reading = { labels: Labels; value: number };

function workerLabel(index: number): Labels {
  return { worker: String(index + 1) };
}

function unlabelled(value: number): Reading[] {
  return [{ labels: {}, value }];
}

function labelled(label: string, values: Record<string, number>): Reading[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** The labels of readings; each reading has some of them. */
const labelNames = ["outcome", "process", "queue", "reader", "worker"];

/** Adds a gauge that is read at each scrape. */
function addGauge(registers: Registry[], name: string, help: string, read: () => Reading[]): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.set(labels, value);
    },
  });
}

/** Adds a counter that is counted elsewhere and read at each scrape. */
function addTotal(registers: Registry[], name: string, help: string, read: () => Reading[]): void {
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
