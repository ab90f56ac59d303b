import { CloudOff, LoaderCircle } from "lucide-react";
import { useConnection } from "../api/connection.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";

/**
 * Says that the browser is offline and what waits, or that the server cannot be reached. It is above the page's controls,
 * stays in sight when the page scrolls, and shows over dialogs.
 */
export function ConnectionBar() {
  const { connection } = useTexts().shell;
  const format = useFormat();
  const { state, waiting } = useConnection();
  const offline = waiting === 0 ? connection.offline : connection.waiting(waiting, format.number(waiting));
  return (
    // Present before it has a text, since screen readers announce only changes. Dialogs leave live regions readable.
    <div role="status" aria-live="polite" className="pointer-events-none sticky top-2 z-[55] flex justify-center px-3">
      {state !== "online" && (
        <p className="mt-2 flex items-center gap-2.5 rounded-xl border border-warning/40 bg-warning-soft px-3.5 py-2 font-medium text-warning shadow-raised appear-fade [&_svg]:size-4 [&_svg]:shrink-0">
          {state === "offline" ? <CloudOff aria-hidden /> : <LoaderCircle className="animate-spin" aria-hidden />}
          {state === "offline" ? offline : connection.unreachable}
        </p>
      )}
    </div>
  );
}
