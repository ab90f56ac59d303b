import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExternalLink, KeyRound } from "lucide-react";
import { answerOf } from "../../../sdk/client.ts";
import { curlOf } from "../api/curl.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { displayUrl } from "../base/url-text.ts";
import { useLink } from "../links/links-api.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Code } from "../ui/code.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Skeleton } from "../ui/states.tsx";
import { FirstClicks } from "./first-clicks.tsx";

type ShownLink = { id: string; shortLink: string; url: string; domain: string; key: string };
type WatchStepProps = {
  linkId: string;
  hasOwnKey: boolean;
  /** The person opens the link from this page. */
  onOpen(): void;
  /** A click of the link has arrived. */
  onClick(): void;
  onLeave(): void;
};

/** Shows the first link with its QR code, the equivalent API call, and its clicks as they arrive. */
export function WatchStep({ linkId, hasOwnKey, onOpen, onClick, onLeave }: WatchStepProps) {
  const { welcome } = useTexts();
  const { id } = useWorkspace();
  const { data, error, refetch } = useLink(linkId);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-72 rounded-2xl" />;
  const { link } = data;
  return (
    <>
      <section className="overflow-hidden rounded-2xl border border-line bg-surface shadow-card">
        <CreatedLink link={link} onOpen={onOpen} />
        <FirstClicks linkId={link.id} onClick={onClick} />
      </section>
      <ApiExample link={link} hasOwnKey={hasOwnKey} />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onLeave}>
          {welcome.toLinks}
        </Button>
        <Link to="/w/$workspaceId/analytics" params={{ workspaceId: String(id) }} className={buttonClass()}>
          {welcome.toAnalytics}
        </Link>
      </div>
    </>
  );
}

function CreatedLink({ link, onOpen }: { link: ShownLink; onOpen(): void }) {
  const { welcome } = useTexts();
  const shown = displayUrl(link.shortLink);
  return (
    <div className="flex flex-col gap-6 p-5 sm:flex-row sm:items-center sm:p-8">
      <img
        src={`/v1/qr?${new URLSearchParams({ url: `${link.shortLink}?qr=1`, size: "320" })}`}
        alt={welcome.qr(shown)}
        className="size-36 shrink-0 self-center rounded-xl border border-line bg-white p-2"
      />
      <div className="grid min-w-0 grow gap-4">
        <div>
          <h2 className="text-lg font-semibold tracking-tight">{welcome.watchTitle}</h2>
          <p className="mt-0.5 text-muted">{welcome.watchHint}</p>
        </div>
        <div className="flex items-center gap-1 rounded-lg border border-line bg-sunken py-1 pl-3 pr-1">
          <span className="min-w-0 grow truncate text-base font-semibold text-accent">{shown}</span>
          <CopyButton text={link.shortLink} label={welcome.copyLink} />
        </div>
        <a
          href={link.shortLink}
          target="_blank"
          rel="noreferrer"
          onClick={onOpen}
          className={`${buttonClass({ variant: "primary" })} justify-self-start`}
        >
          <ExternalLink aria-hidden />
          {welcome.open}
        </a>
      </div>
    </div>
  );
}

/** A command that creates such a link with the API, optionally with a new key. */
function ApiExample({ link, hasOwnKey }: { link: ShownLink; hasOwnKey: boolean }) {
  const { welcome } = useTexts();
  const { api } = useWorkspace();
  const creation = useMutation({
    mutationFn: () =>
      answerOf(api.POST("/api-keys", { body: { name: welcome.keyName, scopes: null, expiresAt: null } })),
  });
  const key = creation.data?.key ?? "YOUR_API_KEY";
  const command = curlOf({ origin: location.origin, key, ...callFor(link, hasOwnKey) });
  return (
    <Card
      title={welcome.api}
      about={welcome.apiHint}
      aside={
        creation.data === undefined && (
          <Button size="small" isBusy={creation.isPending} onClick={() => creation.mutate()}>
            <KeyRound aria-hidden />
            {welcome.createKey}
          </Button>
        )
      }
    >
      <div className="grid gap-3 p-4 sm:p-5">
        <Code text={command} label={welcome.api} copyLabel={welcome.copyCommand} />
        <p role="status" className="text-[13px] text-muted empty:hidden">
          {creation.data && welcome.keyCreated}
        </p>
        <ErrorNote error={creation.error} />
      </div>
    </Card>
  );
}

/** The link itself already uses a chosen key: creating it again would be refused, so the command upserts it. */
function callFor({ url, domain, key }: ShownLink, hasOwnKey: boolean) {
  if (!hasOwnKey) return { path: "/links", body: { url } };
  return { method: "PUT" as const, path: "/links/upsert", body: { url, domain, key } };
}
