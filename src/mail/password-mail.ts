import { html } from "hono/html";
import type { Mail } from "./mailer.ts";

/** The mail with the link that sets a new password. */
export function passwordMail({ to, url, lifeMinutes }: { to: string; url: string; lifeMinutes: number }): Mail {
  const sentence = "Someone, most likely you, has asked for a new password for your account on Waypost.";
  const closing = `The link works once, for ${lifeMinutes} minutes. If it was not you, ignore this e-mail: your password stays as it is.`;
  return {
    to,
    subject: "A new password for Waypost",
    text: `${sentence}\n\n${url}\n\n${closing}\n`,
    html: String(html`<!doctype html>
<html lang="en"><body><p>${sentence}</p><p><a href="${url}">Set a new password</a></p>
<p>${url}</p><p>${closing}</p></body></html>`),
  };
}
