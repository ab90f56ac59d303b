import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { html } from "hono/html";
import { version } from "swagger-ui-dist/package.json";
import { problemDescriptions } from "../api/http/problems.ts";
import { type ProblemCode, problemStatus } from "../base/problem.ts";
import { docsScript } from "./docs-script.ts";
import { cacheForever, type StaticFile, staticFiles } from "./static-files.ts";

/** TABLE of the reference's files; it loads nothing from other hosts. */
const assets: Record<string, StaticFile> = {
  "swagger-ui.css": packaged("swagger-ui-dist/swagger-ui.css", "text/css; charset=utf-8"),
  "swagger-ui-bundle.js": packaged("swagger-ui-dist/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
  "start.js": {
    read: () => Promise.resolve(new TextEncoder().encode(docsScript)),
    type: "text/javascript; charset=utf-8",
    tag: new Bun.CryptoHasher("sha256").update(docsScript).digest("hex").slice(0, 16),
    cacheControl: "no-cache",
  },
};

/** The page requests the package's files with their version, so that a browser's cache is never out of date. */
function packaged(path: string, type: string): StaticFile {
  return {
    read: () => readFile(fileURLToPath(import.meta.resolve(path))),
    type,
    tag: version,
    cacheControl: cacheForever,
  };
}

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API reference as a page. */
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
  // The table of descriptions has all codes as keys.
  const status = problemStatus[code as ProblemCode];
  return html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${description}</td></tr>`;
}

const files = staticFiles();

/** A file of the reference; undefined for an unknown name. */
export async function docsAsset(name: string, request: Request): Promise<Response | undefined> {
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  return asset && (await files.answer(name, asset, request));
}
