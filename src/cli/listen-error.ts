import { messageOf } from "../base/message-of.ts";
import { CliError } from "./cli-error.ts";

/** Returns an error that says why the service cannot listen, and what to do. */
export function listenError(error: unknown, { port, hostname }: { port: number; hostname: string }): CliError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new CliError(
      `WAYPOST_PORT: port ${port} on ${hostname} is taken by another program. Stop that program, or set another: WAYPOST_PORT=3001`,
    );
  }
  if (code === "EACCES") {
    return new CliError(
      `WAYPOST_PORT: this user is not allowed to listen on port ${port}. Set one above 1023: WAYPOST_PORT=3000`,
    );
  }
  const reason = messageOf(error);
  return new CliError(
    `WAYPOST_HOST: ${hostname} is not an address of this machine (${reason}). Set one of its addresses, or all: WAYPOST_HOST=0.0.0.0`,
  );
}
