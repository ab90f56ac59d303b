import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { type MailServer, startMailServer } from "../../tests/support/mail-server.ts";
import { openLog } from "../base/log.ts";
import { accountMailTexts } from "./account-mail-texts.ts";
import { inviteMail } from "./invite-mail.ts";
import { mailServerFailure, openMailer } from "./mailer.ts";

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const mail = { to: "ada@example.com", subject: "S", text: "T", html: "<p>T</p>" };

async function send(url: string | undefined, to = mail.to) {
  const lines: string[] = [];
  const outcomes: string[] = [];
  const settings = { url: url === undefined ? undefined : new URL(url), from: "Waypost <waypost@example.com>" };
  const mailer = openMailer(
    settings,
    openLog("info", (line) => lines.push(line)),
    (outcome) => outcomes.push(outcome),
  );
  return { outcome: await mailer.send({ ...mail, to }), outcomes, lines };
}

test("a mail that the server accepts is sent and counted", async () => {
  expect(await send(server.url)).toEqual({ outcome: "sent", outcomes: ["sent"], lines: [] });
  expect(server.received.at(-1)).toMatchObject({ from: "waypost@example.com", to: [mail.to] });
});

test('without a server every mail is "off"', async () => {
  expect(await send(undefined)).toEqual({ outcome: "off", outcomes: [], lines: [] });
});

test("a refused mail, or one without a server, fails, is counted, and is logged without the address", async () => {
  // No server listens on port 1.
  for (const url of [server.url, "smtp://127.0.0.1:1"]) {
    const { outcome, outcomes, lines } = await send(url, "refused@example.com");

    expect([outcome, outcomes, lines.length]).toEqual(["failed", ["failed"], 1]);
    expect(lines.join()).not.toContain("refused@example.com");
  }
});

test("a server that answers without end holds no connection after the time limit, and further mails are sent", async () => {
  let openConnections = 0;
  let isTarpit = true;
  const tarpit = createServer((socket) => {
    openConnections++;
    const timers: Timer[] = [];
    socket.on("close", () => {
      openConnections--;
      for (const timer of timers) clearInterval(timer);
    });
    socket.on("error", () => {});
    socket.write("220 mail.example.com\r\n");
    socket.on("data", (bytes) => {
      const text = bytes.toString();
      // The line of a reply that goes on.
      if (isTarpit && text.startsWith("MAIL")) timers.push(setInterval(() => socket.write("250-wait\r\n"), 5));
      else socket.write(text.startsWith("DATA") ? "354 go on\r\n" : "250 ok\r\n");
    });
  });
  await new Promise<void>((resolve) => {
    tarpit.listen(0, "127.0.0.1", () => resolve());
  });
  const address = tarpit.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const settings = { url: new URL(`smtp://127.0.0.1:${port}`), from: "Waypost <waypost@example.com>" };
  const timeMaxMs = 2_000;
  const mailer = openMailer(settings, openLog("error"), () => {}, timeMaxMs);

  const slow = await Promise.all([1, 2, 3, 4].map(() => mailer.send(mail)));
  isTarpit = false;
  const next = await mailer.send(mail);

  expect([slow, next]).toEqual([["failed", "failed", "failed", "failed"], "sent"]);
  while (openConnections > 0) await Bun.sleep(5);
  tarpit.close();
});

test("the check greets the server, and names the failure of an unreachable one", async () => {
  expect(await mailServerFailure(new URL(server.url))).toBeUndefined();
  expect((await mailServerFailure(new URL("smtp://127.0.0.1:1")))?.message).toContain("ECONNREFUSED");
});

test("names of people and workspaces add no markup, no header and no long text to an invite", () => {
  const { subject, html, text } = inviteMail(accountMailTexts("en"), {
    to: mail.to,
    workspace: `<img src=x>\r\nBcc: eve@example.com ${"x".repeat(200)}`,
    inviter: "",
    url: "https://links.example.com/app/invites/a&b",
    expiresAt: Date.parse("2026-11-27T00:00:00Z"),
  });

  expect(subject).not.toMatch(/[\r\n]/);
  expect(subject.length).toBeLessThan(120);
  expect(html).not.toContain("<img");
  expect(html).toContain("a&amp;b");
  expect(text).toContain("A member invited you");
  expect(text).toContain("November 27, 2026");
});
