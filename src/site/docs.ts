import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { html } from "hono/html";
import { version } from "swagger-ui-dist/package.json";
import { chooseEncoding, compress, type Encoding } from "../api/compression.ts";
import { isKnown, readTags } from "../api/entity-tag.ts";
import { problemDescriptions } from "../api/problems.ts";
import { type ProblemCode, problemStatus } from "../base/problem.ts";
import { docsScript } from "./docs-script.ts";

type Asset = { read(): Promise<Uint8Array>; type: string; tag: string; cacheControl: string };

/** The page asks for the package's files by their version, so that what a browser keeps is never out of date. */
const keptLong = "public, max-age=31536000, immutable";

/** TABLE of the reference's files; nothing comes from elsewhere. */
const assets: Record<string, Asset> = {
  "swagger-ui.css": packaged("swagger-ui-dist/swagger-ui.css", "text/css; charset=utf-8"),
  "swagger-ui-bundle.js": packaged("swagger-ui-dist/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
  "start.js": {
    read: () => Promise.resolve(new TextEncoder().encode(docsScript)),
    type: "text/javascript; charset=utf-8",
    tag: new Bun.CryptoHasher("sha256").update(docsScript).digest("hex").slice(0, 16),
    cacheControl: "no-cache",
  },
};

function packaged(path: string, type: string): Asset {
  return { read: () => readFile(fileURLToPath(import.meta.resolve(path))), type, tag: version, cacheControl: keptLong };
}

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The readable reference of the API. */
export function docsPage(): Response {
  const rows = Object.entries(problemDescriptions).map(([code, description]) => problemRow(code, description));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Waypost API</title><link rel="icon" href="/app/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/docs/swagger-ui.css?v=${version}">
<style>body{margin:0;font-family:system-ui,sans-serif}#problems{max-width:1460px;margin:2rem auto;padding:0 20px}
td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}
.dark-mode body{background:#1c2022;color:#e4e6e6}#problems div{overflow-x:auto}#reference{overflow-wrap:anywhere}</style></head>
<body><div id="reference"></div>
<section id="problems"><h2>Problems</h2><div><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>
<script src="/docs/swagger-ui-bundle.js?v=${version}"></script><script src="/docs/start.js"></script></body></html>`;
  return new Response(String(page), {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": contentSecurityPolicy },
  });
}

function problemRow(code: string, description: string) {
  // The descriptions have a row for each code of the table.
  const status = problemStatus[code as ProblemCode];
  return html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${description}</td></tr>`;
}

/** One of the reference's files, packed as the client likes it; 404 for any other name. */
export async function docsAsset(name: string, { headers: asked }: Request): Promise<Response> {
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (asset === undefined) return new Response(null, { status: 404 });
  const bytes = await packedBytes(name, asset, undefined);
  const encoding = chooseEncoding(asked.get("accept-encoding"), bytes.byteLength);
  const headers = {
    "Content-Type": asset.type,
    "Cache-Control": asset.cacheControl,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    ETag: `"${asset.tag}${encoding === undefined ? "" : `-${encoding}`}"`,
    ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
  };
  const known = asked.get("if-none-match");
  if (known !== null && knows(known, asset.tag)) return new Response(null, { status: 304, headers });
  return new Response(await packedBytes(name, asset, encoding), { headers });
}

/** A header that cannot be read is one not sent: an asset in full suits everybody. */
function knows(header: string, tag: string): boolean {
  try {
    return isKnown(readTags("If-None-Match", header), tag);
  } catch {
    return false;
  }
}

/** Each file is read and packed once, by whoever asks first; at most a row of the table in each encoding. */
const packed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

async function packedBytes(name: string, asset: Asset, encoding: Encoding | undefined) {
  const key = `${name} ${encoding ?? "identity"}`;
  let bytes = packed.get(key);
  if (bytes === undefined) {
    bytes = asset.read().then((plain) => (encoding === undefined ? new Uint8Array(plain) : compress(plain, encoding)));
    packed.set(key, bytes);
    // A file that could not be read is tried again for the next visitor.
    bytes.catch(() => packed.delete(key));
  }
  return await bytes;
}
