import type { Log } from "../base/log.ts";
import { Semaphore } from "../base/semaphore.ts";
import { secondMs } from "../base/time.ts";

/** What is sent: both forms say the same. */
export type Mail = { to: string; subject: string; text: string; html: string };
/** What became of a mail: "off" without a server to hand it to. */
export type MailOutcome = "sent" | "failed" | "off";

/** Sends mail. Never throws, so that a mail server that is away stops nobody. */
export type Mailer = {
  /** False where no mail server is set; then every mail is "off". */
  hasServer: boolean;
  /** Hands a mail to the server, within mailTimeMaxMs. "sent" means that the server has taken it. */
  send(mail: Mail): Promise<MailOutcome>;
};

/** Where mail goes and who it is from; `url` is undefined where no server is set. */
export type MailSettings = { url: URL | undefined; from: string };

/** The longest a caller waits for a mail to be taken, everything included. */
export const mailTimeMaxMs = 10 * secondMs;
/** One step of the talk with the server. */
const stepTimeMaxMs = 5 * secondMs;
/** Mails on their way at once, and waiting for their turn; one more is not sent. */
const mailsAtOnce = { runningMax: 4, waitingMax: 32 };

/** A mailer over the SMTP server of the settings. `onOutcome` is told what became of each mail there was a server for. */
export function openMailer(settings: MailSettings, log: Log, onOutcome: (outcome: "sent" | "failed") => void): Mailer {
  const { url, from } = settings;
  if (url === undefined) return { hasServer: false, send: async () => "off" };
  const semaphore = new Semaphore(mailsAtOnce);
  return {
    hasServer: true,
    async send(mail) {
      const failure = await inTime(async (signal) => {
        const turn = await semaphore.run(() => deliver(url, { from, ...mail }, signal));
        if (turn.kind !== "done") throw new Error("Too many mails are on their way already.");
      });
      const outcome = failure === undefined ? "sent" : "failed";
      // Not the address: it is a person's, and logs are kept elsewhere.
      if (failure !== undefined) log.warn("A mail could not be sent.", { subject: mail.subject, error: failure });
      onOutcome(outcome);
      return outcome;
    },
  };
}

/** Why the server cannot be used, by greeting it and signing in; undefined when it can. */
export async function mailServerFailure(url: URL): Promise<Error | undefined> {
  return await inTime(async (signal) => {
    const transport = await transportTo(url);
    signal.throwIfAborted();
    signal.addEventListener("abort", () => transport.close());
    await transport.verify();
    transport.close();
  });
}

async function deliver(url: URL, message: Mail & { from: string }, signal: AbortSignal): Promise<void> {
  // A connection for each: mails are rare, and none is left open.
  const transport = await transportTo(url);
  // Behind the wait for the client, in which the time may have run out: nobody would hear of the abort any more.
  signal.throwIfAborted();
  signal.addEventListener("abort", () => transport.close());
  await transport.sendMail(message);
}

async function transportTo(url: URL) {
  // Loaded by the first mail: most processes send none.
  const { createTransport } = await import("nodemailer");
  const isSecure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const hasLogin = url.username !== "";
  return createTransport({
    host,
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    // A password crosses no network in the clear; a server on this machine may do without.
    requireTLS: hasLogin && !isLoopback(host),
    ...(hasLogin ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } } : {}),
    connectionTimeout: stepTimeMaxMs,
    greetingTimeout: stepTimeMaxMs,
    socketTimeout: stepTimeMaxMs,
    dnsTimeout: stepTimeMaxMs,
    // What a mail says never makes this process read a file or fetch a url.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The failure of the work, or that it took too long; undefined when it was done in time. */
async function inTime(work: (signal: AbortSignal) => Promise<void>): Promise<Error | undefined> {
  const ending = new AbortController();
  const tooLate = Promise.withResolvers<Error>();
  const timer = setTimeout(() => {
    tooLate.resolve(new Error(`The mail server took longer than ${mailTimeMaxMs / secondMs} seconds.`));
    ending.abort();
  }, mailTimeMaxMs);
  const done = work(ending.signal).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  try {
    return await Promise.race([done, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}
