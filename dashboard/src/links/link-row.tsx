import { Link as RouterLink } from "@tanstack/react-router";
import {
  ArrowRight,
  Ban,
  CalendarClock,
  ChartColumn,
  CornerDownRight,
  FlaskConical,
  FolderClosed,
  Lock,
  Split,
} from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { compactUrl, shortLinkParts } from "../api/short-link.ts";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { DestinationIcon } from "../ui/destination-icon.tsx";
import { HostText } from "../ui/host-text.tsx";
import { MiddleTruncated } from "../ui/middle-truncated.tsx";
import { DisabledBadge } from "./disabled-badge.tsx";
import type { RowActions } from "./link-actions.ts";
import { badgeWarning, LinkWarningBadge } from "./link-warning-marks.tsx";
import type { Link } from "./links-api.ts";
import { RowMenu } from "./row-menu.tsx";
import { TagChip } from "./tag-chip.tsx";
import type { Creator } from "./use-creators.ts";

type LinkRowProps = {
  link: Link;
  index: number;
  isSelected: boolean;
  /** True for three lines, false for two lines beside columns. */
  isNarrow: boolean;
  folderName: string | undefined;
  /** Undefined when the creator is not shown. */
  creator: Creator | undefined;
  onToggle(index: number, isRange: boolean): void;
  actions: RowActions;
};

/** The content of a list row: the title first if there is one, else the short link. */
export const LinkRow = memo(function LinkRow(props: LinkRowProps) {
  const { link, index, isSelected, isNarrow, folderName, creator, onToggle, actions } = props;
  const { links } = useTexts();
  const { host, path } = shortLinkParts(link.shortLink);
  const Lines = link.title === null ? Untitled : Titled;
  return (
    <>
      <NewMark link={link} />
      {/* The checkbox does not report the Shift key, but its click does. */}
      <span className="z-10 flex" onClickCapture={(event) => toggleAt(event, index, onToggle)}>
        <Checkbox label={links.list.select(`${host}${path}`)} checked={isSelected} onChange={() => {}} />
      </span>
      <DestinationIcon link={link} />
      <div className="grid min-w-0 gap-0.5">
        <Lines
          link={link}
          isNarrow={isNarrow}
          actions={actions}
          folder={isNarrow && folderName && <InlineFolder name={folderName} />}
        />
        {isNarrow && <PlacementLine link={link} />}
      </div>
      {!isNarrow && <Placement link={link} folderName={folderName} creator={creator} />}
      {!isNarrow && (
        <Clicks link={link} className="h-8 min-w-20 rounded-lg border border-line px-2 text-[13px] hover:bg-sunken" />
      )}
      {isNarrow ? (
        // Beside all three lines, so that the first has room for a long slug.
        <div className="z-10 grid gap-3">
          <CopyButton text={link.shortLink} label={links.list.copyShortLink} />
          <RowMenu link={link} actions={actions} />
        </div>
      ) : (
        <RowMenu link={link} actions={actions} />
      )}
    </>
  );
});

/** The age up to which a link counts as just created, here or by another member, when its row is first shown. */
const newMsMax = 5_000;

/** Marks the row of a link that was just created for a moment. */
function NewMark({ link: { createdAt } }: { link: Link }) {
  const [isNew] = useState(() => Math.abs(Date.now() - Date.parse(createdAt)) < newMsMax);
  return (
    isNew && <span aria-hidden className="pointer-events-none absolute inset-0 -z-10 bg-accent-soft mark-briefly" />
  );
}

/** In a narrow row, which fingers use, the button that opens the link covers the row; other controls lie above it. */
const rowButton = (isNarrow: boolean) => isNarrow && "after:absolute after:inset-0";

/** Without room for the host and the end of the path, that end is out of sight. */
const shortLinkClass = "flex min-w-0 overflow-hidden";

/** `folder` stands in the second line of a narrow row, in the room that the short link leaves. */
type LinesProps = { link: Link; isNarrow: boolean; actions: RowActions; folder: ReactNode };

/** The title and the states; then short link and destination. */
function Titled({ link, isNarrow, actions, folder }: LinesProps) {
  const { links } = useTexts();
  const { host, path } = shortLinkParts(link.shortLink);
  return (
    <>
      <div className="flex min-h-8 min-w-0 items-center gap-1.5">
        <button
          type="button"
          dir="auto"
          aria-label={`${link.title}, ${host}${path}`}
          onClick={() => actions.edit(link)}
          className={classNames(
            "min-w-0 truncate rounded text-start font-semibold hover:underline",
            rowButton(isNarrow),
          )}
        >
          {link.title}
        </button>
        {!isNarrow && <CopyButton text={link.shortLink} label={links.list.copyShortLink} />}
        <States link={link} />
      </div>
      <p className="flex min-w-0 items-center gap-1.5 text-[13px] text-muted">
        <LinkWarningBadge link={link} />
        <span className={classNames("md:max-w-[75%] md:shrink-0", shortLinkClass)}>
          <HostText host={host} />
          <MiddleTruncated text={path} className="font-medium text-ink" />
        </span>
        <ArrowRight className="hidden size-3.5 shrink-0 text-faint md:block" aria-hidden />
        <Destination link={link} className="hidden text-faint md:inline" />
        {folder}
      </p>
    </>
  );
}

/**
 * The short link and the states; then the destination and the comments. In a narrow row, the host moves to the second
 * line, so that the first has room for a long slug; a warning there takes its room.
 */
function Untitled({ link, isNarrow, actions, folder }: LinesProps) {
  const { links } = useTexts();
  const { host, path } = shortLinkParts(link.shortLink);
  const hasHostBelow = isNarrow && badgeWarning(link) === undefined;
  return (
    <>
      <div className="flex min-h-8 min-w-0 items-center gap-1.5">
        <button
          type="button"
          aria-label={`${host}${path}`}
          onClick={() => actions.edit(link)}
          className={classNames("rounded text-left hover:underline", shortLinkClass, rowButton(isNarrow))}
        >
          {!isNarrow && <HostText host={host} className="text-muted" />}
          <MiddleTruncated text={path} className="font-semibold" />
        </button>
        {!isNarrow && <CopyButton text={link.shortLink} label={links.list.copyShortLink} />}
        <States link={link} />
      </div>
      <p className="flex min-w-0 items-center gap-1.5 text-[13px] text-muted">
        {hasHostBelow && <span className="max-w-[60%] shrink-0 truncate">{host}</span>}
        <CornerDownRight className="size-3.5 shrink-0 text-faint" aria-hidden />
        <LinkWarningBadge link={link} />
        <Destination link={link} />
        <Comments link={link} />
        {folder}
      </p>
    </>
  );
}

function Destination({ link, className }: { link: Link; className?: string }) {
  const { links } = useTexts();
  const text = link.url === "" ? links.list.noDestination : compactUrl(link.url);
  return <span className={classNames("truncate", className)}>{text}</span>;
}

function toggleAt(event: React.MouseEvent, index: number, onToggle: LinkRowProps["onToggle"]): void {
  event.preventDefault();
  event.stopPropagation();
  onToggle(index, event.shiftKey);
}

function Comments({ link: { comments } }: { link: Link }) {
  if (comments === null) return null;
  return (
    <span dir="auto" className="hidden min-w-0 max-w-[40%] shrink-0 truncate text-faint sm:inline">
      · {comments}
    </span>
  );
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
    // The short link keeps its space: marks that do not fit beside it wrap out of sight, the least important first. The
    // widest one, a badge, is never cut.
    <span className="flex h-5.5 min-w-min shrink-[999] flex-wrap items-center gap-x-1.5 gap-y-3 overflow-hidden text-faint">
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

type PlacementProps = { link: Link; folderName: string | undefined };

/** Tags, or else the age, and clicks, below the other lines of a narrow row. */
function PlacementLine({ link }: Pick<PlacementProps, "link">) {
  const format = useFormat();
  return (
    <p className="flex min-w-0 items-center gap-2 text-xs text-muted">
      <TagChips link={link} shownMax={1} />
      {link.tags.length === 0 && (
        <time dateTime={link.createdAt} className="min-w-0 truncate text-faint">
          {format.ago(link.createdAt)}
        </time>
      )}
      <Clicks link={link} className="touch-target relative z-10 ml-auto min-h-6 shrink-0 rounded px-1" />
    </p>
  );
}

/** The same in columns, with the creator; with folder and age where the list is wide enough. */
function Placement({ link, folderName, creator }: PlacementProps & { creator: Creator | undefined }) {
  const { links } = useTexts();
  const format = useFormat();
  return (
    <div className="flex min-w-0 max-w-full items-center gap-3 justify-self-end text-xs text-muted">
      <TagChips link={link} shownMax={2} />
      {folderName !== undefined && (
        // The folder shrinks before the tags: two short tags are shown in full.
        <span className="hidden min-w-16 shrink-[99] @4xl:flex">
          <FolderName name={folderName} />
        </span>
      )}
      {creator !== undefined && (
        <span title={links.list.createdBy(creator.name)} className="shrink-0">
          <Avatar name={creator.name} url={creator.avatarUrl} className="size-6 text-[10px]" />
          <span className="sr-only">{links.list.createdBy(creator.name)}</span>
        </span>
      )}
      <time
        dateTime={link.createdAt}
        title={format.instant(link.createdAt)}
        className="hidden w-24 shrink-0 text-right @4xl:block"
      >
        {format.ago(link.createdAt)}
      </time>
    </div>
  );
}

function TagChips({ link: { tags }, shownMax }: { link: Link; shownMax: number }) {
  const more = tags.length - shownMax;
  if (tags.length === 0) return null;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {tags.slice(0, shownMax).map((tag) => (
        <TagChip key={tag.id} tag={tag} />
      ))}
      {more > 0 && <span title={tags.map(({ name }) => name).join(", ")}>+{more}</span>}
    </span>
  );
}

/** The folder in the room that the short link leaves; without room, it wraps out of sight. */
function InlineFolder({ name }: { name: string }) {
  return (
    <span className="flex h-5 min-w-0 shrink-[99999] flex-wrap items-center overflow-hidden">
      <span aria-hidden className="h-5 w-px" />
      <FolderName name={name} className="shrink-0" />
    </span>
  );
}

function FolderName({ name, className }: { name: string; className?: string }) {
  return (
    <span className={classNames("flex min-w-0 max-w-36 items-center gap-1.5", className)}>
      <FolderClosed className="size-3.5 shrink-0 text-faint" aria-hidden />
      <span dir="auto" className="truncate">
        {name}
      </span>
    </span>
  );
}

function Clicks({ link, className }: { link: Link; className: string }) {
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
        "inline-flex items-center justify-center gap-1.5 font-medium tabular",
        link.clicks === 0 && "text-faint",
        className,
      )}
    >
      <ChartColumn className="size-3.5 text-faint" aria-hidden />
      {format.number(link.clicks)}
      <span className="sr-only">{links.list.clicks(link.clicks)}</span>
    </RouterLink>
  );
}
