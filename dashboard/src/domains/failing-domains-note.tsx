import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { usableDomainsQuery } from "./usable-domains.ts";

/** The interval between two requests of an open page. */
const refetchMs = 5 * 60_000;
/** Domains that are named, and on a phone, where each takes two or three lines; the others are counted. */
const namedMax = 3;
const namedOnPhoneMax = 1;

/** Says on every page which domains are failing, what is missing, and until when their links work. */
export function FailingDomainsNote() {
  const { api, id } = useWorkspace();
  const { failingNote } = useTexts().domains;
  const format = useFormat();
  const { data = [] } = useQuery({ ...usableDomainsQuery(id, api), refetchInterval: refetchMs });
  const failing = data.flatMap(({ slug, failingUntil }) =>
    failingUntil === undefined ? [] : [{ slug, failingUntil }],
  );
  const more = (namedCount: number, className: string) => {
    const count = failing.length - namedCount;
    return count > 0 && <p className={className}>{failingNote.more(count, format.number(count))}</p>;
  };
  if (failing.length === 0) return null;
  return (
    <div role="status" className="flex gap-2.5 border-b border-warning/25 bg-warning-soft px-4 py-2.5 text-warning">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="grid min-w-0 gap-1 break-words">
        {failing.slice(0, namedMax).map(({ slug, failingUntil }, index) => (
          <p key={slug} className={index < namedOnPhoneMax ? undefined : "max-sm:hidden"}>
            {Date.parse(failingUntil) > Date.now()
              ? failingNote.until(slug, format.instant(failingUntil))
              : failingNote.over(slug)}{" "}
            <Link
              to="/w/$workspaceId/domains/$slug"
              params={{ workspaceId: String(id), slug }}
              className="whitespace-nowrap font-medium underline underline-offset-2"
              aria-label={failingNote.fixOf(slug)}
            >
              {failingNote.fix}
            </Link>
          </p>
        ))}
        {more(namedOnPhoneMax, "sm:hidden")}
        {more(namedMax, "max-sm:hidden")}
      </div>
    </div>
  );
}
