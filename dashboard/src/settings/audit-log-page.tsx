import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { Fragment, useState } from "react";
import { answerOf } from "../../../sdk/client.ts";
import { useMembers } from "../api/members.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { dayMs } from "../base/time.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { ReadOnlyNote } from "../ui/read-only-note.tsx";
import { Empty } from "../ui/states.tsx";
import { AuditDownload } from "./audit-download.tsx";
import { type AuditFilter, auditKinds } from "./audit-filter.ts";
import { AuditRow } from "./audit-row.tsx";

const pageSize = 50;
const periods = [7, 30, 90] as const;

/** The audit log of the workspace, for its owners. */
export function AuditLogPage() {
  const { auditLog } = useTexts();
  const { isOwner } = useWorkspace();
  return isOwner ? <AuditLog /> : <ReadOnlyNote>{auditLog.ownersOnly}</ReadOnlyNote>;
}

function AuditLog() {
  const { auditLog } = useTexts();
  const [filter, setFilter] = useState<AuditFilter>({});
  const entries = useEntries(filter);
  const members = useMembers();
  const format = useFormat();
  const dayOf = ({ at }: { at: string }) => format.day(at);
  const avatars = new Map(members.data?.map(({ userId, avatarUrl }) => [userId, avatarUrl]));
  return (
    <>
      <ListCard
        title={auditLog.title}
        about={auditLog.about}
        aside={<AuditDownload filter={filter} />}
        query={{ ...entries, data: entries.data?.pages.flat() }}
        before={<Filters value={filter} onChange={setFilter} />}
        none={
          <Empty icon={ScrollText} title={auditLog.none}>
            {auditLog.noneHint}
          </Empty>
        }
      >
        {(entry, previous) => (
          <Fragment key={entry.id}>
            {dayOf(entry) !== (previous && dayOf(previous)) && (
              <li className="bg-canvas px-4 py-1.5 text-xs font-medium text-muted sm:px-5">{dayOf(entry)}</li>
            )}
            <AuditRow entry={entry} avatarUrl={avatars.get(entry.user?.id ?? "") ?? null} />
          </Fragment>
        )}
      </ListCard>
      {entries.hasNextPage && (
        <Button
          className="justify-self-start"
          isBusy={entries.isFetchingNextPage}
          onClick={() => void entries.fetchNextPage()}
        >
          {auditLog.older}
        </Button>
      )}
    </>
  );
}

/** Reads the entries page by page, again at each visit to the page and for each filter. */
function useEntries(filter: AuditFilter) {
  const { api, id } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [id, "auditLog", filter],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET("/workspaces/{workspaceId}/audit-log", {
          params: {
            path: { workspaceId: id },
            query: { ...filter, pageSize, ...(pageParam === "" ? {} : { startingAfter: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
    staleTime: 0,
  });
}

type FiltersProps = { value: AuditFilter; onChange(filter: AuditFilter): void };

function Filters({ value, onChange }: FiltersProps) {
  const { auditLog } = useTexts();
  const members = useMembers();
  const [days, setDays] = useState("");
  const { kind, userId } = value;
  return (
    <div className="grid grid-cols-2 gap-2 border-b border-line bg-canvas px-4 py-3 sm:grid-cols-3 sm:px-5">
      <Select
        aria-label={auditLog.kindLabel}
        value={kind ?? ""}
        className="max-sm:col-span-2"
        onChange={({ target }) => {
          const chosen = auditKinds.find((each) => each === target.value);
          onChange(withField(value, "kind", chosen));
        }}
      >
        <option value="">{auditLog.allKinds}</option>
        {auditKinds.map((each) => (
          <option key={each} value={each}>
            {auditLog.kinds[each]}
          </option>
        ))}
      </Select>
      <Select
        aria-label={auditLog.personLabel}
        value={userId ?? ""}
        onChange={({ target }) => onChange(withField(value, "userId", target.value || undefined))}
      >
        <option value="">{auditLog.everyone}</option>
        {members.data?.map((member) => (
          <option key={member.userId} value={member.userId}>
            {member.name}
          </option>
        ))}
      </Select>
      <Select
        aria-label={auditLog.periodLabel}
        value={days}
        onChange={({ target }) => {
          setDays(target.value);
          onChange(withField(value, "start", startOf(target.value)));
        }}
      >
        <option value="">{auditLog.anyTime}</option>
        {periods.map((each) => (
          <option key={each} value={each}>
            {auditLog.lastDays(each)}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** The instant that is this number of days ago; undefined for any time. */
function startOf(days: string): string | undefined {
  return days === "" ? undefined : new Date(Date.now() - Number(days) * dayMs).toISOString();
}

/** The filter with another value of one field, or without the field. */
function withField<Name extends keyof AuditFilter>(
  filter: AuditFilter,
  name: Name,
  value: AuditFilter[Name] | undefined,
): AuditFilter {
  const { [name]: _, ...rest } = filter;
  return value === undefined ? rest : { ...rest, [name]: value };
}
