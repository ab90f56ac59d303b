import { lazyRouteComponent } from "@tanstack/react-router";

/** The script of a page did not load: the server is unreachable, or has a newer version. */
export class ScriptMissing extends Error {
  override readonly name = "ScriptMissing";
}

/**
 * A page whose script is loaded when it is opened. A failure throws ScriptMissing: for what the router recognizes as a
 * missing module, it reloads the page, which shows the browser's error page while the server is unreachable.
 */
export function lazyPage<Name extends string, Pages extends Record<Name, () => React.ReactNode>>(
  load: () => Promise<Pages>,
  name: Name,
) {
  const loadScript = async () => {
    try {
      return await load();
    } catch (cause) {
      // The message must not begin like a browser's, by which the router recognizes missing modules.
      throw new ScriptMissing(`The script of ${name} did not load: ${String(cause)}`, { cause });
    }
  };
  return lazyRouteComponent(loadScript, name);
}
