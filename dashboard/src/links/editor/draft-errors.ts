import type { FieldError } from "../../api/problem.ts";
import type { Format } from "../../base/format.ts";
import { epochDay } from "../../base/time.ts";
import type { TimeText } from "../../base/time-text.ts";
import type { Texts } from "../../texts/en/en.ts";
import { countryTwice, type Draft, percentageSum, wholePercents } from "./draft.ts";
import { instantOf, isTime, parameterTwice } from "./rule-draft.ts";
import { geoField } from "./shown-fields.ts";

/** What mistakes are told with. */
type Words = Pick<Texts, "links" | "times"> & { format: Pick<Format, "number">; time: TimeText };

/**
 * What is wrong with a form that is better said before it is sent: what the API would lose or leave out without a word,
 * and moments, of which it says how programs write them.
 */
export function draftErrors(draft: Draft, before: Draft, words: Words): FieldError[] {
  const { rules, targets, test, card } = words.links;
  const country = countryTwice(draft.geo);
  const sum = percentageSum(draft.testVariants);
  return [
    ...draft.rules.flatMap((rule, index) => {
      const name = parameterTwice(rule);
      return name === undefined ? [] : [{ field: `rules.${index}.when.query`, words: rules.twice(name) }];
    }),
    // In what is sent one of the two would be lost.
    ...(country === undefined ? [] : [{ field: geoField(country), words: targets.twice(country) }]),
    // The API takes shares as parts of their sum, which is not what somebody means who writes percentages.
    ...(isTestChanged(draft, before) && sum !== wholePercents
      ? [{ field: "testVariants", words: test.sum(words.format.number(sum)) }]
      : []),
    ...momentsIn(draft).flatMap(({ field, text }) => {
      const momentProblem = momentError(text, words);
      return momentProblem === undefined ? [] : [{ field, words: momentProblem }];
    }),
    // As Dub's API does, ours takes no image for one that it cannot use.
    ...(isImage(draft.image.trim()) ? [] : [{ field: "image", words: card.noImageUrl }]),
  ];
}

/** A test that the API took with other shares stays as it is. */
function isTestChanged({ testVariants }: Draft, before: Draft): boolean {
  return testVariants.length > 0 && JSON.stringify(testVariants) !== JSON.stringify(before.testVariants);
}

const ownMoments = ["startsAt", "expiresAt", "testStartedAt", "testCompletedAt"] as const;

/** What is to be a moment; those of the link itself may be left out. */
function momentsIn(draft: Draft): { field: string; text: string }[] {
  const own = ownMoments.map((field) => ({ field, text: draft[field] })).filter(({ text }) => text.trim() !== "");
  const ofRules = draft.rules.flatMap(({ conditions }, index) =>
    conditions.flatMap(({ field, value }) =>
      isTime(field) ? [{ field: `rules.${index}.when.${field}`, text: value }] : [],
    ),
  );
  return [...own, ...ofRules];
}

function momentError(text: string, { times, time }: Words): string | undefined {
  if (text.trim() === "") return times.missing;
  const instant = instantOf(text);
  if (instant === null) return times.unreadable.moment(time.example("moment"));
  return instant < epochDay ? times.tooEarly(time.write(epochDay, "day")) : undefined;
}

/** Whether the API takes a text for an image, or for none. */
function isImage(text: string): boolean {
  return text === "" || text.startsWith("data:image/") || (/^https?:\/\//i.test(text) && URL.canParse(text));
}
