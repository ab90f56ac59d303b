import { curlOf } from "../api/curl.ts";
import { useTexts } from "../texts/texts.tsx";
import { Code } from "../ui/code.tsx";
import type { Scope } from "./key-scopes.ts";

/** A new key, which is shown only now, and a command to try it. */
export function ShownKey({ apiKey, scopes }: { apiKey: string; scopes: readonly Scope[] | null }) {
  const { settings } = useTexts();
  const command = curlOf({ origin: location.origin, key: apiKey, path: pathFor(scopes) });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <h3 className="font-medium">{settings.theKey}</h3>
        <Code text={apiKey} label={settings.theKey} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <h3 className="font-medium">{settings.tryIt}</h3>
        <Code text={command} label={settings.tryIt} copyLabel={settings.copyCommand} />
      </div>
    </div>
  );
}

/** TABLE of the path that tries a key, by the scope it needs. */
const paths: Partial<Record<Scope, string>> = {
  "links.read": "/links?pageSize=10",
  "analytics.read": "/analytics?groupBy=count",
  "domains.read": "/domains",
  "tags.read": "/tags",
  "folders.read": "/folders",
  "workspaces.read": "/workspaces",
};

function pathFor(scopes: readonly Scope[] | null): string {
  const found = scopes === null ? "links.read" : scopes.find((scope) => paths[scope] !== undefined);
  return (found && paths[found]) ?? "/links?pageSize=10";
}
