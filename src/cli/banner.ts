import type { BootstrapResult } from "../access/bootstrap.ts";
import { hasPasswordSignIn } from "../access/password-sign-in.ts";
import type { Config } from "../config.ts";

/**
 * Prints the URL at which the service is ready, and the secrets of a first start. It writes both at once, so that
 * a reader that waits for the first line also has the secrets.
 */
export function printReadyBanner(config: Config, port: number, first?: BootstrapResult): void {
  const ready = `Waypost is ready at ${config.WAYPOST_URL.origin} (port ${port}).\n`;
  process.stdout.write(ready + firstStartText(config, first));
}

/** Prints the URL at which links redirect while the rest of the service waits for PostgreSQL. */
export function printRedirectingBanner(config: Config, port: number): void {
  const url = config.WAYPOST_URL.origin;
  process.stdout.write(`Waypost redirects at ${url} (port ${port}). Everything else waits for PostgreSQL.\n`);
}

/** Prints the secrets of the first start, which are shown only once. */
export function printFirstStartBanner(config: Config, first: BootstrapResult | undefined): void {
  const text = firstStartText(config, first);
  if (text !== "") process.stdout.write(text);
}

function firstStartText(config: Config, first: BootstrapResult | undefined): string {
  const url = config.WAYPOST_URL.origin;
  const lines: string[] = [];
  if (first?.apiKey !== undefined) {
    lines.push(
      "",
      `Your API key (shown only once):  ${first.apiKey}`,
      "",
      "Create a link:",
      `  curl -X POST ${url}/v1/links -H "Authorization: Bearer ${first.apiKey}" \\`,
      `    -H "Content-Type: application/json" -d '{"url": "https://example.com", "key": "hello"}'`,
    );
  }
  if (first?.setupToken !== undefined) {
    lines.push(
      "",
      hasPasswordSignIn(config)
        ? "Set your e-mail address and password for the dashboard (the link expires in a week):"
        : `Set your e-mail address at ${config.WAYPOST_OIDC_NAME} for the dashboard (the link expires in a week):`,
      `  ${url}/app/setup/${first.setupToken}`,
    );
  }
  if (first?.hasUserAlready === true) {
    lines.push(
      hasPasswordSignIn(config)
        ? "A user already exists, so no user was created. To set a password: waypost user password --email <email>."
        : `A user already exists, so no user was created. Sign in with ${config.WAYPOST_OIDC_NAME}.`,
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}
