import type { Schemas } from "../../../sdk/client.ts";
import { classNames } from "../base/class-names.ts";
import type { Format } from "../base/format.ts";
import type { Texts } from "../texts/en/en.ts";
import { sessionLabel } from "../texts/session-label.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";

type Entry = Schemas["AuditEntry"];

type AuditRowProps = { entry: Entry /** The picture of the user who acted. */; avatarUrl: string | null };

/** An entry of the audit log: what happened to which object, who did it and when, and the changed fields. */
export function AuditRow({ entry, avatarUrl }: AuditRowProps) {
  const { auditLog } = useTexts();
  const format = useFormat();
  const who = nameOfActor(entry, auditLog);
  const { name } = entry.object;
  const isSelf = entry.object.id === entry.user?.id;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3 sm:px-5">
      <Avatar name={who} url={avatarUrl} className="size-8" />
      <div className="grid min-w-0 gap-1.5">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4">
          <p className="min-w-0 font-medium [overflow-wrap:anywhere]">
            {auditLog.types[entry.type]}
            {name !== null && !isSelf && <span className="font-normal text-muted"> · {name}</span>}
          </p>
          <time dateTime={entry.at} className="text-[13px] text-faint tabular">
            {format.time(entry.at)}
          </time>
          <p className="text-[13px] text-muted [overflow-wrap:anywhere] col-span-2">
            {who}
            {keyText(entry, auditLog)}
          </p>
        </div>
        <Fields entry={entry} />
      </div>
    </li>
  );
}

function nameOfActor({ user }: Entry, auditLog: Texts["auditLog"]): string {
  if (user === null) return auditLog.service;
  return user.name || user.email || auditLog.goneUser;
}

function keyText({ apiKey }: Entry, auditLog: Texts["auditLog"]): string {
  if (apiKey === null) return "";
  return ` ${apiKey.name === null ? auditLog.withRevokedKey : auditLog.withKey(apiKey.name)}`;
}

/** The fields that a change altered, with their old and new values; of a creation or deletion, those with a value. */
function Fields({ entry }: { entry: Entry }) {
  const texts = useTexts();
  const { auditLog, words } = texts;
  const format = useFormat();
  const { before, after } = entry;
  const text = (fields: Entry["after"], name: string) => valueText(name, fields?.[name], texts, format);
  const isChange = before !== null && after !== null;
  const names = Object.keys({ ...before, ...after }).filter((name) =>
    isChange
      ? text(before, name) !== text(after, name)
      : isWorthShowing(entry, name) && text(after ?? before, name) !== "",
  );
  if (names.length === 0) return null;
  return (
    <dl className={classNames("text-[13px]", isChange ? "grid gap-1" : "flex flex-wrap gap-x-5 gap-y-1")}>
      {names.map((name) => (
        <div key={name} className="flex flex-wrap gap-x-2 gap-y-1">
          <dt className="text-faint">{auditLog.fields[name] ?? name}</dt>
          <dd className="flex min-w-0 flex-wrap gap-x-2 [overflow-wrap:anywhere]">
            {isChange ? (
              <>
                <del className="rounded bg-danger-soft px-1.5 text-danger no-underline">
                  <span className="sr-only">{auditLog.before}: </span>
                  {text(before, name) || words.none}
                </del>
                <ins className="rounded bg-success-soft px-1.5 text-success no-underline">
                  <span className="sr-only">{auditLog.after}: </span>
                  {text(after, name) || words.none}
                </ins>
              </>
            ) : (
              text(after ?? before, name)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** False for the name in the heading, for switches that are off, and for ids, which the entry also names. */
function isWorthShowing({ object, before, after }: Entry, name: string): boolean {
  if (name === "linkId" || name === "folderId") return false;
  const value = (after ?? before)?.[name];
  return value !== object.name && value !== false;
}

function valueText(name: string, value: unknown, texts: Texts, format: Pick<Format, "instant" | "number">): string {
  if (value === null || value === undefined || value === "") return "";
  if (name.endsWith("At") && typeof value === "string") return format.instant(value);
  if (typeof value === "number") return format.number(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  if (name === "browser") return sessionLabel(String(value), texts);
  const { values } = texts.auditLog;
  return (
    (hasNamedValues.includes(name) || typeof value === "boolean" ? values[String(value)] : undefined) ?? String(value)
  );
}

/** The fields whose values have a name in each language. */
const hasNamedValues = ["role", "status", "method"];
