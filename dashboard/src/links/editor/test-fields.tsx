import { Link as RouterLink } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import { variantLetter } from "../../base/variant-letter.ts";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Input, UnlessReadOnly } from "../../ui/field.tsx";
import { useRows } from "../../ui/use-rows.ts";
import { shareMax, shareMin } from "../bounds.ts";
import { complemented, type Draft, divideEvenly, percentageSum, percentTotal } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { FieldErrorText, InstantField, useErrorAttributes } from "./fields.tsx";
import { finalUrl } from "./utm.ts";

const variantsMax = 4;
const variantsMin = 2;

type Variant = Draft["testVariants"][number];

/** An A/B test: destinations among which visitors are divided. */
export function TestFields() {
  const { test } = useTexts().links;
  const format = useFormat();
  const { draft, set, link } = useEditor();
  const { testVariants: variants } = draft;
  const fieldError = useFieldError("testVariants");
  const sum = percentageSum(variants);
  const edited = useRows(variants, (next) => set({ testVariants: shared(variants, next) }));
  return (
    <>
      <p className="text-[13px] text-muted">
        {test.about}
        {link !== undefined && link.testVariants !== null && (
          <>
            {" "}
            <RouterLink
              to="/w/$workspaceId/analytics"
              params={{ workspaceId: link.workspaceId }}
              search={{ linkId: link.id }}
              className="font-medium text-accent underline-offset-2 hover:underline"
            >
              {test.results}
            </RouterLink>
          </>
        )}
      </p>
      {edited.rows.map(({ key, row }, index) => (
        <VariantRow
          key={key}
          variant={row}
          index={index}
          isSumWrong={fieldError !== undefined}
          onChange={(variant) => edited.change(index, variant)}
          onRemove={() => edited.remove(index)}
        />
      ))}
      {fieldError === undefined && variants.length > 0 && sum !== percentTotal && (
        <p role="status" className="text-[13px] text-danger">
          {test.sum(format.number(sum))}
        </p>
      )}
      {fieldError !== undefined && <FieldErrorText>{fieldError}</FieldErrorText>}
      <UnlessReadOnly>
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            disabled={variants.length >= variantsMax}
            onClick={() => (variants.length === 0 ? set(newTest(draft)) : edited.add(copyOfA(draft)))}
          >
            <Plus />
            {variants.length === 0 ? test.begin : test.add}
          </Button>
          {variants.length > 0 && (
            <Button size="small" variant="quiet" onClick={() => set({ testVariants: divideEvenly(variants) })}>
              {test.divideEvenly}
            </Button>
          )}
        </div>
      </UnlessReadOnly>
      {variants.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          <InstantField name="testStartedAt" />
          <InstantField name="testCompletedAt" />
        </div>
      )}
    </>
  );
}

/** A new test of two variants. Both begin as copies of the destination, so that only the difference is left to type. */
export function newTest(draft: Draft): Pick<Draft, "testVariants"> {
  return { testVariants: divideEvenly([copyOfA(draft), copyOfA(draft)]) };
}

function copyOfA({ url, testVariants }: Draft): Variant {
  return { url: testVariants[0]?.url ?? url, percentage: "" };
}

/**
 * Shares are divided again when a variant is added or removed; fewer than two variants are no test. Of two variants, one
 * gets what the other leaves.
 */
function shared(before: readonly Variant[], after: Variant[]): Variant[] {
  if (after.length === before.length) return complemented(before, after);
  return after.length < variantsMin ? [] : divideEvenly(after);
}

type VariantRowProps = {
  variant: Variant;
  index: number;
  isSumWrong: boolean;
  onChange(variant: Variant): void;
  onRemove(): void;
};

function VariantRow({ variant, index, isSumWrong, onChange, onRemove }: VariantRowProps) {
  const { links, words } = useTexts();
  const { test } = links;
  const url = useErrorAttributes(useFieldError(`testVariants.${index}.url`));
  const share = useErrorAttributes(useFieldError(`testVariants.${index}.percentage`));
  const { draft } = useEditor();
  const letter = variantLetter(index);
  return (
    // On a phone the share is below its URL, which would be too narrow beside it.
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[auto_minmax(0,1fr)_5.5rem_auto]">
      <span
        className="grid size-6 place-items-center rounded-md bg-sunken text-xs font-semibold text-muted"
        aria-hidden
      >
        {letter}
      </span>
      <Input
        {...url.attributes}
        aria-label={test.url(letter)}
        // A begins as the destination, so B is what a person types first.
        data-first={index === 1 || undefined}
        placeholder="https://example.com/variant"
        value={variant.url}
        onChange={(event) => onChange({ ...variant, url: event.target.value })}
      />
      <div className="relative max-sm:col-start-2 max-sm:row-start-2 max-sm:w-22">
        <Input
          {...share.attributes}
          aria-invalid={share.attributes["aria-invalid"] ?? (isSumWrong || undefined)}
          aria-label={test.share(letter)}
          type="number"
          min={shareMin}
          max={shareMax}
          value={variant.percentage}
          onChange={(event) => onChange({ ...variant, percentage: event.target.value })}
          className="pr-7"
        />
        <span className="pointer-events-none absolute right-3 top-1/2 -translate-y-1/2 text-faint" aria-hidden>
          %
        </span>
      </div>
      <UnlessReadOnly>
        <IconButton label={`${words.remove} ${letter}`} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      </UnlessReadOnly>
      {variant.url.trim() !== "" && (
        <p className="col-span-full text-[13px] text-faint wrap-anywhere sm:col-start-2 sm:col-end-3">
          {test.finalUrl(finalUrl(variant.url, draft.url))}
        </p>
      )}
      {(url.errorText || share.errorText) && (
        <div className="col-span-full">
          {url.errorText}
          {share.errorText}
        </div>
      )}
    </div>
  );
}
