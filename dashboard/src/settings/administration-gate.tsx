import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useInstance } from "../api/instance.ts";
import { useUser } from "../api/user.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useTexts } from "../texts/texts.tsx";
import { SecondFactorNeeded } from "../ui/second-factor-needed.tsx";

/** Shows a page of the settings; leads an administrator without the required second factor to its set-up. */
export function AdministrationGate({ children }: { children: ReactNode }) {
  const { administration } = useTexts();
  const { id } = useWorkspace();
  const { data: user } = useUser();
  const isAdministration = useLocation({ select: ({ pathname }) => /\/administration(\/|$)/.test(pathname) });
  const isAsked = isAdministration && user?.isAdministrator === true;
  const { error } = useInstance({ enabled: isAsked });
  const isRefused = isAsked && error instanceof WaypostError && error.code === "forbidden";
  if (!isRefused) return children;
  return <SecondFactorNeeded workspaceId={id} text={administration.needsSecondFactor} />;
}
