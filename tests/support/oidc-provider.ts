import { join } from "node:path";
import type { Environment } from "./server.ts";

/** The claims of an account at the provider. */
type Claims = { email?: string; email_verified?: boolean; name?: string; groups?: string[] };

/** A running provider; it stops with `stop`, and `start` runs it again on the same port. */
export type OidcProvider = {
  issuer: string;
  /** The options of a server that uses it. */
  environment: Environment;
  setAccount(id: string, claims: Claims): Promise<void>;
  /** Follows a sign-in as a browser would, and returns the URL to which the provider sends the browser back. */
  signIn(url: string, id: string): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Options = { shiftMs?: number; claimsToBe?: string };

const stepsMax = 10;

/** Starts a provider with a free port. */
export async function startOidcProvider({ shiftMs = 0, claimsToBe }: Options = {}): Promise<OidcProvider> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: Bun.Subprocess<"ignore", "pipe", "ignore"> | undefined;
  async function start(): Promise<void> {
    const script = join(import.meta.dir, "oidc-provider-process.ts");
    const words = [process.execPath, script, claimsToBe ?? url, String(port), String(shiftMs)];
    child = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    const { value } = await child.stdout.getReader().read();
    if (value === undefined) throw new Error("The provider did not start.");
  }
  await start();
  return {
    issuer: url,
    environment: {
      WAYPOST_OIDC_ISSUER: url,
      WAYPOST_OIDC_CLIENT_ID: "waypost",
      WAYPOST_OIDC_CLIENT_SECRET: "a-client-secret",
      WAYPOST_OIDC_SCOPES: "openid email profile groups",
    },
    async setAccount(id, claims) {
      await fetch(`${url}/test-accounts`, { method: "POST", body: JSON.stringify({ [id]: claims }) });
    },
    signIn: (begin, id) => signInAt(url, begin, id),
    start,
    async stop() {
      child?.kill("SIGKILL");
      await child?.exited;
    },
  };
}

/** Follows redirects within the provider, with its cookies, and fills in its form. */
async function signInAt(provider: string, begin: string, id: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = begin;
  let form: URLSearchParams | undefined;
  for (let steps = 0; steps < stepsMax; steps++) {
    if (!next.startsWith(provider)) return next;
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, {
      method: form === undefined ? "GET" : "POST",
      headers: { Cookie },
      redirect: "manual",
      ...(form === undefined ? {} : { body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";")[0]?.split("=", 2) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get("location");
    if (location === null) {
      const action = /<form[^>]* action="([^"]+)"/.exec(await response.text())?.[1];
      if (action === undefined) throw new Error(`The provider answered ${response.status} without a form.`);
      next = new URL(action, next).href;
      form = new URLSearchParams({ prompt: "login", login: id, password: "any" });
    } else next = new URL(location, next).href;
  }
  throw new Error("The provider redirects without an end.");
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}
