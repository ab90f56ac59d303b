import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate, CertificateSource } from "../../src/certificates/certificate-source.ts";

/** The identifier that a TLS-ALPN-01 certificate carries (RFC 8737), with any digest. */
const challengeExtension = `1.3.6.1.5.5.7.1.31=critical,DER:0420${"ab".repeat(32)}`;

/** A certificate authority for tests, made with OpenSSL. */
type TestAuthority = {
  /** The authority's own certificate, which clients trust. */
  readonly root: string;
  /** Issues a certificate for the names; "rsa" instead of an elliptic curve where a benchmark compares them. */
  issue(names: readonly string[], options?: { key?: "ec" | "rsa"; isChallenge?: boolean }): Certificate;
};

/** Creates an authority. */
export function createAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), "waypost-authority-"));
  try {
    const request = ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=Test authority"];
    openssl(folder, ...request, ...ecKey, "-keyout", "root.key", "-out", "root.crt");
    const root = readFileSync(join(folder, "root.crt"), "utf8");
    const rootKey = readFileSync(join(folder, "root.key"), "utf8");
    return { root, issue: (names, options) => issue({ root, rootKey }, names, options) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ecKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

function issue(
  { root, rootKey }: { root: string; rootKey: string },
  names: readonly string[],
  { key = "ec", isChallenge = false }: Parameters<TestAuthority["issue"]>[1] = {},
): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "waypost-certificate-"));
  try {
    const alternatives = names.map((name) => `DNS:${name}`).join(",");
    const extensions = [`subjectAltName=${alternatives}`, ...(isChallenge ? [challengeExtension] : [])];
    writeFileSync(join(folder, "root.crt"), root);
    writeFileSync(join(folder, "root.key"), rootKey);
    writeFileSync(join(folder, "extensions"), extensions.join("\n"));
    const newKey = key === "rsa" ? ["-newkey", "rsa:2048"] : ecKey;
    openssl(folder, "req", "-nodes", "-subj", `/CN=${names[0]}`, ...newKey, "-keyout", "key", "-out", "request");
    const sign = ["x509", "-req", "-in", "request", "-days", "1", "-CA", "root.crt", "-CAkey", "root.key"];
    openssl(folder, ...sign, "-set_serial", String(++serial), "-extfile", "extensions", "-out", "leaf");
    const chain = `${readFileSync(join(folder, "leaf"), "utf8")}${root}`;
    return { chain, privateKey: readFileSync(join(folder, "key"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let serial = 0;

function openssl(folder: string, ...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words], { cwd: folder, stdout: "ignore" });
  if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
}

/** The certificates of a test, which it changes at any time. */
type TestCertificates = CertificateSource & {
  readonly byName: Map<string, Certificate>;
  readonly challengesByName: Map<string, Certificate>;
  readonly responses: Map<string, string>;
};

/** A source without certificates; the test adds them. */
export function openTestCertificates(): TestCertificates {
  const byName = new Map<string, Certificate>();
  const challengesByName = new Map<string, Certificate>();
  const responses = new Map<string, string>();
  return {
    ...{ byName, challengesByName, responses },
    find: (serverName) => byName.get(serverName),
    findChallenge: (serverName) => challengesByName.get(serverName),
    httpChallengeResponse: (token) => responses.get(token),
  };
}

/** The serial number of a certificate, by which tests tell a renewed one. */
export function serialOf({ chain }: Certificate): string {
  const { stdout } = Bun.spawnSync(["openssl", "x509", "-noout", "-serial"], { stdin: Buffer.from(chain) });
  return stdout.toString().trim();
}
