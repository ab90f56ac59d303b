import { SMTPServer } from "smtp-server";

/** A mail that the server accepted; `text` is the whole message without soft line breaks. */
type ReceivedMail = { from: string; to: string[]; text: string };

/** A real SMTP server on this machine that stores received mails, and refuses addresses that begin with "refused". */
export type MailServer = { url: string; received: ReceivedMail[]; close(): Promise<void> };

/** Starts a mail server on a free port. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo({ address }, _session, done) {
      done(address.startsWith("refused") ? new Error("No such mailbox.") : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=");
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const address = server.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
