import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

type CardProps = { title?: ReactNode; about?: ReactNode; aside?: ReactNode; children: ReactNode; className?: string };

/** A bordered section with an optional title. */
export function Card({ title, about, aside, children, className }: CardProps) {
  return (
    <section className={classNames("overflow-hidden rounded-xl border border-line bg-surface shadow-card", className)}>
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line px-4 sm:flex-nowrap not-last:border-b py-3 sm:px-5">
          <div className="min-w-0">
            <h2 className="font-semibold">{title}</h2>
            {about !== undefined && <p className="text-[13px] text-muted">{about}</p>}
          </div>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

type PageProps = {
  title: ReactNode;
  /** A link above the title, to the page around this one. On a phone the actions are beside it. */
  back?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** True to keep short actions beside the title on a phone too; they shrink where they can. */
  isOneRow?: boolean;
};

/** The frame of a page's content. All pages are equally wide, so that titles and actions do not jump. */
export function PageFrame({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-1 gap-5 px-4 py-5 sm:px-6 sm:py-7 lg:px-8">{children}</div>
  );
}

/** A page inside the shell: its heading, its actions and its contents. */
export function Page({ title, back, actions, children, isOneRow = false }: PageProps) {
  return (
    <PageFrame>
      {back === undefined ? (
        <header
          className={classNames(
            "flex min-h-9 items-center justify-between gap-x-4 gap-y-3",
            isOneRow ? "max-sm:gap-x-3 sm:flex-wrap" : "flex-wrap",
          )}
        >
          <Heading className={isOneRow ? "max-sm:shrink-0" : undefined}>{title}</Heading>
          {actions && (
            <div
              className={classNames(
                "flex min-w-0 items-center gap-2",
                isOneRow ? "max-sm:gap-1.5 sm:flex-wrap" : "flex-wrap",
              )}
            >
              {actions}
            </div>
          )}
        </header>
      ) : (
        <header className="grid min-h-9 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2">
          {back}
          <Heading className="col-start-1 row-start-2 max-sm:col-end-3">{title}</Heading>
          {actions && <div className="col-start-2 row-start-1 flex items-center gap-2 sm:row-end-3">{actions}</div>}
        </header>
      )}
      {children}
    </PageFrame>
  );
}

function Heading({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return (
    <h1 className={classNames("min-w-0 text-xl font-semibold tracking-tight wrap-anywhere", className)}>{children}</h1>
  );
}
