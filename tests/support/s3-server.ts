/** A real S3 server for tests, with its own port and folder: Versity S3 Gateway, which verifies signatures. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "bun";
import { installS3Server } from "./install-s3-server.ts";

const startMsMax = 30_000;
const pauseMs = 50;
const accessKey = "waypost-tests";
const secretKey = "the-secret-of-the-tests";
const region = "eu-central-1";
/** The bucket that exists. */
const bucket = "backups";

/** A running S3 server with an empty bucket. */
export type S3Server = {
  bucket: string;
  /** The options that reach the server. */
  environment: Record<string, string>;
  /** A client of the bucket. */
  client: S3Client;
  /** Kills the server; `start` runs it again on the same port and files. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Starts a server. */
export async function startS3Server(): Promise<S3Server> {
  const program = await installS3Server();
  const folder = mkdtempSync(join(tmpdir(), "waypost-s3-"));
  mkdirSync(join(folder, bucket));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const args = ["--port", `127.0.0.1:${port}`, "--access", accessKey, "--secret", secretKey, "--region", region];
  let child: Bun.Subprocess | undefined;
  const start = async () => {
    child = Bun.spawn([program, ...args, "posix", folder], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
    const deadline = performance.now() + startMsMax;
    while (!(await answers(endpoint))) {
      if (performance.now() > deadline) throw new Error("The S3 server does not answer.");
      await Bun.sleep(pauseMs);
    }
  };
  const kill = async () => {
    child?.kill("SIGKILL");
    await child?.exited;
  };
  await start();
  return {
    bucket,
    environment: {
      WAYPOST_S3_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_REGION: region,
    },
    client: new S3Client({ endpoint, bucket, region, accessKeyId: accessKey, secretAccessKey: secretKey }),
    kill,
    start,
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint);
    return true;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
