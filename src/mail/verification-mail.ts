import { html } from "hono/html";
import type { Mail } from "./mailer.ts";

/** The mail with the link that verifies the new e-mail address of an account. */
export function verificationMail({ to, url, lifeHours }: { to: string; url: string; lifeHours: number }): Mail {
  const sentence = "This is now the e-mail address of an account on Waypost. Verify that it is yours:";
  const closing = `The link works once, for ${lifeHours} hours. If you did not change the address, ignore this mail.`;
  return {
    to,
    subject: "Verify your e-mail address for Waypost",
    text: `${sentence}\n\n${url}\n\n${closing}\n`,
    html: String(html`<!doctype html>
<html lang="en"><body><p>${sentence}</p><p><a href="${url}">Verify the address</a></p>
<p>${url}</p><p>${closing}</p></body></html>`),
  };
}
