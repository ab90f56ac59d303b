import { fileURLToPath } from "node:url";
import { html } from "hono/html";
import { problemDescriptions } from "../api/problems.ts";
import { type ProblemCode, problemStatus } from "../base/problem.ts";

/** The reference's files, all from the installed package: the page asks nobody else. */
const assets: Record<string, { path: string; type: string }> = {
  "swagger-ui.css": { path: "swagger-ui-dist/swagger-ui.css", type: "text/css; charset=utf-8" },
  "swagger-ui-bundle.js": { path: "swagger-ui-dist/swagger-ui-bundle.js", type: "text/javascript; charset=utf-8" },
};

const start = `window.onload=()=>SwaggerUIBundle({url:"/v1/openapi.json",dom_id:"#reference",deepLinking:true,
tryItOutEnabled:true,persistAuthorization:false,validatorUrl:null});`;

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The readable reference of the API. */
export function docsPage(): Response {
  const rows = Object.entries(problemDescriptions).map(([code, description]) => problemRow(code, description));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waypost API</title><link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body{margin:0;font-family:system-ui,sans-serif}#problems{max-width:1460px;margin:2rem auto;padding:0 20px}
td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}</style></head>
<body><div id="reference"></div>
<section id="problems"><h2>Problems</h2><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
<tbody>${rows}</tbody></table></section>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`;
  return new Response(String(page), {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": contentSecurityPolicy },
  });
}

function problemRow(code: string, description: string) {
  // The descriptions have a row for each code of the table.
  const status = problemStatus[code as ProblemCode];
  return html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${description}</td></tr>`;
}

/** One of the reference's files; 404 for any other name. */
export async function docsAsset(name: string): Promise<Response> {
  if (name === "start.js")
    return new Response(start, { headers: { "Content-Type": "text/javascript; charset=utf-8" } });
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (asset === undefined) return new Response(null, { status: 404 });
  return new Response(Bun.file(fileURLToPath(import.meta.resolve(asset.path))), {
    headers: { "Content-Type": asset.type, "Cache-Control": "public, max-age=86400" },
  });
}
