import type { ReactNode } from "react";
import { fieldErrorIn, type ProblemMessage, problemOf, type ShownProblem } from "../api/problem.ts";
import { useTexts } from "../texts/texts.tsx";

/** Returns a function that describes an error in the person's language; undefined when there is none. */
export function useProblemOf(): (error: unknown) => ShownProblem | undefined {
  const texts = useTexts();
  return (error) => problemOf(error, texts);
}

/** Returns a function that finds the error of a form field; undefined when the error is about other fields. */
export function useFieldErrorOf(): (error: unknown, ...fields: string[]) => ReactNode {
  const texts = useTexts();
  return (error, ...fields) => {
    const message = fieldErrorIn(error, texts, ...fields);
    return message && <ProblemText message={message} />;
  };
}

/** Shows an error as a sentence. */
export function ErrorText({ error }: { error: unknown }) {
  const problem = useProblemOf()(error);
  return problem && <ProblemText message={problem.message} />;
}

/** Shows a problem's message; text without a translation is marked as English. */
export function ProblemText({ message: { text, english } }: { message: ProblemMessage }) {
  if (english === undefined) return text;
  return (
    <>
      {text} <q lang="en">{english}</q>
    </>
  );
}
