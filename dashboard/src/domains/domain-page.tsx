import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, Compass, ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useIsDomainBlocked } from "../api/blocks.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { BlockedBadge } from "../ui/blocked-badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Page } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AppsTab } from "./apps-tab.tsx";
import { DnsTab, VerifyButton } from "./dns-tab.tsx";
import { useCanChange } from "./domain-actions.tsx";
import { DomainBadge } from "./domain-badge.tsx";
import { readableDomain } from "./domain-name.ts";
import { useDomain, useVerification, type Verification } from "./domain-queries.ts";
import { domainTabs } from "./domain-search.ts";
import { type Domain, domainUrl, stateOf } from "./domain-state.ts";
import { SettingsTab } from "./settings-tab.tsx";

/** A domain: its records, its settings and the association files of apps. */
export function DomainPage() {
  const { slug } = useParams({ from: "/signed-in/w/$workspaceId/domains/$slug" });
  const { data: domain, error, refetch } = useDomain(slug);
  if (domain !== undefined) return <Shown domain={domain} />;
  return (
    <Page back={<BackLink />} title={<Title slug={slug} />}>
      {error ? <NotShown error={error} onRetry={() => void refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ domain }: { domain: Domain }) {
  const verification = useVerification(domain);
  return (
    <Page
      back={<BackLink />}
      title={<Title slug={domain.slug} badges={<Badges domain={domain} />} />}
      actions={<Action domain={domain} verification={verification} />}
    >
      <Parts domain={domain} verification={verification} />
    </Page>
  );
}

function Title({ slug, badges }: { slug: string; badges?: ReactNode }) {
  const readable = readableDomain(slug);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 break-all">{slug}</span>
      {readable !== undefined && (
        <span className="min-w-0 break-all text-sm font-normal tracking-normal text-muted">{readable}</span>
      )}
      {badges}
    </span>
  );
}

type CheckedProps = { domain: Domain; verification: Verification };

/** The next step: verify the domain, or open it. */
function Action({ domain, verification }: CheckedProps) {
  const { domains } = useTexts();
  const canChange = useCanChange(domain);
  const navigate = useNavigate({ from: "/w/$workspaceId/domains/$slug" });
  if (stateOf(domain, Date.now()).kind !== "pending") {
    return (
      <a href={domainUrl(domain, location.origin)} target="_blank" rel="noreferrer" className={buttonClass()}>
        <ExternalLink aria-hidden />
        {domains.open}
      </a>
    );
  }
  if (!canChange) return null;
  const verify = () => {
    // The DNS tab shows the result.
    void navigate({ search: {}, replace: true });
    verification.mutate();
  };
  return <VerifyButton variant="primary" verification={verification} onVerify={verify} />;
}

/** Shown when the domain is gone or could not be read. */
function NotShown({ error, onRetry }: { error: Error; onRetry(): void }) {
  const { shell } = useTexts();
  const isGone = error instanceof WaypostError && error.status === 404;
  return isGone ? (
    <Empty icon={Compass} title={shell.notFound}>
      {shell.notFoundHint}
    </Empty>
  ) : (
    <ErrorNote error={error} onRetry={onRetry} />
  );
}

function BackLink() {
  const { domains } = useTexts();
  const { id } = useWorkspace();
  return (
    <Link
      to="/w/$workspaceId/domains"
      params={{ workspaceId: String(id) }}
      className="touch-target relative inline-flex items-center gap-1.5 justify-self-start text-[13px] font-medium text-muted hover:text-ink"
    >
      <ArrowLeft className="size-3.5" aria-hidden />
      {domains.back}
    </Link>
  );
}

function Badges({ domain }: { domain: Domain }) {
  const { domains, shell } = useTexts();
  return (
    <span className="flex flex-wrap gap-2 tracking-normal">
      {useIsDomainBlocked(domain.slug) && <BlockedBadge about={shell.blocked.causes.domain} />}
      <DomainBadge state={stateOf(domain, Date.now())} />
      {domain.primary && <Badge>{domains.primary}</Badge>}
      {domain.archived && <Badge>{domains.archived}</Badge>}
    </span>
  );
}

function Parts({ domain, verification }: CheckedProps) {
  const { domains, settings } = useTexts();
  const { canWrite } = useWorkspace();
  const { tab = "dns" } = useSearch({ from: "/signed-in/w/$workspaceId/domains/$slug" });
  const navigate = useNavigate({ from: "/w/$workspaceId/domains/$slug" });
  const canChange = useCanChange(domain);
  return (
    <Tabs
      label={domains.parts}
      value={tab}
      onChange={(next) => navigate({ search: next === "dns" ? {} : { tab: next }, replace: true })}
      tabs={domainTabs.map((value) => ({ value, label: domains.tabs[value] }))}
      listClassName="px-0"
    >
      <div className="grid gap-5 pt-5">
        {!canChange && <ReadOnlyNote>{canWrite ? domains.ownersOnly : settings.viewersOnlyRead}</ReadOnlyNote>}
        {tab === "dns" && <DnsTab domain={domain} verification={verification} />}
        {tab === "settings" && <SettingsTab domain={domain} />}
        {tab === "apps" && <AppsTab domain={domain} />}
      </div>
    </Tabs>
  );
}

function Loading() {
  return (
    <div className="grid gap-5">
      <Skeleton className="h-10" />
      <Skeleton className="h-40 rounded-xl" />
      <Skeleton className="h-40 rounded-xl" />
    </div>
  );
}
