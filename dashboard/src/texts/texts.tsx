import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type Format, formatOf } from "../base/format.ts";
import { type Language, localeOf } from "../base/languages.ts";
import { preferredLanguage, saveLanguage } from "../base/preferences.ts";
import type { Texts } from "./en/en.ts";
import { withTranslations } from "./with-translations.ts";

/**
 * The catalogue of messages. English says which messages there are; the other languages have the same by type. A message
 * with something in it is a function, so that each language has its own order and its own plurals.
 */
const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import("./en/en.ts")).en,
  de: async () => (await import("./de/de.ts")).de,
  zh: async () => (await import("./zh/zh.ts")).zh,
};

type LoadedTexts = { texts: Texts; format: Format };

const LanguageContext = createContext<(LoadedTexts & { setLanguage(language: Language): Promise<void> }) | undefined>(
  undefined,
);

/** Loads the messages of the language that the person reads. */
export async function loadTexts(language: Language = preferredLanguage()): Promise<LoadedTexts> {
  return { texts: await catalogues[language](), format: formatOf(language, localeOf(language, navigator.languages)) };
}

/** Speaks the language it begins with until another one is chosen. */
export function TextsProvider({ first, children }: { first: LoadedTexts; children: ReactNode }) {
  const [loaded, setLoaded] = useState(first);
  useTranslations(loaded, setLoaded);
  const speech = useMemo(() => {
    const setLanguage = async (language: Language) => {
      const next = await loadTexts(language);
      saveLanguage(language);
      setLoaded(next);
    };
    return { ...loaded, setLanguage };
  }, [loaded]);
  return <LanguageContext value={speech}>{children}</LanguageContext>;
}

/** Brings the translations of problems, which no page waits for: nearly always they are there before the first problem. */
function useTranslations({ texts, format }: LoadedTexts, setLoaded: (loaded: LoadedTexts) => void): void {
  useEffect(() => {
    let isCurrent = true;
    const take = (translated: Texts) => {
      if (isCurrent && translated !== texts) setLoaded({ texts: translated, format });
    };
    // Without them problems are told in the server's own words; the next visit asks for them again.
    withTranslations(texts, format).then(take, () => {});
    return () => {
      isCurrent = false;
    };
  }, [texts, format, setLoaded]);
}

/** Changes the language of everything shown, and of later visits. */
export function useSetLanguage(): (language: Language) => Promise<void> {
  return useLanguage().setLanguage;
}

function useLanguage() {
  const loaded = useContext(LanguageContext);
  if (loaded === undefined) throw new Error("Texts were asked for outside the TextsProvider.");
  return loaded;
}

/** The messages in the person's language. */
export function useTexts(): Texts {
  return useLanguage().texts;
}

/** How long what is said of the time, such as "3 minutes ago", may be late. */
const tickMs = 30_000;
let ticks = 0;
const ticking = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all that is shown; it stands while nothing is. */
function followTicks(onTick: () => void): () => void {
  ticking.add(onTick);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const notify of ticking) notify();
  }, tickMs);
  return () => {
    ticking.delete(onTick);
    if (ticking.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Numbers, dates and names of places in the person's language; what uses it is drawn anew each half minute. */
export function useFormat(): Format {
  useSyncExternalStore(followTicks, () => ticks);
  return useLanguage().format;
}
