import { useNavigate, useSearch } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import { useCreateExample, useExample } from "../api/example.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { useNotifyFailure } from "../ui/toasts.tsx";
import { LinkStep } from "./link-step.tsx";
import { markWelcomed } from "./needs-welcome.ts";
import { WatchStep } from "./watch-step.tsx";

const steps = ["link", "visit", "click"] as const;

/** The first run: create a link, open it, and see its click. Each step completes itself when it has happened. */
export function WelcomePage() {
  const { welcome, settings, shell } = useTexts();
  const { id, canWrite } = useWorkspace();
  const { link, hasOwnKey = false } = useSearch({ from: "/signed-in/w/$workspaceId/welcome" });
  const navigate = useNavigate({ from: "/w/$workspaceId/welcome" });
  const notifyFailure = useNotifyFailure();
  const { data: example } = useExample();
  const creation = useCreateExample(
    (workspaceId) => void navigate({ to: "/w/$workspaceId/analytics", params: { workspaceId: String(workspaceId) } }),
  );
  const [isOpened, setOpened] = useState(false);
  const [isClicked, setClicked] = useState(false);
  // A click from another device completes both steps.
  const current = link === undefined ? 0 : isClicked ? 3 : isOpened ? 2 : 1;
  const leave = () => {
    markWelcomed(id);
    return navigate({ to: "/w/$workspaceId/links" });
  };
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6 px-4 py-6 sm:px-6 sm:py-10">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{welcome.title}</h1>
          <p className="mt-1 text-muted">{welcome.about}</p>
        </div>
        {current < steps.length && (
          <div className="-mx-3.5 flex flex-wrap">
            {example === null && (
              <Button
                variant="quiet"
                isBusy={creation.isPending}
                onClick={() => creation.mutate(undefined, { onError: notifyFailure })}
              >
                {shell.example.explore}
              </Button>
            )}
            <Button variant="quiet" onClick={() => void leave()}>
              {welcome.skip}
            </Button>
          </div>
        )}
      </header>
      <Steps current={current} />
      {!canWrite && <ReadOnlyNote>{settings.viewersOnlyRead}</ReadOnlyNote>}
      {canWrite && link === undefined && <LinkStep onDone={(search) => void navigate({ search, replace: true })} />}
      {canWrite && link !== undefined && (
        <WatchStep
          linkId={link}
          hasOwnKey={hasOwnKey}
          onOpen={() => setOpened(true)}
          onClick={() => setClicked(true)}
          onLeave={() => void leave()}
        />
      )}
    </div>
  );
}

/** Shows which steps are done, and the current one; `current` is the number of steps when all are done. */
function Steps({ current }: { current: number }) {
  const { welcome } = useTexts();
  return (
    <ol
      aria-label={welcome.stepOf(Math.min(current + 1, steps.length), steps.length)}
      className="grid grid-cols-3 gap-3"
    >
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === current ? "step" : undefined}
          className={classNames(
            "flex items-center gap-2 border-t-2 pt-2.5 text-[13px] leading-4 font-medium",
            index <= current ? "border-accent text-ink" : "border-line text-muted",
          )}
        >
          <span
            className={classNames(
              "tabular grid size-5 shrink-0 place-items-center rounded-full text-xs",
              index < current ? "bg-accent text-on-accent" : "bg-sunken",
              index === current && "bg-accent-soft text-accent",
            )}
          >
            {index < current ? <Check className="size-3" strokeWidth={3} aria-label={welcome.done} /> : index + 1}
          </span>
          <span className="min-w-0">{welcome.steps[step]}</span>
        </li>
      ))}
    </ol>
  );
}
