import { type ComponentProps, useCallback, useId, useMemo } from "react";
import { countryCodes } from "../base/country-codes.ts";
import { languageCodes } from "../base/language-codes.ts";
import { useFormat } from "../texts/texts.tsx";
import { Input } from "./field.tsx";

type InputProps = ComponentProps<"input">;
type Names = { codes: readonly string[]; nameOf(code: string): string };

/** A field for the two-letter code of a country. The browser suggests countries by code and by name. */
export function CountryInput(props: InputProps) {
  return <CodeInput placeholder="DE" names={useCountryNames()} {...props} />;
}

/** A field for the code of a language. The browser suggests languages by code and by name. */
export function LanguageInput(props: InputProps) {
  return <CodeInput placeholder="de" names={useLanguageNames()} {...props} />;
}

/** Returns a function that finds the code of a country by its name or code; any other text is returned as it is. */
export function useCountryCode(): (text: string) => string {
  return useCodeOf(useCountryNames());
}

/** Returns a function that finds the code of a language by its name or code; any other text is returned as it is. */
export function useLanguageCode(): (text: string) => string {
  return useCodeOf(useLanguageNames());
}

function useCountryNames(): Names {
  const { country } = useFormat();
  return useMemo(() => ({ codes: countryCodes, nameOf: country }), [country]);
}

function useLanguageNames(): Names {
  const { languageName } = useFormat();
  return useMemo(() => ({ codes: languageCodes, nameOf: languageName }), [languageName]);
}

function CodeInput({ names: { codes, nameOf }, ...props }: InputProps & { names: Names }) {
  const id = useId();
  const { locale } = useFormat();
  const named = useMemo(() => {
    const { compare } = new Intl.Collator(locale);
    return codes.map((code) => ({ code, name: nameOf(code) })).sort((left, right) => compare(left.name, right.name));
  }, [locale, codes, nameOf]);
  return (
    <>
      <Input autoComplete="off" list={id} {...props} />
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

function useCodeOf({ codes, nameOf }: Names): (text: string) => string {
  const { locale } = useFormat();
  return useCallback(
    (text) => {
      const searched = text.trim().toLocaleLowerCase(locale);
      const isMeant = (code: string) =>
        [code, nameOf(code)].some((name) => name.toLocaleLowerCase(locale) === searched);
      return codes.find(isMeant) ?? text;
    },
    [locale, codes, nameOf],
  );
}
