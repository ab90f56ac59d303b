/**
 * A real certificate authority for tests: Pebble of Let's Encrypt, with its challenge server as DNS. Each instance has
 * its own ports and folder.
 */

import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPebble } from "./install-pebble.ts";

const startMsMax = 60_000;
const pauseMs = 50;

/** A running authority. */
export type Pebble = {
  /** The URL of its directory. */
  directory: string;
  /** A PEM file with the root of its HTTPS. */
  caFile: string;
  /** The DNS server that answers every A question with 127.0.0.1. */
  dns: string;
  /** The ports on which it validates HTTP-01 and TLS-ALPN-01 challenges. */
  httpPort: number;
  tlsPort: number;
  /** A PEM file with the root that issues its certificates. */
  rootFile: string;
  /** Sets a record at the challenge server, such as ("set-txt", { host, value }). */
  setDns(command: string, body: unknown): Promise<void>;
  /** Ends the authority, but not its DNS; with `start`, it runs again on the same ports and has forgotten everything. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

type PebbleOptions = {
  /** The percentage of good nonces that are refused. */
  rejectedNonces?: number;
  /** Keys of external accounts by their identifiers; an account is then required. */
  externalAccounts?: Record<string, string>;
  /** Names that are refused. */
  blockedNames?: string[];
  validitySeconds?: number;
};

/** Starts an authority. */
export async function startPebble(options: PebbleOptions = {}): Promise<Pebble> {
  const programs = await installPebble();
  const folder = mkdtempSync(join(tmpdir(), "waypost-pebble-"));
  const [port, managementPort, httpPort, tlsPort, dnsPort, dnsManagementPort] = await freePorts();
  const dns = `127.0.0.1:${dnsPort}`;
  const directory = `https://localhost:${port}/dir`;
  const caFile = await selfSigned(folder);
  const config = join(folder, "pebble.json");
  writeFileSync(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: caFile,
        privateKey: join(folder, "key.pem"),
        httpPort,
        tlsPort,
        ocspResponderURL: "",
        externalAccountBindingRequired: options.externalAccounts !== undefined,
        externalAccountMACKeys: options.externalAccounts ?? {},
        domainBlocklist: options.blockedNames ?? [],
        retryAfter: { authz: 1, order: 1 },
        keyAlgorithm: "ecdsa",
        profiles: {
          default: { description: "The default", validityPeriod: options.validitySeconds ?? 90 * 86_400 },
        },
      },
    }),
  );
  const environment = {
    ...process.env,
    PEBBLE_VA_NOSLEEP: "1",
    PEBBLE_WFE_NONCEREJECT: String(options.rejectedNonces ?? 0),
    PEBBLE_AUTHZREUSE: "0",
  };
  const dnsServer = spawn(
    [
      programs.challenges,
      ...["-dnsserver", dns, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""],
      ...["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", ""],
      ...["-management", `127.0.0.1:${dnsManagementPort}`],
    ],
    process.env,
  );
  let authority: Bun.Subprocess | undefined;
  const rootFile = join(folder, "root.pem");
  const setDns = async (command: string, body: unknown) => {
    await fetch(`http://127.0.0.1:${dnsManagementPort}/${command}`, { method: "POST", body: JSON.stringify(body) });
  };
  async function stop(): Promise<void> {
    authority?.kill("SIGKILL");
    await authority?.exited;
  }
  async function start(): Promise<void> {
    authority = spawn([programs.pebble, "-config", config, "-dnsserver", dns], environment);
    await answers(directory);
    writeFileSync(rootFile, await (await fetchTrusting(`https://localhost:${managementPort}/roots/0`)).text());
  }
  await start();
  await answers(`http://127.0.0.1:${dnsManagementPort}/`);
  return {
    ...{ directory, caFile, dns, httpPort, tlsPort, rootFile, setDns, stop, start },
    async close() {
      await stop();
      dnsServer.kill("SIGKILL");
      await dnsServer.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Checks a chain with OpenSSL against the authority's root, and that its leaf is for the name. */
export function verifiesChain({ rootFile }: Pebble, chain: string, name: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "waypost-chain-"));
  const file = join(folder, "chain.pem");
  writeFileSync(file, chain);
  const { exitCode } = Bun.spawnSync([
    ...["openssl", "verify", "-CAfile", rootFile, "-untrusted", file, "-verify_hostname", name, file],
  ]);
  rmSync(folder, { recursive: true, force: true });
  return exitCode === 0 && new X509Certificate(chain).checkHost(name) !== undefined;
}

function spawn(command: string[], environment: Record<string, string | undefined>): Bun.Subprocess {
  return Bun.spawn(command, { env: environment, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
}

/** Six ports that were free at the same time. */
async function freePorts(): Promise<[number, number, number, number, number, number]> {
  const servers = Array.from({ length: 6 }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            resolve(typeof address === "object" && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = ports;
  return [a, b, c, d, e, f];
}

async function selfSigned(folder: string): Promise<string> {
  const certificate = join(folder, "cert.pem");
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", join(folder, "key.pem"), "-out", certificate],
  ]);
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  return certificate;
}

async function answers(url: string): Promise<void> {
  for (const until = Date.now() + startMsMax; Date.now() < until; ) {
    if (
      await fetchTrusting(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await Bun.sleep(pauseMs);
  }
  throw new Error(`${url} does not answer.`);
}

/** The roots of the tests are of no use to an attacker. */
async function fetchTrusting(url: string): Promise<Response> {
  return await fetch(url, { tls: { rejectUnauthorized: false } });
}
