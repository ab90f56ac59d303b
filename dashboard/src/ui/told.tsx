import type { ReactNode } from "react";
import { mistakeIn, type Said, type Told, toldBy } from "../api/problem.ts";
import { useTexts } from "../texts/texts.tsx";

/** Tells what to show of an error in the person's language; undefined where there is none. */
export function useTold(): (error: unknown) => Told | undefined {
  const texts = useTexts();
  return (error) => toldBy(error, texts);
}

/** Tells what is wrong with a field of a form; undefined when nothing, or another one is. */
export function useMistakeOf(): (error: unknown, ...fields: string[]) => ReactNode {
  const texts = useTexts();
  return (error, ...fields) => {
    const said = mistakeIn(error, texts, ...fields);
    return said && <SaidText said={said} />;
  };
}

/** What to show of an error as a sentence that stands alone. */
export function ToldText({ error }: { error: unknown }) {
  const told = useTold()(error);
  return told && <SaidText said={told.said} />;
}

/** What is said; the server's own words are marked as those of another language. */
export function SaidText({ said: { words, english } }: { said: Said }) {
  if (english === undefined) return words;
  return (
    <>
      {words} <q lang="en">{english}</q>
    </>
  );
}
