import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type BenchmarkServer, ownerKey, startWaypost } from "../support/servers.ts";
import type { Measurement } from "./measurement.ts";

/** Concurrent bulk calls with passwords, and the links of each; every second client disconnects before the response. */
const bulkCallsAtOnce = 12;
const linksPerCall = 20;
const signIns = 12;
/** The largest factor by which two running hashes of links may slow down a sign-in. */
const slowdownMax = 10;
/** The time after which every second client disconnects. */
const goneAfterMs = 50;
/** The attacker's connections, and the attacker's links, which these open with the right password. */
const connections = 24;
const ownLinks = 30;
const visits = 10;
/** How often a visitor retries after a 503. */
const triesMax = 20;

const owner = { email: "owner@example.com", password: "correct horse battery" };
const password = "sesame";
const Created = z.array(z.object({ key: z.string() }));

/**
 * Floods the hashing of passwords as a tenant (row 14: sign-in must still work) and as a visitor (row 15: other
 * visitors must get in), on one server that trusts loopback as a proxy.
 */
export async function measurePasswords(): Promise<Measurement[]> {
  const data = await mkdtemp(join(tmpdir(), "waypost-trust-"));
  const server = await startWaypost(data, {
    WAYPOST_BOOTSTRAP_EMAIL: owner.email,
    WAYPOST_BOOTSTRAP_PASSWORD: owner.password,
    WAYPOST_TRUSTED_PROXIES: "127.0.0.1",
    WAYPOST_RATE_LIMIT_PER_MINUTE: "100000",
  });
  try {
    return [await measureSignIn(server), await measureVisitors(server)];
  } finally {
    await server.end();
    rmSync(data, { recursive: true, force: true });
  }
}

async function measureSignIn({ port }: BenchmarkServer): Promise<Measurement> {
  const url = `http://localhost:${port}`;
  const quiet = await signInTimes(url, signIns);
  const over = new AbortController();
  const flood = repeated(bulkCallsAtOnce, async (index) => {
    const signal = index % 2 === 0 ? AbortSignal.any([over.signal, AbortSignal.timeout(goneAfterMs)]) : over.signal;
    const call = createLinks(url, linksPerCall, (link) => `${index} ${link}`, signal);
    // Reads the whole response, so that the connection is free for the next call.
    await call.then((answer) => answer.text()).catch(() => undefined);
  });
  const under = await signInTimes(url, signIns);
  flood.stop();
  over.abort();
  await flood.done;
  const done = under.filter(({ status }) => status === 200).length;
  const [quietMs, slowestMs] = [quiet, under].map((times) => Math.max(...times.map(({ ms }) => Math.round(ms))));
  return {
    attack: "bulk calls with passwords against sign-in",
    measured: `${done} of ${signIns} right passwords sign in, the slowest in ${slowestMs} ms (quiet: ${quietMs} ms)`,
    required: `${signIns} of ${signIns}, in at most ${slowdownMax} times the quiet time`,
    holds: done === signIns && (slowestMs ?? 0) <= slowdownMax * (quietMs ?? 0),
  };
}

async function signInTimes(url: string, count: number): Promise<{ status: number; ms: number }[]> {
  const times: { status: number; ms: number }[] = [];
  for (let attempt = 0; attempt < count; attempt++) {
    const since = performance.now();
    const answer = await fetch(`${url}/app/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: url },
      body: JSON.stringify(owner),
    });
    await answer.text();
    times.push({ status: answer.status, ms: performance.now() - since });
  }
  return times;
}

async function measureVisitors({ port }: BenchmarkServer): Promise<Measurement> {
  const url = `http://localhost:${port}`;
  const own = Created.parse(await (await createLinks(url, ownLinks, () => password)).json());
  const [link] = Created.parse(await (await createLinks(url, 1, () => password)).json());
  const open = (key: string, address: string) =>
    fetch(`${url}/${key}`, {
      method: "POST",
      headers: { "X-Forwarded-For": address },
      body: new URLSearchParams({ pw: password }),
      redirect: "manual",
    });
  const flood = repeated(connections, async (index) => {
    await (await open(own[index % own.length]?.key ?? "", "198.51.100.7")).text();
  });
  let [opened, limited, tries] = [0, 0, 0];
  for (let visit = 0; visit < visits; visit++) {
    for (let attempt = 0; attempt < triesMax; attempt++) {
      const answer = await open(link?.key ?? "", `203.0.113.${visit}`);
      await answer.text();
      const { status } = answer;
      tries++;
      if (status === 429) limited++;
      if (status !== 503) {
        opened += status === 303 ? 1 : 0;
        break;
      }
    }
  }
  flood.stop();
  await flood.done;
  return {
    attack: "one address against the password-protected links of all tenants",
    measured: `${opened} of ${visits} visitors elsewhere get in, in ${tries} tries; ${limited} are told of too many attempts`,
    required: `${visits} of ${visits}, and none is told of too many attempts`,
    holds: opened === visits && limited === 0,
  };
}

/** Repeats the work in several loops until it is stopped. */
function repeated(loops: number, work: (index: number) => Promise<void>): { stop(): void; done: Promise<unknown> } {
  let isRunning = true;
  const loop = async (index: number) => {
    while (isRunning) await work(index);
  };
  const done = Promise.all(Array.from({ length: loops }, (_, index) => loop(index)));
  return {
    stop() {
      isRunning = false;
    },
    done,
  };
}

function createLinks(
  url: string,
  count: number,
  passwordOf: (index: number) => string,
  signal?: AbortSignal,
): Promise<Response> {
  const links = Array.from({ length: count }, (_, index) => ({
    url: "https://example.com",
    password: passwordOf(index),
  }));
  return fetch(`${url}/v1/links/bulk`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ownerKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(links),
    ...(signal === undefined ? {} : { signal }),
  });
}
