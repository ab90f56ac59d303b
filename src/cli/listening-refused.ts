import { Refusal } from "./refusal.ts";

/** Why the service cannot listen, as one line that says what to do. */
export function listeningRefused(error: unknown, { port, hostname }: { port: number; hostname: string }): Refusal {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    return new Refusal(
      `WAYPOST_PORT: port ${port} on ${hostname} is taken by another program. Stop that program, or set another: WAYPOST_PORT=3001`,
    );
  }
  if (code === "EACCES") {
    return new Refusal(`WAYPOST_PORT: this user may not listen on port ${port}. Set one above 1023: WAYPOST_PORT=3000`);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new Refusal(
    `WAYPOST_HOST: ${hostname} is no address of this machine (${reason}). Set one it has, or all of them: WAYPOST_HOST=0.0.0.0`,
  );
}
