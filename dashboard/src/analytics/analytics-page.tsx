import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useExample } from "../api/example.ts";
import { useIsAdministrator } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { FilterChips } from "../reports/filter-chips.tsx";
import { NoClicks, Report } from "../reports/report.tsx";
import { changed, knownSearch, onlyLinkIn, type SearchChange } from "../reports/search.ts";
import { workspaceSource } from "../reports/source.ts";
import { useView, ViewProvider } from "../reports/view.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Page } from "../ui/card.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useLazyComponent } from "../ui/use-lazy-component.ts";
import { PageActions } from "./page-actions.tsx";
import { TestCard } from "./test-card.tsx";

const loadLivePanel = async () => (await import("./live-panel.tsx")).LivePanel;

const route = "/signed-in/w/$workspaceId/analytics";

/** Reports about the clicks of a workspace. */
export function AnalyticsPage() {
  const { id, api } = useWorkspace();
  const search = useSearch({ from: route, ...knownSearch });
  const navigate = useNavigate({ from: "/w/$workspaceId/analytics" });
  const source = useMemo(() => workspaceSource(id, api), [id, api]);
  const change = useCallback(
    (change: SearchChange) => void navigate({ search: (before) => changed(before, change), resetScroll: false }),
    [navigate],
  );
  return (
    <ViewProvider source={source} search={search} change={change} isAdministrator={useIsAdministrator()}>
      <AnalyticsView />
    </ViewProvider>
  );
}

function AnalyticsView() {
  const { shell, analytics } = useTexts();
  const { id } = useWorkspace();
  const { search, change } = useView();
  const isLive = search.live === true;
  const LivePanel = useLazyComponent(loadLivePanel, isLive, () => change({ live: undefined }));
  const linkId = onlyLinkIn(search);
  const { data: example } = useExample();
  // Until all its clicks are stored, a report would say that there are none, or too few.
  const isFilling = example?.id === id && !example.isReady;
  const first = (
    <NoClicks>
      <div className="flex flex-wrap justify-center gap-2">
        <Link
          to="/w/$workspaceId/links"
          params={{ workspaceId: String(id) }}
          className={buttonClass({ variant: "primary" })}
        >
          {analytics.toLinks}
        </Link>
        {!isLive && <Button onClick={() => change({ live: true })}>{analytics.watchLive}</Button>}
      </div>
    </NoClicks>
  );
  return (
    <Page title={shell.analytics} isOneRow actions={<PageActions />}>
      <FilterChips />
      {isLive && (LivePanel === undefined ? <Skeleton className="h-96" /> : <LivePanel />)}
      {linkId !== undefined && <TestCard key={linkId} linkId={linkId} />}
      {isFilling ? <Skeleton className="h-[36rem]" /> : <Report first={first} />}
    </Page>
  );
}
