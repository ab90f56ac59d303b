import { parseTime } from "../../base/time-text.ts";
import { utmNames } from "../../base/utm-names.ts";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { useTimeText } from "../../ui/use-time-text.ts";
import type { ChipSection } from "../link-fields.ts";
import { useFolders, useTags } from "../links-api.ts";
import { percentTotal } from "./draft.ts";
import { useEditor } from "./editor-state.tsx";
import { readUtm } from "./utm.ts";

/** The values that the chips summarize; undefined for a section without values. */
export function useSummaries(): Record<ChipSection, string | undefined> {
  const { links } = useTexts();
  const format = useFormat();
  const { draft, link } = useEditor();
  const { data: knownTags = [] } = useTags();
  const { data: folders = [] } = useFolders();
  const tagNames = new Map([...(link?.tags ?? []), ...knownTags].map(({ id, name }) => [id, name]));
  const utm = readUtm(draft.url);
  return {
    utm: joined(utmNames.map((name) => utm[name])),
    password: draft.password === "" ? undefined : links.password.isSet,
    limits: joined(useLimits()),
    tags: joined(draft.tagIds.map((id) => tagNames.get(id) ?? "…")),
    folder: draft.folderId === "" ? undefined : (folders.find(({ id }) => id === draft.folderId)?.name ?? "…"),
    test: joined(draft.testVariants.map(({ percentage }) => format.percent(Number(percentage) / percentTotal))),
    comments: draft.comments.trim() === "" ? undefined : draft.comments.trim(),
  };
}

function joined(parts: readonly string[]): string | undefined {
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? undefined : given.join(" · ");
}

/** When the link works, and for how many clicks. */
function useLimits(): string[] {
  const { limits } = useTexts().links;
  const format = useFormat();
  const time = useTimeText();
  const { startsAt, expiresAt, maxClicks } = useEditor().draft;
  // Typed text is only a time once it is complete.
  const shown = (text: string) =>
    parseTime(text, "dayOrInstant") === undefined ? undefined : time.write(text, "dayOrInstant");
  const [start, end] = [shown(startsAt), shown(expiresAt)];
  return [
    start === undefined ? "" : limits.from(start),
    end === undefined ? "" : limits.until(end),
    maxClicks === "" ? "" : limits.clicks(Number(maxClicks), format.number(Number(maxClicks))),
  ];
}
