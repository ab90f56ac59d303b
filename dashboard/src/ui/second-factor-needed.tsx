import { Link } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";
import { buttonClass } from "./button.tsx";
import { Empty } from "./states.tsx";

/** Says in `text` why a page needs a second factor, and leads to its set-up. */
export function SecondFactorNeeded({
  workspaceId,
  text,
  className = "",
}: {
  workspaceId: number;
  text: string;
  className?: string;
}) {
  const { security } = useTexts();
  return (
    <Empty
      isHeading
      icon={ShieldCheck}
      title={security.requiredTitle}
      className={className}
      action={
        <Link
          to="/w/$workspaceId/account/security"
          params={{ workspaceId: String(workspaceId) }}
          className={buttonClass({ variant: "primary" })}
        >
          {security.requiredAction}
        </Link>
      }
    >
      {text}
    </Empty>
  );
}
