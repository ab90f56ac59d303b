import type { FormEvent, ReactNode } from "react";
import { Button } from "../ui/button.tsx";

type StepCardProps = {
  title: string;
  action: string;
  isBusy: boolean;
  onSubmit(): void;
  children: ReactNode;
};

/** A step of the first run, as a form. */
export function StepCard({ title, action, isBusy, onSubmit, children }: StepCardProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <section className="rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-8">
      <form className="grid gap-6" onSubmit={submit}>
        <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
        {children}
        <Button variant="primary" size="large" type="submit" isBusy={isBusy} className="sm:justify-self-start">
          {action}
        </Button>
      </form>
    </section>
  );
}
