import { CircleAlert } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { ProblemText, useProblemOf } from "./error-text.tsx";

type ErrorNoteProps = {
  /** Nothing is shown for null and undefined. */
  error: unknown;
  /** Fields that show their own errors. */
  shownFields?: readonly string[];
  onRetry?: () => void;
};

/** Shows what went wrong, next to where it happened, and offers a retry. */
export function ErrorNote({ error, shownFields = [], onRetry }: ErrorNoteProps) {
  const { words } = useTexts();
  const problem = useProblemOf()(error);
  if (problem === undefined) return null;
  const others = problem.fieldErrors.filter(({ field }) => !shownFields.includes(field));
  if (problem.fieldErrors.length > 0 && others.length === 0) return null;
  return (
    <Note>
      <p>
        {others.length === 0 ? (
          <ProblemText message={problem.message} />
        ) : (
          others.map((fieldError, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one field can have several errors
            <Fragment key={index}>
              {index > 0 && "; "}
              {fieldError.field}: <ProblemText message={fieldError} />
            </Fragment>
          ))
        )}
      </p>
      {problem.requestId && <p className="mt-1 text-xs opacity-85">{words.requestId(problem.requestId)}</p>}
      {onRetry && (
        <Button size="small" className="mt-2" onClick={onRetry}>
          {words.tryAgain}
        </Button>
      )}
    </Note>
  );
}

/** A note in the color of errors, which screen readers announce. */
export function Note({ children }: { children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-lg border border-danger/30 bg-danger-soft px-3 py-2.5 text-danger"
    >
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 break-words">{children}</div>
    </div>
  );
}
