import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { CloudOff, Compass, TriangleAlert } from "lucide-react";
import { useCallback, useContext, useEffect, useState } from "react";
import { messageOf } from "../base/message-of.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { CenteredPage } from "../ui/centered-page.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Empty } from "../ui/states.tsx";
import { AccountBlockedPage, isAccountRefused } from "./blocked.tsx";
import { IsFramed } from "./is-framed.ts";
import { ScriptMissing } from "./lazy-page.ts";

const checkAgainMs = 5_000;

/** Shown for URLs without a page; inside the frame of a workspace for those of a workspace. */
export function NotFoundPage() {
  const { shell } = useTexts();
  const isFramed = useContext(IsFramed);
  const note = (
    <Empty
      isHeading
      className="px-0 py-3"
      icon={Compass}
      title={shell.notFound}
      action={
        <Link to="/" className={buttonClass({ variant: "primary" })}>
          {shell.toStart}
        </Link>
      }
    >
      {shell.notFoundHint}
    </Empty>
  );
  if (!isFramed) return <CenteredPage>{note}</CenteredPage>;
  return <div className="mx-auto grid min-h-[60dvh] max-w-lg content-center p-4">{note}</div>;
}

/** Shown when a page failed. Only a new page load retries a missing script. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const { shell } = useTexts();
  const Container = useContext(IsFramed) ? "div" : "main";
  const { isUnreachable, reload } = useReload(error);
  if (isAccountRefused(error)) return <AccountBlockedPage />;
  if (isUnreachable === undefined) return null;
  if (isUnreachable) {
    return (
      <Container className="mx-auto grid min-h-[60dvh] max-w-lg content-center gap-4 p-4">
        <Empty
          isHeading
          icon={CloudOff}
          title={shell.unreachable}
          action={
            <Button variant="primary" onClick={reload}>
              {shell.reload}
            </Button>
          }
        >
          {shell.unreachableHint}
        </Empty>
      </Container>
    );
  }
  return (
    <Container className="mx-auto grid min-h-[60dvh] max-w-lg content-center gap-4 p-4">
      <Empty
        isHeading
        icon={TriangleAlert}
        title={shell.crashed}
        className="pb-2"
        action={
          <Button variant="primary" onClick={reload}>
            {shell.reload}
          </Button>
        }
      >
        {shell.crashedHint}
      </Empty>
      <ErrorNote error={error} />
      <pre
        lang="en"
        className="overflow-x-auto whitespace-pre-wrap rounded-lg border border-line bg-surface p-3 text-xs text-muted"
      >
        {messageOf(error)}
      </pre>
    </Container>
  );
}

/**
 * Whether the server is unreachable; undefined until known. Reloads the page, but not while the server is unreachable,
 * since the browser would show its own error page. A missing script causes one automatic reload per script, as soon as
 * the server responds.
 */
function useReload(error: unknown) {
  const [isUnreachable, setUnreachable] = useState(error instanceof ScriptMissing ? undefined : false);
  const reload = useCallback(async () => {
    if (await isServerThere()) location.reload();
    else setUnreachable(true);
  }, []);
  useEffect(() => {
    if (!(error instanceof ScriptMissing)) return;
    const reloadedKey = `waypost-loaded-again ${error.message}`;
    const check = async () => {
      if (!(await isServerThere())) return setUnreachable(true);
      clearInterval(timer);
      if (sessionStorage.getItem(reloadedKey) !== null) return setUnreachable(false);
      sessionStorage.setItem(reloadedKey, "1");
      location.reload();
    };
    const timer = setInterval(check, checkAgainMs);
    void check();
    return () => clearInterval(timer);
  }, [error]);
  return { isUnreachable, reload: () => void reload() };
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch("/app", { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
