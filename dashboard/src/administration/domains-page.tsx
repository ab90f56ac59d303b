import { Ban, CircleCheck, Ellipsis, Globe } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { IconButton } from "../ui/button.tsx";
import { ListTile } from "../ui/list-tile.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { AdministrationList } from "./administration-list.tsx";
import { BlockDialog } from "./block-dialog.tsx";
import { useUnblocking } from "./use-blocking.ts";

type Domain = Schemas["AdministeredDomain"];

const tones: Record<Domain["status"], Tone> = { pending: "neutral", verified: "success", failing: "warning" };

/** The domains of all workspaces. */
export function AllDomainsPage() {
  const { administration } = useTexts();
  return (
    <AdministrationList
      name="domains"
      about={administration.domainsAbout}
      searchLabel={administration.searchDomains}
      read={(query) => answerOf(waypost.GET("/admin/domains", { params: { query } }))}
    >
      {(domain) => <DomainRow key={domain.id} domain={domain} />}
    </AdministrationList>
  );
}

function DomainRow({ domain }: { domain: Domain }) {
  const { administration } = useTexts();
  const [isBlocking, setBlocking] = useState(false);
  const unblocking = useUnblocking({ kind: "domain", target: domain.slug }, domain.slug);
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:gap-4 sm:px-5">
      <ListTile icon={Globe} />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 truncate">{domain.slug}</span>
          <Badge tone={tones[domain.status]}>{administration.domainStates[domain.status]}</Badge>
          {domain.isInstance && <Badge>{administration.ofInstance}</Badge>}
          {domain.isBlocked && <Badge tone="danger">{administration.states.blocked}</Badge>}
        </p>
        <p className="text-[13px] text-muted [overflow-wrap:anywhere]">{`${domain.workspace} · #${domain.workspaceId}`}</p>
      </div>
      {!domain.isInstance && (
        <Menu
          trigger={
            <IconButton label={administration.actionsFor(domain.slug)}>
              <Ellipsis />
            </IconButton>
          }
        >
          {domain.isBlocked ? (
            <MenuItem onSelect={() => unblocking.mutate(undefined)}>
              <CircleCheck aria-hidden />
              {administration.unblock}
            </MenuItem>
          ) : (
            <MenuItem onSelect={() => setBlocking(true)}>
              <Ban aria-hidden />
              {administration.block}
            </MenuItem>
          )}
        </Menu>
      )}
      {isBlocking && (
        <BlockDialog kind="domain" target={domain.slug} name={domain.slug} onClose={() => setBlocking(false)} />
      )}
    </li>
  );
}
