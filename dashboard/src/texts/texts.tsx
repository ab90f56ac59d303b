import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type Format, formatOf } from "../base/format.ts";
import { type Language, localeOf } from "../base/languages.ts";
import { keepLanguage, preferredLanguage } from "../base/preferences.ts";
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

type Spoken = { texts: Texts; format: Format };

const Speech = createContext<(Spoken & { speak(language: Language): Promise<void> }) | undefined>(undefined);

/** Loads the messages of the language that the person reads. */
export async function loadTexts(language: Language = preferredLanguage()): Promise<Spoken> {
  return { texts: await catalogues[language](), format: formatOf(language, localeOf(language, navigator.languages)) };
}

/** Speaks the language it begins with until another one is chosen. */
export function TextsProvider({ first, children }: { first: Spoken; children: ReactNode }) {
  const [spoken, setSpoken] = useState(first);
  useTranslations(spoken, setSpoken);
  const speech = useMemo(() => {
    const speak = async (language: Language) => {
      const loaded = await loadTexts(language);
      keepLanguage(language);
      setSpoken(loaded);
    };
    return { ...spoken, speak };
  }, [spoken]);
  return <Speech value={speech}>{children}</Speech>;
}

/** Brings the translations of problems, which no page waits for: nearly always they are there before the first problem. */
function useTranslations({ texts, format }: Spoken, setSpoken: (spoken: Spoken) => void): void {
  useEffect(() => {
    let isSpoken = true;
    const take = (translated: Texts) => {
      if (isSpoken && translated !== texts) setSpoken({ texts: translated, format });
    };
    // Without them problems are told in the server's own words; the next visit asks for them again.
    withTranslations(texts, format).then(take, () => {});
    return () => {
      isSpoken = false;
    };
  }, [texts, format, setSpoken]);
}

/** Changes the language of everything shown, and of later visits. */
export function useSpeak(): (language: Language) => Promise<void> {
  return useSpeech().speak;
}

function useSpeech() {
  const spoken = useContext(Speech);
  if (spoken === undefined) throw new Error("Texts were asked for outside the TextsProvider.");
  return spoken;
}

/** The messages in the person's language. */
export function useTexts(): Texts {
  return useSpeech().texts;
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
    for (const tell of ticking) tell();
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
  return useSpeech().format;
}
