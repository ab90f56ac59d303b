import type { ComponentProps } from "react";
import { useId, useMemo } from "react";
import { countryCodes } from "../base/country-codes.ts";
import { useFormat } from "../texts/texts.tsx";
import { Input } from "./field.tsx";

/** A field for the two-letter code of a country. The browser suggests countries by code and by name. */
export function CountryInput(props: ComponentProps<"input">) {
  const id = useId();
  const { locale, country } = useFormat();
  const named = useMemo(() => {
    const { compare } = new Intl.Collator(locale);
    return countryCodes
      .map((code) => ({ code, name: country(code) }))
      .sort((left, right) => compare(left.name, right.name));
  }, [locale, country]);
  return (
    <>
      <Input autoComplete="off" placeholder="DE" list={id} {...props} />
      <datalist id={id}>
        {named.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
