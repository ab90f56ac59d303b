/** nginx as a reference: `return 302`, one worker, keep-alive, no log, in a separate folder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePorts } from "../../src/http1/reserve-ports.ts";
import { destinationOf } from "./links.ts";
import { type BenchmarkServer, childServer } from "./servers.ts";

const startMaxMs = 5_000;

/** The files of a certificate chain and its key. */
type CertificateFiles = { chain: string; privateKey: string };

/** Starts nginx, with TLS for a certificate; undefined when it is not installed. */
export async function startNginx(certificate?: CertificateFiles): Promise<BenchmarkServer | undefined> {
  const program = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (program === null) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "waypost-nginx-"));
  const port = reservePorts({ port: 0, hostname: "127.0.0.1" }).port;
  const path = join(folder, "nginx.conf");
  writeFileSync(path, configuration(folder, port, certificate));
  const child = Bun.spawn([program, "-p", folder, "-c", path, "-e", join(folder, "error.log")], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  const server = childServer(child, port);
  const end = async () => {
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const startedAt = performance.now();
  while (!(await isAnswering(port, certificate !== undefined))) {
    if (child.exitCode !== null || performance.now() - startedAt > startMaxMs) {
      await end();
      throw new Error("nginx did not start.");
    }
    await Bun.sleep(10);
  }
  return { ...server, end };
}

/** Unlimited requests per connection; nginx's default is a thousand. */
function configuration(folder: string, port: number, certificate?: CertificateFiles): string {
  const tls = certificate && `ssl_certificate ${certificate.chain}; ssl_certificate_key ${certificate.privateKey};`;
  return `
daemon off;
worker_processes 1;
pid ${join(folder, "nginx.pid")};
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_timeout 3600s;
  keepalive_requests 1000000000;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${join(folder, name)};`).join(" ")}
  server {
    listen 127.0.0.1:${port}${tls === undefined ? "" : " ssl"};
    ${tls ?? ""}
    location / { return 302 ${destinationOf(0)}; }
  }
}
`;
}

async function isAnswering(port: number, hasTls: boolean): Promise<boolean> {
  try {
    const url = `${hasTls ? "https" : "http"}://127.0.0.1:${port}/`;
    await fetch(url, { redirect: "manual", tls: { rejectUnauthorized: false } });
    return true;
  } catch {
    // No server listens yet.
    return false;
  }
}
