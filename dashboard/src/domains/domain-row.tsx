import { Link } from "@tanstack/react-router";
import { Globe } from "lucide-react";
import { useIsDomainBlocked } from "../api/blocks.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { BlockReason } from "../ui/block-reason.tsx";
import { BlockedBadge } from "../ui/blocked-badge.tsx";
import { isInlineImage } from "../ui/external-image.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { CertificateBadge } from "./certificate-badge.tsx";
import { DomainMenu } from "./domain-actions.tsx";
import { DomainBadge, useTimeLeft } from "./domain-badge.tsx";
import { readableDomain } from "./domain-name.ts";
import { type DomainCertificate, useLinkCount } from "./domain-queries.ts";
import { type Domain, type DomainState, stateOf } from "./domain-state.ts";

type RowProps = {
  domain: Domain;
  /** The state of its certificate; undefined while it loads. */
  certificate: DomainCertificate["state"] | undefined;
};

/** A row of the list: the domain's name, which links to its page, its state, and what the state means. */
export function DomainRow({ domain, certificate }: RowProps) {
  const { domains, shell } = useTexts();
  const format = useFormat();
  const { id } = useWorkspace();
  const links = useLinkCount(domain.slug);
  const readable = readableDomain(domain.slug);
  const state = stateOf(domain, Date.now());
  const about = useAbout(state);
  const isBlocked = useIsDomainBlocked(domain.slug);
  return (
    <li className="relative flex items-center gap-3 px-4 py-3.5 transition-colors hover:bg-sunken/50 sm:gap-4 sm:px-5">
      <span className="hidden size-9 shrink-0 place-items-center overflow-hidden rounded-lg border border-line bg-sunken text-faint sm:grid">
        {domain.logo === null || !isInlineImage(domain.logo) ? (
          <Globe className="size-4" aria-hidden />
        ) : (
          <img src={domain.logo} alt="" className="size-full object-contain" />
        )}
      </span>
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/w/$workspaceId/domains/$slug"
            params={{ workspaceId: String(id), slug: domain.slug }}
            // The link covers the whole row; other controls lie above it.
            className="min-w-0 truncate font-semibold after:absolute after:inset-0"
          >
            {domain.slug}
          </Link>
          {readable !== undefined && <span className="min-w-0 truncate text-[13px] text-muted">{readable}</span>}
          {isBlocked && <BlockedBadge about={shell.blocked.causes.domain} />}
          <DomainBadge state={state} />
          <CertificateBadge state={certificate} />
          {domain.primary && (
            <Tooltip text={domains.primaryHint}>
              <span className="relative">
                <Badge>{domains.primary}</Badge>
              </span>
            </Tooltip>
          )}
        </div>
        <p className="mt-0.5 text-[13px] text-muted">
          {isBlocked ? shell.blocked.causes.domain : about} {isBlocked && <BlockReason />}
        </p>
      </div>
      {links !== undefined && (
        <span className="tabular hidden shrink-0 text-[13px] text-muted sm:inline">
          {domains.links(links, format.number(links))}
        </span>
      )}
      <div className="relative">
        <DomainMenu domain={domain} />
      </div>
    </li>
  );
}

/** What a state means for the domain's links. */
function useAbout(state: DomainState): string {
  const { domains } = useTexts();
  const timeLeft = useTimeLeft();
  return state.kind === "failing" ? domains.about.failing(timeLeft(state.daysLeft)) : domains.about[state.kind];
}
