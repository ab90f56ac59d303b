import { Link as RouterLink } from "@tanstack/react-router";
import {
  Ban,
  CalendarClock,
  ChartColumn,
  CornerDownRight,
  FlaskConical,
  FolderClosed,
  Lock,
  Split,
} from "lucide-react";
import { memo } from "react";
import { compactUrl, shortLinkParts } from "../api/short-link.ts";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { DisabledBadge } from "./disabled-badge.tsx";
import type { RowActions } from "./link-actions.ts";
import { LinkWarningBadge } from "./link-warning-marks.tsx";
import type { Link } from "./links-api.ts";
import { RowMenu } from "./row-menu.tsx";
import { TagChip } from "./tag-chip.tsx";

const tagsShown = 2;

type LinkRowProps = {
  link: Link;
  index: number;
  isSelected: boolean;
  folderName: string | undefined;
  onToggle(index: number, isRange: boolean): void;
  actions: RowActions;
};

/** The content of a list row. */
export const LinkRow = memo(function LinkRow({ link, index, isSelected, folderName, onToggle, actions }: LinkRowProps) {
  const { links } = useTexts();
  const { host, key } = shortLinkParts(link.shortLink);
  return (
    <>
      {/* The checkbox does not report the Shift key, but its click does. */}
      <span className="flex" onClickCapture={(event) => toggleAt(event, index, onToggle)}>
        <Checkbox label={links.list.select(`${host}${key}`)} checked={isSelected} onChange={() => {}} />
      </span>
      <div className="grid min-w-0 gap-0.5">
        <div className="flex min-w-0 items-center gap-1.5">
          <button
            type="button"
            onClick={() => actions.edit(link)}
            className="min-w-0 truncate rounded text-left hover:underline"
          >
            <span className={classNames("text-muted", key !== "" && "max-sm:sr-only")}>{host}</span>
            <span className="font-semibold">{key}</span>
          </button>
          <CopyButton text={link.shortLink} label={links.list.copyShortLink} />
          <States link={link} />
        </div>
        <p className="flex min-w-0 items-center gap-1.5 text-[13px] text-muted">
          <CornerDownRight className="size-3.5 shrink-0 text-faint" aria-hidden />
          <LinkWarningBadge link={link} />
          <span className="truncate">{link.url === "" ? links.list.noDestination : compactUrl(link.url)}</span>
          <About link={link} />
        </p>
      </div>
      <Placement link={link} folderName={folderName} />
      <Clicks link={link} />
      <RowMenu link={link} actions={actions} />
    </>
  );
});

function toggleAt(event: React.MouseEvent, index: number, onToggle: LinkRowProps["onToggle"]): void {
  event.preventDefault();
  event.stopPropagation();
  onToggle(index, event.shiftKey);
}

function About({ link }: { link: Link }) {
  const text = link.title ?? link.comments;
  if (text === null) return null;
  return <span className="hidden min-w-0 max-w-[40%] shrink-0 truncate text-faint sm:inline">· {text}</span>;
}

/** Special states of a link, as badges and icons with labels. */
function States({ link }: { link: Link }) {
  const { links } = useTexts();
  const now = Date.now();
  const isExpired = link.expiresAt !== null && Date.parse(link.expiresAt) <= now;
  const isUsedUp = link.maxClicks !== undefined && link.clicks >= link.maxClicks;
  const marks = [
    { icon: Lock, text: links.list.hasPassword, isShown: link.password !== null },
    { icon: CalendarClock, text: links.list.isTimed, isShown: !isExpired && (link.expiresAt ?? link.startsAt) != null },
    { icon: Split, text: links.list.hasRules, isShown: link.rules !== undefined || link.geo !== null },
    { icon: FlaskConical, text: links.list.hasTest, isShown: link.testVariants !== null },
    { icon: Ban, text: links.list.isUsedUp, isShown: isUsedUp },
  ].filter(({ isShown }) => isShown);
  return (
    // The short link keeps its space: marks that do not fit beside it wrap out of sight, the least important first.
    <span className="flex h-5.5 min-w-0 shrink-[999] flex-wrap items-center gap-x-1.5 gap-y-3 overflow-hidden text-faint">
      {isExpired && <Badge tone="warning">{links.list.expired}</Badge>}
      <DisabledBadge link={link} />
      {link.archived && <Badge>{links.list.archived}</Badge>}
      {marks.map(({ icon: Icon, text }) => (
        <Icon key={text} className="size-3.5" role="img" aria-label={text}>
          <title>{text}</title>
        </Icon>
      ))}
    </span>
  );
}

function Placement({ link, folderName }: { link: Link; folderName: string | undefined }) {
  const format = useFormat();
  const more = link.tags.length - tagsShown;
  return (
    <div className="hidden min-w-0 items-center gap-3 justify-self-end text-xs text-muted md:flex">
      <span className="flex min-w-0 items-center gap-1.5">
        {link.tags.slice(0, tagsShown).map((tag) => (
          <TagChip key={tag.id} tag={tag} />
        ))}
        {more > 0 && <span title={link.tags.map(({ name }) => name).join(", ")}>+{more}</span>}
      </span>
      {folderName !== undefined && (
        <span className="hidden max-w-36 items-center gap-1.5 lg:flex">
          <FolderClosed className="size-3.5 shrink-0 text-faint" aria-hidden />
          <span className="truncate">{folderName}</span>
        </span>
      )}
      <time
        dateTime={link.createdAt}
        title={format.instant(link.createdAt)}
        className="hidden w-24 shrink-0 text-right lg:block"
      >
        {format.ago(link.createdAt)}
      </time>
    </div>
  );
}

function Clicks({ link }: { link: Link }) {
  const { links } = useTexts();
  const format = useFormat();
  return (
    <RouterLink
      to="/w/$workspaceId/analytics"
      params={{ workspaceId: link.workspaceId }}
      search={{ linkId: link.id }}
      preload={false}
      title={link.lastClicked === null ? links.list.neverClicked : links.list.lastClicked(format.ago(link.lastClicked))}
      className={classNames(
        "inline-flex h-8 min-w-14 items-center justify-center gap-1.5 rounded-lg border border-line px-2 text-[13px] font-medium tabular hover:bg-sunken sm:min-w-20",
        link.clicks === 0 && "text-faint",
      )}
    >
      <ChartColumn className="size-3.5 text-faint" aria-hidden />
      {format.short(link.clicks)}
      <span className="sr-only">{links.list.clicks(link.clicks)}</span>
    </RouterLink>
  );
}
