import { CircleAlert, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { useTexts } from "../texts/texts.tsx";
import type { ComparedRecord } from "./dns-comparison.ts";

/** The records that DNS servers returned, each with how it relates to the domain. */
export function FoundSide({ found }: { found: ComparedRecord[] }) {
  const { domains } = useTexts();
  return (
    <Side title={domains.found} className="max-md:border-t max-md:border-line">
      {found.length === 0 ? (
        <p className="text-muted">{domains.nothingFound}</p>
      ) : (
        <ul className="grid gap-3">
          {found.map(({ record, as }) => (
            <li key={`${record.type} ${record.name} ${record.value}`} className="flex gap-2.5">
              <FoundIcon as={as} />
              <div className="min-w-0">
                <p className="break-all font-mono text-[13px]">
                  <span className="font-medium">{record.type}</span> {record.value}
                </p>
                <p className="text-xs text-faint">
                  {[
                    ...(as === "right" ? [] : [domains[as]]),
                    domains.ttl(record.ttlSeconds),
                    domains.from(record.server),
                  ].join(" · ")}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Side>
  );
}

function FoundIcon({ as }: { as: ComparedRecord["as"] }) {
  const { domains } = useTexts();
  return as === "right" ? (
    <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-label={domains.right} />
  ) : (
    <CircleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-label={domains[as]} />
  );
}

/** A half of a step: what to create, or what was found. */
export function Side({ title, children, className }: { title: string; children: ReactNode; className?: string }) {
  return (
    <div className={classNames("min-w-0 px-4 py-4 sm:px-5", className)}>
      <h3 className="mb-2 text-xs font-medium text-faint">{title}</h3>
      {children}
    </div>
  );
}
