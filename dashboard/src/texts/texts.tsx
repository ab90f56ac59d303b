import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type Format, formatOf } from "../base/format.ts";
import { type Language, localeOf } from "../base/languages.ts";
import { preferredLanguage, saveLanguage } from "../base/preferences.ts";
import type { Texts } from "./en/en.ts";
import { withTranslations } from "./with-translations.ts";

/**
 * The catalogues of messages. English defines the messages; the type checker requires the same of the other languages.
 * A message with variable parts is a function, so that each language has its own word order and plurals.
 *
 * A language is one file, with about 10 KiB (gzip) that the list of links does not need. Splitting it by page would make
 * every page, and each change of the language, wait for several files; do so when the list nears its limit for scripts.
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

/** Loads the messages of the person's language. */
export async function loadTexts(language: Language = preferredLanguage()): Promise<LoadedTexts> {
  return { texts: await catalogues[language](), format: formatOf(language, localeOf(language, navigator.languages)) };
}

/** Provides the messages of a language, until another one is chosen. */
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

/**
 * Loads the translations of problems. No page waits for them; they are nearly always loaded before the first problem.
 */
function useTranslations({ texts, format }: LoadedTexts, setLoaded: (loaded: LoadedTexts) => void): void {
  useEffect(() => {
    let isCurrent = true;
    const take = (translated: Texts) => {
      if (isCurrent && translated !== texts) setLoaded({ texts: translated, format });
    };
    // Without them, problems are shown in the server's own words; the next visit tries again.
    withTranslations(texts, format).then(take, () => {});
    return () => {
      isCurrent = false;
    };
  }, [texts, format, setLoaded]);
}

/** Returns a function that changes the language of everything shown, and of later visits. */
export function useSetLanguage(): (language: Language) => Promise<void> {
  return useLanguage().setLanguage;
}

function useLanguage() {
  const loaded = useContext(LanguageContext);
  if (loaded === undefined) throw new Error("useTexts needs a TextsProvider.");
  return loaded;
}

/** The messages in the person's language. */
export function useTexts(): Texts {
  return useLanguage().texts;
}

/** How late relative times such as "3 minutes ago" may be. */
const tickMs = 30_000;
let ticks = 0;
const ticking = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all components; it stops while none is shown. */
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

/** Formats numbers, dates and names in the person's language. Components that use it render again every half minute. */
export function useFormat(): Format {
  useSyncExternalStore(followTicks, () => ticks);
  return useLanguage().format;
}
