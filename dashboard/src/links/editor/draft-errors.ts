import type { FieldError } from "../../api/problem.ts";
import type { Format } from "../../base/format.ts";
import { epochDay } from "../../base/time.ts";
import { type DayEdge, instantAt, type TimeText } from "../../base/time-text.ts";
import type { Texts } from "../../texts/en/en.ts";
import { draftFields, edgeOf, isOfKind } from "../link-fields.ts";
import { type Draft, duplicateCountry, percentageSum, percentTotal } from "./draft.ts";
import { conditionEdges, duplicateParameter, isInstantField } from "./rule-draft.ts";
import { geoField } from "./shown-fields.ts";

/** The texts and formatters of the messages. */
type Words = Pick<Texts, "links" | "times"> & { format: Pick<Format, "number">; time: TimeText };

/**
 * Finds the errors that the form reports before it is sent: input that the API would drop silently, and invalid
 * instants, because the API's message asks for ISO 8601 instead of the form's date format.
 */
export function draftErrors(draft: Draft, before: Draft, words: Words): FieldError[] {
  const { rules, targets, test, card } = words.links;
  const country = duplicateCountry(draft.geo);
  const sum = percentageSum(draft.testVariants);
  return [
    ...draft.rules.flatMap((rule, index) => {
      const name = duplicateParameter(rule);
      return name === undefined ? [] : [{ field: `rules.${index}.when.query`, text: rules.duplicate(name) }];
    }),
    // A JSON object can have only one URL per country, so one of the two would be lost.
    ...(country === undefined ? [] : [{ field: geoField(country), text: targets.duplicate(country) }]),
    // The API treats shares as parts of their sum, which people who enter percentages do not expect.
    ...(isTestChanged(draft, before) && sum !== percentTotal
      ? [{ field: "testVariants", text: test.sum(words.format.number(sum)) }]
      : []),
    ...instantsIn(draft).flatMap(({ field, text, edge }) => {
      const error = instantError(text, edge, words);
      return error === undefined ? [] : [{ field, text: error }];
    }),
    // The API ignores an invalid image, as Dub's API does.
    ...(isImage(draft.image.trim()) ? [] : [{ field: "image", text: card.noImageUrl }]),
  ];
}

/** A test whose shares the API has already accepted stays valid. */
function isTestChanged({ testVariants }: Draft, before: Draft): boolean {
  return testVariants.length > 0 && JSON.stringify(testVariants) !== JSON.stringify(before.testVariants);
}

/** The fields of the draft and of its rules that must be instants. Empty fields of the draft are valid. */
function instantsIn(draft: Draft): { field: string; text: string; edge: DayEdge }[] {
  const ofDraft = draftFields
    .flatMap((field) => (isOfKind(field, "instant") ? [{ field, text: draft[field], edge: edgeOf(field) }] : []))
    .filter(({ text }) => text.trim() !== "");
  const ofRules = draft.rules.flatMap(({ conditions }, index) =>
    conditions.flatMap(({ field, value }) =>
      isInstantField(field)
        ? [{ field: `rules.${index}.when.${field}`, text: value, edge: conditionEdges[field] }]
        : [],
    ),
  );
  return [...ofDraft, ...ofRules];
}

function instantError(text: string, edge: DayEdge, { times, time }: Words): string | undefined {
  if (text.trim() === "") return times.missing;
  const instant = instantAt(text, edge);
  if (instant === null) return times.unreadable.dayOrInstant(time.example("dayOrInstant"));
  return instant < epochDay ? times.tooEarly(time.write(epochDay, "day")) : undefined;
}

/** True when the API accepts the text as an image, or as no image. */
function isImage(text: string): boolean {
  return text === "" || text.startsWith("data:image/") || (/^https?:\/\//i.test(text) && URL.canParse(text));
}
