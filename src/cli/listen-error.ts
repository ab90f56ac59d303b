import { messageOf } from "../base/message-of.ts";
import type { PortError } from "../http1/ports.ts";
import { CliError } from "./cli-error.ts";

/** TABLE of the options for ports, with a port that any user may open. */
export const optionOf = {
  plain: { name: "WAYPOST_PORT", other: 3001 },
  http: { name: "WAYPOST_HTTP_PORT", other: 8080 },
  https: { name: "WAYPOST_HTTPS_PORT", other: 8443 },
} as const;

/** Returns an error that says why the service cannot listen, and what to do. */
export function listenError({ kind, port, cause }: PortError, hostname: string): CliError {
  const { name, other } = optionOf[kind];
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") {
    return new CliError(
      `${name}: port ${port} on ${hostname} is taken by another program. Stop that program, or set another: ${name}=${other}`,
    );
  }
  if (code === "EACCES") {
    return new CliError(
      `${name}: this user is not allowed to listen on port ${port}. Set one above 1023: ${name}=${kind === "plain" ? 3000 : other}`,
    );
  }
  return new CliError(
    `WAYPOST_HOST: ${hostname} is not an address of this machine (${messageOf(cause)}). Set one of its addresses, or all: WAYPOST_HOST=0.0.0.0`,
  );
}
