import { Plus, Smartphone, Trash2 } from "lucide-react";
import { useFormat, useTexts } from "../../texts/texts.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { CountryInput } from "../../ui/code-input.tsx";
import { Input, UnlessReadOnly, useIsReadOnly } from "../../ui/field.tsx";
import { useRows } from "../../ui/use-rows.ts";
import { countryCharacters } from "../bounds.ts";
import type { Draft } from "./draft.ts";
import { useEditor, useFieldError } from "./editor-state.tsx";
import { FieldErrorText, SectionFields, useErrorAttributes } from "./fields.tsx";
import { Section } from "./section.tsx";
import { geoField, isCountryRefused } from "./shown-fields.ts";

/** Other destinations by device and country. */
export function TargetsSection() {
  const { links } = useTexts();
  const { targets } = links;
  const { draft } = useEditor();
  const names = [
    draft.ios === "" ? [] : ["iOS"],
    draft.android === "" ? [] : ["Android"],
    draft.geo.map(({ country }) => country.toUpperCase()).filter((country) => country !== ""),
  ].flat();
  return (
    <Section
      icon={Smartphone}
      name="targets"
      title={targets.title}
      summary={names.length === 0 ? undefined : names.join(" · ")}
    >
      <SectionFields section="targets" controls={{ geo: <Countries /> }} />
    </Section>
  );
}

type Row = Draft["geo"][number];

function Countries() {
  const { links, words } = useTexts();
  const { targets } = links;
  const { draft, set } = useEditor();
  const isReadOnly = useIsReadOnly();
  const fieldError = useFieldError("geo");
  const countries = useRows(draft.geo, (geo) => set({ geo }));
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="mb-1.5 font-medium">{targets.countries}</legend>
      {isReadOnly && draft.geo.length === 0 && <p className="text-muted">{words.none}</p>}
      {countries.rows.map(({ key, row }, index) => (
        <CountryRow
          key={key}
          row={row}
          onChange={(changes) => countries.change(index, { ...row, ...changes })}
          onRemove={() => countries.remove(index)}
        />
      ))}
      {fieldError !== undefined && <FieldErrorText>{fieldError}</FieldErrorText>}
      <UnlessReadOnly>
        <div>
          <Button size="small" onClick={() => countries.add({ country: "", url: "" })}>
            <Plus />
            {targets.addCountry}
          </Button>
        </div>
      </UnlessReadOnly>
    </fieldset>
  );
}

type CountryRowProps = { row: Row; onChange(changes: Partial<Row>): void; onRemove(): void };

function CountryRow({ row: { country, url }, onChange, onRemove }: CountryRowProps) {
  const { links, words } = useTexts();
  const { targets } = links;
  const format = useFormat();
  const { draft, error } = useEditor();
  const fieldError = useFieldError(geoField(country));
  const { attributes, errorText } = useErrorAttributes(fieldError);
  const isDuplicate = draft.geo.filter((row) => row.country === country).length > 1;
  const isCountryWrong = fieldError !== undefined && (isDuplicate || isCountryRefused(error, country));
  return (
    <div className="grid grid-cols-[5.5rem_minmax(0,1fr)_auto] items-start gap-2">
      <CountryInput
        aria-label={targets.country}
        maxLength={countryCharacters}
        value={country}
        onChange={(event) => onChange({ country: event.target.value.toUpperCase() })}
        {...(isCountryWrong && attributes)}
      />
      <div className="grid gap-1">
        <Input
          aria-label={targets.countryUrl(country)}
          placeholder="https://example.com/de"
          value={url}
          onChange={(event) => onChange({ url: event.target.value })}
          {...(!isCountryWrong && attributes)}
        />
        {errorText}
        {!isCountryWrong && country.length === countryCharacters && (
          <span className="text-[13px] text-faint">{format.country(country)}</span>
        )}
      </div>
      <UnlessReadOnly>
        <IconButton label={`${words.remove} ${country}`} className="mt-0.5" onClick={onRemove}>
          <Trash2 />
        </IconButton>
      </UnlessReadOnly>
    </div>
  );
}
