import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Unlink } from "lucide-react";
import { useCallback, useMemo } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { displayUrl } from "../base/url-text.ts";
import { FilterChips } from "../reports/filter-chips.tsx";
import { Report } from "../reports/report.tsx";
import { ReportControls } from "../reports/report-controls.tsx";
import { changed, knownSearch, type SearchChange } from "../reports/search.ts";
import { ViewProvider } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Page } from "../ui/card.tsx";
import { CenteredPage } from "../ui/centered-page.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Logo } from "../ui/logo.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { useTimeText } from "../ui/use-time-text.ts";
import { PasswordForm } from "./password-form.tsx";
import { openShared, type Shared, type SharedClient } from "./shared.ts";

const route = "/shares/$token";

/** A page of shared analytics. Its secret URL needs no sign-in. */
export function SharePage() {
  const { token } = useParams({ from: route });
  const client = useMemo(() => openShared(token), [token]);
  const key = useMemo(() => ["shared", token, "about"], [token]);
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: ({ signal }) => client.about(signal) });
  const askAgain = useCallback(() => void queries.invalidateQueries({ queryKey: key }), [queries, key]);
  if (error instanceof WaypostError && error.code === "not_found") return <Gone />;
  if (error && data === undefined) {
    return (
      <CenteredPage>
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </CenteredPage>
    );
  }
  if (data === undefined) return <Loading />;
  if (data.needsPassword) {
    return (
      <CenteredPage>
        <PasswordForm client={client} onOpen={askAgain} />
      </CenteredPage>
    );
  }
  return <SharedReport client={client} shared={data} onClosed={askAgain} />;
}

type ReportProps = { client: SharedClient; shared: Shared; onClosed(): void };

function SharedReport({ client, shared, onClosed }: ReportProps) {
  const search = useSearch({ from: route, ...knownSearch });
  const navigate = useNavigate({ from: route });
  const source = useMemo(() => client.source(shared, onClosed), [client, shared, onClosed]);
  const change = useCallback(
    (change: SearchChange) => void navigate({ search: (before) => changed(before, change), resetScroll: false }),
    [navigate],
  );
  return (
    <ViewProvider source={source} search={search} change={change}>
      <Top />
      <main>
        <Page title={<Title shared={shared} />} actions={<ReportControls />}>
          <FilterChips />
          <Report />
        </Page>
      </main>
    </ViewProvider>
  );
}

function Title({ shared: { title, kind, shortLink, folder, expiresAt } }: { shared: Shared }) {
  const { share } = useTexts();
  const time = useTimeText();
  const about = [
    kind === null ? undefined : share.pageOf[kind],
    shortLink !== title && folder !== title ? shownName(shortLink ?? folder) : undefined,
    expiresAt === null ? undefined : share.openUntil(time.writeEnd(expiresAt)),
  ];
  return (
    <>
      {shownName(title)}
      <span className="mt-0.5 block text-[13px] font-normal tracking-normal text-muted">
        {about.filter((part) => part !== undefined).join(" · ")}
      </span>
    </>
  );
}

/** Names of folders and pages are not URLs and stay unchanged. */
function shownName(name: string | null): string | undefined {
  if (name === null) return undefined;
  return /^https?:\/\//.test(name) ? displayUrl(name) : name;
}

function Top() {
  const { share } = useTexts();
  return (
    <header className="border-b border-line bg-surface">
      <div className="mx-auto flex max-w-7xl items-center justify-between gap-4 px-4 py-3 sm:px-6 lg:px-8">
        <Logo />
        <span className="truncate text-[13px] text-muted">{share.readOnly}</span>
      </div>
    </header>
  );
}

function Gone() {
  const { share } = useTexts();
  return (
    <CenteredPage>
      <Empty isHeading className="px-0 py-3" icon={Unlink} title={share.gone}>
        {share.goneHint}
      </Empty>
    </CenteredPage>
  );
}

function Loading() {
  const { words } = useTexts();
  return (
    <main aria-label={words.loading} className="mx-auto grid max-w-7xl gap-5 px-4 py-7 sm:px-6 lg:px-8">
      <h1 className="sr-only">{words.loading}</h1>
      <Skeleton className="h-9 w-64" />
      <Skeleton className="h-96 w-full" />
    </main>
  );
}
