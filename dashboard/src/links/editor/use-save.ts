import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { answerOf, WaypostError } from "../../../../sdk/client.ts";
import { ValidationError } from "../../api/problem.ts";
import { warningCodes } from "../../api/warnings.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import type { Texts } from "../../texts/en/en.ts";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import { useNotify } from "../../ui/toasts.tsx";
import { useTimeText } from "../../ui/use-time-text.ts";
import { createdText } from "../created-text.ts";
import { type Link, type LinkChanges, useDomains, useRefreshLinks } from "../links-api.ts";
import { useUndo } from "../use-undo.tsx";
import { creationOf, type Draft } from "./draft.ts";
import { draftErrors } from "./draft-errors.ts";

type Save = {
  draft: Draft;
  /** The form when the link was read. */
  before: Draft;
  changes: LinkChanges;
  linkId: string | undefined;
  etag: string | undefined;
  /** True to copy the short link of a new link. */
  isToCopy: boolean;
};

/** Creates a link, or changes one if nobody else has changed it since it was read. */
export function useSave(onSaved: () => void) {
  const { links, times, words } = useTexts();
  const format = useFormat();
  const time = useTimeText();
  const { api } = useWorkspace();
  const notify = useNotify();
  const undo = useUndo();
  const refresh = useRefreshLinks();
  const domains = useDomains().data ?? [];
  const copy = async (shortLink: string): Promise<boolean> => {
    const isCopied = await copyText(shortLink);
    if (!isCopied) notify({ kind: "failed", text: words.notCopied });
    return isCopied;
  };
  const attempt = useRef<{ draft: Draft; key: string }>(undefined);
  /** The key is the same for the same draft, so that a retry creates no second link. */
  const keyOf = (draft: Draft): string => {
    if (attempt.current?.draft !== draft) attempt.current = { draft, key: newKey() };
    return attempt.current.key;
  };
  return useMutation({
    async mutationFn({ draft, before, changes, linkId, etag = "" }: Save) {
      const [fieldError, ...others] = draftErrors(draft, before, { links, times, format, time });
      if (fieldError !== undefined) throw new ValidationError([fieldError, ...others]);
      if (linkId === undefined) {
        const headers = { "Idempotency-Key": keyOf(draft) };
        return await saved(api.POST("/links", { body: creationOf(draft), headers }));
      }
      const headers = etag === "" ? {} : { "If-Match": etag };
      return await saved(api.PATCH("/links/{linkId}", { params: { path: { linkId } }, body: changes, headers }));
    },
    onError(error) {
      if (isFinal(error)) attempt.current = undefined;
    },
    async onSuccess({ link, warnings }, { linkId, before, changes, isToCopy }) {
      // Before the drawer closes: it would take the focus back while the text is copied.
      const isCopied = isToCopy && (await copy(link.shortLink));
      const news =
        linkId === undefined
          ? createdText(link, domains, { created: links.created, now: Date.now(), instant: format.instant })
          : links.editor.saved;
      notify({
        kind: "done",
        text: [
          news,
          ...(isCopied ? [links.created.copied] : []),
          ...warningTexts(warnings, linkId === undefined, links.warnings),
        ].join("\n"),
        ...(linkId === undefined
          ? !isCopied && { action: { label: links.list.copyShortLink, run: () => void copy(link.shortLink) } }
          : undo(canBeUndone(before, changes) ? [link] : [])),
      });
      onSaved();
      void refresh();
    },
  });
}

/** False for a replaced password: the history does not store the former one. */
function canBeUndone(before: Draft, { password }: LinkChanges): boolean {
  return password === undefined || before.password === "";
}

type Answered = Parameters<typeof answerOf<Link>>[0];

/** The link of a response, and the codes of its warnings. */
async function saved(answering: Answered): Promise<{ link: Link; warnings: string[] }> {
  const link = await answerOf(answering);
  return { link, warnings: warningCodes((await answering).response) };
}

/** The warnings in the person's language; createdText already mentions a new link's domain. */
function warningTexts(codes: string[], isNew: boolean, texts: Texts["links"]["warnings"]): string[] {
  const shownCodes = isNew ? codes.filter((code) => code !== "domain_not_verified") : codes;
  return Object.entries(texts).flatMap(([code, text]) => (shownCodes.includes(code) ? [text] : []));
}

const keyWords = 4;

/** An idempotency key; crypto.randomUUID is only available over HTTPS. */
function newKey(): string {
  const words = crypto.getRandomValues(new Uint32Array(keyWords));
  return Array.from(words, (word) => word.toString(16)).join("-");
}

const serverFailure = 500;

/** True when the call was refused, so that a changed attempt needs a new key; otherwise its outcome is unknown. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof WaypostError) || error.status >= serverFailure) return false;
  return !error.message.startsWith("Idempotency-Key:");
}

/** True when someone else's change prevented saving. */
export function isConflict(error: unknown): boolean {
  return error instanceof WaypostError && error.code === "precondition_failed";
}
