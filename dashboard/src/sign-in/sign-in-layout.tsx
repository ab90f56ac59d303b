import type { ReactNode } from "react";
import { CenteredPage } from "../ui/centered-page.tsx";

/** The layout of pages for people who are not signed in. */
export function SignInLayout({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <CenteredPage>
      <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
      {about && <p className="mt-1 text-muted">{about}</p>}
      <div className="mt-5 grid gap-4">{children}</div>
    </CenteredPage>
  );
}
