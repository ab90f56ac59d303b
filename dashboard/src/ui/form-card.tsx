import type { FormEvent, ReactNode } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Card } from "./card.tsx";

type FormCardProps = {
  title: ReactNode;
  about?: ReactNode;
  children: ReactNode;
  onSave(): void;
  isBusy: boolean;
  /** True when there are changes to save. */
  isChanged: boolean;
  /** Replaces "save changes" on the button. */
  action?: string;
  /** Makes the form read-only. */
  disabled?: boolean;
};

/** A card with a form and its submit button at the bottom. */
export function FormCard({
  title,
  about,
  children,
  onSave,
  isBusy,
  isChanged,
  action,
  disabled = false,
}: FormCardProps) {
  const { words } = useTexts();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) onSave();
  };
  return (
    <Card title={title} about={about}>
      <form onSubmit={submit}>
        <fieldset disabled={disabled} className="grid gap-5 p-4 sm:p-5">
          {children}
        </fieldset>
        {!disabled && (
          <CardFooter>
            <Button variant="primary" type="submit" isBusy={isBusy} disabled={!isChanged}>
              {action ?? words.save}
            </Button>
          </CardFooter>
        )}
      </form>
    </Card>
  );
}

/** The bottom of a card, for its buttons. */
export function CardFooter({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3 sm:px-5">{children}</div>;
}

/** An action with a description and its button. */
export function ActionRow({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-4 sm:flex-nowrap sm:px-5">
      <div className="min-w-0 max-w-prose">
        <h3 className="font-medium">{title}</h3>
        <p className="text-[13px] text-muted">{about}</p>
      </div>
      {children}
    </div>
  );
}
