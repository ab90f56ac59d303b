import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { TimeHistogram } from "./base/time-histogram.ts";

/** Seconds; a redirect is answered in far less than the first of them when all is well. */
const redirectBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** What is read from the running parts when somebody asks, rather than kept up to date. */
export type Readings = {
  spoolBytes: number;
  spoolLagBytes: Record<string, number>;
  /** Answers to visitors of short domains by outcome. */
  redirects: Record<string, number>;
  writtenClicks: number;
  droppedClicks: number;
};

/** Of the port that the world sees; a connection handed on to the API takes three descriptors. */
export type Connections = { taken: number; refused: number };

/** The service's metrics, each to be counted up where it happens. */
export type Metrics = ReturnType<typeof openMetrics>;

/** The service's metrics, in Prometheus' text format. */
export function openMetrics(read: () => Readings) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "waypost_" });
  addReadings(registers, read);
  const redirectSeconds = new TimeHistogram(
    "waypost_redirect_seconds",
    "Time to answer a visitor of a short domain",
    redirectBuckets,
  );
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
      help: "API requests turned away: over their key's limit, or from an address with too many wrong keys",
      labelNames: ["by"],
      registers,
    }),
    replayed: new Counter({
      name: "waypost_api_replayed_total",
      help: "POSTs answered again as before, by their Idempotency-Key",
      registers,
    }),
    redirectSeconds,
    qrCodes: new Counter({
      name: "waypost_qr_codes_total",
      help: "QR codes drawn, by format",
      labelNames: ["format"],
      registers,
    }),
    stored: new Counter({ name: "waypost_clicks_stored_total", help: "Clicks moved into the store", registers }),
    mails: new Counter({
      name: "waypost_mails_total",
      help: "Mails handed to the mail server, and those that could not be",
      labelNames: ["outcome"],
      registers,
    }),
    taskFailures: new Counter({
      name: "waypost_task_failures_total",
      help: "Failed runs of background tasks",
      labelNames: ["task"],
      registers,
    }),
    /** From now on tells how many connections there are. */
    watchConnections: (watched: () => Connections) => addConnections(registers, watched),
    text: async () => (await registry.metrics()) + redirectSeconds.text(),
    contentType: registry.contentType,
  };
}

function addReadings(registers: Registry[], read: () => Readings): void {
  new Gauge({
    name: "waypost_spool_bytes",
    help: "Bytes of clicks in the spool",
    registers,
    collect() {
      this.set(read().spoolBytes);
    },
  });
  new Gauge({
    name: "waypost_spool_lag_bytes",
    help: "Bytes of clicks that a reader of the spool has still to read",
    labelNames: ["reader"],
    registers,
    collect() {
      for (const [reader, bytes] of Object.entries(read().spoolLagBytes)) this.set({ reader }, bytes);
    },
  });
  new Counter({
    name: "waypost_redirects_total",
    help: "Answers to visitors of short domains by outcome",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(read().redirects)) this.inc({ outcome }, count);
    },
  });
  addTotal(
    registers,
    "waypost_clicks_captured_total",
    "Clicks written to the spool, bots among them",
    () => read().writtenClicks,
  );
  addTotal(
    registers,
    "waypost_clicks_dropped_total",
    "Clicks that could not be kept, because the spool was full or the disk refused",
    () => read().droppedClicks,
  );
}

function addConnections(registers: Registry[], watched: () => Connections): void {
  new Gauge({
    name: "waypost_connection_descriptors",
    help: "Descriptors that connections take: one each, three when handed on to the API",
    registers,
    collect() {
      this.set(watched().taken);
    },
  });
  addTotal(
    registers,
    "waypost_connections_refused_total",
    "Connections turned away since there were too many",
    () => watched().refused,
  );
}

/** A counter that is kept elsewhere and read when somebody asks. */
function addTotal(registers: Registry[], name: string, help: string, total: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(total());
    },
  });
}
