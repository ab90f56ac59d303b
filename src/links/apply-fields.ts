import { invalid } from "../base/problem.ts";
import type { Clock } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import { type FieldColumns, type FieldInputs, fieldEntries, writtenColumns } from "./fields.ts";
import type { LinkFields } from "./link.ts";

/** The rules between several fields of a link, and what a caller should know about the fields it wrote. */

/**
 * The columns of a link after `input` was applied to `before`. Throws "unprocessable_entity" and names the first bad
 * field. The result repeats the utm columns of `before`: they follow from the URL, see link-destination.ts.
 */
export function applyFields(before: FieldColumns, input: FieldInputs, appSchemes: readonly string[]): FieldColumns {
  const after = writtenColumns(before, input, appSchemes);
  if (input.startsAt !== undefined || input.expiresAt !== undefined) refuseNeverOpen(after);
  if (input.testStartedAt !== undefined || input.testCompletedAt !== undefined) refuseNeverRunning(after);
  return after;
}

/**
 * The input with `disabled` replaced by `disabledAt`: true means now, unless the link is disabled already, and moves a
 * disabledAt in the future to now. Throws "unprocessable_entity" when `disabled` and `disabledAt` disagree.
 */
export function readDisabled<Input extends LinkFields>(
  { disabledAt: before }: Pick<FieldColumns, "disabledAt">,
  { disabled, ...input }: Input,
  now: Clock,
): Omit<Input, "disabled"> {
  if (disabled === undefined) return input;
  const at = now();
  const { disabledAt } = input;
  if (disabledAt !== undefined) {
    const agrees = disabled ? disabledAt !== null && disabledAt <= at : disabledAt === null;
    if (agrees) return input;
    throw invalid("disabled", "contradicts disabledAt; send only one of them.");
  }
  if (!disabled) return { ...input, disabledAt: null };
  return { ...input, disabledAt: before !== null && before <= at ? before : at };
}

/** Warns of each text of the input that is stored shorter than it was sent, and of an expiry that has passed. */
export function warnOfInput({ warn, now }: { warn?: Warn | undefined; now: Clock }, input: FieldInputs): void {
  if (typeof input.expiresAt === "number" && input.expiresAt <= now()) {
    warn?.({ code: "expired", message: "expiresAt has passed, so visitors do not reach the destination." });
  }
  for (const [name, field] of fieldEntries) {
    if (field.kind !== "text" || field.cutTo === undefined) continue;
    const value = input[name];
    if (typeof value !== "string" || value.length <= field.cutTo) continue;
    warn?.({ code: "text_cut", message: `${name} was cut to ${field.cutTo} characters.` });
  }
}

/** Checked only when the input names one of the two, so that all other fields of a link stored like this can change. */
function refuseNeverOpen({ startsAt, expiresAt }: FieldColumns): void {
  if (startsAt === null || expiresAt === null || startsAt < expiresAt) return;
  throw invalid("expiresAt", "must be later than startsAt; otherwise the link is never open.");
}

/** Like refuseNeverOpen, for an A/B test. */
function refuseNeverRunning({ testStartedAt, testCompletedAt }: FieldColumns): void {
  if (testStartedAt === null || testCompletedAt === null || testStartedAt < testCompletedAt) return;
  throw invalid("testCompletedAt", "must be later than testStartedAt; otherwise the test never runs.");
}
