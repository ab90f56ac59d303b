import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { html } from "hono/html";
import type { Log } from "../base/log.ts";
import { assetsPath, distFolder, findAsset, type Manifest, readManifest, sourceHash } from "./dashboard-files.ts";
import { htmlPage } from "./page.ts";
import { themeOf } from "./preference-cookies.ts";
import type { SignInMethods } from "./sign-in-methods.ts";
import { signInTexts } from "./sign-in-texts.ts";
import { cacheForever, staticFiles } from "./static-files.ts";

/**
 * The dashboard's page and files.
 *
 * 1. The first request builds it in a separate process, and builds it again when its sources have changed. That takes a
 *    second, so `npm ci` and `npm start` are enough. `npm run build` builds it in advance.
 * 2. A page never misses its scripts: a build appears complete beside the others, and a page names files of one build.
 * 3. One page serves every path; all other files are named by their content, so browsers cache them.
 * 4. Only the stylesheet and styles with the page's nonce apply: some components insert such a style.
 */
type Dashboard = {
  /** The page for every path of the dashboard; 503 when the build failed. */
  page(request: Request): Promise<Response>;
  /** A file of the dashboard; 404 for an unknown name. */
  file(name: string, request: Request): Promise<Response>;
};

const buildScript = join(import.meta.dir, "../../dashboard/build.ts");
const buildMsMax = 120_000;

/** TABLE of media types by file extension. */
const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
  svg: "image/svg+xml",
};

/**
 * Opens the dashboard; reads and builds nothing before the first request. Its sign-in page offers the methods. `dist` is
 * the folder of builds.
 */
export function openDashboard(log: Log, methods: () => Promise<SignInMethods>, dist = distFolder): Dashboard {
  const files = staticFiles();
  let built: Promise<Manifest> | undefined;

  function manifest(): Promise<Manifest> {
    if (built === undefined) {
      built = currentBuild(log, dist);
      // The next request tries again.
      built.catch(() => {
        built = undefined;
      });
    }
    return built;
  }

  /** The build may have been removed, as after an update of the files of a running service. */
  async function presentManifest(): Promise<Manifest> {
    const { builtFrom } = await manifest();
    if ((await readManifest(dist, builtFrom)) === undefined) built = undefined;
    return await manifest();
  }

  return {
    async page(request) {
      try {
        return shellPage(await presentManifest(), await methods(), request);
      } catch (error) {
        log.error("The dashboard could not be built.", { error });
        return notBuilt(request);
      }
    },
    async file(name, request) {
      const [, tag = "", extension = ""] = /^[a-z]+-([\w-]+)\.([a-z0-9]+)$/.exec(name) ?? [];
      const type = Object.hasOwn(types, extension) ? types[extension] : undefined;
      const path = type === undefined ? undefined : await findAsset(dist, name);
      if (type === undefined || path === undefined) return new Response(null, { status: 404 });
      return await files.answer(name, { read: () => readFile(path), type, tag, cacheControl: cacheForever }, request);
    },
  };
}

/** The build of the current sources, built now if missing. Throws with the output of a failed build. */
export async function currentBuild(log: Log, dist = distFolder): Promise<Manifest> {
  const found = await readManifest(dist, await sourceHash());
  if (found !== undefined) return found;
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, "--no-install", buildScript, dist], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: buildMsMax,
  });
  const [output, code] = await Promise.all([child.stderr.text(), child.exited]);
  const made = await readManifest(dist, await sourceHash());
  if (code !== 0 || made === undefined) throw new Error(`The build ended with ${code}: ${output.trim()}`);
  log.info("The dashboard was built.", { seconds: Math.round((performance.now() - startedAt) / 100) / 10 });
  return made;
}

function notBuilt(request: Request): Response {
  const { language, notBuilt: title, notBuiltText } = signInTexts(request);
  const body = html`<h1>${title}</h1><p>${notBuiltText}</p>`;
  return htmlPage({ title, body, status: 503 }, { language, theme: themeOf(request) });
}

function shellPage({ script, parts, style }: Manifest, methods: SignInMethods, request: Request): Response {
  const nonce = crypto.randomUUID().replaceAll("-", "");
  // Set by the server, so that the first paint has the right color; the script handles the system's theme.
  const theme = themeOf(request);
  const page = html`<!doctype html>
<html lang="en"${theme === undefined ? "" : html` data-theme="${theme}"`}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="csp-nonce" content="${nonce}">
<meta name="sign-in" content="${JSON.stringify(methods)}">
<title>Waypost</title><link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetsPath}${style}">
<script type="module" src="${assetsPath}${script}"></script>
${parts.map((part) => html`<link rel="modulepreload" href="${assetsPath}${part}">`)}
</head><body><div id="app"></div><noscript>The dashboard needs JavaScript.</noscript></body></html>`;
  return new Response(String(page), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": policy(nonce),
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** Images may come from anywhere: the dashboard shows the image of a link's preview on request. */
function policy(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; font-src 'self'; ` +
    "img-src 'self' data: blob: https: http:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  );
}
