import type { Log } from "../base/log.ts";
import { Semaphore } from "../base/semaphore.ts";
import { secondMs } from "../base/time.ts";

/** A mail; its text and HTML have the same content. */
export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Identifies the mail, so that mail servers recognize a repeated attempt; without it, each attempt has a new one. */
  id?: string;
  /** Ends the notification that the mail belongs to: by a POST of the mail program, or a page with a button. */
  unsubscribeUrl?: string;
};
/** The outcome of a mail: "off" without a mail server. */
type MailOutcome = "sent" | "failed" | "off";

/** Sends mail. Never throws, so that an unreachable mail server fails no operation. */
export type Mailer = {
  /** False without a mail server; then every mail is "off". */
  hasServer: boolean;
  /** Hands a mail to the server, within mailTimeMaxMs. "sent" means that the server has accepted it. */
  send(mail: Mail): Promise<MailOutcome>;
};

/** The mail server and the sender; `url` is undefined without a server. */
export type MailSettings = { url: URL | undefined; from: string };

/** Timeout of sending a mail, including the wait for other mails. */
const mailTimeMaxMs = 10 * secondMs;
/** Timeout of one step of the SMTP session. */
const stepTimeMaxMs = 5 * secondMs;
/** Mails being sent or waiting; further ones are not sent. */
const mailLimits = { runningMax: 4, waitingMax: 32 };

/**
 * A mailer that uses the SMTP server of the settings. Calls `onOutcome` with the outcome of each mail, unless there is
 * no server.
 */
export function openMailer(
  settings: MailSettings,
  log: Log,
  onOutcome: (outcome: "sent" | "failed") => void,
  timeMaxMs = mailTimeMaxMs,
): Mailer {
  const { url, from } = settings;
  if (url === undefined) return { hasServer: false, send: async () => "off" };
  const semaphore = new Semaphore(mailLimits);
  return {
    hasServer: true,
    async send(mail) {
      const failure = await withinTimeout(timeMaxMs, async (signal) => {
        const queued = await semaphore.run(() => deliver(url, { from, ...mail }, signal), { signal });
        if (queued.kind !== "done") throw new Error("Too many mails are waiting to be sent.");
      });
      const outcome = failure === undefined ? "sent" : "failed";
      // Without the address, which is personal data; logs are kept elsewhere.
      if (failure !== undefined) log.warn("A mail could not be sent.", { subject: mail.subject, error: failure });
      onOutcome(outcome);
      return outcome;
    },
  };
}

/** Returns the reason why the server cannot be used, after connecting and signing in to it; undefined if it can. */
export async function mailServerFailure(url: URL): Promise<Error | undefined> {
  return await withinTimeout(mailTimeMaxMs, async (signal) => {
    const transport = await transportTo(url);
    signal.throwIfAborted();
    signal.addEventListener("abort", () => transport.close());
    await transport.verify();
    transport.close();
  });
}

async function deliver(url: URL, message: Mail & { from: string }, signal: AbortSignal): Promise<void> {
  // One connection per mail: mails are rare, and no connection is kept open.
  const transport = await transportTo(url);
  const { id, unsubscribeUrl, ...content } = message;
  await transport.sendMail({
    ...content,
    // Ends the connection. The timeouts of the steps do not: a server that sends some bytes now and then restarts them.
    signal,
    ...(id === undefined ? {} : { messageId: `<${id}@${hostOf(message.from)}>` }),
    ...(unsubscribeUrl === undefined ? {} : { headers: unsubscribeHeaders(unsubscribeUrl) }),
  });
}

/** The headers of a mail that the service sends by itself, with the one-click unsubscription of RFC 8058. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    "List-Unsubscribe": `<${url}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "Auto-Submitted": "auto-generated",
  };
}

/** The host of a sender such as "Waypost <waypost@example.com>". */
function hostOf(from: string): string {
  return /@([^\s>]+)/.exec(from)?.[1] ?? "localhost";
}

async function transportTo(url: URL) {
  // Loaded with the first mail: most processes send none.
  const { createTransport } = await import("nodemailer");
  const isSecure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const hasLogin = url.username !== "";
  return createTransport({
    host,
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    // Never sends a password unencrypted over a network; a server on this machine may do without TLS.
    requireTLS: hasLogin && !isLoopback(host),
    ...(hasLogin ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } } : {}),
    connectionTimeout: stepTimeMaxMs,
    greetingTimeout: stepTimeMaxMs,
    socketTimeout: stepTimeMaxMs,
    dnsTimeout: stepTimeMaxMs,
    // Keeps a mail's content from making this process read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The failure of the work, or a timeout; undefined when it succeeded in time. */
async function withinTimeout(
  timeMaxMs: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<Error | undefined> {
  const controller = new AbortController();
  const tooLate = Promise.withResolvers<Error>();
  const timer = setTimeout(() => {
    tooLate.resolve(new Error(`The mail server took longer than ${timeMaxMs / secondMs} seconds.`));
    controller.abort();
  }, timeMaxMs);
  const done = work(controller.signal).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  try {
    return await Promise.race([done, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}
