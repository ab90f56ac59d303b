import { CircleAlert, CircleCheck, X } from "lucide-react";
import { Toast } from "radix-ui";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "./button.tsx";
import { ErrorText } from "./error-text.tsx";

/** A button in a message. */
export type ToastAction = { label: string; run(): void };
type Message = { id: number; kind: "done" | "failed"; text: ReactNode; action?: ToastAction };
type Notify = (message: Omit<Message, "id">) => void;
type WithoutActions = <Result>(change: () => Promise<Result>) => Promise<Result>;

const Notifying = createContext<Notify>(() => {});
const Pausing = createContext<WithoutActions>((change) => change());
/** Messages shown at once; the oldest is removed first. */
const messagesMax = 3;
const shownMs = 6_000;
/** A message with an action needs time to be read and to be acted on. Pointing at it or focusing it stops the time. */
const actionShownMs = 12_000;
let lastId = 0;

/** Shows a message for a few seconds: a success, or a failure that nothing else shows. */
export function useNotify(): Notify {
  return useContext(Notifying);
}

/**
 * Returns a function that runs a change while the actions of all messages are disabled: an undo of an earlier change must
 * not run at the same time.
 */
export function useWithoutActions(): WithoutActions {
  return useContext(Pausing);
}

/** True for a message that stays when another is added: only the newest action is offered, such as one undo. */
function staysBefore(added: Message): (message: Message) => boolean {
  return ({ action }) => action === undefined || added.action === undefined;
}

/** Shows an error that nothing else shows. */
export function useNotifyFailure(): (error: unknown) => void {
  const notify = useNotify();
  return (error) => notify({ kind: "failed", text: <ErrorText error={error} /> });
}

/** Shows messages above all pages. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const { words } = useTexts();
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const notify = useCallback<Notify>((message) => {
    lastId += 1;
    const added = { ...message, id: lastId };
    setMessages((before) => [...before.filter(staysBefore(added)), added].slice(-messagesMax));
  }, []);
  const [changesRunning, setChangesRunning] = useState(0);
  const withoutActions = useCallback<WithoutActions>(async (change) => {
    setChangesRunning((before) => before + 1);
    try {
      return await change();
    } finally {
      setChangesRunning((before) => before - 1);
    }
  }, []);
  const forget = (id: number) => setMessages((before) => before.filter((message) => message.id !== id));
  return (
    <Notifying value={notify}>
      <Toast.Provider label={words.message}>
        <Pausing value={withoutActions}>{children}</Pausing>
        {messages.map(({ id, kind, text, action }) => (
          <Toast.Root
            key={id}
            duration={action === undefined ? shownMs : actionShownMs}
            onOpenChange={(isOpen) => !isOpen && forget(id)}
            className="flex items-center gap-x-3 rounded-xl border border-line bg-surface py-2.5 pl-4 pr-2 shadow-raised appear-rise max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)_auto]"
          >
            {kind === "done" ? (
              <CircleCheck className="size-4 shrink-0 text-success" aria-hidden />
            ) : (
              <CircleAlert className="size-4 shrink-0 text-danger" aria-hidden />
            )}
            <Toast.Title className="min-w-0 flex-1 whitespace-pre-line break-words">{text}</Toast.Title>
            {action && (
              <Toast.Action
                altText={action.label}
                onClick={action.run}
                disabled={changesRunning > 0}
                // On a phone the action is below the text, where it has room.
                className="shrink-0 whitespace-nowrap rounded-md px-2 py-1 font-medium text-accent hover:bg-sunken disabled:cursor-not-allowed disabled:opacity-55 max-sm:order-last max-sm:col-start-2 max-sm:-ml-2 max-sm:justify-self-start"
              >
                {action.label}
              </Toast.Action>
            )}
            <Toast.Close asChild>
              <IconButton label={words.close}>
                <X />
              </IconButton>
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport
          label={`${words.messages} ({hotkey})`}
          // As wide as the message, up to a limit. On a phone messages are below the header, since dialogs have their
          // buttons at the bottom.
          className="fixed inset-x-0 bottom-0 z-[60] mx-auto grid w-fit min-w-[min(28rem,100%)] max-w-[min(44rem,100%)] grid-cols-1 gap-2 p-4 outline-none max-md:top-14 max-md:bottom-auto max-md:p-3"
        />
      </Toast.Provider>
    </Notifying>
  );
}
