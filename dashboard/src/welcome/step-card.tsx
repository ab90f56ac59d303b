import { type FormEvent, type ReactNode, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { useFocusFirstError } from "../ui/use-focus-first-error.ts";

type StepCardProps = {
  title: string;
  action: string;
  isBusy: boolean;
  error: unknown;
  onSubmit(): void;
  children: ReactNode;
};

/** A step of the first run, as a form. */
export function StepCard({ title, action, isBusy, error, onSubmit, children }: StepCardProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <section className="rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-8">
      <form ref={form} className="grid gap-6" onSubmit={submit}>
        <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
        {children}
        <Button variant="primary" size="large" type="submit" isBusy={isBusy} className="sm:justify-self-start">
          {action}
        </Button>
      </form>
    </section>
  );
}
