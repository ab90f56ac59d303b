import { Link } from "@tanstack/react-router";
import {
  Bell,
  CalendarDays,
  CalendarRange,
  GlobeLock,
  MailWarning,
  Pencil,
  Plus,
  Send,
  Trash2,
  TrendingDown,
  TrendingUp,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import { useIsAdministrator } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { ListCard } from "../ui/list-card.tsx";
import { Empty } from "../ui/states.tsx";
import { useNotify, useNotifyFailure } from "../ui/toasts.tsx";
import { NotificationDialog } from "./notification-dialog.tsx";
import {
  type Notification,
  useNotifications,
  useNotificationTest,
  useSubjects,
  useUnsubscription,
} from "./notification-queries.ts";
import { subjectName } from "./notification-subject.ts";

const icons = {
  weeklyReport: CalendarDays,
  monthlyReport: CalendarRange,
  spike: TrendingUp,
  drop: TrendingDown,
  failingDomain: GlobeLock,
};

/** The reports and alerts that the person receives about the workspace. */
export function NotificationsPage() {
  const { notifications } = useTexts();
  const { id, name } = useWorkspace();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useNotifications();
  const isAdministrator = useIsAdministrator();
  const canReceive = data !== undefined && data.delivery !== "noMailServer";
  const addButton = canReceive && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      {notifications.add}
    </Button>
  );
  return (
    <>
      {data?.delivery === "noMailServer" && <MailNote>{notifications.noMailServer(isAdministrator)}</MailNote>}
      {data?.delivery === "unverifiedEmail" && (
        <MailNote>
          <span className="grow">{notifications.unverified}</span>
          <Link
            to="/w/$workspaceId/account"
            params={{ workspaceId: String(id) }}
            className={buttonClass({ size: "small" })}
          >
            {notifications.openProfile}
          </Link>
        </MailNote>
      )}
      <ListCard
        title={notifications.title}
        about={notifications.about(name)}
        aside={data?.notifications.length !== 0 && addButton}
        query={{ data: data?.notifications, error, refetch }}
        none={
          <Empty icon={Bell} title={notifications.none} action={addButton}>
            {notifications.noneHint}
          </Empty>
        }
      >
        {(each) => <NotificationRow key={each.id} notification={each} canTest={data?.delivery === "ready"} />}
      </ListCard>
      {isAdding && <NotificationDialog onClose={() => setAdding(false)} />}
    </>
  );
}

/** Says why no mail would arrive. */
function MailNote({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-2 rounded-lg border border-line bg-warning-soft px-3 py-2.5 text-warning">
      <MailWarning className="size-4 shrink-0" aria-hidden />
      {children}
    </div>
  );
}

type RowProps = { notification: Notification; canTest: boolean };

function NotificationRow({ notification, canTest }: RowProps) {
  const { notifications } = useTexts();
  const format = useFormat();
  const subjects = useSubjects();
  const { kind, lastSentAt, nextAt, timeZone } = notification;
  const Icon = icons[kind];
  const subject = subjects.data && subjectName(notification, subjects.data, { notifications, format });
  const isReport = kind === "weeklyReport" || kind === "monthlyReport";
  const sent = lastSentAt === null ? notifications.neverSent : notifications.lastSent(format.ago(lastSentAt));
  const details = [
    kind === "failingDomain" ? undefined : subject,
    isReport ? notifications.next(format.instantIn(nextAt, timeZone)) : sent,
    timeZone.replaceAll("_", " "),
  ];
  return (
    <li className="flex items-center gap-3 px-4 py-3.5 sm:px-5">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-sunken text-muted">
        <Icon className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 grow">
        <p className="font-medium">{notifications.kinds[kind]}</p>
        <p className="text-[13px] text-muted wrap-anywhere">
          {details.filter((text) => text !== undefined).join(" · ")}
        </p>
      </div>
      <NotificationButtons
        notification={notification}
        canTest={canTest}
        name={[notifications.kinds[kind], details[0]].filter((text) => text !== undefined).join(", ")}
      />
    </li>
  );
}

function NotificationButtons({ notification, canTest, name }: RowProps & { name: string }) {
  const { notifications } = useTexts();
  const notify = useNotify();
  const notifyFailure = useNotifyFailure();
  const [isEditing, setEditing] = useState(false);
  const test = useNotificationTest((address) => notify({ kind: "done", text: notifications.tested(address) }));
  const removal = useUnsubscription(() => notify({ kind: "done", text: notifications.removed }));
  return (
    <div className="flex shrink-0 gap-1">
      {canTest && (
        <IconButton
          label={notifications.test(name)}
          disabled={test.isPending}
          onClick={() => test.mutate(notification.id, { onError: notifyFailure })}
        >
          <Send />
        </IconButton>
      )}
      <IconButton label={notifications.edit(name)} onClick={() => setEditing(true)}>
        <Pencil />
      </IconButton>
      <IconButton
        label={notifications.remove(name)}
        disabled={removal.isPending}
        onClick={() => removal.mutate(notification.id, { onError: notifyFailure })}
      >
        <Trash2 />
      </IconButton>
      {isEditing && <NotificationDialog notification={notification} onClose={() => setEditing(false)} />}
    </div>
  );
}
