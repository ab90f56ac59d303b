import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { answerOf, WaypostError } from "../../../../sdk/client.ts";
import { OwnRefusal } from "../../api/problem.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import { useNotify } from "../../ui/toasts.tsx";
import { type LinkChanges, useRefreshLinks } from "../links-api.ts";
import { countryTwice, creationOf, type Draft, percentageSum, wholePercents } from "./draft.ts";
import { parameterTwice } from "./rule-draft.ts";
import { geoField } from "./shown-fields.ts";

type Save = { draft: Draft; changes: LinkChanges; linkId: string | undefined; etag: string | undefined };

/** Makes a link, or changes one if nobody else has since it was read. */
export function useSave(onSaved: () => void) {
  const { links, words } = useTexts();
  const format = useFormat();
  const { api } = useWorkspace();
  const notify = useNotify();
  const refresh = useRefreshLinks();
  const copy = async (shortLink: string) => {
    if (!(await copyText(shortLink))) notify({ kind: "failed", text: words.notCopied });
  };
  const attempt = useRef<{ draft: Draft; key: string }>(undefined);
  /** The same as long as the draft is: one that is sent again makes no second link. */
  const keyOf = (draft: Draft): string => {
    if (attempt.current?.draft !== draft) attempt.current = { draft, key: newKey() };
    return attempt.current.key;
  };
  return useMutation({
    async mutationFn({ draft, changes, linkId, etag = "" }: Save) {
      refuseTwice(draft, { parameter: links.rules.twice, country: links.targets.twice });
      // A test that the API took with other shares stays as it is.
      if (changes.testVariants != null) refuseUneven(draft, (sum) => links.test.sum(format.number(sum)));
      if (linkId === undefined) {
        const headers = { "Idempotency-Key": keyOf(draft) };
        return await answerOf(api.POST("/links", { body: creationOf(draft), headers }));
      }
      const headers = etag === "" ? {} : { "If-Match": etag };
      return await answerOf(api.PATCH("/links/{linkId}", { params: { path: { linkId } }, body: changes, headers }));
    },
    onError(error) {
      if (isFinal(error)) attempt.current = undefined;
    },
    onSuccess({ shortLink }, { linkId }) {
      notify({
        kind: "done",
        text: linkId === undefined ? links.editor.created(shortLink) : links.editor.saved,
        ...(linkId === undefined && {
          action: { label: links.list.copyShortLink, run: () => void copy(shortLink) },
        }),
      });
      onSaved();
      void refresh();
    },
  });
}

const keyWords = 4;

/** A key for Idempotency-Key; crypto.randomUUID is only there where the page came by https. */
function newKey(): string {
  const words = crypto.getRandomValues(new Uint32Array(keyWords));
  return Array.from(words, (word) => word.toString(16)).join("-");
}

const serverFailure = 500;

/** Whether the call was refused, and what is refused may be taken later; else nobody knows what became of it. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof WaypostError) || error.status >= serverFailure) return false;
  return !error.message.startsWith("Idempotency-Key:");
}

type TwiceTexts = { parameter(name: string): string; country(code: string): string };

/**
 * Refuses, as the API refuses others, a rule that names a parameter twice and a country that is named twice: in what is
 * sent one of them would be lost.
 */
function refuseTwice({ rules, geo }: Draft, texts: TwiceTexts): void {
  for (const [index, rule] of rules.entries()) {
    const name = parameterTwice(rule);
    if (name !== undefined) throw new OwnRefusal(`rules.${index}.when.query`, texts.parameter(name));
  }
  const country = countryTwice(geo);
  if (country !== undefined) throw new OwnRefusal(geoField(country), texts.country(country));
}

/**
 * Refuses shares of a test that do not add up. The API takes them as parts of their sum, which is not what somebody means
 * who writes percentages.
 */
function refuseUneven({ testVariants }: Draft, text: (sum: number) => string): void {
  const sum = percentageSum(testVariants);
  if (sum !== wholePercents) throw new OwnRefusal("testVariants", text(sum));
}

/** Whether somebody else's change was in the way. */
export function isConflict(error: unknown): boolean {
  return error instanceof WaypostError && error.code === "precondition_failed";
}
