import { html } from "hono/html";
import type { Mail } from "./mailer.ts";

/** Characters of a name that people choose, in a subject and a sentence. */
const nameShownMax = 80;

/** The mail that invites a person to a workspace. */
export function inviteMail(invite: {
  to: string;
  workspace: string;
  inviter: string;
  url: string;
  expiresAt: number;
}): Mail {
  const workspace = asPhrase(invite.workspace);
  const inviter = invite.inviter === "" ? "A member" : asPhrase(invite.inviter);
  const day = new Date(invite.expiresAt).toISOString().slice(0, 10);
  const sentence = `${inviter} invites you to the workspace "${workspace}" on Waypost.`;
  const closing = `The link works once, until ${day}. If you did not expect this, ignore this e-mail.`;
  return {
    to: invite.to,
    subject: `Invitation to ${workspace}`,
    text: `${sentence}\n\n${invite.url}\n\n${closing}\n`,
    html: String(html`<!doctype html>
<html lang="en"><body><p>${sentence}</p><p><a href="${invite.url}">Accept the invitation</a></p>
<p>${invite.url}</p><p>${closing}</p></body></html>`),
  };
}

/** One line without line breaks and control characters, cut if it is too long. */
function asPhrase(name: string): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length <= nameShownMax ? line : `${line.slice(0, nameShownMax).toWellFormed()}…`;
}
