import { useNavigate, useSearch } from "@tanstack/react-router";
import { Archive, Globe, Plus, SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card, Page } from "../ui/card.tsx";
import { Choice } from "../ui/choice.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";
import { AddDomainDialog } from "./add-domain-dialog.tsx";
import { useDomainList, useListedCertificates } from "./domain-queries.ts";
import { DomainRow } from "./domain-row.tsx";
import { readDomainsSearch } from "./domain-search.ts";

const typingMs = 250;

/** The domains of the workspace. */
export function DomainsPage() {
  const { shell, domains } = useTexts();
  const { canWrite } = useWorkspace();
  const search = useSearch({ from: "/signed-in/w/$workspaceId/domains" });
  const navigate = useNavigate({ from: "/w/$workspaceId/domains" });
  const change = (changes: Record<string, unknown>) =>
    navigate({ search: (before) => readDomainsSearch({ ...before, ...changes }), replace: true });
  const add = (isOpen: boolean) => change({ add: isOpen });
  return (
    <Page
      title={shell.domains}
      actions={
        canWrite && (
          <Button variant="primary" onClick={() => add(true)}>
            <Plus aria-hidden />
            {domains.add}
          </Button>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox text={search.q ?? ""} onChange={(q) => change({ q })} />
        <Choice
          label={shell.domains}
          value={search.archived ? "archived" : "active"}
          onChange={(value) => change({ archived: value === "archived" })}
          choices={[
            { value: "active", label: domains.active },
            { value: "archived", label: domains.archived },
          ]}
        />
      </div>
      <List archived={search.archived === true} search={search.q ?? ""} onAdd={() => add(true)} />
      <AddDomainDialog isOpen={search.add === true && canWrite} onClose={() => add(false)} />
    </Page>
  );
}

function SearchBox({ text, onChange }: { text: string; onChange(text: string): void }) {
  const { domains } = useTexts();
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onChange(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  return <SearchField label={domains.search} value={typed} onChange={setTyped} className="grow sm:max-w-xs" />;
}

function List({ archived, search, onAdd }: { archived: boolean; search: string; onAdd(): void }) {
  const { domains } = useTexts();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDomainList({
    archived,
    search,
  });
  const certificates = useListedCertificates({ archived, search }, data?.pages.length ?? 0);
  if (isPending) return <Loading />;
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  const rows = data.pages.flat();
  // The service's own domain always exists, and does not count as added.
  const isNew = !archived && search === "" && rows.every(({ instance }) => instance);
  return (
    <>
      {rows.length > 0 && (
        <Card>
          <TooltipProvider>
            <ul className="divide-y divide-line">
              {rows.map((domain) => (
                <DomainRow key={domain.id} domain={domain} certificate={certificates.get(domain.slug)} />
              ))}
            </ul>
          </TooltipProvider>
        </Card>
      )}
      {hasNextPage && (
        <Button className="justify-self-center" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {domains.showMore}
        </Button>
      )}
      {(rows.length === 0 || isNew) && <Nothing archived={archived} search={search} onAdd={onAdd} />}
    </>
  );
}

function Nothing({ archived, search, onAdd }: { archived: boolean; search: string; onAdd(): void }) {
  const { domains } = useTexts();
  const { canWrite } = useWorkspace();
  const frame = "rounded-xl border border-dashed border-line";
  if (search !== "") return <Empty icon={SearchX} title={domains.noneFound(search)} className={frame} />;
  if (archived) {
    return (
      <Empty icon={Archive} title={domains.noneArchived} className={frame}>
        {domains.noneArchivedHint}
      </Empty>
    );
  }
  return (
    <Empty
      icon={Globe}
      title={domains.none}
      className={frame}
      action={canWrite && <Button onClick={onAdd}>{domains.add}</Button>}
    >
      {domains.noneHint}
    </Empty>
  );
}

function Loading() {
  return (
    <Card>
      {[1, 2, 3].map((row) => (
        <div key={row} className="flex items-center gap-4 border-b border-line px-5 py-4 last:border-0">
          <Skeleton className="size-9 rounded-lg" />
          <div className="grid grow gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-64 max-w-full" />
          </div>
        </div>
      ))}
    </Card>
  );
}
