import { type ComponentProps, useCallback, useId, useMemo } from "react";
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

/** Returns a function that finds the code of a country by its name or code; any other text is returned as it is. */
export function useCountryCode(): (text: string) => string {
  const { locale, country } = useFormat();
  return useCallback(
    (text) => {
      const searched = text.trim().toLocaleLowerCase(locale);
      const isMeant = (code: string) =>
        [code, country(code)].some((name) => name.toLocaleLowerCase(locale) === searched);
      return countryCodes.find(isMeant) ?? text;
    },
    [locale, country],
  );
}
