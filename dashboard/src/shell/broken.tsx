import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Compass, TriangleAlert } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Empty } from "../ui/states.tsx";

/** What an address shows that leads nowhere. */
export function NotFound() {
  const { shell } = useTexts();
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <Empty
        icon={Compass}
        title={shell.notFound}
        action={
          <Link to="/" className={buttonClass({ look: "primary" })}>
            {shell.toStart}
          </Link>
        }
      >
        {shell.notFoundHint}
      </Empty>
    </main>
  );
}

/** What is shown in place of a page that failed. A script that did not come is asked for again by a new page alone. */
export function Crashed({ error }: ErrorComponentProps) {
  const { shell } = useTexts();
  return (
    <main className="mx-auto grid min-h-[60dvh] max-w-lg content-center gap-4 p-4">
      <Empty
        icon={TriangleAlert}
        title={shell.crashed}
        className="pb-2"
        action={
          <Button look="primary" onClick={() => location.reload()}>
            {shell.reload}
          </Button>
        }
      >
        {shell.crashedHint}
      </Empty>
      <ErrorNote error={error} />
      <pre className="overflow-x-auto whitespace-pre-wrap rounded-lg border border-line bg-surface p-3 text-xs text-muted">
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </main>
  );
}
