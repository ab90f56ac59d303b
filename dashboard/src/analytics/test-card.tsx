import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { displayUrl } from "../base/url-text.ts";
import { variantLetter } from "../base/variant-letter.ts";
import { type Link, useLink } from "../links/links-api.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { VariantLetter } from "./variant-letter.tsx";
import { WinnerDialog } from "./winner-dialog.tsx";

type Results = Schemas["TestResults"];
type Variant = Results["variants"][number];

const refreshMs = 120_000;
const tones = { none: "neutral", scheduled: "neutral", running: "success", ended: "neutral" } as const satisfies Record<
  Results["state"],
  Tone
>;

/** The results of a link's A/B test; nothing for a link without one. */
export function TestCard({ linkId }: { linkId: string }) {
  const { data } = useLink(linkId);
  return data === undefined || data.link.testVariants === null ? null : (
    <RunTestCard link={data.link} etag={data.etag} />
  );
}

function RunTestCard({ link, etag }: { link: Link; etag: string }) {
  const { test } = useTexts().analytics;
  const { id, api, canWrite } = useWorkspace();
  const [isChoosing, setChoosing] = useState(false);
  const { data, error, refetch } = useQuery({
    // A changed link has other results; a test that was ended and brought back must not show those of its end, none.
    queryKey: [id, "analytics", "test", link.id, link.updatedAt],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/links/{linkId}/test-results", { params: { path: { linkId: link.id } }, signal })),
    refetchInterval: refreshMs,
  });
  const isEmpty = data?.variants.every(({ clicks }) => clicks === 0) === true;
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {test.title}
          {data && data.state !== "none" && <Badge tone={tones[data.state]}>{test.states[data.state]}</Badge>}
        </span>
      }
      about={data && <TestPeriod link={link} results={data} />}
      aside={
        canWrite && (
          <div className="flex gap-2">
            <RouterLink
              to="/w/$workspaceId/links"
              params={{ workspaceId: String(id) }}
              search={{ edit: link.id }}
              className={buttonClass({ size: "small" })}
            >
              {test.edit}
            </RouterLink>
            <Button size="small" onClick={() => setChoosing(true)}>
              {test.apply}
            </Button>
          </div>
        )
      }
    >
      <div className="grid gap-3 px-4 py-3 sm:px-5">
        {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Skeleton className="h-28" />}
        {data !== undefined && <VariantTable results={data} />}
        {isEmpty && data.state !== "scheduled" && <p className="text-muted">{test.empty}</p>}
        <p className="max-w-3xl text-[13px] text-muted">{test.about}</p>
      </div>
      <WinnerDialog
        link={link}
        etag={etag}
        variants={link.testVariants ?? []}
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
      />
    </Card>
  );
}

function TestPeriod({ link, results: { state, start, end } }: { link: Link; results: Results }) {
  const { test } = useTexts().analytics;
  const format = useFormat();
  if (state === "scheduled") return <>{test.startsAt(format.instant(link.testStartedAt ?? ""))}</>;
  if (start === null || end === null) return null;
  return (
    <>
      {state === "ended" ? test.period(format.instant(start), format.instant(end)) : test.since(format.instant(start))}
    </>
  );
}

function VariantTable({ results: { variants, other } }: { results: Results }) {
  const { analytics } = useTexts();
  const { test } = analytics;
  const format = useFormat();
  return (
    <>
      <table className="w-full table-fixed tabular">
        <caption className="sr-only">{test.title}</caption>
        <thead className="text-left text-xs text-faint">
          <tr className="[&>th]:pb-1 [&>th]:font-medium">
            <th scope="col">{test.variant}</th>
            <th scope="col" className="w-20 text-right max-sm:hidden">
              {analytics.clicks}
            </th>
            <th scope="col" className="w-20 text-right">
              {analytics.visitors}
            </th>
            <th scope="col" className="w-32 pl-4 sm:w-72 sm:pl-6">
              {test.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {variants.map((variant, index) => (
            <VariantRow key={variantLetter(index)} variant={variant} letter={variantLetter(index)} />
          ))}
        </tbody>
      </table>
      {other.clicks > 0 && (
        <p className="text-[13px] text-muted">{test.other(other.clicks, format.number(other.clicks))}</p>
      )}
    </>
  );
}

function VariantRow({ variant, letter }: { variant: Variant; letter: string }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { url, clicks, visitors } = variant;
  return (
    <tr className="border-t border-line align-top [&>*]:py-2.5">
      <th scope="row" className="text-left font-medium">
        <span className="flex items-center gap-2.5 max-sm:flex-col max-sm:items-start max-sm:gap-1.5 max-sm:text-[13px]">
          <VariantLetter>{letter}</VariantLetter>
          <span className="line-clamp-3 min-w-0 max-w-full wrap-anywhere" title={url}>
            <UrlInParts url={displayUrl(url)} />
          </span>
        </span>
      </th>
      <td className="text-right max-sm:hidden">{format.number(clicks)}</td>
      <td className="text-right">
        {format.number(visitors)}
        <span className="block text-xs text-muted sm:hidden">
          {analytics.countClicks(clicks, format.number(clicks))}
        </span>
      </td>
      <td className="pl-4 sm:pl-6">
        <Share variant={variant} />
      </td>
    </tr>
  );
}

/** A URL that wraps after its slashes, where Chromium would cut a word. */
function UrlInParts({ url }: { url: string }) {
  const slash = url.indexOf("/") + 1;
  if (slash === 0) return url;
  return (
    <>
      {url.slice(0, slash)}
      <wbr />
      <UrlInParts url={url.slice(slash)} />
    </>
  );
}

/** The share of visitors with its confidence interval, as text and drawn beside the planned share. */
function Share({ variant: { share, plannedShare } }: { variant: Variant }) {
  const { test } = useTexts().analytics;
  const format = useFormat();
  const planned = <span className="text-xs text-muted">{test.planned(format.percent(plannedShare))}</span>;
  if (share === null) return planned;
  const { value, low, high } = share;
  const isOffPlan = plannedShare < low || plannedShare > high;
  return (
    <div className="grid gap-1">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{format.share(value)}</span>
        <span className="text-xs text-muted">{test.interval(format.share(low), format.share(high))}</span>
        {isOffPlan && (
          <Badge tone="warning" title={test.offPlanHint}>
            {test.offPlan}
          </Badge>
        )}
      </span>
      <span aria-hidden className="relative my-0.5 block h-2 rounded-full bg-sunken">
        <span
          className="absolute inset-y-0 rounded-full bg-accent/35"
          style={{ left: percentOf(low), width: percentOf(high - low) }}
        />
        <span className="absolute -top-0.5 h-3 w-0.5 bg-faint" style={{ left: percentOf(plannedShare) }} />
        <span
          className="absolute top-0 size-2 -translate-x-1/2 rounded-full bg-accent"
          style={{ left: percentOf(value) }}
        />
      </span>
      {planned}
    </div>
  );
}

function percentOf(part: number): string {
  return `${part * 100}%`;
}
