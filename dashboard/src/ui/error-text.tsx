import type { ReactNode } from "react";
import { fieldErrorIn, type ProblemMessage, problemOf, type ShownProblem } from "../api/problem.ts";
import { useTexts } from "../texts/texts.tsx";

/** Tells what to show of an error in the person's language; undefined where there is none. */
export function useProblemOf(): (error: unknown) => ShownProblem | undefined {
  const texts = useTexts();
  return (error) => problemOf(error, texts);
}

/** Tells what is wrong with a field of a form; undefined when nothing, or another one is. */
export function useFieldErrorOf(): (error: unknown, ...fields: string[]) => ReactNode {
  const texts = useTexts();
  return (error, ...fields) => {
    const message = fieldErrorIn(error, texts, ...fields);
    return message && <ProblemText message={message} />;
  };
}

/** What to show of an error as a sentence that stands alone. */
export function ErrorText({ error }: { error: unknown }) {
  const problem = useProblemOf()(error);
  return problem && <ProblemText message={problem.message} />;
}

/** What is said; the server's own words are marked as those of another language. */
export function ProblemText({ message: { words, english } }: { message: ProblemMessage }) {
  if (english === undefined) return words;
  return (
    <>
      {words} <q lang="en">{english}</q>
    </>
  );
}
