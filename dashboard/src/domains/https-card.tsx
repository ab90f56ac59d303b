import { useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Switch } from "../ui/switch.tsx";
import { useCanChange, useDomainUpdate } from "./domain-actions.tsx";
import type { Domain } from "./domain-state.ts";

/** A year, the usual max-age of HSTS. The API accepts others. */
const hstsSeconds = 31_536_000;

/** How a domain treats visitors over HTTP, and whether browsers may use it. */
export function HttpsCard({ domain }: { domain: Domain }) {
  const { domains } = useTexts();
  const canChange = useCanChange(domain);
  const update = useDomainUpdate(domain.slug);
  // New values are shown at once, and revert if the call fails.
  const requested = update.isPending ? update.variables : undefined;
  const httpsRedirect = requested?.httpsRedirect ?? domain.httpsRedirect ?? true;
  const hstsMaxAgeSeconds = requested?.hstsMaxAgeSeconds ?? domain.hstsMaxAgeSeconds ?? 0;
  return (
    <Card title="HTTPS">
      <div className="grid gap-6 p-4 sm:p-5">
        <Switch
          label={domains.httpsRedirect}
          hint={domains.httpsRedirectHint}
          checked={httpsRedirect}
          disabled={!canChange}
          onChange={(checked) => update.mutate({ httpsRedirect: checked })}
        />
        <Switch
          label={domains.hsts}
          hint={domains.hstsHint}
          checked={hstsMaxAgeSeconds > 0}
          disabled={!canChange}
          // 0 makes browsers forget the domain; without the field they would remember it for a year.
          onChange={(checked) => update.mutate({ hstsMaxAgeSeconds: checked ? hstsSeconds : 0 })}
        />
        <ErrorNote error={update.error} />
      </div>
    </Card>
  );
}
