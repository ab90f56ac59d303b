import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Laptop } from "lucide-react";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { sessionsKey, useSessions } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { sessionLabel } from "../texts/session-label.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";

type Session = Schemas["Session"];

/** The browsers in which the person is signed in. */
export function SessionsCard() {
  const { settings } = useTexts();
  const sessions = useSessions();
  return (
    <ListCard
      title={settings.sessions}
      about={settings.sessionsAbout}
      aside={sessions.data !== undefined && sessions.data.length > 1 && <SignOutOthers />}
      query={sessions}
    >
      {(session) => <SessionRow key={session.id} session={session} />}
    </ListCard>
  );
}

function SessionRow({ session }: { session: Session }) {
  const texts = useTexts();
  const { settings, security } = texts;
  const label = sessionLabel(session.label, texts);
  const format = useFormat();
  const queries = useQueryClient();
  const notify = useNotify();
  const end = useMutation({
    mutationFn: () => answerOf(waypost.DELETE("/user/sessions/{id}", { params: { path: { id: session.id } } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: sessionsKey });
      notify({ kind: "done", text: settings.signedOutOne });
    },
    onError: useNotifyFailure(),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-faint">
        <Laptop className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow basis-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {label}
          {session.isCurrent && <Badge tone="success">{settings.thisBrowser}</Badge>}
        </p>
        <p className="text-[13px] text-muted">
          {settings.seen(format.ago(session.lastSeenAt))} · {settings.since(format.day(session.createdAt))} ·{" "}
          {security.methods[session.method]}
        </p>
      </div>
      {!session.isCurrent && (
        <Button
          size="small"
          aria-label={settings.signOutOne(label)}
          isBusy={end.isPending}
          onClick={() => end.mutate()}
        >
          {settings.signOut}
        </Button>
      )}
    </li>
  );
}

function SignOutOthers() {
  const { settings } = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const notify = useNotify();
  const end = useMutation({
    mutationFn: () => answerOf(waypost.DELETE("/user/sessions/others")),
    async onSuccess({ ended }) {
      await queries.invalidateQueries({ queryKey: sessionsKey });
      notify({ kind: "done", text: settings.signedOutOthers(ended, format.number(ended)) });
    },
    onError: useNotifyFailure(),
  });
  return (
    <Button size="small" isBusy={end.isPending} onClick={() => end.mutate()}>
      {settings.signOutOthers}
    </Button>
  );
}
